#include "src/trust/armor.h"

#include <sodium.h>

bool gpudl__line_next(struct span *rest, struct span *line)
{
    const unsigned char *end;

    if (!rest->size)
        return false;
    end = memchr(rest->data, '\n', rest->size);
    *line = (struct span){ rest->data, end ? (size_t)(end - rest->data) : rest->size };
    *rest = span_from(*rest, (uint64_t)line->size + 1);
    if (end && line->size && line->data[line->size - 1] == '\r')
        line->size--;
    return true;
}

bool gpudl__line_value(struct span line, const char *prefix, struct span *value)
{
    size_t n = strlen(prefix);

    if (!span_is(line, 0, prefix, n))
        return false;
    *value = span_from(line, n);
    return true;
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

struct span gpudl__line_trim(struct span line)
{
    while (line.size && is_blank(line.data[0]))
        line = span_from(line, 1);
    while (line.size && is_blank(line.data[line.size - 1]))
        line.size--;
    return line;
}

/* libsodium's reader takes some characters whose highest bit is set for others: what was read is written again and compared. */
bool gpudl__base64_read(struct span text, void *out, size_t size)
{
    char again[BASE64_TEXT(BASE64_MOST)];
    size_t n = 0;
    bool same;

    if (size > BASE64_MOST || text.size != BASE64_TEXT(size) - 1 ||
        sodium_base642bin(out, size, (const char *)text.data, text.size, NULL, &n, NULL, sodium_base64_VARIANT_ORIGINAL) != 0 ||
        n != size)
        return false;
    gpudl__base64_print(out, size, again);
    same = sodium_memcmp(again, text.data, text.size) == 0;
    sodium_memzero(again, sizeof(again)); /* it may be a secret key */
    return same;
}

void gpudl__base64_print(const void *bytes, size_t size, char *text)
{
    sodium_bin2base64(text, BASE64_TEXT(size), bytes, size, sodium_base64_VARIANT_ORIGINAL);
}
