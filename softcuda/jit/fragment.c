/* fragment.c - fragments of matrices that lie in memory as the runtime wants them.
 *
 * What a matrix instruction reads or writes is mostly what the next one reads: the same registers in the same order. As long as control has
 * gone straight on and none of them was written since, the copy in memory is theirs, and nothing is moved. The registers are set all the
 * same; LLVM drops what nobody reads. Without this a kernel of some thousand unrolled products is copies for the most part, and the
 * allocation of its registers takes seconds. */
#include "softcuda/jit/device_op.h"

#define B(e) ((e)->v.builder)

static unsigned words_in(const struct ptx_operand *o, bool wide)
{
    return operand_count(o) * (wide ? 2 : 1);
}

/* Do all lanes of all these registers have what is in memory, whatever happens here? */
static bool may_keep(const struct emit *e, const struct ptx_operand *o)
{
    if (e->in->guard.kind != PTX_OP_NONE || e->plan->guarded[e->block])
        return false;
    for (unsigned i = 0; i < operand_count(o); i++) {
        const struct ptx_operand *x = operand_element(o, i);
        if (x->kind != PTX_OP_REG || x->negated || x->offset)
            return false;
    }
    return true;
}

static bool same_registers(const struct ptx_operand *x, const struct ptx_operand *y)
{
    if (operand_count(x) != operand_count(y))
        return false;
    for (unsigned i = 0; i < operand_count(x); i++)
        if (operand_element(x, i)->index != operand_element(y, i)->index)
            return false;
    return true;
}

static struct fragment *find(struct emit *e, const struct ptx_operand *o, bool wide)
{
    for (unsigned i = 0; i < FRAGMENTS; i++) {
        struct fragment *f = &e->fragments[i];
        if (f->registers && f->wide == wide && same_registers(f->registers, o)) {
            f->user = e->in;
            f->age = ++e->fragment_age;
            return f;
        }
    }
    return NULL;
}

/* Memory that this instruction does not use yet: new, or the one that was not wanted for longest. NULL: there is none of this size. */
static struct fragment *take(struct emit *e, unsigned words)
{
    struct fragment *oldest = NULL;

    for (unsigned i = 0; i < FRAGMENTS; i++) {
        struct fragment *f = &e->fragments[i];
        if (!f->memory)
            *f = (struct fragment){ .memory = b_alloca(e, LLVMArrayType2(b_int(e, 8), words * 4ull * SC_LANES)), .words = words };
        if (f->words == words && f->user != e->in && (!oldest || f->age < oldest->age))
            oldest = f;
        if (oldest && !oldest->age)
            break;
    }
    if (!oldest)
        return NULL;
    oldest->registers = NULL;
    oldest->user = e->in;
    oldest->age = ++e->fragment_age;
    return oldest;
}

static void keep(struct emit *e, struct fragment *f, const struct ptx_operand *o, bool wide)
{
    if (!f || !may_keep(e, o))
        return;
    f->registers = o;
    f->wide = wide;
}

static LLVMValueRef room_of(struct emit *e, const struct fragment *f, unsigned words)
{
    return f ? f->memory : words_room(e, words, 32);
}

/* 64-bit registers as their halves. */
LLVMValueRef fragment_source(struct emit *e, const struct ptx_operand *o, bool wide)
{
    struct fragment *f = may_keep(e, o) ? find(e, o, wide) : NULL;
    LLVMValueRef room;

    if (f)
        return f->memory;
    f = take(e, words_in(o, wide));
    room = room_of(e, f, words_in(o, wide));
    for (unsigned i = 0; i < operand_count(o); i++) {
        LLVMValueRef x = v_vector(e, operand_element(o, i), wide ? 64 : 32);
        words_put(e, room, wide ? 2 * i : i, b_resize(e, x, 32, false));
        if (wide)
            words_put(e, room, 2 * i + 1, b_resize(e, LLVMBuildLShr(B(e), x, arith_const(&e->v, 64, 32), ""), 32, false));
    }
    keep(e, f, o, wide);
    return room;
}

struct fragment_target fragment_target(struct emit *e, const struct ptx_operand *o, bool wide)
{
    struct fragment *f = take(e, words_in(o, wide));

    return (struct fragment_target){ .room = room_of(e, f, words_in(o, wide)), .fragment = f, .wide = wide };
}

void fragment_set(struct emit *e, const struct ptx_operand *o, struct fragment_target t)
{
    for (unsigned i = 0; i < operand_count(o); i++) {
        LLVMValueRef x, high;
        if (!t.wide) {
            v_set(e, operand_element(o, i), words_get(e, t.room, i, 32));
            continue;
        }
        x = b_resize(e, words_get(e, t.room, 2 * i, 32), 64, false);
        high = LLVMBuildShl(B(e), b_resize(e, words_get(e, t.room, 2 * i + 1, 32), 64, false), arith_const(&e->v, 64, 32), "");
        v_set(e, operand_element(o, i), LLVMBuildOr(B(e), x, high, ""));
    }
    fragments_written(e, e->in);
    keep(e, t.fragment, o, t.wide);
}

/* ---- what ends them */

void fragments_forget(struct emit *e)
{
    for (unsigned i = 0; i < FRAGMENTS; i++)
        e->fragments[i].registers = NULL;
}

static void written(void *context, uint32_t reg)
{
    struct emit *e = context;

    for (unsigned i = 0; i < FRAGMENTS; i++) {
        struct fragment *f = &e->fragments[i];
        for (unsigned k = 0; f->registers && k < operand_count(f->registers); k++)
            if (operand_element(f->registers, k)->index == reg)
                f->registers = NULL;
    }
}

void fragments_written(struct emit *e, const struct ptx_insn *in)
{
    if (e->fragment_age)
        insn_defs(in, written, e);
}

void fragments_enter_block(struct emit *e)
{
    const struct cfg_block *b = &e->plan->cfg->blocks[e->block];

    if (e->block && b->npred == 1 && b->pred[0] == e->block - 1 && !e->plan->guarded[e->block] && !e->plan->guarded[e->block - 1])
        return;
    fragments_forget(e);
}
