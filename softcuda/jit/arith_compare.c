/* arith_compare.c - comparisons and selections. */
#include "softcuda/jit/arith_parts.h"

struct comparison {
    enum ptx_mod mod;
    LLVMIntPredicate of_signed, of_unsigned;
    LLVMRealPredicate of_floats;
};

/* The unordered ones answer true when a NaN is there; ne is false then. */
static const struct comparison comparisons[] = {
    { PTX_M_eq, LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ },    { PTX_M_ne, LLVMIntNE, LLVMIntNE, LLVMRealONE },
    { PTX_M_lt, LLVMIntSLT, LLVMIntULT, LLVMRealOLT },  { PTX_M_le, LLVMIntSLE, LLVMIntULE, LLVMRealOLE },
    { PTX_M_gt, LLVMIntSGT, LLVMIntUGT, LLVMRealOGT },  { PTX_M_ge, LLVMIntSGE, LLVMIntUGE, LLVMRealOGE },
    { PTX_M_lo, LLVMIntULT, LLVMIntULT, LLVMRealOLT },  { PTX_M_ls, LLVMIntULE, LLVMIntULE, LLVMRealOLE },
    { PTX_M_hi, LLVMIntUGT, LLVMIntUGT, LLVMRealOGT },  { PTX_M_hs, LLVMIntUGE, LLVMIntUGE, LLVMRealOGE },
    { PTX_M_equ, LLVMIntEQ, LLVMIntEQ, LLVMRealUEQ },   { PTX_M_neu, LLVMIntNE, LLVMIntNE, LLVMRealUNE },
    { PTX_M_ltu, LLVMIntULT, LLVMIntULT, LLVMRealULT }, { PTX_M_leu, LLVMIntULE, LLVMIntULE, LLVMRealULE },
    { PTX_M_gtu, LLVMIntUGT, LLVMIntUGT, LLVMRealUGT }, { PTX_M_geu, LLVMIntUGE, LLVMIntUGE, LLVMRealUGE },
    { PTX_M_num, LLVMIntEQ, LLVMIntEQ, LLVMRealORD },   { PTX_M_nan_, LLVMIntNE, LLVMIntNE, LLVMRealUNO },
};

static const struct comparison *comparison_of(const struct arith_op *o)
{
    const struct comparison *c = comparisons;

    while (!has(o, c->mod))
        c++;
    return c;
}

/* src[0] and src[1], of the type given, compared. */
static LLVMValueRef compare(struct arith_op *o, enum ptx_type type)
{
    const struct comparison *c = comparison_of(o);
    struct arith_op typed = *o;

    if (!ptx_type_is_float(type))
        return v_icmp(o->a, ptx_type_is_signed(type) ? c->of_signed : c->of_unsigned, o->src[0], o->src[1]);
    typed.type = type;
    return v_fcmp(o->a, c->of_floats, arith_load_float(&typed, 0), arith_load_float(&typed, 1));
}

/* Joins with the third source, a predicate, if there is one. */
static LLVMValueRef join(struct arith_op *o, LLVMValueRef p)
{
    if (o->nsrc < 3)
        return p;
    if (has(o, PTX_M_or_))
        return v_or(o->a, p, o->src[2]);
    return has(o, PTX_M_xor_) ? v_xor(o->a, p, o->src[2]) : v_and(o->a, p, o->src[2]);
}

LLVMValueRef arith_build_setp(struct arith_op *o)
{
    LLVMValueRef p = compare(o, o->type);

    if (o->second)
        *o->second = join(o, v_not(o->a, p));
    return join(o, p);
}

/* All ones, or 1.0 where the result is a float. */
LLVMValueRef arith_build_set(struct arith_op *o)
{
    static const struct { enum ptx_type type; uint64_t one; } ones[] = {
        { PTX_F32, 0x3f800000 }, { PTX_F16, 0x3c00 }, { PTX_BF16, 0x3f80 },
    };
    enum ptx_type type = o->in->types[1];
    LLVMValueRef p;
    uint64_t yes = UINT64_MAX;

    type = type == PTX_F16X2 ? PTX_F16 : type == PTX_BF16X2 ? PTX_BF16 : type;
    p = join(o, compare(o, type));
    for (unsigned i = 0; i < sizeof(ones) / sizeof(*ones); i++)
        if (ones[i].type == o->type)
            yes = ones[i].one;
    return v_select(o->a, p, v_k(o->a, o->bits, yes), v_k(o->a, o->bits, 0));
}

LLVMValueRef arith_build_selp(struct arith_op *o)
{
    return v_select(o->a, o->src[2], o->src[0], o->src[1]);
}

/* The first source where the third is not negative; -0.0 is not, a NaN selects the second. */
LLVMValueRef arith_build_slct(struct arith_op *o)
{
    struct arith *a = o->a;
    LLVMValueRef c = o->src[2];

    if (o->in->types[1] == PTX_F32) {
        if (has(o, PTX_M_ftz))
            c = arith_flush(a, c, PTX_F32);
        c = v_fcmp(a, LLVMRealOGE, arith_as_float(a, c), arith_fconst(a, 32, 0));
    } else
        c = v_icmp(a, LLVMIntSGE, c, v_k(a, 32, 0));
    return v_select(a, c, o->src[0], o->src[1]);
}
