/* decl.c - declarations: types, registers, variables. */
#include "softcuda/ptx/parse.h"

#include <string.h>

#define MAX_REGISTERS (1u << 24)    /* of one range; they come to be when they are used */

static uint32_t read_align(struct ptx_parser *p)
{
    struct ptx_pos pos = p->tok.pos;
    uint64_t align = ptx_expect_u32(p, "an alignment");

    if (!align || align > PTX_MAX_ALIGN || (align & (align - 1)))
        ptx_fail(p, pos, "an alignment is a power of two, at most %d", PTX_MAX_ALIGN);
    return (uint32_t)align;
}

/* .attribute(.managed, .unified(1, 2)) */
static bool read_attributes(struct ptx_parser *p)
{
    bool managed = false;

    ptx_expect(p, '(', "'('");
    for (unsigned depth = 1; depth; ptx_next(p)) {
        if (p->tok.kind == TOK_END)
            ptx_fail_expected(p, "')'");
        managed |= ptx_at_word(p, ".managed");
        depth += p->tok.kind == '(';
        depth -= p->tok.kind == ')';
    }
    return managed;
}

static void read_type_word(struct ptx_parser *p, struct ptx_declared_type *d)
{
    struct ptx_token t = p->tok;
    struct ptx_slice word = ptx_slice_of(&t);
    enum ptx_space space;

    ptx_next(p);
    if (ptx_slice_is(word, "align")) {
        uint32_t align = read_align(p);

        d->align = d->is_ptr ? d->align : align;    /* after .ptr: of what is pointed to */
    } else if (ptx_slice_is(word, "attribute")) {
        d->managed |= read_attributes(p);
    } else if (ptx_slice_is(word, "ptr")) {
        d->is_ptr = true;
    } else if (word.len == 2 && word.text[0] == 'v' && memchr("248", word.text[1], 3)) {
        d->vec = (uint8_t)(word.text[1] - '0');
    } else if (ptx_find_type(word) != PTX_NONE && d->type == PTX_NONE) {
        d->type = ptx_find_type(word);
    } else if (!d->is_ptr || !ptx_find_space(word, &space)) {
        ptx_fail(p, t.pos, "'%.*s' has no place in a declaration", PTX_NAME(t));
    }
}

struct ptx_declared_type ptx_read_type(struct ptx_parser *p)
{
    struct ptx_declared_type d = { .vec = 1 };

    while (p->tok.kind == TOK_WORD)
        read_type_word(p, &d);
    if (d.type == PTX_NONE)
        ptx_fail_expected(p, "a type");
    return d;
}

/* "[4][2]"; returns the bytes. dims and *ndims: what was written, 0 for "[]", which only the first one may be. */
uint64_t ptx_read_array(struct ptx_parser *p, struct ptx_slice name, uint64_t elem, uint64_t *dims, unsigned *ndims)
{
    uint64_t bytes = elem;

    for (*ndims = 0; p->tok.kind == '['; ++*ndims) {
        struct ptx_pos pos = p->tok.pos;
        uint64_t n = 0;

        ptx_next(p);
        if (*ndims == PTX_MAX_DIMS)
            ptx_fail(p, pos, "'%.*s' has more than %d dimensions", PTX_NAME(name), PTX_MAX_DIMS);
        if (p->tok.kind != ']')
            n = ptx_read_count(p, "the size of an array");
        else if (*ndims)
            ptx_fail(p, pos, "only the first dimension of '%.*s' may be left open", PTX_NAME(name));
        ptx_expect(p, ']', "']'");
        if (__builtin_mul_overflow(bytes, n, &bytes) || bytes > PTX_MAX_VAR_BYTES)
            ptx_fail(p, pos, "'%.*s' is too large", PTX_NAME(name));
        dims[*ndims] = n;
    }
    return bytes;
}

uint32_t ptx_add_register(struct ptx_parser *p, struct ptx_slice name, enum ptx_type type, unsigned vec)
{
    uint32_t index = (uint32_t)p->regs.n;
    char *text = ptx_keep_text(p, name);

    for (unsigned i = 0; i < vec; i++)
        *(struct ptx_reg *)ptx_push(p, &p->regs, sizeof(struct ptx_reg)) = (struct ptx_reg){ text, type };
    return index;
}

/* %r, or %r<100> */
static void read_register(struct ptx_parser *p, const struct ptx_declared_type *d)
{
    struct ptx_pos pos = p->tok.pos;
    struct ptx_slice name = ptx_expect_name(p, "a register");
    struct ptx_symbol *s;
    uint32_t n = 1;

    if (ptx_accept(p, '<')) {
        n = ptx_expect_u32(p, "the number of registers");
        if (n > MAX_REGISTERS)
            ptx_fail(p, pos, "more than %u registers", MAX_REGISTERS);
        ptx_expect(p, '>', "'>'");
        s = ptx_declare(p, name, SYM_RANGE, n, pos);
    } else {
        s = ptx_declare(p, name, SYM_REG, ptx_add_register(p, name, d->type, d->vec), pos);
    }
    s->type = d->type;
    s->vec = d->vec;
}

void ptx_read_registers(struct ptx_parser *p)
{
    struct ptx_declared_type d = ptx_read_type(p);

    do
        read_register(p, &d);
    while (ptx_accept(p, ','));
    ptx_expect(p, ';', "';'");
}

bool ptx_at_variable(const struct ptx_parser *p, enum ptx_space *space)
{
    return p->tok.kind == TOK_WORD && !memchr(p->tok.text, ':', p->tok.len) && ptx_find_space(ptx_slice_of(&p->tok), space);
}

/* Does the variable belong to the function, so that every thread, block or call has its own? */
static bool is_local(const struct ptx_parser *p, const struct ptx_var *v)
{
    return p->symbols.depth && (v->space == PTX_LOCAL || v->space == PTX_SHARED || v->space == PTX_PARAM) &&
           v->linkage != PTX_EXTERN;
}

static void fill_in(struct ptx_parser *p, struct ptx_var *v, const struct ptx_declared_type *d, struct ptx_slice name)
{
    uint64_t elem = ptx_type_bits(d->type) / 8 * (uint64_t)d->vec, dims[PTX_MAX_DIMS + 1];
    unsigned ndims;

    if (!elem)
        ptx_fail(p, v->pos, "a variable of type .%s", ptx_type_name(d->type));
    v->type = d->type;
    v->managed = d->managed;
    v->size = ptx_read_array(p, name, elem, dims, &ndims);
    v->align = d->align ? d->align : (uint32_t)elem;
    v->extern_shared = v->linkage == PTX_EXTERN && v->space == PTX_SHARED;
    if (d->vec > 1)
        dims[ndims++] = d->vec;
    if (ptx_accept(p, '='))
        ptx_read_initialiser(p, v, dims, ndims);
    if (!v->size && v->linkage != PTX_EXTERN && v->space != PTX_PARAM)
        ptx_fail(p, v->pos, "'%.*s' has no size", PTX_NAME(name));
}

/* Where a module variable goes: over its .extern declaration if there was one. */
static struct ptx_symbol *place(struct ptx_parser *p, struct ptx_var *v, struct ptx_slice name)
{
    struct ptx_symbol *s = ptx_symbol_find_at(&p->symbols, name, p->symbols.depth);
    const struct ptx_var *old;

    if (s && s->kind == SYM_VAR) {
        old = &((struct ptx_var *)p->vars.data)[s->index];
        if (old->space == v->space && (old->linkage == PTX_EXTERN || v->linkage == PTX_EXTERN))
            return s;
    }
    s = ptx_declare(p, name, SYM_VAR, (uint32_t)p->vars.n, v->pos);
    ptx_push(p, &p->vars, sizeof(*v));
    return s;
}

static void read_module_variable(struct ptx_parser *p, struct ptx_var *v, const struct ptx_declared_type *d,
                                 struct ptx_slice name)
{
    struct ptx_symbol *s = place(p, v, name);
    uint32_t index = s->index;
    struct ptx_var *slot;

    s->type = d->type;
    s->vec = d->vec;
    fill_in(p, v, d, name);
    slot = &((struct ptx_var *)p->vars.data)[index];
    if (!slot->name || slot->linkage == PTX_EXTERN)
        *slot = *v;
}

static void read_local_variable(struct ptx_parser *p, struct ptx_var *v, const struct ptx_declared_type *d, struct ptx_slice name)
{
    struct ptx_symbol *s = ptx_declare(p, name, SYM_LOCALVAR, (uint32_t)p->locals.n, v->pos);

    s->type = d->type;
    s->vec = d->vec;
    fill_in(p, v, d, name);
    if (v->init || v->relocs)
        ptx_fail(p, v->pos, "'%.*s' cannot be initialised", PTX_NAME(name));
    *(struct ptx_var *)ptx_push(p, &p->locals, sizeof(*v)) = *v;
}

static void skip_bank(struct ptx_parser *p)
{
    if (!ptx_accept(p, '['))
        return;
    ptx_expect_u32(p, "a bank");
    ptx_expect(p, ']', "']'");
}

void ptx_read_variables(struct ptx_parser *p, enum ptx_linkage linkage)
{
    struct ptx_declared_type d;
    enum ptx_space space = PTX_GENERIC;

    ptx_at_variable(p, &space);
    ptx_next(p);
    skip_bank(p);
    d = ptx_read_type(p);
    do {
        struct ptx_var v = { .space = space, .linkage = linkage, .pos = p->tok.pos };
        struct ptx_slice name = ptx_expect_name(p, "the name of a variable");

        v.name = ptx_keep_text(p, name);
        if (is_local(p, &v))
            read_local_variable(p, &v, &d, name);
        else
            read_module_variable(p, &v, &d, name);
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';', "';'");
}
