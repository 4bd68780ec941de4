/* The approximate instructions stay within the errors of NVIDIA's hardware, and are exact for zeros, infinities and NaNs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/arith/exact.h"
#include "tests/arith/harness.h"

#define ROUNDS 3000

static float f32_of(uint64_t bits)
{
    uint32_t b = (uint32_t)bits;
    float v;

    memcpy(&v, &b, sizeof(v));
    return v;
}

static double f64_of(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

static uint64_t bits_of(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static double true_value(const struct ptx_insn *in, double x)
{
    switch (in->op) {
    case PTX_I_ex2:
        return exp2(x);
    case PTX_I_lg2:
        return log2(x);
    case PTX_I_sin:
        return sin(x);
    case PTX_I_cos:
        return cos(x);
    case PTX_I_tanh:
        return tanh(x);
    case PTX_I_rsqrt:
        return 1 / sqrt(x);
    case PTX_I_rcp:
        return 1 / x;
    default:
        return sqrt(x);
    }
}

static double source(const struct ptx_insn *in, const uint64_t *src)
{
    enum ptx_type t = in->types[0];

    return (double)exact_of(ptx_has(in, PTX_M_ftz) ? flushed(src[0], t) : src[0], t).v;
}

static struct answer ref_f32(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    uint64_t r = exact_round((struct exact){ true_value(in, source(in, src)), false }, in->types[0], PTX_M_rn);

    (void)carry;
    return (struct answer){ .result = ptx_has(in, PTX_M_ftz) ? flushed(r, in->types[0]) : r };
}

/* Errors in units of the last place; absolute ones, where the table has such. */
static bool within(const struct ptx_insn *in, const uint64_t *src, uint64_t want, uint64_t got)
{
    double x = source(in, src), v = true_value(in, x), g = f32_of(got), error = fabs(g - v), ulp, grown = fabs(x) * 0x1p-22;

    if (is_nan(want, PTX_F32))
        return got == 0x7fffffff || (in->op == PTX_I_rsqrt && is_nan(got, PTX_F32));
    if (want == got)
        return true;
    if (isinf(f32_of(want)) || isinf(g) || v == 0)
        return false;
    if (ptx_has(in, PTX_M_ftz) && fabs(v) < 0x1.00001p-126)
        return fabs(g) < 0x1.00001p-126 && !signbit(g) == !signbit(v);
    ulp = fmax(ldexp(1, ilogb(v) - 23), 0x1p-149);
    switch (in->op) {
    case PTX_I_ex2:
        return error <= 2.06 * ulp;
    case PTX_I_lg2:
        return error <= (x >= 0.5 && x <= 2 ? 0x1p-22 : fabs(v) * 0x1p-22);
    case PTX_I_sin:
        return error <= 3.5e-7 + (fabs(x) > 3.15 ? grown : 0) && fabs(g) <= 1.0000003;
    case PTX_I_cos:
        return error <= 4.0e-7 + (fabs(x) > 3.15 ? grown : 0) && fabs(g) <= 1.0000003;
    case PTX_I_tanh:
        return error <= fmax(1e-6 * fabs(v), 0x1p-149);
    default:
        return error <= 1.51 * ulp;
    }
}

static void add(const char *opcode, reference *ref, judge *good)
{
    check((struct instruction){ .opcode = opcode, .nsrc = 1, .ref = ref, .good = good, .rounds = ROUNDS });
}

static void f32_within_the_hardwares_errors(void **state)
{
    static const char *const roots[] = { "ex2", "lg2", "sin", "cos", "rsqrt" };
    char opcode[64];

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        snprintf(opcode, sizeof(opcode), "%s.approx.f32", roots[i]);
        add(opcode, ref_f32, within);
        snprintf(opcode, sizeof(opcode), "%s.approx.ftz.f32", roots[i]);
        add(opcode, ref_f32, within);
    }
    add("tanh.approx.f32", ref_f32, within);
    run_checks();
}

static void roots_and_reciprocals_are_rounded(void **state)
{
    (void)state;
    add("rcp.approx.f32", ref_f32, NULL);
    add("rcp.approx.ftz.f32", ref_f32, NULL);
    add("sqrt.approx.f32", ref_f32, NULL);
    add("sqrt.approx.ftz.f32", ref_f32, NULL);
    run_checks();
}

static struct answer ref_div(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    bool ftz = ptx_has(in, PTX_M_ftz);
    float x = f32_of(ftz ? flushed(src[0], PTX_F32) : src[0]), y = f32_of(ftz ? flushed(src[1], PTX_F32) : src[1]);
    uint64_t r = exact_round(exact_div((struct exact){ x, false }, (struct exact){ y, false }), PTX_F32, PTX_M_rn);

    (void)carry;
    if (!ptx_has(in, PTX_M_full) && fabsf(y) > 0x1p126f && !isinf(y) && !isnan(x) && !isnan(y))
        r = isinf(x) ? 0x7fffffff : (src[0] ^ src[1]) & 0x80000000;
    return (struct answer){ .result = ftz ? flushed(r, PTX_F32) : r };
}

static void quotients(void **state)
{
    static const char *const forms[] = { "div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32" };

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        check((struct instruction){ .opcode = forms[i], .nsrc = 2, .ref = ref_div });
    run_checks();
}

static struct answer ref_f64(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    uint64_t r = bits_of(true_value(in, source(in, src)));

    (void)carry;
    return (struct answer){ .result = ptx_has(in, PTX_M_ftz) ? flushed(r, PTX_F64) : r };
}

/* .ftz: the high words alone, 20 bits of fraction. */
static bool within_f64(const struct ptx_insn *in, const uint64_t *src, uint64_t want, uint64_t got)
{
    double w = f64_of(want), g = f64_of(got), least = ptx_has(in, PTX_M_ftz) ? 0x1p-18 : 0x1p-51;

    if (isnan(w) || isnan(g))
        return isnan(w) == isnan(g) || (ptx_has(in, PTX_M_ftz) && (src[0] & UINT32_MAX) == src[0] % (1ull << 52));
    if (ptx_has(in, PTX_M_ftz) && (got & UINT32_MAX))
        return false;
    return want == got || (fabs(g - w) <= least * fabs(w) && signbit(g) == signbit(w)) ||
        (ptx_has(in, PTX_M_ftz) && fabs(w) < 0x1.0001p-1022 && g == 0);
}

static void f64_is_near(void **state)
{
    (void)state;
    add("rcp.approx.ftz.f64", ref_f64, within_f64);
    add("rsqrt.approx.ftz.f64", ref_f64, within_f64);
    add("rsqrt.approx.f64", ref_f64, within_f64);
    run_checks();
}

static struct answer ref_half(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    struct answer sum = { 0 };
    bool packed = in->types[0] == PTX_F16X2 || in->types[0] == PTX_BF16X2;
    struct ptx_insn one = *in;

    one.types[0] = in->types[0] == PTX_F16 || in->types[0] == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    for (unsigned at = 0; at < (packed ? 32 : 16); at += 16) {
        uint64_t part = src[0] >> at & 0xffff;

        sum.result |= ref_f32(&one, &part, carry).result << at;
    }
    return sum;
}

/* The last place. */
static bool within_half(const struct ptx_insn *in, const uint64_t *src, uint64_t want, uint64_t got)
{
    int64_t low = (int64_t)(want & 0xffff) - (int64_t)(got & 0xffff), high = (int64_t)(want >> 16) - (int64_t)(got >> 16);

    (void)in;
    (void)src;
    return low >= -1 && low <= 1 && high >= -1 && high <= 1;
}

static void halves(void **state)
{
    static const char *const forms[] = { "ex2.approx.f16", "ex2.approx.f16x2", "ex2.approx.ftz.bf16", "ex2.approx.ftz.bf16x2",
        "tanh.approx.f16", "tanh.approx.f16x2", "tanh.approx.bf16", "tanh.approx.bf16x2" };

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        add(forms[i], ref_half, within_half);
    run_checks();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_within_the_hardwares_errors),
        cmocka_unit_test(roots_and_reciprocals_are_rounded),
        cmocka_unit_test(quotients),
        cmocka_unit_test(f64_is_near),
        cmocka_unit_test(halves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
