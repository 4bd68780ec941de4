/* ptx.c - a module: its directives, and the life of the tree. */
#include "softcuda/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* ".version 8.7" */
static void read_version(struct ptx_parser *p)
{
    struct ptx_token t = p->tok;
    const char *dot = memchr(t.text, '.', t.len);
    unsigned version = 0;

    if (t.kind != TOK_FLOAT || !dot || dot + 2 != t.text + t.len || t.len > 4)
        ptx_fail_expected(p, "a version such as 8.7");
    for (uint32_t i = 0; i < t.len; i++)
        if (t.text[i] != '.')
            version = version * 10 + (unsigned)(t.text[i] - '0');
    p->m->version = version;
    ptx_next(p);
}

/* sm_90a: returns false if the name is none of a machine. */
static bool read_machine(struct ptx_parser *p, struct ptx_slice name)
{
    unsigned target = 0;
    uint32_t i = 3;

    if (name.len < 4 || memcmp(name.text, "sm_", 3))
        return false;
    for (; i < name.len && name.text[i] >= '0' && name.text[i] <= '9' && target < 10000; i++)
        target = target * 10 + (unsigned)(name.text[i] - '0');
    if (i + 1 < name.len || i == 3 || (i < name.len && name.text[i] != 'a' && name.text[i] != 'f'))
        return false;
    if (target >= p->m->target) {
        p->m->target = target;
        p->m->target_suffix = i < name.len ? name.text[i] : '\0';
    }
    return true;
}

/* .target sm_75, debug */
static void read_target(struct ptx_parser *p)
{
    static const char *const options[] = { "texmode_unified", "texmode_independent", "texmode_raw", "map_f64_to_f32" };

    do {
        struct ptx_pos pos = p->tok.pos;
        struct ptx_slice name = ptx_expect_name(p, "a target");
        bool known = read_machine(p, name);

        if (ptx_slice_is(name, "debug"))
            known = p->m->debug = true;
        for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
            known |= ptx_slice_is(name, options[i]);
        if (!known)
            ptx_fail(p, pos, "unknown target '%.*s'", PTX_NAME(name));
    } while (ptx_accept(p, ','));
}

static void read_address_size(struct ptx_parser *p)
{
    struct ptx_pos pos = p->tok.pos;
    uint32_t size = ptx_expect_u32(p, "an address size");

    if (size != 64)
        ptx_fail(p, pos, "addresses of %u bits: only 64 are supported", size);
}

static bool read_linkage(struct ptx_parser *p, enum ptx_linkage *linkage)
{
    static const char *const words[] = { NULL, ".visible", ".weak", ".extern", ".common" };

    for (int i = PTX_VISIBLE; i <= PTX_COMMON; i++) {
        if (ptx_accept_word(p, words[i])) {
            *linkage = (enum ptx_linkage)i;
            return true;
        }
    }
    return false;
}

static void read_declaration(struct ptx_parser *p)
{
    enum ptx_linkage linkage = PTX_INTERNAL;
    enum ptx_space space;

    while (read_linkage(p, &linkage))
        ;
    if (ptx_at_word(p, ".entry") || ptx_at_word(p, ".func"))
        ptx_read_function(p, linkage);
    else if (ptx_at_variable(p, &space) && space != PTX_PARAM)
        ptx_read_variables(p, linkage);
    else if (ptx_at_word(p, ".reg"))
        ptx_fail(p, p->tok.pos, "registers outside a function");
    else if (p->tok.kind == TOK_WORD)
        ptx_fail(p, p->tok.pos, "unknown directive '%.*s'", PTX_NAME(p->tok));
    else
        ptx_fail_expected(p, "a directive");
}

static void read_directive(struct ptx_parser *p)
{
    if (ptx_accept_word(p, ".target"))
        read_target(p);
    else if (ptx_accept_word(p, ".address_size"))
        read_address_size(p);
    else if (ptx_accept_word(p, ".version"))
        read_version(p);
    else if (ptx_accept_word(p, ".alias"))
        ptx_read_alias(p);
    else if (!ptx_accept(p, ';') && !ptx_read_debug(p))
        read_declaration(p);
}

static void read_module(struct ptx_parser *p)
{
    struct ptx_module *m = p->m;

    ptx_next(p);
    if (!ptx_accept_word(p, ".version"))
        ptx_fail_expected(p, ".version");
    read_version(p);
    if (!ptx_at_word(p, ".target"))
        ptx_fail_expected(p, ".target");
    while (p->tok.kind != TOK_END)
        read_directive(p);
    m->nvars = (uint32_t)p->vars.n;
    m->vars = ptx_keep(p, &p->vars, 0, sizeof(*m->vars));
    m->nfuncs = (uint32_t)p->funcs.n;
    m->funcs = ptx_keep(p, &p->funcs, 0, sizeof(*m->funcs));
    m->nfiles = (uint32_t)p->files.n;
    m->files = ptx_keep(p, &p->files, 0, sizeof(*m->files));
}

static void free_parser(struct ptx_parser *p)
{
    struct ptx_vec *const vectors[] = {
        &p->templates, &p->vars, &p->funcs, &p->files, &p->insns, &p->regs, &p->locals, &p->protos, &p->tables,
        &p->calltargets, &p->references, &p->params, &p->operands, &p->bytes, &p->relocs, &p->indices,
    };

    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
        ptx_vec_free(vectors[i]);
    ptx_symbols_free(&p->symbols);
    ptx_symbols_free(&p->opcodes);
    free(p);
}

/* The one place where failures land. */
static bool run(struct ptx_parser *p)
{
    if (setjmp(p->failed))
        return false;
    p->m = ptx_alloc(p, 1, sizeof(*p->m));
    p->m->address_size = 64;
    read_module(p);
    return true;
}

/* The arena's own record lies in the arena. */
static struct ptx_module *hand_over(struct ptx_parser *p)
{
    struct arena *arena = ptx_zalloc(&p->arena, sizeof(*arena));

    if (!arena)
        return NULL;
    *arena = p->arena;
    p->m->arena = arena;
    return p->m;
}

struct ptx_module *ptx_parse(const char *text, size_t size, struct ptx_error *err)
{
    struct ptx_parser *p = calloc(1, sizeof(*p));
    struct ptx_module *m = NULL;

    *err = (struct ptx_error){ .text = "out of memory" };
    if (!p)
        return NULL;
    if (size > INT32_MAX)
        strcpy(err->text, "the text is larger than 2 GiB");
    p->err = err;
    ptx_lex_init(&p->lx, text, size);
    if (size <= INT32_MAX && run(p))
        m = hand_over(p);
    if (!m)
        gpudl__arena_free(&p->arena);
    free_parser(p);
    return m;
}

void ptx_module_destroy(struct ptx_module *m)
{
    struct arena arena;

    if (!m)
        return;
    arena = *(struct arena *)m->arena;
    gpudl__arena_free(&arena);
}

const struct ptx_func *ptx_find_entry(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i].entry && !strcmp(m->funcs[i].name, name))
            return &m->funcs[i];
    return NULL;
}
