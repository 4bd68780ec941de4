/* ptx_lex.h - the words of PTX, as far as declarations need them. Bounded by its span, recursion-free, linear; keeps nothing. */
#ifndef GPUDL_IMAGE_PTX_LEX_H
#define GPUDL_IMAGE_PTX_LEX_H

#include "src/image/internal.h"

enum ptx_token {
    PTX_END,
    PTX_DIRECTIVE,          /* .visible: word is "visible" */
    PTX_WORD,               /* a name, sm_90 */
    PTX_NUMBER,             /* 9.0, 0x10, 0f3F800000 */
    PTX_STRING,             /* word is without its quotes */
    PTX_MARK,               /* one character, in word */
    PTX_CUT                 /* a comment or a string does not end; word is where it begins */
};

struct ptx_lexer {
    struct span text;
    size_t at;
    enum ptx_token token;
    struct span word;       /* of token */
};

enum ptx_token gpudl__ptx_next(struct ptx_lexer *l);
/* Behind the brace that closes the one just read: true, and token is that brace. False: PTX_END or PTX_CUT. */
bool gpudl__ptx_skip_block(struct ptx_lexer *l);
bool gpudl__ptx_is(const struct ptx_lexer *l, enum ptx_token token, const char *word);
bool gpudl__ptx_is_mark(const struct ptx_lexer *l, char mark);
/* A decimal, octal or hexadecimal number without sign; false if word is not one or does not fit. */
bool gpudl__ptx_number(struct span word, uint64_t *out);
unsigned gpudl__ptx_line(const struct ptx_lexer *l);      /* of the token, from 1 */
/* The token is not what is wanted ("the name of a kernel"): says so, or that the text ends here. */
enum image_error gpudl__ptx_unexpected(const struct ptx_lexer *l, const char *wanted, struct text *t);

#endif
