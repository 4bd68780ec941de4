/* Integer arithmetic, bit operations and carries answer what 128-bit arithmetic answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/arith/harness.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

static unsigned bits_of(const struct ptx_insn *in)
{
    return ptx_type_bits(in->types[0]);
}

static bool is_signed(const struct ptx_insn *in)
{
    return ptx_type_is_signed(in->types[0]);
}

static uint64_t low(uwide v, unsigned bits)
{
    return bits == 64 ? (uint64_t)v : (uint64_t)(v & (((uwide)1 << bits) - 1));
}

static wide value(uint64_t v, unsigned bits, bool sign)
{
    if (sign && v >> (bits - 1) & 1)
        return (wide)v - ((wide)1 << bits);
    return v;
}

static wide source(const struct ptx_insn *in, const uint64_t *src, unsigned i)
{
    return value(src[i], bits_of(in), is_signed(in));
}

static wide clamp(wide v, unsigned bits, bool sign)
{
    wide least = sign ? -((wide)1 << (bits - 1)) : 0, most = ((wide)1 << (bits - sign)) - 1;

    return v < least ? least : v > most ? most : v;
}

static struct answer plain(uwide v)
{
    return (struct answer){ .result = (uint64_t)v };
}

static struct answer ref_add(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    unsigned n = bits_of(in);
    bool add = in->op == PTX_I_add || in->op == PTX_I_addc, with = in->op == PTX_I_addc || in->op == PTX_I_subc;
    uwide x = src[0], y = src[1], v = add ? x + y + (with && carry) : x - y - (with && carry);

    if (ptx_has(in, PTX_M_sat))
        return plain(
            (uwide)clamp(add ? source(in, src, 0) + source(in, src, 1) : source(in, src, 0) - source(in, src, 1), n, true));
    return (struct answer){ .result = low(v, n), .carry = v >> n & 1 };
}

static wide product(const struct ptx_insn *in, const uint64_t *src)
{
    unsigned n = bits_of(in);
    wide p;

    if (in->op != PTX_I_mul24 && in->op != PTX_I_mad24) {
        p = is_signed(in) ? source(in, src, 0) * source(in, src, 1) : (wide)((uwide)src[0] * src[1]);
        return ptx_has(in, PTX_M_hi) ? (is_signed(in) ? p >> n : (wide)((uwide)p >> n)) : p;
    }
    p = value(src[0] & 0xffffff, 24, is_signed(in)) * value(src[1] & 0xffffff, 24, is_signed(in));
    return ptx_has(in, PTX_M_hi) ? p >> 16 : p;
}

static struct answer ref_mul(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    (void)carry;
    return plain((uwide)product(in, src));
}

static struct answer ref_mad(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    unsigned n = ptx_has(in, PTX_M_wide) ? 2 * bits_of(in) : bits_of(in);
    uint64_t p = low((uwide)product(in, src), n);
    uwide v = (uwide)p + src[2] + (in->op == PTX_I_madc && carry);

    if (ptx_has(in, PTX_M_sat))
        return plain((uwide)clamp(value(p, n, true) + value(src[2], n, true), n, true));
    return (struct answer){ .result = (uint64_t)v, .carry = v >> n & 1 };
}

static struct answer ref_div(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    wide x = source(in, src, 0), y = source(in, src, 1);

    (void)carry;
    if (y == 0)
        return plain(UINT64_MAX);
    return plain((uwide)(in->op == PTX_I_div ? x / y : x % y));
}

static struct answer ref_misc(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    wide x = source(in, src, 0), y = source(in, src, 1);

    (void)carry;
    switch (in->op) {
    case PTX_I_sad:
        return plain((uwide)(x < y ? y - x : x - y) + src[2]);
    case PTX_I_abs:
        return plain((uwide)(x < 0 ? -x : x));
    case PTX_I_neg:
        return plain((uwide)-x);
    case PTX_I_min:
        x = x < y ? x : y;
        break;
    default:
        x = x > y ? x : y;
    }
    return plain((uwide)(ptx_has(in, PTX_M_relu) && x < 0 ? 0 : x));
}

static struct answer ref_packed(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    struct answer all = { 0 };
    struct ptx_insn one = *in;

    one.types[0] = in->types[0] == PTX_U16X2 ? PTX_U16 : PTX_S16;
    for (unsigned i = 0; i < 32; i += 16) {
        uint64_t part[] = { src[0] >> i & 0xffff, src[1] >> i & 0xffff };

        all.result |= (in->op == PTX_I_add || in->op == PTX_I_sub ? ref_add : ref_misc)(&one, part, carry).result << i % 32 &
            0xffffull << i;
    }
    return all;
}

static const char *const all_ints[] = { "u16", "s16", "u32", "s32", "u64", "s64" };

static void over_types(const char *prefix, unsigned nsrc, reference *ref, unsigned first, unsigned end)
{
    char opcode[64];

    for (unsigned i = first; i < end; i++) {
        snprintf(opcode, sizeof(opcode), "%s.%s", prefix, all_ints[i]);
        check((struct instruction){ .opcode = opcode, .nsrc = nsrc, .ref = ref });
    }
}

static void sums_and_carries(void **state)
{
    (void)state;
    over_types("add", 2, ref_add, 0, 6);
    over_types("sub", 2, ref_add, 0, 6);
    over_types("add.cc", 2, ref_add, 2, 6);
    over_types("sub.cc", 2, ref_add, 2, 6);
    over_types("addc", 2, ref_add, 2, 6);
    over_types("subc", 2, ref_add, 2, 6);
    over_types("addc.cc", 2, ref_add, 2, 6);
    over_types("subc.cc", 2, ref_add, 2, 6);
    check((struct instruction){ .opcode = "add.sat.s32", .nsrc = 2, .ref = ref_add });
    check((struct instruction){ .opcode = "sub.sat.s32", .nsrc = 2, .ref = ref_add });
    check((struct instruction){ .opcode = "add.u16x2", .nsrc = 2, .ref = ref_packed });
    check((struct instruction){ .opcode = "sub.s16x2", .nsrc = 2, .ref = ref_packed });
    run_checks();
}

static void products(void **state)
{
    (void)state;
    over_types("mul.lo", 2, ref_mul, 0, 6);
    over_types("mul.hi", 2, ref_mul, 0, 6);
    over_types("mul.wide", 2, ref_mul, 0, 4);
    over_types("mad.lo", 3, ref_mad, 0, 6);
    over_types("mad.hi", 3, ref_mad, 0, 6);
    over_types("mad.wide", 3, ref_mad, 0, 4);
    over_types("mad.lo.cc", 3, ref_mad, 2, 6);
    over_types("mad.hi.cc", 3, ref_mad, 2, 6);
    over_types("madc.lo", 3, ref_mad, 2, 6);
    over_types("madc.hi.cc", 3, ref_mad, 2, 6);
    over_types("mul24.lo", 2, ref_mul, 2, 4);
    over_types("mul24.hi", 2, ref_mul, 2, 4);
    over_types("mad24.lo", 3, ref_mad, 2, 4);
    over_types("mad24.hi", 3, ref_mad, 2, 4);
    check((struct instruction){ .opcode = "mad.hi.sat.s32", .nsrc = 3, .ref = ref_mad });
    check((struct instruction){ .opcode = "mad24.hi.sat.s32", .nsrc = 3, .ref = ref_mad });
    run_checks();
}

static void quotients(void **state)
{
    static const uint64_t divisors[] = { 0, 1, 2, 3, 7, 10, 641, 0xffff, 0x80000000, 0xffffffff, UINT64_MAX };

    (void)state;
    over_types("div", 2, ref_div, 0, 6);
    over_types("rem", 2, ref_div, 0, 6);
    check((struct instruction){ .opcode = "div.u32", .nsrc = 2, .ref = ref_div, .constants = divisors, .constant_source = 1 });
    check((struct instruction){ .opcode = "div.s32", .nsrc = 2, .ref = ref_div, .constants = divisors, .constant_source = 1 });
    check((struct instruction){ .opcode = "rem.s32", .nsrc = 2, .ref = ref_div, .constants = divisors, .constant_source = 1 });
    check((struct instruction){ .opcode = "rem.u64", .nsrc = 2, .ref = ref_div, .constants = divisors, .constant_source = 1 });
    run_checks();
}

static void minima_and_signs(void **state)
{
    static const char *const signed_ones[] = { "abs.s16", "abs.s32", "abs.s64", "neg.s16", "neg.s32", "neg.s64" };
    static const char *const packed[] = { "min.u16x2", "max.u16x2", "min.s16x2", "max.s16x2", "min.relu.s16x2",
        "max.relu.s16x2" };

    (void)state;
    over_types("min", 2, ref_misc, 0, 6);
    over_types("max", 2, ref_misc, 0, 6);
    over_types("sad", 3, ref_misc, 0, 6);
    check((struct instruction){ .opcode = "min.relu.s32", .nsrc = 2, .ref = ref_misc });
    check((struct instruction){ .opcode = "max.relu.s32", .nsrc = 2, .ref = ref_misc });
    for (unsigned i = 0; i < 6; i++) {
        check((struct instruction){ .opcode = signed_ones[i], .nsrc = 1, .ref = ref_misc });
        check((struct instruction){ .opcode = packed[i], .nsrc = 2, .ref = ref_packed });
    }
    run_checks();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_carries),
        cmocka_unit_test(products),
        cmocka_unit_test(quotients),
        cmocka_unit_test(minima_and_signs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
