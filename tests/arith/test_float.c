/* Rounded arithmetic of f32, f64, f16 and bf16 is exact in every rounding; minima, signs and tests of numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/arith/exact.h"
#include "tests/arith/harness.h"

static const char *const roundings[] = { "rn", "rz", "rm", "rp" };

static enum ptx_type element(enum ptx_type t)
{
    return t == PTX_F16X2 ? PTX_F16 : t == PTX_BF16X2 ? PTX_BF16 : t == PTX_F32X2 ? PTX_F32 : t;
}

static uint64_t sign_of(enum ptx_type t)
{
    return 1ull << (ptx_type_bits(t) - 1);
}

static uint64_t quiet(enum ptx_type t)
{
    return t == PTX_F64 ? 0x7ff8000000000000 : sign_of(t) - 1;
}

static bool less(uint64_t x, uint64_t y, enum ptx_type t)
{
    return exact_of(x, t).v < exact_of(y, t).v;
}

/* .relu, .sat, .ftz, in this order. */
static uint64_t finish(const struct ptx_insn *in, uint64_t r, enum ptx_type t)
{
    uint64_t one = exact_round((struct exact){ 1, false }, t, PTX_M_rn);

    if (ptx_has(in, PTX_M_relu) && !is_nan(r, t) && (r & sign_of(t)))
        r = 0;
    if (ptx_has(in, PTX_M_sat))
        r = is_nan(r, t) || r & sign_of(t) ? 0 : less(one, r, t) ? one : r;
    return ptx_has(in, PTX_M_ftz) ? flushed(r, t) : r;
}

/* A sum that is 0 though its addends are not two zeros of one sign. */
static uint64_t zero_sum(uint64_t r, struct exact x, struct exact y, enum ptx_type t, enum ptx_mod rounding)
{
    bool xs = __builtin_signbit((double)x.v), ys = __builtin_signbit((double)y.v);

    if (is_nan(r, t) || x.v != -y.v)
        return r;
    return xs == ys ? (xs ? sign_of(t) : 0) : rounding == PTX_M_rm ? sign_of(t) : 0;
}

/* Hardware flushes what is tiny when it is rounded as if exponents had no end (seen on a GPU): 2^24 times as large, this is seen. */
static uint64_t flush_product(const struct ptx_insn *in, struct exact v, uint64_t r, enum ptx_type t)
{
    struct exact large = { v.v * 0x1p24Q, v.more };
    double size;

    if (t != PTX_F32 || !ptx_has(in, PTX_M_ftz) || is_nan(r, t))
        return r;
    size = (double)exact_of(exact_round(large, t, rounding_of(in)), t).v;
    return size < 0x1p-102 && size > -0x1p-102 ? r & sign_of(t) : r;
}

static struct answer ref_one(const struct ptx_insn *in, const uint64_t *bits, enum ptx_type t)
{
    enum ptx_mod rounding = rounding_of(in);
    struct exact x[3] = { { 0, false }, { 0, false }, { 0, false } }, v, sum;
    uint64_t r;

    for (unsigned i = 0; i < in->nops - 1u; i++)
        x[i] = exact_of(ptx_has(in, PTX_M_ftz) ? flushed(bits[i], t) : bits[i], t);
    switch (in->op) {
    case PTX_I_sub:
        x[1].v = -x[1].v; /* fall through */
    case PTX_I_add:
        v = exact_add(x[0], x[1]);
        r = zero_sum(exact_round(v, t, rounding), x[0], x[1], t, rounding);
        break;
    case PTX_I_mul:
        v = exact_mul(x[0], x[1]);
        r = flush_product(in, v, exact_round(v, t, rounding), t);
        break;
    case PTX_I_div:
        r = exact_round(exact_div(x[0], x[1]), t, rounding);
        break;
    case PTX_I_rcp:
        r = exact_round(exact_div((struct exact){ 1, false }, x[0]), t, rounding);
        break;
    case PTX_I_sqrt:
        r = exact_round(exact_sqrt(x[0]), t, rounding);
        break;
    default:
        v = exact_mul(x[0], x[1]);
        sum = exact_add(v, x[2]);
        r = flush_product(in, sum, zero_sum(exact_round(sum, t, rounding), v, x[2], t, rounding), t);
    }
    return (struct answer){ .result = finish(in, r, t) };
}

/* Of packed types each part. */
static struct answer by_parts(const struct ptx_insn *in, const uint64_t *src,
    struct answer (*one)(const struct ptx_insn *, const uint64_t *, enum ptx_type))
{
    enum ptx_type t = element(in->types[0]);
    unsigned bits = ptx_type_bits(t), all = ptx_type_bits(in->types[0]);
    struct answer sum = { 0 };

    for (unsigned at = 0; at < all; at += bits) {
        uint64_t part[3];

        for (unsigned i = 0; i < 3; i++)
            part[i] = bits == 64 ? src[i] : src[i] >> at & ((1ull << bits) - 1);
        sum.result |= one(in, part, t).result << at;
    }
    return sum;
}

static struct answer ref_arith(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    (void)carry;
    return by_parts(in, src, ref_one);
}

static void add(const char *root, const char *mods, const char *type, unsigned nsrc, reference *ref, judge *good)
{
    char opcode[64];

    snprintf(opcode, sizeof(opcode), "%s%s%s.%s", root, *mods ? "." : "", mods, type);
    check((struct instruction){ .opcode = opcode, .nsrc = nsrc, .ref = ref, .good = good });
}

static void with_roundings(const char *root, const char *more, const char *type, unsigned nsrc, judge *good)
{
    char mods[32];

    for (unsigned i = 0; i < 4; i++) {
        snprintf(mods, sizeof(mods), "%s%s", roundings[i], more);
        add(root, mods, type, nsrc, ref_arith, good);
    }
}

static void f32_is_exact(void **state)
{
    static const char *const more[] = { "", ".ftz", ".sat", ".ftz.sat" };

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        with_roundings("add", more[i], "f32", 2, same_or_nan);
        with_roundings("sub", more[i], "f32", 2, same_or_nan);
        with_roundings("mul", more[i], "f32", 2, same_or_nan);
        with_roundings("fma", more[i], "f32", 3, same_or_nan);
    }
    for (unsigned i = 0; i < 2; i++) {
        with_roundings("div", more[i], "f32", 2, NULL);
        with_roundings("sqrt", more[i], "f32", 1, NULL);
        with_roundings("rcp", more[i], "f32", 1, NULL);
    }
    add("add", "", "f32", 2, ref_arith, same_or_nan);
    add("mul", "ftz", "f32", 2, ref_arith, same_or_nan);
    add("mad", "rn", "f32", 3, ref_arith, same_or_nan);
    add("add", "rm", "f32x2", 2, ref_arith, same_or_nan);
    add("fma", "rn.ftz", "f32x2", 3, ref_arith, same_or_nan);
    run_checks();
}

static void f64_is_exact(void **state)
{
    (void)state;
    with_roundings("add", "", "f64", 2, same_or_nan);
    with_roundings("sub", "", "f64", 2, same_or_nan);
    with_roundings("mul", "", "f64", 2, same_or_nan);
    with_roundings("fma", "", "f64", 3, same_or_nan);
    with_roundings("div", "", "f64", 2, same_or_nan);
    with_roundings("sqrt", "", "f64", 1, same_or_nan);
    with_roundings("rcp", "", "f64", 1, same_or_nan);
    run_checks();
}

static void halves_are_exact(void **state)
{
    static const char *const types[] = { "f16", "f16x2", "bf16", "bf16x2" };
    static const char *const mods[] = { "rn", "", "rn.ftz", "rn.sat" };

    (void)state;
    for (unsigned t = 0; t < 4; t++) {
        for (unsigned i = 0; i < (t < 2 ? 4 : 2); i++) {
            add("add", mods[i], types[t], 2, ref_arith, NULL);
            add("sub", mods[i], types[t], 2, ref_arith, NULL);
            add("mul", mods[i], types[t], 2, ref_arith, NULL);
        }
        add("fma", "rn", types[t], 3, ref_arith, NULL);
        if (t < 2)
            add("fma", "rn.sat", types[t], 3, ref_arith, NULL);
        add("fma", "rn.relu", types[t], 3, ref_arith, NULL);
    }
    run_checks();
}

static uint64_t smaller(const struct ptx_insn *in, uint64_t x, uint64_t y, enum ptx_type t)
{
    bool first;

    if (is_nan(x, t) || is_nan(y, t))
        return ptx_has(in, PTX_M_NaN) || (is_nan(x, t) && is_nan(y, t)) ? quiet(t) : is_nan(x, t) ? y : x;
    first = exact_of(x, t).v == exact_of(y, t).v ? (x & sign_of(t)) != 0 : less(x, y, t);
    return (in->op == PTX_I_min) == first ? x : y;
}

static struct answer ref_minmax_one(const struct ptx_insn *in, const uint64_t *bits, enum ptx_type t)
{
    uint64_t signs = 0, r = 0;

    for (unsigned i = 0; i < in->nops - 1u; i++) {
        uint64_t v = ptx_has(in, PTX_M_ftz) ? flushed(bits[i], t) : bits[i];

        signs ^= v & sign_of(t);
        if (ptx_has(in, PTX_M_abs))
            v &= ~sign_of(t);
        r = i ? smaller(in, r, v, t) : v;
    }
    if (ptx_has(in, PTX_M_xorsign) && !is_nan(r, t))
        r |= signs;
    return (struct answer){ .result = r };
}

static struct answer ref_minmax(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    (void)carry;
    return by_parts(in, src, ref_minmax_one);
}

static void minima(void **state)
{
    static const char *const types[] = { "f32", "f16", "f16x2", "bf16", "bf16x2" };
    static const char *const mods[] = { "", "NaN", "xorsign.abs", "NaN.xorsign.abs", "ftz", "ftz.NaN" };

    (void)state;
    for (unsigned t = 0; t < 5; t++)
        for (unsigned i = 0; i < (t < 3 ? 6 : 4); i++) {
            add("min", mods[i], types[t], 2, ref_minmax, NULL);
            add("max", mods[i], types[t], 2, ref_minmax, NULL);
        }
    add("min", "", "f64", 2, ref_minmax, same_or_nan);
    add("max", "", "f64", 2, ref_minmax, same_or_nan);
    add("min", "", "f32", 3, ref_minmax, NULL);
    add("max", "NaN", "f32", 3, ref_minmax, NULL);
    run_checks();
}

static struct answer ref_sign_one(const struct ptx_insn *in, const uint64_t *bits, enum ptx_type t)
{
    uint64_t v = ptx_has(in, PTX_M_ftz) ? flushed(bits[0], t) : bits[0];

    if (in->op == PTX_I_copysign)
        return (struct answer){ .result = (bits[0] & sign_of(t)) | (bits[1] & ~sign_of(t)) };
    if (is_nan(v, t))
        return (struct answer){ .result = quiet(t) };
    return (struct answer){ .result = in->op == PTX_I_neg ? v ^ sign_of(t) : v & ~sign_of(t) };
}

static struct answer ref_sign(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    (void)carry;
    return by_parts(in, src, ref_sign_one);
}

/* A NaN may keep its bits. */
static bool sign_or_nan(const struct ptx_insn *in, const uint64_t *src, uint64_t want, uint64_t got)
{
    enum ptx_type t = element(in->types[0]);
    unsigned bits = ptx_type_bits(t);
    struct ptx_insn one = *in;

    one.types[0] = t;
    for (unsigned at = 0; at < ptx_type_bits(in->types[0]); at += bits) {
        uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;

        if (!same_or_nan(&one, src, want >> at & mask, got >> at & mask))
            return false;
    }
    return true;
}

static void signs(void **state)
{
    static const char *const types[] = { "f32", "f64", "f16", "f16x2", "bf16", "bf16x2" };

    (void)state;
    for (unsigned t = 0; t < 6; t++) {
        add("neg", "", types[t], 1, ref_sign, sign_or_nan);
        add("abs", "", types[t], 1, ref_sign, sign_or_nan);
    }
    add("abs", "ftz", "f32", 1, ref_sign, sign_or_nan);
    add("neg", "ftz", "f32", 1, ref_sign, sign_or_nan);
    add("neg", "ftz", "f16x2", 1, ref_sign, sign_or_nan);
    add("copysign", "", "f32", 2, ref_sign, NULL);
    add("copysign", "", "f64", 2, ref_sign, NULL);
    run_checks();
}

static struct answer ref_testp(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    enum ptx_type t = in->types[0];
    int c = t == PTX_F64 ? __builtin_fpclassify(0, 1, 2, 3, 4, (double)exact_of(src[0], t).v)
                         : __builtin_fpclassify(0, 1, 2, 3, 4, (float)exact_of(src[0], t).v);
    bool p = ptx_has(in, PTX_M_finite)  ? c >= 2
        : ptx_has(in, PTX_M_infinite)   ? c == 1
        : ptx_has(in, PTX_M_number)     ? c != 0
        : ptx_has(in, PTX_M_notanumber) ? c == 0
        : ptx_has(in, PTX_M_normal)     ? c == 2 || c == 4
                                        : c == 3;

    (void)carry;
    return (struct answer){ .result = p };
}

static void tests_of_numbers(void **state)
{
    static const char *const what[] = { "finite", "infinite", "number", "notanumber", "normal", "subnormal" };

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        add("testp", what[i], "f32", 1, ref_testp, NULL);
        add("testp", what[i], "f64", 1, ref_testp, NULL);
    }
    run_checks();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_is_exact),
        cmocka_unit_test(f64_is_exact),
        cmocka_unit_test(halves_are_exact),
        cmocka_unit_test(minima),
        cmocka_unit_test(signs),
        cmocka_unit_test(tests_of_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
