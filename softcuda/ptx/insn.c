/* insn.c - one instruction, from its guard to its semicolon. */
#include "softcuda/ptx/parse.h"

#include <string.h>

/* @p or @!p */
static void read_guard(struct ptx_parser *p, struct ptx_operand *guard)
{
    struct ptx_pos pos = p->tok.pos;

    if (!ptx_accept(p, '@'))
        return;
    ptx_read_operand(p, guard);
    if (guard->kind != PTX_OP_REG || guard->memory)
        ptx_fail(p, pos, "a guard is a predicate register");
}

/* "(a, b)" of a call. */
static struct ptx_operand *read_list(struct ptx_parser *p, uint32_t *n)
{
    size_t from = p->operands.n;

    ptx_expect(p, '(', "'('");
    while (p->tok.kind != ')') {
        struct ptx_operand o;

        ptx_read_operand(p, &o);
        *(struct ptx_operand *)ptx_push(p, &p->operands, sizeof(o)) = o;
        if (!ptx_accept(p, ','))
            break;
    }
    ptx_expect(p, ')', "',' or ')'");
    *n = (uint32_t)(p->operands.n - from);
    return ptx_keep(p, &p->operands, from, sizeof(struct ptx_operand));
}

static void read_target(struct ptx_parser *p, struct ptx_operand *target)
{
    struct ptx_pos pos = p->tok.pos;
    struct ptx_slice name = ptx_expect_name(p, "a function");
    const struct ptx_symbol *s = ptx_lookup(p, name);

    if (!s)
        ptx_fail(p, pos, "function '%.*s' is not declared", PTX_NAME(name));
    if (s->kind != SYM_FUNC && (s->kind != SYM_REG || s->vec > 1))
        ptx_fail(p, pos, "'%.*s' is neither a function nor a register", PTX_NAME(name));
    *target = (struct ptx_operand){ .kind = s->kind == SYM_FUNC ? PTX_OP_FUNC : PTX_OP_REG, .index = s->index };
}

/* A variable that holds addresses of functions may stand for .calltargets. */
static void targets_of_variable(struct ptx_parser *p, struct ptx_call *call, uint32_t index)
{
    const struct ptx_var *v = &((const struct ptx_var *)p->vars.data)[index];

    call->targets = ptx_alloc(p, v->nrelocs + 1, sizeof(*call->targets));
    for (size_t i = 0; i < v->nrelocs; i++)
        if (v->relocs[i].is_func)
            call->targets[call->ntargets++] = v->relocs[i].index;
}

/* What an indirect call may reach: a .callprototype, .calltargets, or a table of functions. */
static void read_prototype(struct ptx_parser *p, struct ptx_call *call)
{
    struct ptx_pos pos = p->tok.pos;
    struct ptx_slice name = ptx_expect_name(p, "a call prototype");
    const struct ptx_symbol *s = ptx_lookup(p, name);

    if (s && s->kind == SYM_PROTO) {
        call->proto = (int32_t)s->index;
    } else if (s && s->kind == SYM_CALLS) {
        struct ptx_calltargets *t = &((struct ptx_calltargets *)p->calltargets.data)[s->index];

        call->targets = t->targets;
        call->ntargets = t->n;
    } else if (s && s->kind == SYM_VAR) {
        targets_of_variable(p, call, s->index);
    } else {
        ptx_fail(p, pos, "call prototype '%.*s' is not declared", PTX_NAME(name));
    }
}

/* call (r), f, (a, b), proto; all but f may be left out. */
static void read_call(struct ptx_parser *p, struct ptx_insn *in)
{
    struct ptx_call *call = ptx_alloc(p, 1, sizeof(*call));

    call->proto = -1;
    in->call = call;
    if (p->tok.kind == '(') {
        call->rets = read_list(p, &call->nrets);
        ptx_expect(p, ',', "','");
    }
    read_target(p, &call->target);
    if (!ptx_accept(p, ','))
        return;
    if (p->tok.kind == '(') {
        call->args = read_list(p, &call->nargs);
        if (!ptx_accept(p, ','))
            return;
    }
    read_prototype(p, call);
}

static bool is_pair_bar(struct ptx_parser *p, const struct ptx_operand *o, unsigned nops)
{
    return nops == 1 && p->tok.kind == '|' && !o->memory && (o->kind == PTX_OP_REG || o->kind == PTX_OP_SINK);
}

static void read_operands(struct ptx_parser *p, struct ptx_insn *in)
{
    struct ptx_operand ops[PTX_MAX_OPERANDS];
    unsigned n = 0;

    do {
        if (n == PTX_MAX_OPERANDS)
            ptx_fail(p, p->tok.pos, "'%.100s' has more than %d operands", in->opcode, PTX_MAX_OPERANDS);
        ptx_read_operand(p, &ops[n++]);
        if (is_pair_bar(p, &ops[0], n)) {
            ptx_next(p);
            in->pair = true;
            ptx_read_operand(p, &ops[n++]);
        }
    } while (ptx_accept(p, ','));
    in->nops = (uint8_t)n;
    in->ops = memcpy(ptx_alloc(p, n, sizeof(ops[0])), ops, n * sizeof(ops[0]));
}

/* bra LABEL; brx.idx %r1, TABLE; the names may be declared later, so operands must not move any more. */
static void read_branch(struct ptx_parser *p, struct ptx_insn *in)
{
    in->nops = in->op == PTX_I_brx ? 2 : 1;
    in->ops = ptx_alloc(p, in->nops, sizeof(*in->ops));
    if (in->op == PTX_I_bra) {
        ptx_read_label(p, &in->ops[0], SYM_LABEL);
        return;
    }
    ptx_read_operand(p, &in->ops[0]);
    ptx_expect(p, ',', "','");
    ptx_read_label(p, &in->ops[1], SYM_BRANCHES);
}

void ptx_read_instruction(struct ptx_parser *p)
{
    struct ptx_operand guard = { 0 };
    struct ptx_insn in;

    read_guard(p, &guard);
    if (p->tok.kind != TOK_NAME)
        ptx_fail_expected(p, "an instruction");
    ptx_read_opcode(p, &in);
    p->op = in.op;
    in.guard = guard;
    in.loc_file = p->loc_file;
    in.loc_line = p->loc_line;
    if (in.op == PTX_I_call)
        read_call(p, &in);
    else if (in.op == PTX_I_bra || in.op == PTX_I_brx)
        read_branch(p, &in);
    else if (p->tok.kind != ';' && p->tok.kind != '}')
        read_operands(p, &in);
    ptx_expect(p, ';', "';'");
    *(struct ptx_insn *)ptx_push(p, &p->insns, sizeof(in)) = in;
}
