/* cvt between all integers and floats: one exact rounding, clamping, NaNs as the hardware has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/arith/exact.h"
#include "tests/arith/harness.h"

typedef __int128 wide;

static wide int_value(uint64_t bits, enum ptx_type t)
{
    unsigned n = ptx_type_bits(t);

    if (ptx_type_is_signed(t))
        return (int64_t)(bits << (64 - n)) >> (64 - n);
    return bits;
}

static wide clamped(wide v, enum ptx_type t)
{
    unsigned n = ptx_type_bits(t);
    wide low = ptx_type_is_signed(t) ? -((wide)1 << (n - 1)) : 0, high = ((wide)1 << (n - ptx_type_is_signed(t))) - 1;

    return v < low ? low : v > high ? high : v;
}

/* To a whole number; the number is below 2^113. */
static __float128 whole(const struct ptx_insn *in, __float128 v)
{
    __float128 down, size = v < 0 ? -v : v;

    if (!(size < 0x1p100Q))
        return v;
    down = (__float128)(wide)v;
    if (down > v)
        down -= 1;
    if (down == v || ptx_has(in, PTX_M_rmi))
        return down;
    if (ptx_has(in, PTX_M_rpi))
        return down + 1;
    if (ptx_has(in, PTX_M_rzi))
        return v < 0 ? down + 1 : down;
    if (v - down != 0.5Q)
        return v - down < 0.5Q ? down : down + 1;
    return (wide)down & 1 ? down + 1 : down;
}

static bool asks_whole(const struct ptx_insn *in)
{
    return ptx_has(in, PTX_M_rni) || ptx_has(in, PTX_M_rzi) || ptx_has(in, PTX_M_rmi) || ptx_has(in, PTX_M_rpi);
}

static uint64_t float_to_int(const struct ptx_insn *in, uint64_t bits, enum ptx_type from, enum ptx_type to)
{
    __float128 v = exact_of(bits, from).v;

    if (v != v)
        return from == PTX_F64 || ptx_type_bits(to) == 64 ? 1ull << (ptx_type_bits(to) - 1) : 0;
    v = whole(in, v);
    return (uint64_t)clamped(v > 0x1p100Q ? (wide)1 << 100 : v < -0x1p100Q ? -((wide)1 << 100) : (wide)v, to);
}

/* A float in the destination's type: rounded, with the extras. The source is exact or a NaN. */
static uint64_t to_float(const struct ptx_insn *in, struct exact x, bool negative, enum ptx_type to)
{
    uint64_t sign = 1ull << (ptx_type_bits(to == PTX_TF32 ? PTX_F32 : to) - 1), r,
             one = exact_round((struct exact){ 1, false }, to, PTX_M_rn);
    uint64_t most = to == PTX_F16 ? 0x7bff : to == PTX_TF32 ? 0x7f7fe000 : 0x7f7f;

    if (asks_whole(in) && x.v == x.v) {
        x.v = whole(in, x.v);
        if (x.v == 0)
            return exact_round((struct exact){ negative ? -0.0Q : 0.0Q, false }, to, PTX_M_rn) &
                (ptx_has(in, PTX_M_sat) ? 0 : UINT64_MAX);
    }
    r = exact_round(x, to, rounding_of(in));
    if (to == PTX_TF32 && is_nan(r, PTX_F32))
        return 0x7fffe000;
    if (is_nan(r, to))
        return ptx_has(in, PTX_M_sat) ? 0 : r;
    if (ptx_has(in, PTX_M_relu) && r & sign)
        r = 0;
    if (ptx_has(in, PTX_M_satfinite) && (r & ~sign) > most)
        r = (r & sign) | most;
    if (ptx_has(in, PTX_M_sat))
        r = r & sign ? 0 : r > one ? one : r;
    return r;
}

static struct answer ref_cvt(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    enum ptx_type to = in->types[0], from = in->types[1];
    uint64_t bits = src[0], r;
    wide v;

    (void)carry;
    if (from == PTX_F32 && ptx_has(in, PTX_M_ftz))
        bits = flushed(bits, PTX_F32);
    if (ptx_type_is_float(from) && ptx_type_is_float(to)) {
        r = to_float(in, exact_of(bits, from), bits >> (ptx_type_bits(from) - 1) & 1, to);
        return (struct answer){ .result = to == PTX_F32 && ptx_has(in, PTX_M_ftz) ? flushed(r, to) : r };
    }
    if (ptx_type_is_float(from))
        return (struct answer){ .result = float_to_int(in, bits, from, to) };
    v = int_value(bits, from);
    if (ptx_type_is_float(to))
        return (struct answer){ .result = to_float(in, (struct exact){ (__float128)v, false }, v < 0, to) };
    return (struct answer){ .result = (uint64_t)(ptx_has(in, PTX_M_sat) ? clamped(v, to) : v) };
}

static bool same_or_nan_tf32(const struct ptx_insn *in, const uint64_t *src, uint64_t want, uint64_t got)
{
    (void)in;
    return want == got || (is_nan(src[0], PTX_F32) && got == (src[0] & 0xffffe000));
}

static struct answer ref_pack(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    enum ptx_type to = in->types[0], half = to == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    unsigned n = ptx_type_bits(to);
    uint64_t part[2];

    (void)carry;
    for (unsigned i = 0; i < 2; i++)
        part[i] = ptx_has(in, PTX_M_pack) ? (uint64_t)clamped(int_value(src[i], PTX_S32), to) & ((1ull << n) - 1)
                                          : to_float(in, exact_of(src[i], PTX_F32), false, half);
    if (!ptx_has(in, PTX_M_pack))
        n = 16;
    return (struct answer){ .result = src[2] << 2 * n | part[0] << n | part[1] };
}

static const char *const ints[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
static const char *const floats[] = { "f16", "bf16", "f32", "f64" };

static void add(const char *mods, const char *to, const char *from, reference *ref, unsigned nsrc, judge *good)
{
    char opcode[64];

    snprintf(opcode, sizeof(opcode), "cvt%s.%s.%s", mods, to, from);
    check((struct instruction){ .opcode = opcode, .nsrc = nsrc, .ref = ref, .good = good });
}

static void integers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        for (unsigned k = 0; k < 8; k++) {
            add("", ints[i], ints[k], ref_cvt, 1, NULL);
            add(".sat", ints[i], ints[k], ref_cvt, 1, NULL);
        }
    run_checks();
}

static void floats_to_integers(void **state)
{
    static const char *const mods[] = { ".rni", ".rzi", ".rmi", ".rpi", ".rzi.sat" };

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        for (unsigned k = 0; k < 4; k++)
            for (unsigned m = 0; m < 5; m++)
                add(mods[m], ints[i], floats[k], ref_cvt, 1, NULL);
    add(".rpi.ftz", "s32", "f32", ref_cvt, 1, NULL);
    add(".ftz.rmi", "s64", "f32", ref_cvt, 1, NULL);
    run_checks();
}

static void integers_to_floats(void **state)
{
    static const char *const mods[] = { ".rn", ".rz", ".rm", ".rp", ".rn.sat" };

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 8; k++)
            for (unsigned m = 0; m < 5; m++)
                add(mods[m], floats[i], ints[k], ref_cvt, 1, NULL);
    run_checks();
}

static void floats_to_floats(void **state)
{
    static const char *const down[] = { ".rn", ".rz", ".rm", ".rp", ".rn.sat" };
    static const char *const within[] = { ".rni", ".rzi", ".rmi", ".rpi", ".sat", "" };
    static const char *const both[] = { ".ftz.rni", ".ftz.sat", ".ftz" };

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 4; k++)
            if (i < k && !(i == 0 && k == 1))
                for (unsigned m = 0; m < 5; m++)
                    add(down[m], floats[i], floats[k], ref_cvt, 1, same_or_nan);
            else if (i == k)
                for (unsigned m = 0; m < 6; m++)
                    add(within[m], floats[i], floats[i], ref_cvt, 1, same_or_nan);
            else if (i > k)
                add("", floats[i], floats[k], ref_cvt, 1, same_or_nan);
    for (unsigned m = 0; m < 3; m++)
        add(both[m], "f32", "f32", ref_cvt, 1, NULL);
    add(".rn.ftz", "f32", "f64", ref_cvt, 1, same_or_nan);
    add(".rp.ftz", "f32", "f64", ref_cvt, 1, same_or_nan);
    add(".ftz", "f64", "f32", ref_cvt, 1, same_or_nan);
    add(".rn.ftz", "f16", "f32", ref_cvt, 1, NULL);
    add(".rn", "bf16", "f16", ref_cvt, 1, NULL);
    run_checks();
}

static void narrow_formats(void **state)
{
    static const char *const mods[] = { ".rn", ".rz", ".rn.relu", ".rz.satfinite", ".rn.relu.satfinite" };
    static const char *const tf32[] = { ".rna", ".rn", ".rz", ".rn.relu", ".rna.satfinite", ".rz.satfinite" };

    (void)state;
    for (unsigned m = 0; m < 5; m++) {
        add(mods[m], "f16", "f32", ref_cvt, 1, NULL);
        add(mods[m], "bf16", "f32", ref_cvt, 1, NULL);
        add(mods[m], "f16x2", "f32", ref_pack, 2, NULL);
        add(mods[m], "bf16x2", "f32", ref_pack, 2, NULL);
    }
    for (unsigned m = 0; m < 6; m++)
        add(tf32[m], "tf32", "f32", ref_cvt, 1, strstr(tf32[m], "rna") ? same_or_nan_tf32 : NULL);
    add(".pack.sat", "u16", "s32", ref_pack, 2, NULL);
    add(".pack.sat", "s16", "s32", ref_pack, 2, NULL);
    add(".pack.sat", "u8", "s32.b32", ref_pack, 3, NULL);
    add(".pack.sat", "s8", "s32.b32", ref_pack, 3, NULL);
    run_checks();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(floats_to_integers),
        cmocka_unit_test(integers_to_floats),
        cmocka_unit_test(floats_to_floats),
        cmocka_unit_test(narrow_formats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
