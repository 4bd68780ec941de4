/* lex.c - one token at a time. */
#include "softcuda/ptx/lex.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 127      /* characters; longer ones are refused */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The character n further on, or NUL. */
static char ahead(const struct ptx_lexer *lx, size_t n)
{
    return n < (size_t)(lx->end - lx->at) ? lx->at[n] : '\0';
}

void ptx_lex_init(struct ptx_lexer *lx, const char *text, size_t size)
{
    const char *nul = size ? memchr(text, '\0', size) : NULL;

    *lx = (struct ptx_lexer){ .at = text, .end = nul ? nul : text + size, .line_start = text, .line = 1 };
}

static void newline(struct ptx_lexer *lx)
{
    lx->at++;
    lx->line++;
    lx->line_start = lx->at;
}

static void skip_line(struct ptx_lexer *lx)
{
    while (lx->at < lx->end && *lx->at != '\n')
        lx->at++;
}

static bool skip_comment(struct ptx_lexer *lx)
{
    for (lx->at += 2; lx->at < lx->end;) {
        if (*lx->at == '*' && ahead(lx, 1) == '/') {
            lx->at += 2;
            return true;
        }
        if (*lx->at == '\n')
            newline(lx);
        else
            lx->at++;
    }
    return false;
}

/* A line marker of the C preprocessor, or the "@@DWARF" lines of old compilers. */
static bool is_foreign_line(const struct ptx_lexer *lx)
{
    if (*lx->at == '@')
        return ahead(lx, 1) == '@';
    if (*lx->at != '#')
        return false;
    return is_digit(ahead(lx, 1)) || is_digit(ahead(lx, 2)) || (lx->end - lx->at > 5 && !memcmp(lx->at, "#line", 5));
}

/* Returns false for a comment without an end. */
static bool skip_blanks(struct ptx_lexer *lx)
{
    while (lx->at < lx->end) {
        char c = *lx->at;

        if (c == '\n')
            newline(lx);
        else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v')
            lx->at++;
        else if ((c == '/' && ahead(lx, 1) == '/') || is_foreign_line(lx))
            skip_line(lx);
        else if (c != '/' || ahead(lx, 1) != '*')
            return true;
        else if (!skip_comment(lx))
            return false;
    }
    return true;
}

static void set_bad(struct ptx_token *t, const char *why)
{
    t->kind = TOK_BAD;
    t->text = why;
    t->len = (uint32_t)strlen(why);
}

/* 0f3f800000 and 0d3ff0000000000000: the bits themselves. */
static bool lex_float_bits(struct ptx_lexer *lx, struct ptx_token *t)
{
    char c = ahead(lx, 1);
    size_t digits = c == 'f' || c == 'F' ? 8 : 16;

    if (*lx->at != '0' || (digits == 16 && c != 'd' && c != 'D'))
        return false;
    t->value = 0;
    for (size_t i = 0; i < digits; i++) {
        int d = hex_digit(ahead(lx, 2 + i));

        if (d < 0) {
            set_bad(t, "a 0f literal needs 8 hexadecimal digits, a 0d literal 16");
            return true;
        }
        t->value = t->value << 4 | (unsigned)d;
    }
    lx->at += 2 + digits;
    t->kind = TOK_FLOAT;
    t->bits = (uint8_t)(digits * 4);
    if (is_name(ahead(lx, 0)))
        set_bad(t, "a 0f literal needs 8 hexadecimal digits, a 0d literal 16");
    return true;
}

/* How many characters of a decimal number with a point or an exponent stand here; 0: it is none. */
static size_t float_length(const struct ptx_lexer *lx)
{
    size_t n = 0;
    bool is_float = false;

    while (is_digit(ahead(lx, n)))
        n++;
    if (ahead(lx, n) == '.' && !is_letter(ahead(lx, n + 1))) {
        is_float = true;
        for (n++; is_digit(ahead(lx, n));)
            n++;
    }
    if (ahead(lx, n) == 'e' || ahead(lx, n) == 'E') {
        size_t e = n + 1 + (ahead(lx, n + 1) == '+' || ahead(lx, n + 1) == '-');

        if (is_digit(ahead(lx, e))) {
            is_float = true;
            for (n = e; is_digit(ahead(lx, n));)
                n++;
        }
    }
    return is_float ? n : 0;
}

/* A point whatever the program's locale says. */
static bool read_decimal(const char *text, double *value)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

    if (!c)
        return false;
    *value = strtod_l(text, NULL, c);
    freelocale(c);
    return true;
}

static void lex_decimal(struct ptx_lexer *lx, struct ptx_token *t, size_t n)
{
    char digits[NUMBER_MAX + 1];
    double value;

    if (n > NUMBER_MAX) {
        set_bad(t, "a number of so many digits");
        return;
    }
    memcpy(digits, lx->at, n);
    digits[n] = '\0';
    lx->at += n;
    if (!read_decimal(digits, &value)) {
        set_bad(t, "out of memory");
        return;
    }
    t->kind = TOK_FLOAT;
    t->bits = 64;
    memcpy(&t->value, &value, sizeof(value));
    if (is_name(ahead(lx, 0)))
        set_bad(t, "a letter in a number");
}

static void lex_integer(struct ptx_lexer *lx, struct ptx_token *t)
{
    unsigned base = 10;
    bool wide = false;
    size_t n = 0;

    if (*lx->at == '0' && (ahead(lx, 1) == 'x' || ahead(lx, 1) == 'X'))
        base = 16;
    else if (*lx->at == '0' && (ahead(lx, 1) == 'b' || ahead(lx, 1) == 'B'))
        base = 2;
    else if (*lx->at == '0' && is_digit(ahead(lx, 1)))
        base = 8;
    lx->at += base == 16 || base == 2 ? 2 : 0;
    t->kind = TOK_INT;
    t->value = 0;
    for (;; n++) {
        int d = hex_digit(ahead(lx, 0));
        uint64_t next;

        if (d < 0 || (unsigned)d >= base)
            break;
        wide |= __builtin_mul_overflow(t->value, base, &next) || __builtin_add_overflow(next, (unsigned)d, &next);
        t->value = next;
        lx->at++;
    }
    t->is_unsigned = t->value > INT64_MAX;
    if (ahead(lx, 0) == 'U') {
        t->is_unsigned = true;
        lx->at++;
    }
    if (wide)
        set_bad(t, "a number wider than 64 bits");
    else if (!n || is_name(ahead(lx, 0)))
        set_bad(t, "a letter in a number");
}

static void lex_number(struct ptx_lexer *lx, struct ptx_token *t)
{
    size_t n;

    if (lex_float_bits(lx, t))
        return;
    n = float_length(lx);
    if (n)
        lex_decimal(lx, t, n);
    else
        lex_integer(lx, t);
}

/* ".L2::cache_hint" is one word. Whether ".5" is a number is seen from what follows its digits. */
static void lex_word(struct ptx_lexer *lx, struct ptx_token *t)
{
    size_t n = 1;

    while (is_digit(ahead(lx, n)))
        n++;
    if (n > 1 && !is_name(ahead(lx, n))) {
        lex_decimal(lx, t, n);
        return;
    }
    if (n > 1 && float_length(lx) > n) {
        lex_decimal(lx, t, float_length(lx));
        return;
    }
    for (lx->at++; is_name(ahead(lx, 0));) {
        lx->at++;
        if (ahead(lx, 0) == ':' && ahead(lx, 1) == ':' && is_name(ahead(lx, 2)))
            lx->at += 2;
    }
    t->kind = lx->at - t->text > 1 ? TOK_WORD : '.';
}

static void lex_string(struct ptx_lexer *lx, struct ptx_token *t)
{
    t->text = ++lx->at;
    while (lx->at < lx->end && *lx->at != '"' && *lx->at != '\n')
        lx->at += *lx->at == '\\' && lx->end - lx->at > 1 && lx->at[1] != '\n' ? 2 : 1;
    if (lx->at >= lx->end || *lx->at != '"') {
        set_bad(t, "a string without an end");
        return;
    }
    t->kind = TOK_STRING;
    t->len = (uint32_t)(lx->at++ - t->text);
}

static void lex_punctuation(struct ptx_lexer *lx, struct ptx_token *t)
{
    static const struct { char text[3]; int kind; } pairs[] = {
        { "<<", TOK_SHL }, { ">>", TOK_SHR }, { "<=", TOK_LE }, { ">=", TOK_GE },
        { "==", TOK_EQ }, { "!=", TOK_NE }, { "&&", TOK_AND }, { "||", TOK_OR },
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (*lx->at == pairs[i].text[0] && ahead(lx, 1) == pairs[i].text[1]) {
            lx->at += 2;
            t->kind = pairs[i].kind;
            return;
        }
    }
    t->kind = (unsigned char)*lx->at++;
    if (!memchr("{}[]()<>,;:+-*/%!~&|^?=@", t->kind, 24))
        set_bad(t, "a character that no PTX begins with");
}

struct ptx_token ptx_lex(struct ptx_lexer *lx)
{
    struct ptx_token t = { .kind = TOK_END };
    bool whole = skip_blanks(lx);
    char c;

    t.text = lx->at;
    t.pos = (struct ptx_pos){ lx->line, (uint32_t)(lx->at - lx->line_start) + 1 };
    if (!whole) {
        set_bad(&t, "a comment without an end");
        return t;
    }
    if (lx->at == lx->end)
        return t;
    c = *lx->at;
    if (is_letter(c) || c == '_' || c == '$' || (c == '%' && is_name(ahead(lx, 1)))) {
        t.kind = TOK_NAME;
        for (lx->at++; is_name(ahead(lx, 0));)
            lx->at++;
    } else if (is_digit(c)) {
        lex_number(lx, &t);
    } else if (c == '.') {
        lex_word(lx, &t);
    } else if (c == '"') {
        lex_string(lx, &t);
        return t;
    } else {
        lex_punctuation(lx, &t);
    }
    if (t.kind != TOK_BAD)
        t.len = (uint32_t)(lx->at - t.text);
    return t;
}
