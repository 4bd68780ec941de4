/* The video instructions: every operation, parts of words in and out, saturation, the second operation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/arith/harness.h"

#define PART(n, digits) ((n) << 16 | (digits))
#define HALF(digit) (PTX_PART_HALVES | PART(1u, digit))
#define BYTE(digit) PART(1u, digit)

static int64_t field(uint64_t word, unsigned i, unsigned bits, bool sign)
{
    uint64_t v = word >> i * bits & ((1ull << bits) - 1);

    return sign && v >> (bits - 1) ? (int64_t)v - (1ll << bits) : (int64_t)v;
}

static int64_t clamped(int64_t v, unsigned bits, bool sign)
{
    int64_t low = sign ? -(1ll << (bits - 1)) : 0, high = (1ll << (bits - sign)) - 1;

    return v < low ? low : v > high ? high : v;
}

static unsigned width(uint32_t part)
{
    return part == 0 ? 32 : part & PTX_PART_HALVES ? 16 : 8;
}

static bool starts(const struct ptx_insn *in, const char *name)
{
    return strncmp(in->opcode, name, strlen(name)) == 0;
}

static bool compared(const struct ptx_insn *in, int64_t x, int64_t y)
{
    return ptx_has(in, PTX_M_eq) ? x == y
        : ptx_has(in, PTX_M_ne)  ? x != y
        : ptx_has(in, PTX_M_lt)  ? x < y
        : ptx_has(in, PTX_M_le)  ? x <= y
        : ptx_has(in, PTX_M_gt)  ? x > y
                                 : x >= y;
}

static int64_t operated(const struct ptx_insn *in, int64_t x, int64_t y)
{
    int64_t n = ptx_has(in, PTX_M_wrap) ? y & 31 : y > 32 ? 32 : y;

    if (starts(in, "vadd"))
        return x + y;
    if (starts(in, "vsub"))
        return x - y;
    if (starts(in, "vabsdiff"))
        return x > y ? x - y : y - x;
    if (starts(in, "vmin"))
        return x < y ? x : y;
    if (starts(in, "vmax"))
        return x > y ? x : y;
    if (starts(in, "vavrg"))
        return (x + y + (x + y >= 0)) >> 1;
    if (starts(in, "vshl"))
        return (int64_t)((uint64_t)x << n);
    if (starts(in, "vshr"))
        return x >> n;
    return compared(in, x, y);
}

static struct answer ref_scalar(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    bool typed = in->ntypes == 3, sign = typed && ptx_type_is_signed(in->types[0]);
    uint32_t d = in->ops[0].part, a = in->ops[1].part, b = in->ops[2].part;
    int64_t x = field(src[0], PTX_PART_DIGIT(a, 0), width(a), ptx_type_is_signed(in->types[typed]));
    int64_t y = field(src[1], PTX_PART_DIGIT(b, 0), width(b), ptx_type_is_signed(in->types[typed + 1]));
    int64_t v = operated(in, x, y), c = field(src[2], 0, 32, sign);
    unsigned n = width(d), at = PTX_PART_DIGIT(d, 0) * n;
    uint64_t mask = ((1ull << n) - 1) << at;

    (void)carry;
    if (ptx_has(in, PTX_M_sat))
        v = clamped(v, n, sign);
    if (in->nops == 3)
        return (struct answer){ .result = (uint64_t)v };
    v = field((uint64_t)v, 0, 32, sign);
    if (ptx_has(in, PTX_M_add))
        return (struct answer){ .result = (uint64_t)(v + c) };
    if (ptx_has(in, PTX_M_min))
        return (struct answer){ .result = (uint64_t)(v < c ? v : c) };
    if (ptx_has(in, PTX_M_max))
        return (struct answer){ .result = (uint64_t)(v > c ? v : c) };
    return (struct answer){ .result = (((uint64_t)v << at) & mask) | (src[2] & ~mask) };
}

static struct answer ref_vmad(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    bool as = ptx_type_is_signed(in->types[1]), bs = ptx_type_is_signed(in->types[2]), sign = as || bs;
    uint32_t a = in->ops[1].part, b = in->ops[2].part;
    __int128 v = (__int128)field(src[0], PTX_PART_DIGIT(a, 0), width(a), as) * field(src[1], PTX_PART_DIGIT(b, 0), width(b), bs);

    (void)carry;
    v += field(src[2], 0, 32, sign) + ptx_has(in, PTX_M_po);
    v >>= ptx_has(in, PTX_M_shr7) ? 7 : ptx_has(in, PTX_M_shr15) ? 15 : 0;
    if (ptx_has(in, PTX_M_sat)) {
        __int128 low = sign ? -(1ll << 31) : 0, high = sign ? (1ll << 31) - 1 : UINT32_MAX;

        v = v < low ? low : v > high ? high : v;
    }
    return (struct answer){ .result = (uint64_t)v };
}

static struct answer ref_simd(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    bool typed = in->ntypes == 3, sign = typed && ptx_type_is_signed(in->types[0]);
    unsigned bits = strchr(in->opcode, '2') && strchr(in->opcode, '2') < strchr(in->opcode, '.') ? 16 : 8, lanes = 32 / bits;
    uint64_t both = src[0] | src[1] << 32, sum = src[2], merged = src[2];

    (void)carry;
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t d = in->ops[0].part, a = in->ops[1].part, b = in->ops[2].part;
        unsigned ai = a ? PTX_PART_DIGIT(a, i) : i, bi = b ? PTX_PART_DIGIT(b, i) : i + lanes;
        int64_t v = operated(in, field(both, ai, bits, ptx_type_is_signed(in->types[typed])),
            field(both, bi, bits, ptx_type_is_signed(in->types[typed + 1])));
        uint64_t mask = ((1ull << bits) - 1) << i * bits;
        bool chosen = d == 0;

        for (unsigned k = 0; k < PTX_PART_COUNT(d); k++)
            chosen = chosen || PTX_PART_DIGIT(d, k) == i;
        if (!chosen)
            continue;
        if (ptx_has(in, PTX_M_sat))
            v = clamped(v, bits, sign);
        sum += (uint64_t)v;
        merged = (merged & ~mask) | ((uint64_t)v << i * bits & mask);
    }
    return (struct answer){ .result = ptx_has(in, PTX_M_add) ? sum : merged };
}

static const char *const types[] = { "u32.u32.u32", "s32.s32.s32", "s32.u32.s32", "u32.s32.u32" };

static void add(const char *root, const char *type, const char *mods, unsigned nsrc, reference *ref, const uint32_t *parts)
{
    struct instruction what = { .nsrc = nsrc, .ref = ref };
    char opcode[64];

    snprintf(opcode, sizeof(opcode), "%s.%s%s", root, type, mods);
    what.opcode = opcode;
    if (parts)
        memcpy(what.parts, parts, sizeof(what.parts));
    check(what);
}

static void single_words(void **state)
{
    static const char *const roots[] = { "vadd", "vsub", "vabsdiff", "vmin", "vmax" };
    static const char *const mods[] = { "", ".sat", ".add", ".sat.min", ".max" };
    static const uint32_t in_parts[] = { 0, HALF(1), BYTE(2), 0 }, out_byte[] = { BYTE(3), 0, HALF(0), 0 },
                          out_half[] = { HALF(1), BYTE(0), 0, 0 };

    (void)state;
    for (unsigned r = 0; r < 5; r++)
        for (unsigned t = 0; t < 4; t++) {
            for (unsigned m = 0; m < 5; m++)
                add(roots[r], types[t], mods[m], m < 2 ? 2 : 3, ref_scalar, NULL);
            add(roots[r], types[t], "", 2, ref_scalar, in_parts);
            add(roots[r], types[t], ".sat.add", 3, ref_scalar, in_parts);
            add(roots[r], types[t], ".sat", 3, ref_scalar, out_byte);
            add(roots[r], types[t], "", 3, ref_scalar, out_half);
        }
    run_checks();
}

static void shifts_and_comparisons(void **state)
{
    static const char *const comparisons[] = { ".eq", ".ne", ".lt", ".le", ".gt", ".ge" };

    (void)state;
    for (unsigned t = 0; t < 4; t += 3) {
        add("vshl", types[t], ".clamp", 2, ref_scalar, NULL);
        add("vshr", types[t], ".clamp", 2, ref_scalar, NULL);
        add("vshl", types[t], ".sat.wrap", 2, ref_scalar, NULL);
        add("vshr", types[t], ".wrap.add", 3, ref_scalar, NULL);
    }
    for (unsigned c = 0; c < 6; c++) {
        add("vset", "u32.s32", comparisons[c], 2, ref_scalar, NULL);
        add("vset", "s32.s32", comparisons[c], 2, ref_scalar, NULL);
        add("vset2", "s32.s32", comparisons[c], 3, ref_simd, NULL);
        add("vset4", "u32.u32", comparisons[c], 3, ref_simd, NULL);
    }
    add("vset", "u32.u32", ".lt.add", 3, ref_scalar, NULL);
    add("vset4", "u32.u32", ".ge.add", 3, ref_simd, NULL);
    run_checks();
}

static void multiply_adds(void **state)
{
    static const char *const mods[] = { "", ".sat", ".sat.shr7", ".shr15", ".po", ".po.sat" };

    (void)state;
    for (unsigned t = 0; t < 4; t++)
        for (unsigned m = 0; m < 6; m++)
            add("vmad", types[t], mods[m], 3, ref_vmad, NULL);
    run_checks();
}

static void halves_and_bytes(void **state)
{
    static const char *const roots[] = { "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg" };
    static const uint32_t halves[] = { HALF(1), PTX_PART_HALVES | PART(2u, 0x13), PTX_PART_HALVES | PART(2u, 0x02), 0 };
    static const uint32_t bytes[] = { PART(2u, 0x20), PART(4u, 0x7104), PART(4u, 0x3333), 0 };
    static const char *const mods[] = { "", ".sat", ".add" };
    char root[16];

    (void)state;
    for (unsigned r = 0; r < 6; r++)
        for (unsigned n = 2; n <= 4; n += 2) {
            snprintf(root, sizeof(root), "%s%u", roots[r], n);
            for (unsigned t = 0; t < 4; t++) {
                for (unsigned m = 0; m < 3; m++)
                    add(root, types[t], mods[m], 3, ref_simd, NULL);
                add(root, types[t], "", 3, ref_simd, n == 2 ? halves : bytes);
            }
        }
    run_checks();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_words),
        cmocka_unit_test(shifts_and_comparisons),
        cmocka_unit_test(multiply_adds),
        cmocka_unit_test(halves_and_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
