#include "src/trust/manifest.h"

#include "src/trust/armor.h"

enum { DIGITS = SHA256_TEXT - 1 };

/* The name without its escapes; false: one that there is not, or it is too long. A NUL is in no file's name. */
static bool unescape(struct span from, bool escaped, char *to, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < from.size; i++) {
        unsigned char c = from.data[i];

        if (!c || n + 1 >= size)
            return false;
        if (escaped && c == '\\') {
            c = span_u8(from, ++i);
            c = c == 'n' ? '\n' : c == 'r' ? '\r' : c == '\\' ? '\\' : 0;
            if (!c)
                return false;
        }
        to[n++] = (char)c;
    }
    to[n] = '\0';
    return n > 0;
}

/* DIGEST, a blank, a blank or a star, NAME */
static bool parse(struct span line, struct sha256 *digest, char *name, size_t size)
{
    bool escaped = span_u8(line, 0) == '\\';
    struct span digits, rest;

    if (escaped)
        line = span_from(line, 1);
    if (!span_cut(line, 0, DIGITS, &digits) || !gpudl__sha256_scan(digits, digest))
        return false;
    rest = span_from(line, DIGITS);
    if (span_u8(rest, 0) != ' ' || (span_u8(rest, 1) != ' ' && span_u8(rest, 1) != '*'))
        return false;
    return unescape(span_from(rest, 2), escaped, name, size);
}

enum trust_error gpudl__manifest_next(
    struct span *rest, unsigned *line, struct sha256 *digest, char *name, size_t size, bool *more, struct text *why)
{
    struct span text;

    while ((*more = gpudl__line_next(rest, &text))) {
        ++*line;
        if (!text.size)
            continue;
        if (parse(text, digest, name, size))
            return TRUST_OK;
        gpudl__text_add(why, "line %u is ", *line);
        gpudl__text_quote(why, text.data, text.size);
        return trust_fail(TRUST_BAD_SETUP, why,
            ", and should be %d hexadecimal digits, two blanks and a file's name, as `gpudl manifest` and sha256sum write them",
            DIGITS);
    }
    return TRUST_OK;
}
