/* arith.c - one instruction, in and out: its signature, and packed types as more lanes of narrower ones. */
#include "softcuda/jit/arith_parts.h"

#include <stdio.h>
#include <string.h>

static unsigned letter_bits(char letter, const struct ptx_insn *in)
{
    switch (letter) {
    case 'T':
        return ptx_type_bits(in->types[0]);
    case 'W':
        return 2 * ptx_type_bits(in->types[0]);
    case 'S':
        return ptx_type_bits(in->types[1]);
    case 'P':
        return 1;
    default:
        return 32;
    }
}

static const char *sources_of(const struct arith_form *f)
{
    return strchr(f->shape, '=') + 1;
}

/* Fills sig from the shape; false: not as many operands as the shape has. */
static bool sign(const struct arith_form *f, const struct ptx_insn *in, struct arith_signature *sig)
{
    unsigned given = in->nops - 1u - in->pair, needed = UINT32_MAX;

    memset(sig, 0, sizeof(*sig));
    for (const char *s = sources_of(f); *s; s++) {
        if (*s == '?')
            needed = sig->nsrc;
        else if (sig->nsrc < given || needed == UINT32_MAX)
            sig->src_bits[sig->nsrc++] = (uint8_t)letter_bits(*s, in);
    }
    sig->dst_bits = (uint8_t)letter_bits(f->shape[0], in);
    sig->second_dst = in->pair;
    sig->reads_cc = in->op == PTX_I_addc || in->op == PTX_I_subc || in->op == PTX_I_madc;
    sig->writes_cc = ptx_has(in, PTX_M_cc);
    return in->nops >= 1u + in->pair && given == sig->nsrc && (!in->pair || f->shape[1] == '|');
}

bool arith_supports(const struct ptx_insn *in, struct arith_signature *sig, char *why, size_t why_size)
{
    const struct arith_form *f = arith_find(in, why, why_size);

    if (!f)
        return false;
    if (!sign(f, in, sig)) {
        snprintf(why, why_size, "wrong number of operands");
        return false;
    }
    return true;
}

static unsigned packed_parts(enum ptx_type type)
{
    return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_U16X2 || type == PTX_S16X2 || type == PTX_F32X2 ? 2 : 1;
}

static enum ptx_type element(enum ptx_type type)
{
    switch (type) {
    case PTX_F16X2:
        return PTX_F16;
    case PTX_BF16X2:
        return PTX_BF16;
    case PTX_U16X2:
        return PTX_U16;
    case PTX_S16X2:
        return PTX_S16;
    case PTX_F32X2:
        return PTX_F32;
    default:
        return type;
    }
}

/* Every second lane, from first on. */
static LLVMValueRef every_second(struct arith *a, LLVMValueRef v, unsigned first)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(a->context);
    LLVMValueRef mask[64];

    if (a->lanes == 1)
        return LLVMBuildExtractElement(a->builder, v, LLVMConstInt(i32, first, false), "");
    for (unsigned i = 0; i < a->lanes; i++)
        mask[i] = LLVMConstInt(i32, 2 * i + first, false);
    return LLVMBuildShuffleVector(a->builder, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(mask, a->lanes), "");
}

static LLVMValueRef each_twice(struct arith *a, LLVMValueRef v)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(a->context);
    LLVMValueRef mask[128], zero = LLVMConstInt(i32, 0, false);

    if (a->lanes == 1)
        v = LLVMBuildInsertElement(a->builder, LLVMGetPoison(LLVMVectorType(LLVMTypeOf(v), 1)), v, zero, "");
    for (unsigned i = 0; i < 2 * a->lanes; i++)
        mask[i] = LLVMConstInt(i32, i / 2, false);
    return LLVMBuildShuffleVector(a->builder, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(mask, 2 * a->lanes), "");
}

/* A packed instruction is the plain one on twice the lanes. */
static LLVMValueRef build_packed(struct arith *a, const struct arith_form *f, struct arith_op *o, LLVMValueRef *second)
{
    LLVMValueRef src[ARITH_MAX_SOURCES], result;
    struct arith wide = *a;
    unsigned n = 0;

    for (const char *s = sources_of(f); *s && n < o->nsrc; s++)
        if (*s != '?') {
            unsigned bits = arith_bits(o->src[n]);

            src[n] = bits == 1 ? each_twice(a, o->src[n]) : arith_relane(a, o->src[n], 2 * a->lanes, bits / 2);
            n++;
        }
    wide.lanes = 2 * a->lanes;
    o->a = &wide;
    o->src = src;
    o->bits /= 2;
    o->second = NULL;
    result = f->build(o);
    if (arith_bits(result) != 1)
        return arith_relane(a, result, a->lanes, 2 * arith_bits(result));
    if (second)
        *second = every_second(a, result, 1);
    return every_second(a, result, 0);
}

LLVMValueRef arith_build(
    struct arith *a, const struct ptx_insn *in, const LLVMValueRef *src, LLVMValueRef *carry, LLVMValueRef *second)
{
    char why[64];
    const struct arith_form *f = arith_find(in, why, sizeof(why));
    struct arith_signature sig;
    bool pack = false;

    sign(f, in, &sig);
    for (const char *s = f->shape; *s; s++)
        pack = pack || (*s == 'T' && packed_parts(in->types[0]) == 2) || (*s == 'S' && packed_parts(in->types[1]) == 2);

    struct arith_op o = { a, in, element(in->types[0]), ptx_type_bits(in->types[0]), src, sig.nsrc, carry, second };
    return pack ? build_packed(a, f, &o, second) : f->build(&o);
}

/* old + 1 below the operand, else 0; and its mirror image. */
static LLVMValueRef wrapping(struct arith *a, bool up, LLVMValueRef old, LLVMValueRef limit)
{
    unsigned bits = arith_bits(old);
    LLVMValueRef zero = v_k(a, bits, 0), one = v_k(a, bits, 1), stay;

    if (up)
        return v_select(a, v_icmp(a, LLVMIntUGE, old, limit), zero, v_add(a, old, one));
    stay = v_or(a, v_icmp(a, LLVMIntEQ, old, zero), v_icmp(a, LLVMIntUGT, old, limit));
    return v_select(a, stay, limit, v_sub(a, old, one));
}

LLVMValueRef arith_atomic_op(struct arith *a, enum ptx_mod which, enum ptx_type type, LLVMValueRef old, LLVMValueRef operand)
{
    LLVMValueRef src[] = { old, operand };
    struct ptx_insn in = { .types = { type }, .ntypes = 1, .nops = 3 };

    switch (which) {
    case PTX_M_and_:
        return v_and(a, old, operand);
    case PTX_M_or_:
        return v_or(a, old, operand);
    case PTX_M_xor_:
        return v_xor(a, old, operand);
    case PTX_M_inc:
    case PTX_M_dec:
        return wrapping(a, which == PTX_M_inc, old, operand);
    case PTX_M_add:
        if (!ptx_type_is_float(type))
            return v_add(a, old, operand);
        in.op = PTX_I_add;
        break;
    case PTX_M_min:
    case PTX_M_max:
        in.op = which == PTX_M_min ? PTX_I_min : PTX_I_max;
        break;
    default:
        return operand;
    }
    return arith_build(a, &in, src, NULL, NULL);
}
