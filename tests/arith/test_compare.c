/* setp, set, selp and slct for all types, comparisons and ways to join predicates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/arith/exact.h"
#include "tests/arith/harness.h"

static enum ptx_type element(enum ptx_type t)
{
    return t == PTX_F16X2 ? PTX_F16 : t == PTX_BF16X2 ? PTX_BF16 : t;
}

/* -1, 0, 1, or 2 for unordered. */
static int order(const struct ptx_insn *in, enum ptx_type t, uint64_t x, uint64_t y)
{
    unsigned shift = 64 - ptx_type_bits(t);

    if (!ptx_type_is_float(t)) {
        bool sign = ptx_type_is_signed(t) && !ptx_has(in, PTX_M_lo) && !ptx_has(in, PTX_M_ls) && !ptx_has(in, PTX_M_hi) &&
            !ptx_has(in, PTX_M_hs);
        uint64_t flip = sign ? 1ull << 63 : 0;

        x = x << shift ^ flip;
        y = y << shift ^ flip;
        return x < y ? -1 : x > y;
    }
    if (ptx_has(in, PTX_M_ftz)) {
        x = flushed(x, t);
        y = flushed(y, t);
    }
    __float128 a = exact_of(x, t).v, b = exact_of(y, t).v;

    return a != a || b != b ? 2 : a < b ? -1 : a > b;
}

static bool compared(const struct ptx_insn *in, enum ptx_type t, uint64_t x, uint64_t y)
{
    static const struct {
        enum ptx_mod mod;
        bool less, equal, more, unordered;
    } table[] = {
        { PTX_M_eq, 0, 1, 0, 0 },
        { PTX_M_ne, 1, 0, 1, 0 },
        { PTX_M_lt, 1, 0, 0, 0 },
        { PTX_M_le, 1, 1, 0, 0 },
        { PTX_M_gt, 0, 0, 1, 0 },
        { PTX_M_ge, 0, 1, 1, 0 },
        { PTX_M_lo, 1, 0, 0, 0 },
        { PTX_M_ls, 1, 1, 0, 0 },
        { PTX_M_hi, 0, 0, 1, 0 },
        { PTX_M_hs, 0, 1, 1, 0 },
        { PTX_M_equ, 0, 1, 0, 1 },
        { PTX_M_neu, 1, 0, 1, 1 },
        { PTX_M_ltu, 1, 0, 0, 1 },
        { PTX_M_leu, 1, 1, 0, 1 },
        { PTX_M_gtu, 0, 0, 1, 1 },
        { PTX_M_geu, 0, 1, 1, 1 },
        { PTX_M_num, 1, 1, 1, 0 },
        { PTX_M_nan_, 0, 0, 0, 1 },
    };
    int o = order(in, t, x, y);
    unsigned i = 0;

    while (!ptx_has(in, table[i].mod))
        i++;
    return o == 2 ? table[i].unordered : o < 0 ? table[i].less : o > 0 ? table[i].more : table[i].equal;
}

static bool joined(const struct ptx_insn *in, bool p, uint64_t c)
{
    return ptx_has(in, PTX_M_and_) ? p && c : ptx_has(in, PTX_M_or_) ? p || c : ptx_has(in, PTX_M_xor_) ? p != (bool)c : p;
}

static struct answer ref_setp(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    enum ptx_type t = element(in->types[0]);
    bool p;

    (void)carry;
    if (t != in->types[0])
        return (struct answer){ .result = joined(in, compared(in, t, src[0] & 0xffff, src[1] & 0xffff), src[2]),
            .second = joined(in, compared(in, t, src[0] >> 16, src[1] >> 16), src[2]) };
    p = compared(in, t, src[0], src[1]);
    return (struct answer){ .result = joined(in, p, src[2]), .second = joined(in, !p, src[2]) };
}

static struct answer ref_set(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    enum ptx_type d = element(in->types[0]), t = element(in->types[1]);
    uint64_t yes = ptx_type_is_float(d) ? exact_round((struct exact){ 1, false }, d, PTX_M_rn) : UINT64_MAX;

    (void)carry;
    if (t == in->types[1])
        return (struct answer){ .result = joined(in, compared(in, t, src[0], src[1]), src[2]) ? yes : 0 };
    return (struct answer){ .result = (joined(in, compared(in, t, src[0] & 0xffff, src[1] & 0xffff), src[2]) ? yes & 0xffff : 0) |
            (joined(in, compared(in, t, src[0] >> 16, src[1] >> 16), src[2]) ? yes << 16 : 0) };
}

static struct answer ref_select(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    bool first = src[2] & 1;

    (void)carry;
    if (in->op == PTX_I_slct && in->types[1] == PTX_S32)
        first = (int32_t)src[2] >= 0;
    else if (in->op == PTX_I_slct)
        first = exact_of(ptx_has(in, PTX_M_ftz) ? flushed(src[2], PTX_F32) : src[2], PTX_F32).v >= 0;
    return (struct answer){ .result = first ? src[0] : src[1] };
}

static void add(const char *opcode, unsigned nsrc, bool pair, reference *ref)
{
    check((struct instruction){ .opcode = opcode, .nsrc = nsrc, .pair = pair, .ref = ref });
}

static const char *const float_comparisons[] = { "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu",
    "num", "nan" };
static const char *const int_comparisons[] = { "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs" };

static void predicates_of_integers(void **state)
{
    static const char *const types[] = { "u16", "u32", "u64", "s16", "s32", "s64", "b16", "b32", "b64" };
    char opcode[64];

    (void)state;
    for (unsigned t = 0; t < 9; t++)
        for (unsigned c = 0; c < (t < 3 ? 10u : t < 6 ? 6u : 2u); c++) {
            snprintf(opcode, sizeof(opcode), "setp.%s.%s", int_comparisons[c], types[t]);
            add(opcode, 2, c % 2, ref_setp);
        }
    add("setp.lt.and.s32", 3, true, ref_setp);
    add("setp.lt.or.u64", 3, true, ref_setp);
    add("setp.ne.xor.u16", 3, true, ref_setp);
    run_checks();
}

static void predicates_of_floats(void **state)
{
    static const char *const types[] = { "f32", "ftz.f32", "f64", "f16", "ftz.f16", "f16x2", "bf16", "bf16x2" };
    static const char *const joins[] = { "", ".and", ".or", ".xor" };
    char opcode[64];

    (void)state;
    for (unsigned t = 0; t < 8; t++)
        for (unsigned c = 0; c < 14; c++) {
            snprintf(opcode, sizeof(opcode), "setp.%s%s.%s", float_comparisons[c], joins[c % 4], types[t]);
            add(opcode, c % 4 ? 3 : 2, t < 3 || t == 5 || t == 7, ref_setp);
        }
    run_checks();
}

static void sets(void **state)
{
    static const char *const forms[] = { "set.lt.u32.s32", "set.ge.f32.u32", "set.eq.s32.b32", "set.gt.f32.f32",
        "set.nan.f32.f32", "set.ltu.u32.f64", "set.le.ftz.f32.f32", "set.hi.u32.u64", "set.ne.s32.u16", "set.eq.f16.f16",
        "set.gt.f16x2.f16x2", "set.le.u32.f16", "set.ge.u16.f16", "set.gt.u32.f16x2", "set.neu.bf16.bf16",
        "set.ltu.bf16x2.bf16x2" };

    (void)state;
    for (unsigned i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        add(forms[i], 2, false, ref_set);
    add("set.lt.and.u32.s32", 3, false, ref_set);
    add("set.gt.or.f32.f32", 3, false, ref_set);
    add("set.eq.xor.f16x2.f16x2", 3, false, ref_set);
    run_checks();
}

static void selections(void **state)
{
    static const char *const types[] = { "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64" };
    char opcode[64];

    (void)state;
    for (unsigned t = 0; t < 11; t++) {
        snprintf(opcode, sizeof(opcode), "selp.%s", types[t]);
        add(opcode, 3, false, ref_select);
        snprintf(opcode, sizeof(opcode), "slct.%s.s32", types[t]);
        add(opcode, 3, false, ref_select);
        snprintf(opcode, sizeof(opcode), "slct%s.%s.f32", t % 2 ? ".ftz" : "", types[t]);
        add(opcode, 3, false, ref_select);
    }
    run_checks();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicates_of_integers),
        cmocka_unit_test(predicates_of_floats),
        cmocka_unit_test(sets),
        cmocka_unit_test(selections),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
