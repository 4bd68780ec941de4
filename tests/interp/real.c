/* real.c - f32 and f64, with the host's arithmetic (compiled without contraction), and conversions. */
#include <math.h>

#include "tests/interp/parts.h"

union single { uint32_t u; float f; };
union real { uint64_t u; double d; };

static float single(struct value v) { return ((union single){ (uint32_t)v.bits }).f; }
static double real(struct value v) { return ((union real){ v.bits }).d; }
static uint64_t of_single(float f) { return f != f ? 0x7fffffff : ((union single){ .f = f }).u; }
static uint64_t of_real(double d) { return d != d ? 0x7ff8000000000000 : ((union real){ .d = d }).u; }

/* -0 is below +0; a NaN gives the other one. */
static double smaller(double x, double y)
{
    if (x != x || y != y)
        return x != x ? y : x;
    return x < y || (x == y && signbit(x)) ? x : y;
}

static bool singles(const struct ptx_insn *insn, const struct value *s, struct value *d)
{
    float a = single(s[0]), b = insn->nops > 2 ? single(s[1]) : 0, c = insn->nops > 3 && insn->op != PTX_I_selp ? single(s[2]) : 0;

    switch (insn->op) {
    case PTX_I_add: d->bits = of_single(a + b); return true;
    case PTX_I_sub: d->bits = of_single(a - b); return true;
    case PTX_I_mul: d->bits = of_single(a * b); return true;
    case PTX_I_div: d->bits = of_single(a / b); return true;
    case PTX_I_fma: d->bits = of_single(fmaf(a, b, c)); return true;
    case PTX_I_sqrt: d->bits = of_single(sqrtf(a)); return true;
    case PTX_I_min: d->bits = of_single((float)smaller(a, b)); return true;
    case PTX_I_max: d->bits = of_single(-(float)smaller(-a, -b)); return true;
    case PTX_I_neg: d->bits = s[0].bits ^ 0x80000000; return true;
    case PTX_I_abs: d->bits = s[0].bits & 0x7fffffff; return true;
    case PTX_I_selp: d->bits = s[!s[2].bits].bits; return true;
    default: return false;
    }
}

bool interp_real(const struct ptx_insn *insn, const struct value *s, struct value *d)
{
    double a, b, c;

    if (insn->types[0] == PTX_F32)
        return singles(insn, s, d);
    if (insn->types[0] != PTX_F64)
        return false;
    a = real(s[0]);
    b = insn->nops > 2 ? real(s[1]) : 0;
    c = insn->nops > 3 && insn->op != PTX_I_selp ? real(s[2]) : 0;
    switch (insn->op) {
    case PTX_I_add: d->bits = of_real(a + b); return true;
    case PTX_I_sub: d->bits = of_real(a - b); return true;
    case PTX_I_mul: d->bits = of_real(a * b); return true;
    case PTX_I_div: d->bits = of_real(a / b); return true;
    case PTX_I_fma: d->bits = of_real(fma(a, b, c)); return true;
    case PTX_I_sqrt: d->bits = of_real(sqrt(a)); return true;
    case PTX_I_min: d->bits = of_real(smaller(a, b)); return true;
    case PTX_I_max: d->bits = of_real(-smaller(-a, -b)); return true;
    case PTX_I_neg: d->bits = s[0].bits ^ 1ull << 63; return true;
    case PTX_I_abs: d->bits = s[0].bits & ~(1ull << 63); return true;
    case PTX_I_selp: d->bits = s[!s[2].bits].bits; return true;
    default: return false;
    }
}

/* Towards zero; what does not fit is the nearest that does. A NaN is 0, one of f64 the lowest number. */
static uint64_t whole(double x, enum ptx_type from, enum ptx_type to)
{
    unsigned bits = ptx_type_bits(to);
    double high = ldexp(1, (int)bits - ptx_type_is_signed(to)), low = ptx_type_is_signed(to) ? -high : 0;

    x = trunc(x);
    if (x != x)
        return from == PTX_F64 ? 1ull << (bits - 1) : 0;
    if (x >= high)
        return ptx_type_is_signed(to) ? (1ull << (bits - 1)) - 1 : interp_low(UINT64_MAX, bits);
    if (x < low)
        return ptx_type_is_signed(to) ? 1ull << (bits - 1) : 0;
    return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
}

static uint64_t saturated(uint64_t v, enum ptx_type from, enum ptx_type to)
{
    unsigned bits = ptx_type_bits(to);
    bool negative = ptx_type_is_signed(from) && (int64_t)v < 0;
    int64_t high = ptx_type_is_signed(to) ? (int64_t)((1ull << (bits - 1)) - 1) : (int64_t)interp_low(INT64_MAX, bits);
    int64_t low = ptx_type_is_signed(to) ? -high - 1 : 0;

    if (negative)
        return (int64_t)v < low ? (uint64_t)low : v;
    return v > (uint64_t)high ? (uint64_t)high : v;
}

bool interp_convert(const struct ptx_insn *insn, struct value s, struct value *d)
{
    enum ptx_type to = insn->types[0], from = insn->types[1];
    bool real_from = from == PTX_F32 || from == PTX_F64, real_to = to == PTX_F32 || to == PTX_F64;
    double x = from == PTX_F32 ? single(s) : real(s);
    uint64_t v = ptx_type_is_signed(from) ? (uint64_t)interp_signed(s.bits, ptx_type_bits(from)) : s.bits;

    if (!real_from && ptx_type_is_float(from))
        return false;
    if (real_from && real_to)
        d->bits = to == PTX_F32 ? of_single((float)x) : of_real(x);
    else if (real_from)
        d->bits = whole(x, from, to);
    else if (to == PTX_F32)
        d->bits = of_single(ptx_type_is_signed(from) ? (float)(int64_t)v : (float)v);
    else if (to == PTX_F64)
        d->bits = of_real(ptx_type_is_signed(from) ? (double)(int64_t)v : (double)v);
    else
        d->bits = ptx_has(insn, PTX_M_sat) ? saturated(v, from, to) : v;
    return true;
}
