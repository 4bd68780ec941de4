/* parse.c - the parser's tools: tokens, failing, memory, names. */
#include "softcuda/ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ptx_fail(struct ptx_parser *p, struct ptx_pos pos, const char *format, ...)
{
    va_list args;

    p->err->pos = pos;
    va_start(args, format);
    vsnprintf(p->err->text, sizeof(p->err->text), format, args);
    va_end(args);
    for (char *c = p->err->text; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    longjmp(p->failed, 1);
}

static _Noreturn void fail_memory(struct ptx_parser *p)
{
    ptx_fail(p, p->tok.pos, "out of memory");
}

void ptx_fail_expected(struct ptx_parser *p, const char *what)
{
    if (p->tok.kind == TOK_END)
        ptx_fail(p, p->tok.pos, "expected %s, not the end of the text", what);
    ptx_fail(p, p->tok.pos, "expected %s, not '%.*s'", what, PTX_NAME(p->tok));
}

void ptx_next(struct ptx_parser *p)
{
    p->tok = ptx_lex(&p->lx);
    if (p->tok.kind == TOK_BAD)
        ptx_fail(p, p->tok.pos, "%.*s", PTX_NAME(p->tok));
}

struct ptx_token ptx_peek(const struct ptx_parser *p)
{
    struct ptx_lexer lx = p->lx;

    return ptx_lex(&lx);
}

bool ptx_accept(struct ptx_parser *p, int kind)
{
    if (p->tok.kind != kind)
        return false;
    ptx_next(p);
    return true;
}

bool ptx_at_word(const struct ptx_parser *p, const char *word)
{
    return p->tok.kind == TOK_WORD && p->tok.len == strlen(word) && !memcmp(p->tok.text, word, p->tok.len);
}

bool ptx_accept_word(struct ptx_parser *p, const char *word)
{
    if (!ptx_at_word(p, word))
        return false;
    ptx_next(p);
    return true;
}

void ptx_expect(struct ptx_parser *p, int kind, const char *what)
{
    if (!ptx_accept(p, kind))
        ptx_fail_expected(p, what);
}

struct ptx_slice ptx_slice_of(const struct ptx_token *t)
{
    uint32_t dot = t->kind == TOK_WORD;

    return (struct ptx_slice){ t->text + dot, t->len - dot };
}

struct ptx_slice ptx_expect_name(struct ptx_parser *p, const char *what)
{
    struct ptx_slice name = ptx_slice_of(&p->tok);

    ptx_expect(p, TOK_NAME, what);
    return name;
}

uint32_t ptx_expect_u32(struct ptx_parser *p, const char *what)
{
    uint64_t value = p->tok.value;

    if (p->tok.kind != TOK_INT)
        ptx_fail_expected(p, what);
    if (value > UINT32_MAX)
        ptx_fail(p, p->tok.pos, "%.*s is too large for %s", PTX_NAME(p->tok), what);
    ptx_next(p);
    return (uint32_t)value;
}

void *ptx_alloc(struct ptx_parser *p, size_t n, size_t size)
{
    void *memory = n > SIZE_MAX / size ? NULL : ptx_zalloc(&p->arena, n * size);

    if (!memory)
        fail_memory(p);
    return memory;
}

char *ptx_keep_text(struct ptx_parser *p, struct ptx_slice s)
{
    return memcpy(ptx_alloc(p, 1, (size_t)s.len + 1), s.text, s.len);
}

void *ptx_extend(struct ptx_parser *p, struct ptx_vec *v, size_t size, size_t n)
{
    void *memory = v->n + n > UINT32_MAX ? NULL : ptx_vec_extend(v, size, n);

    if (!memory)
        fail_memory(p);
    return memory;
}

void *ptx_push(struct ptx_parser *p, struct ptx_vec *v, size_t size)
{
    return ptx_extend(p, v, size, 1);
}

void *ptx_keep(struct ptx_parser *p, struct ptx_vec *v, size_t from, size_t size)
{
    size_t n = v->n - from;
    void *memory = NULL;

    if (n)
        memory = memcpy(ptx_alloc(p, n, size), (char *)v->data + from * size, n * size);
    v->n = from;
    return memory;
}

static struct ptx_symbol *add_symbol(struct ptx_parser *p, struct ptx_slice name, enum ptx_symbol_kind kind, uint32_t depth)
{
    struct ptx_symbol *s = ptx_symbol_add(&p->symbols, name, kind, depth);

    if (!s)
        fail_memory(p);
    return s;
}

struct ptx_symbol *ptx_declare(struct ptx_parser *p, struct ptx_slice name, enum ptx_symbol_kind kind, uint32_t index,
                               struct ptx_pos pos)
{
    struct ptx_symbol *s;

    if (kind != SYM_RANGE && ptx_symbol_find_at(&p->symbols, name, p->symbols.depth))
        ptx_fail(p, pos, "'%.*s' is declared twice", PTX_NAME(name));
    s = add_symbol(p, name, kind, p->symbols.depth);
    s->index = index;
    return s;
}

struct ptx_symbol *ptx_lookup(struct ptx_parser *p, struct ptx_slice name)
{
    struct ptx_symbol *s = ptx_symbol_find(&p->symbols, name), *range, *made;

    range = ptx_range_find(&p->symbols, name, s ? (int)s->depth : -1);
    if (!range)
        return s;
    made = add_symbol(p, name, SYM_REG, range->depth);
    made->type = range->type;
    made->vec = range->vec;
    made->index = ptx_add_register(p, name, range->type, range->vec);
    return made;
}
