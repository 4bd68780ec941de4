#include "src/image/ptx_lex.h"

static bool is_blank(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(unsigned char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static unsigned char peek(const struct ptx_lexer *l, size_t ahead)
{
    return span_u8(l->text, l->at + ahead);
}

static enum ptx_token cut(struct ptx_lexer *l)
{
    l->word = span_from(l->text, l->at);
    l->at = l->text.size;
    return l->token = PTX_CUT;
}

/* Past blanks and comments; false at a comment that does not end. */
static bool skip_blanks(struct ptx_lexer *l)
{
    struct span rest;
    const unsigned char *end;

    for (;;) {
        while (l->at < l->text.size && is_blank(l->text.data[l->at]))
            l->at++;
        if (peek(l, 0) != '/')
            return true;
        rest = span_from(l->text, l->at + 2);
        if (peek(l, 1) == '/') {
            end = rest.size ? memchr(rest.data, '\n', rest.size) : NULL;
            l->at = end ? (size_t)(end - l->text.data) : l->text.size;
        } else if (peek(l, 1) == '*') {
            end = rest.size ? memmem(rest.data, rest.size, "*/", 2) : NULL;
            if (!end)
                return false;
            l->at = (size_t)(end - l->text.data) + 2;
        } else {
            return true;
        }
    }
}

static enum ptx_token finish(struct ptx_lexer *l, enum ptx_token token, size_t begin, size_t end)
{
    l->word = (struct span){ l->text.data + begin, end - begin };
    return l->token = token;
}

static enum ptx_token next_string(struct ptx_lexer *l)
{
    struct span rest = span_from(l->text, l->at + 1);
    const unsigned char *end = rest.size ? memchr(rest.data, '"', rest.size) : NULL;
    size_t begin = l->at + 1;

    if (!end)
        return cut(l);
    l->at = (size_t)(end - l->text.data) + 1;
    return finish(l, PTX_STRING, begin, l->at - 1);
}

enum ptx_token gpudl__ptx_next(struct ptx_lexer *l)
{
    size_t begin;
    unsigned char c;

    if (!skip_blanks(l))
        return cut(l);
    begin = l->at;
    if (begin >= l->text.size)
        return finish(l, PTX_END, l->text.size, l->text.size);
    c = peek(l, 0);
    if (c == '"')
        return next_string(l);
    l->at++;
    if (c == '.' && is_word(peek(l, 0))) {
        while (is_word(peek(l, 0)))
            l->at++;
        return finish(l, PTX_DIRECTIVE, begin + 1, l->at);
    }
    if (!is_word(c))
        return finish(l, PTX_MARK, begin, l->at);
    while (is_word(peek(l, 0)) || (is_digit(c) && peek(l, 0) == '.' && is_digit(peek(l, 1))))
        l->at++;
    return finish(l, is_digit(c) ? PTX_NUMBER : PTX_WORD, begin, l->at);
}

/* Bodies are most of a file: go from brace to brace, minding comments and strings, without looking at words. */
bool gpudl__ptx_skip_block(struct ptx_lexer *l)
{
    size_t depth = 1;

    while (l->at < l->text.size) {
        unsigned char c = l->text.data[l->at];

        if (c != '{' && c != '}' && c != '"' && c != '/') {
            l->at++;
            continue;
        }
        if (gpudl__ptx_next(l) == PTX_CUT)
            return false;
        if (gpudl__ptx_is_mark(l, '{'))
            depth++;
        else if (gpudl__ptx_is_mark(l, '}') && --depth == 0)
            return true;
    }
    finish(l, PTX_END, l->text.size, l->text.size);
    return false;
}

bool gpudl__ptx_is(const struct ptx_lexer *l, enum ptx_token token, const char *word)
{
    size_t n = strlen(word);

    return l->token == token && l->word.size == n && memcmp(l->word.data, word, n) == 0;
}

bool gpudl__ptx_is_mark(const struct ptx_lexer *l, char mark)
{
    return l->token == PTX_MARK && l->word.data[0] == (unsigned char)mark;
}

static int digit_value(unsigned char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool gpudl__ptx_number(struct span word, uint64_t *out)
{
    uint64_t base = 10, v = 0;
    size_t i = 0, n = word.size;
    int d;

    if (n > 1 && span_u8(word, n - 1) == 'U')
        n--;
    if (n > 1 && span_u8(word, 0) == '0') {
        base = (span_u8(word, 1) | 0x20) == 'x' ? 16 : 8;
        i = base == 16 ? 2 : 1;
    }
    if (i >= n)
        return false;
    for (; i < n; i++) {
        d = digit_value(word.data[i]);
        if (d < 0 || (uint64_t)d >= base || __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, (uint64_t)d, &v))
            return false;
    }
    *out = v;
    return true;
}

unsigned gpudl__ptx_line(const struct ptx_lexer *l)
{
    const unsigned char *end = l->word.data ? l->word.data : l->text.data;
    unsigned line = 1;

    for (const unsigned char *p = l->text.data; p < end; p++)
        line += *p == '\n';
    return line;
}

enum image_error gpudl__ptx_unexpected(const struct ptx_lexer *l, const char *wanted, struct text *t)
{
    if (l->token == PTX_CUT)
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "PTX: the comment or string that begins on line %u does not end",
            gpudl__ptx_line(l));
    if (l->at >= l->text.size)      /* nothing follows: what is there may be half of what is wanted */
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "PTX: ends where %s is expected: the text is cut off", wanted);
    gpudl__image_fail(t, IMAGE_DAMAGED, "PTX: line %u: %s is expected, found ", gpudl__ptx_line(l), wanted);
    gpudl__text_quote(t, l->word.data, l->word.size);
    return IMAGE_DAMAGED;
}
