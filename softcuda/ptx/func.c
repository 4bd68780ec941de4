/* func.c - functions and kernels: header, launch bounds, body. */
#include "softcuda/ptx/parse.h"

/* .maxntid 16, 8 */
static void read_dims(struct ptx_parser *p, uint32_t dims[3])
{
    dims[1] = dims[2] = 1;
    for (int i = 0; i < 3; i++) {
        dims[i] = ptx_expect_u32(p, "a number of threads or blocks");
        if (i == 2 || !ptx_accept(p, ','))
            return;
    }
}

static bool read_number_directive(struct ptx_parser *p, struct ptx_func *f)
{
    if (ptx_accept_word(p, ".maxnreg"))
        f->maxnreg = ptx_expect_u32(p, "a number of registers");
    else if (ptx_accept_word(p, ".minnctapersm"))
        f->minnctapersm = ptx_expect_u32(p, "a number of blocks");
    else if (ptx_accept_word(p, ".maxclusterrank"))
        f->maxclusterrank = ptx_expect_u32(p, "a number of blocks");
    else if (ptx_accept_word(p, ".maxnctapersm") || ptx_accept_word(p, ".abi_preserve") ||
             ptx_accept_word(p, ".abi_preserve_control"))
        ptx_expect_u32(p, "a number");
    else
        return false;
    return true;
}

static void skip_attribute(struct ptx_parser *p)
{
    do
        ptx_next(p);
    while (p->tok.kind != ')' && p->tok.kind != TOK_END && p->tok.kind != '{');
    while (ptx_accept(p, ')'))
        ;
}

/* What may stand between a function's parameters and its body. */
static void read_directives(struct ptx_parser *p, struct ptx_func *f)
{
    while (p->tok.kind == TOK_WORD) {
        if (ptx_accept_word(p, ".maxntid"))
            read_dims(p, f->maxntid);
        else if (ptx_accept_word(p, ".reqntid"))
            read_dims(p, f->reqntid);
        else if (ptx_accept_word(p, ".reqnctapercluster"))
            read_dims(p, f->reqnctapercluster);
        else if (ptx_accept_word(p, ".noreturn"))
            f->noreturn = true;
        else if (ptx_accept_word(p, ".explicitcluster"))
            f->explicitcluster = true;
        else if (ptx_accept_word(p, ".blocksareclusters"))
            f->blocksareclusters = true;
        else if (ptx_at_word(p, ".attribute"))
            skip_attribute(p);
        else if (!read_number_directive(p, f) && !ptx_read_debug(p))
            ptx_fail(p, p->tok.pos, "unknown directive '%.*s'", PTX_NAME(p->tok));
    }
}

/* table: .branchtargets L1, L2; */
static void read_branchtargets(struct ptx_parser *p, struct ptx_slice label, struct ptx_pos pos)
{
    struct ptx_lexer lx = p->lx;
    struct ptx_token tok = p->tok;
    struct ptx_branch_table t = { 0 };

    ptx_declare(p, label, SYM_BRANCHES, (uint32_t)p->tables.n, pos);
    do {                        /* counted first: references want a place that stays */
        ptx_expect_name(p, "a label");
        t.n++;
    } while (ptx_accept(p, ','));
    p->lx = lx;
    p->tok = tok;
    t.targets = ptx_alloc(p, t.n, sizeof(*t.targets));
    for (uint32_t i = 0; i < t.n; i++) {
        ptx_reference(p, SYM_LABEL, &t.targets[i]);
        ptx_accept(p, ',');
    }
    ptx_expect(p, ';', "';'");
    *(struct ptx_branch_table *)ptx_push(p, &p->tables, sizeof(t)) = t;
}

/* targets: .calltargets f, g; */
static void read_calltargets(struct ptx_parser *p, struct ptx_slice label, struct ptx_pos pos)
{
    struct ptx_calltargets t = { 0 };

    ptx_declare(p, label, SYM_CALLS, (uint32_t)p->calltargets.n, pos);
    do {
        struct ptx_pos at = p->tok.pos;
        struct ptx_slice name = ptx_expect_name(p, "a function");
        const struct ptx_symbol *s = ptx_lookup(p, name);

        if (!s || s->kind != SYM_FUNC)
            ptx_fail(p, at, "function '%.*s' is not declared", PTX_NAME(name));
        *(uint32_t *)ptx_push(p, &p->indices, sizeof(uint32_t)) = s->index;
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';', "';'");
    t.n = (uint32_t)p->indices.n;
    t.targets = ptx_keep(p, &p->indices, 0, sizeof(uint32_t));
    *(struct ptx_calltargets *)ptx_push(p, &p->calltargets, sizeof(t)) = t;
}

static void read_label(struct ptx_parser *p)
{
    struct ptx_pos pos = p->tok.pos;
    struct ptx_slice name = ptx_expect_name(p, "a label");

    ptx_expect(p, ':', "':'");
    if (ptx_accept_word(p, ".callprototype"))
        ptx_read_callprototype(p, name, pos);
    else if (ptx_accept_word(p, ".branchtargets"))
        read_branchtargets(p, name, pos);
    else if (ptx_accept_word(p, ".calltargets"))
        read_calltargets(p, name, pos);
    else
        ptx_declare(p, name, SYM_LABEL, (uint32_t)p->insns.n, pos);
}

static void read_declaration(struct ptx_parser *p)
{
    enum ptx_linkage linkage = ptx_accept_word(p, ".extern") ? PTX_EXTERN : PTX_INTERNAL;
    enum ptx_space space;

    if (ptx_accept_word(p, ".reg"))
        ptx_read_registers(p);
    else if (ptx_at_variable(p, &space))
        ptx_read_variables(p, linkage);
    else if (!ptx_read_debug(p))
        ptx_fail(p, p->tok.pos, "unknown directive '%.*s'", PTX_NAME(p->tok));
}

static void enter(struct ptx_parser *p)
{
    if (!ptx_scope_enter(&p->symbols))
        ptx_fail(p, p->tok.pos, "more than %d scopes inside each other", PTX_MAX_DEPTH);
}

/* From after the opening brace to after the closing one. */
static void read_body(struct ptx_parser *p)
{
    uint32_t outside = p->symbols.depth;

    for (;;) {
        if (ptx_accept(p, '{')) {
            enter(p);
        } else if (ptx_accept(p, '}')) {
            if (p->symbols.depth == outside)
                return;
            ptx_resolve_references(p);
            ptx_scope_leave(&p->symbols);
        } else if (p->tok.kind == TOK_WORD) {
            read_declaration(p);
        } else if (p->tok.kind == TOK_NAME && ptx_peek(p).kind == ':') {
            read_label(p);
        } else if (!ptx_accept(p, ';')) {
            ptx_read_instruction(p);
        }
    }
}

static void keep_body(struct ptx_parser *p, struct ptx_func *f)
{
    f->ninsns = (uint32_t)p->insns.n;
    f->insns = ptx_keep(p, &p->insns, 0, sizeof(*f->insns));
    f->nregs = (uint32_t)p->regs.n;
    f->regs = ptx_keep(p, &p->regs, 0, sizeof(*f->regs));
    f->nvars = (uint32_t)p->locals.n;
    f->vars = ptx_keep(p, &p->locals, 0, sizeof(*f->vars));
    f->nprotos = (uint32_t)p->protos.n;
    f->protos = ptx_keep(p, &p->protos, 0, sizeof(*f->protos));
    f->ntables = (uint32_t)p->tables.n;
    f->tables = ptx_keep(p, &p->tables, 0, sizeof(*f->tables));
    p->calltargets.n = 0;
}

/* The function's symbol: a new one of the module, or that of its declaration. */
static uint32_t find_or_add(struct ptx_parser *p, struct ptx_slice name, const struct ptx_func *f)
{
    struct ptx_symbol *s = ptx_symbol_find_at(&p->symbols, name, 0);
    const struct ptx_func *old;

    if (!s) {
        s = ptx_symbol_add(&p->symbols, name, SYM_FUNC, 0);
        if (!s)
            ptx_fail(p, f->pos, "out of memory");
        s->index = (uint32_t)p->funcs.n;
        *(struct ptx_func *)ptx_push(p, &p->funcs, sizeof(*f)) = *f;
        return s->index;
    }
    old = s->kind == SYM_FUNC ? &((struct ptx_func *)p->funcs.data)[s->index] : NULL;
    if (!old || old->entry != f->entry)
        ptx_fail(p, f->pos, "'%.*s' is declared twice", PTX_NAME(name));
    return s->index;
}

/* Puts the finished function over its declaration. */
static void put(struct ptx_parser *p, struct ptx_func *f, uint32_t index)
{
    struct ptx_func *slot = &((struct ptx_func *)p->funcs.data)[index];

    if (!slot->declared_only) {
        if (!f->declared_only)
            ptx_fail(p, f->pos, "'%.100s' is defined twice", f->name);
        return;
    }
    f->address_taken |= slot->address_taken;
    f->noreturn |= slot->noreturn;
    *slot = *f;
}

/* (results) name (parameters) directives, in the scope of the function. */
static uint32_t read_header(struct ptx_parser *p, struct ptx_func *f)
{
    struct ptx_slice name;

    if (!f->entry)
        f->rets = ptx_read_params(p, PTX_PARAMS_OUT, &f->nrets);
    f->pos = p->tok.pos;
    name = ptx_expect_name(p, "the name of a function");
    f->name = ptx_keep_text(p, name);
    f->params = ptx_read_params(p, PTX_PARAMS_IN, &f->nparams);
    if (f->entry)
        f->param_bytes = ptx_lay_out_params(p, f->params, f->nparams, f->pos);
    read_directives(p, f);
    return find_or_add(p, name, f);
}

void ptx_read_function(struct ptx_parser *p, enum ptx_linkage linkage)
{
    struct ptx_func f = { .linkage = linkage, .declared_only = true, .entry = ptx_at_word(p, ".entry") };
    uint32_t index;

    ptx_next(p);
    while (ptx_at_word(p, ".attribute"))
        skip_attribute(p);
    enter(p);
    p->loc_file = p->loc_line = 0;
    index = read_header(p, &f);
    if (ptx_accept(p, '{')) {
        f.declared_only = false;
        read_body(p);
        ptx_resolve_references(p);
    } else {
        ptx_expect(p, ';', "'{' or ';'");
    }
    keep_body(p, &f);
    ptx_scope_leave(&p->symbols);
    put(p, &f, index);
}

static struct ptx_func *expect_function(struct ptx_parser *p)
{
    struct ptx_pos pos = p->tok.pos;
    struct ptx_slice name = ptx_expect_name(p, "a function");
    const struct ptx_symbol *s = ptx_lookup(p, name);

    if (!s || s->kind != SYM_FUNC)
        ptx_fail(p, pos, "function '%.*s' is not declared", PTX_NAME(name));
    return &((struct ptx_func *)p->funcs.data)[s->index];
}

/* .alias f, g; gives f the body of g: both are functions of the tree, and share what lies in the arena. */
void ptx_read_alias(struct ptx_parser *p)
{
    struct ptx_pos pos = p->tok.pos;
    struct ptx_func *alias = expect_function(p), *f, was = *alias;

    ptx_expect(p, ',', "','");
    f = expect_function(p);
    ptx_expect(p, ';', "';'");
    if (!alias->declared_only || f->declared_only)
        ptx_fail(p, pos, "'%.100s' needs a declaration only, and '%.100s' a body, before .alias", alias->name, f->name);
    *alias = *f;
    alias->name = was.name;
    alias->linkage = was.linkage;
    alias->address_taken = was.address_taken;
    alias->pos = was.pos;
}
