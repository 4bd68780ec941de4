/* Any text through the PTX parser: it is refused with a message, or every index in the tree is in range and every body has a
 * graph. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/image/check.h"
#include "softcuda/ptx/cfg.h"

#define CHECK(what)                                                         \
    do {                                                                    \
        if (!(what)) {                                                      \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            abort();                                                        \
        }                                                                   \
    } while (0)

static void check_operand(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_operand *o, unsigned depth)
{
    CHECK(depth < 3);
    switch (o->kind) {
    case PTX_OP_REG: CHECK(o->index < f->nregs); break;
    case PTX_OP_SPECIAL: CHECK(o->index < PTX_SR_COUNT); break;
    case PTX_OP_VAR: CHECK(o->index < m->nvars); break;
    case PTX_OP_LOCALVAR: CHECK(o->index < f->nvars); break;
    case PTX_OP_PARAMVAR: CHECK(o->index < f->nparams); break;
    case PTX_OP_RETVAR: CHECK(o->index < f->nrets); break;
    case PTX_OP_FUNC: CHECK(o->index < m->nfuncs); break;
    case PTX_OP_LABEL: CHECK(o->index <= f->ninsns); break;
    case PTX_OP_IMM: CHECK(!o->is_float || o->imm_bits == 32 || o->imm_bits == 64); break;
    default: break;
    }
    CHECK((o->kind == PTX_OP_VECTOR) == (o->nelems > 0));
    for (uint32_t i = 0; i < o->nelems; i++)
        check_operand(m, f, &o->elems[i], depth + 1);
}

static void check_call(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_call *c)
{
    check_operand(m, f, &c->target, 0);
    CHECK(c->target.kind == PTX_OP_FUNC || c->target.kind == PTX_OP_REG);
    CHECK(c->proto < (int64_t)f->nprotos);
    for (uint32_t i = 0; i < c->nrets; i++)
        check_operand(m, f, &c->rets[i], 0);
    for (uint32_t i = 0; i < c->nargs; i++)
        check_operand(m, f, &c->args[i], 0);
    for (uint32_t i = 0; i < c->ntargets; i++)
        CHECK(c->targets[i] < m->nfuncs);
}

static void check_insn(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_insn *in)
{
    CHECK(in->op < PTX_OP_COUNT && in->opcode && in->nops <= PTX_MAX_OPERANDS && in->ntypes <= PTX_MAX_TYPES && in->pos.line > 0);
    CHECK((in->op == PTX_I_call) == (in->call != NULL));
    CHECK(in->guard.kind == PTX_OP_NONE || in->guard.kind == PTX_OP_REG);
    CHECK(in->op != PTX_I_brx || in->ops[1].index < f->ntables);
    check_operand(m, f, &in->guard, 0);
    for (unsigned i = 0; i < in->nops; i++)
        check_operand(m, f, &in->ops[i], 0);
    if (in->call)
        check_call(m, f, in->call);
}

static void check_graph(const struct ptx_func *f)
{
    struct cfg *cfg = cfg_build(f);

    CHECK(cfg && cfg->nblocks > 0);
    for (uint32_t i = 0; i < cfg->nblocks; i++) {
        const struct cfg_block *b = &cfg->blocks[i];

        CHECK(b->end <= f->ninsns && (b->first < b->end || !b->nsucc));
        CHECK(b->ipdom == CFG_EXIT || b->ipdom < cfg->nblocks);
        CHECK(b->loop < (int64_t)cfg->nloops);
        for (uint32_t k = 0; k < b->nsucc; k++)
            CHECK(b->succ[k] < cfg->nblocks && (b->succ[k] > i || b->loop >= 0));
    }
    cfg_destroy(cfg);
}

static void check_function(const struct ptx_module *m, const struct ptx_func *f)
{
    CHECK(f->name && (!f->declared_only || !f->ninsns));
    for (uint32_t i = 0; i < f->nparams; i++) {
        CHECK(!f->params[i].in_reg || f->params[i].reg < f->nregs);
        CHECK(!f->entry || (uint64_t)f->params[i].offset + f->params[i].size <= f->param_bytes);
    }
    for (uint32_t i = 0; i < f->ninsns; i++)
        check_insn(m, f, &f->insns[i]);
    for (uint32_t i = 0; i < f->ntables; i++)
        for (uint32_t k = 0; k < f->tables[i].n; k++)
            CHECK(f->tables[i].targets[k] <= f->ninsns);
    check_graph(f);
}

static void check_variable(const struct ptx_module *m, const struct ptx_var *v)
{
    CHECK(v->name && v->align && !(v->align & (v->align - 1)));
    for (size_t i = 0; i < v->nrelocs; i++) {
        const struct ptx_reloc *r = &v->relocs[i];

        CHECK(r->offset + r->size <= v->size && r->size <= 8 && r->shift < 64);
        CHECK(r->index < (r->is_func ? m->nfuncs : m->nvars));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_error err;
    char *text = malloc(size ? size : 1);      /* its own size, so that a sanitizer sees the first byte read too many */
    struct ptx_module *m;

    CHECK(text);
    if (size)
        memcpy(text, data, size);
    m = ptx_parse(text, size, &err);
    free(text);
    if (!m) {
        CHECK(err.text[0] && memchr(err.text, 0, sizeof(err.text)));
        return 0;
    }
    for (uint32_t i = 0; i < m->nvars; i++)
        check_variable(m, &m->vars[i]);
    for (uint32_t i = 0; i < m->nfuncs; i++)
        check_function(m, &m->funcs[i]);
    ptx_module_destroy(m);
    return 0;
}
