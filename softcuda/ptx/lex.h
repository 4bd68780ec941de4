/* lex.h - text to tokens. Tokens are slices of the text; nothing is copied. */
#ifndef SOFTCUDA_PTX_LEX_H
#define SOFTCUDA_PTX_LEX_H

#include "softcuda/ptx/ptx.h"

/* A token's kind is a punctuation character itself, or one of these. */
enum ptx_token_kind {
    TOK_END = 256,
    TOK_BAD,        /* text, len: a message */
    TOK_NAME,       /* add, %r1, $L__BB0_2, _Z3fooi */
    TOK_WORD,       /* .global, .f32, .L2::cache_hint, .2d; the dot is part of it */
    TOK_INT,        /* value, is_unsigned: written with a U, or too large for 63 bits */
    TOK_FLOAT,      /* value: the bits, of a float if bits is 32 */
    TOK_STRING,     /* text without its quotes */
    TOK_SHL, TOK_SHR, TOK_LE, TOK_GE, TOK_EQ, TOK_NE, TOK_AND, TOK_OR
};

struct ptx_token {
    int kind;
    uint32_t len;
    const char *text;
    uint64_t value;
    bool is_unsigned;
    uint8_t bits;               /* TOK_FLOAT: 32 or 64 */
    struct ptx_pos pos;
};

struct ptx_lexer {
    const char *at, *end;
    const char *line_start;
    uint32_t line;
};

/* size bytes of text, up to the first NUL. A lexer is plain data: a copy of it is a way back. */
void ptx_lex_init(struct ptx_lexer *, const char *text, size_t size);
struct ptx_token ptx_lex(struct ptx_lexer *);

#endif
