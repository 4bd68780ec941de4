/* Logic, shifts, bit fields, byte permutations and dot products follow the PTX ISA manual bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/arith/harness.h"

static unsigned bits_of(const struct ptx_insn *in)
{
    return ptx_type_bits(in->types[0]);
}

static bool is_signed(const struct ptx_insn *in)
{
    return ptx_type_is_signed(in->types[0]);
}

static struct answer plain(uint64_t v)
{
    return (struct answer){ .result = v };
}

static int64_t extended(uint64_t v, unsigned bits)
{
    return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static struct answer ref_logic(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    (void)carry;
    switch (in->op) {
    case PTX_I_and:
        return plain(src[0] & src[1]);
    case PTX_I_or:
        return plain(src[0] | src[1]);
    case PTX_I_xor:
        return plain(src[0] ^ src[1]);
    case PTX_I_not:
        return plain(~src[0]);
    default:
        return plain(src[0] == 0);
    }
}

static struct answer ref_lop3(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    struct answer a = { 0 };

    (void)carry;
    for (unsigned i = 0; i < 32; i++) {
        unsigned row = (src[0] >> i & 1) * 4 + (src[1] >> i & 1) * 2 + (src[2] >> i & 1);

        a.result |= (src[3] >> row & 1) << i;
    }
    a.second = ptx_has(in, PTX_M_and_) ? a.result != 0 && src[4] : a.result != 0 || src[4];
    return a;
}

static struct answer ref_shift(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    unsigned n = bits_of(in);

    (void)carry;
    if (in->op == PTX_I_shl)
        return plain(src[1] >= n ? 0 : src[0] << src[1]);
    if (is_signed(in))
        return plain((uint64_t)(extended(src[0], n) >> (src[1] >= n ? 63 : src[1])));
    return plain(src[1] >= n ? 0 : src[0] >> src[1]);
}

static struct answer ref_shf(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    uint64_t both = src[1] << 32 | src[0], n = ptx_has(in, PTX_M_wrap) ? src[2] & 31 : src[2] > 32 ? 32 : src[2];

    (void)carry;
    return plain(ptx_has(in, PTX_M_l) ? (n == 32 ? src[0] : both << n >> 32) : both >> n);
}

/* As the hardware has it: the manual's modulo 256 is for words only. */
static uint64_t field_number(unsigned bits, uint64_t v)
{
    return bits == 32 ? v & 255 : v;
}

static struct answer ref_bfe(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    unsigned n = bits_of(in);
    uint64_t pos = field_number(n, src[1]), len = field_number(n, src[2]), last = pos + len - 1 < n - 1 ? pos + len - 1 : n - 1;
    uint64_t sign = is_signed(in) && len ? src[0] >> last & 1 : 0, d = 0;

    (void)carry;
    for (unsigned i = 0; i < n; i++)
        d |= (i < len && pos + i < n ? src[0] >> (pos + i) & 1 : sign) << i;
    return plain(d);
}

static struct answer ref_bfi(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    unsigned n = bits_of(in);
    uint64_t pos = field_number(n, src[2]), len = field_number(n, src[3]), d = src[1];

    (void)carry;
    for (uint64_t i = 0; i < len && pos + i < n; i++)
        d = (d & ~(1ull << (pos + i))) | (src[0] >> i & 1) << (pos + i);
    return plain(d);
}

static struct answer ref_bfind(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    unsigned n = bits_of(in);
    uint64_t v = is_signed(in) && src[0] >> (n - 1) & 1 ? ~src[0] : src[0];

    (void)carry;
    for (unsigned i = n; i-- > 0;)
        if (v >> i & 1)
            return plain(ptx_has(in, PTX_M_shiftamt) ? n - 1 - i : i);
    return plain(UINT32_MAX);
}

static struct answer ref_count(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    unsigned n = bits_of(in), ones = 0, zeros = 0;
    uint64_t reversed = 0;

    (void)carry;
    for (unsigned i = 0; i < n; i++) {
        ones += src[0] >> i & 1;
        zeros = src[0] >> i & 1 ? 0 : zeros + 1;
        reversed |= (src[0] >> i & 1) << (n - 1 - i);
    }
    return plain(in->op == PTX_I_popc ? ones : in->op == PTX_I_clz ? zeros : reversed);
}

static struct answer ref_mask(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    uint64_t pos = src[0], len = src[1], d = 0;

    (void)carry;
    if (ptx_has(in, PTX_M_wrap)) {
        pos &= 31;
        len &= 31;
    }
    for (uint64_t i = pos; i < 32 && i - pos < len; i++)
        d |= 1ull << i;
    return plain(d);
}

static struct answer ref_szext(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    uint64_t n = ptx_has(in, PTX_M_wrap) ? src[1] & 31 : src[1] > 32 ? 32 : src[1];

    (void)carry;
    if (n == 0)
        return plain(0);
    return plain(is_signed(in) ? (uint64_t)extended(src[0] & ((1ull << n) - 1), (unsigned)n) : src[0] & ((1ull << n) - 1));
}

static struct answer ref_fns(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    int32_t n = (int32_t)src[2], at = (int32_t)src[1];

    (void)in;
    (void)carry;
    if (n == 0)
        return plain(src[1] < 32 && src[0] >> src[1] & 1 ? src[1] : UINT32_MAX);
    for (int64_t left = n < 0 ? -(int64_t)n : n; at >= 0 && at < 32; at += n < 0 ? -1 : 1)
        if (src[0] >> at & 1 && --left == 0)
            return plain((uint64_t)at);
    return plain(UINT32_MAX);
}

static unsigned selector_of(const struct ptx_insn *in, uint64_t c)
{
    unsigned k = c & 3, s = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned nibble = ptx_has(in, PTX_M_f4e) ? k + i
            : ptx_has(in, PTX_M_b4e)             ? (k - i) & 7
            : ptx_has(in, PTX_M_rc8)             ? k
            : ptx_has(in, PTX_M_ecl)             ? (i > k ? i : k)
            : ptx_has(in, PTX_M_ecr)             ? (i < k ? i : k)
            : ptx_has(in, PTX_M_rc16)            ? (k & 1) * 2 + (i & 1)
                                                 : (unsigned)(c >> 4 * i & 15);

        s |= nibble << 4 * i;
    }
    return s;
}

static struct answer ref_prmt(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    uint64_t both = src[1] << 32 | src[0], d = 0;
    unsigned s = selector_of(in, src[2]);

    (void)carry;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t byte = both >> 8 * (s >> 4 * i & 7) & 255;

        if (s >> 4 * i & 8)
            byte = byte & 128 ? 255 : 0;
        d |= byte << 8 * i;
    }
    return plain(d);
}

static int64_t field(uint64_t v, unsigned i, unsigned bits, bool sign)
{
    v = v >> i * bits & ((1ull << bits) - 1);
    return sign ? extended(v, bits) : (int64_t)v;
}

static struct answer ref_dp(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    bool a = ptx_type_is_signed(in->types[0]), b = ptx_type_is_signed(in->types[1]);
    int64_t sum = (int64_t)src[2];

    (void)carry;
    for (unsigned i = 0; i < (in->op == PTX_I_dp4a ? 4 : 2); i++)
        sum += in->op == PTX_I_dp4a ? field(src[0], i, 8, a) * field(src[1], i, 8, b)
                                    : field(src[0], i, 16, a) * field(src[1], i + (ptx_has(in, PTX_M_hi) ? 2 : 0), 8, b);
    return plain((uint64_t)sum);
}

static void add(const char *opcode, unsigned nsrc, reference *ref)
{
    check((struct instruction){ .opcode = opcode, .nsrc = nsrc, .ref = ref });
}

static void over(const char *prefix, const char *const *types, unsigned n, unsigned nsrc, reference *ref)
{
    char opcode[64];

    for (unsigned i = 0; i < n; i++) {
        snprintf(opcode, sizeof(opcode), "%s.%s", prefix, types[i]);
        add(opcode, nsrc, ref);
    }
}

static const char *const logic_types[] = { "pred", "b16", "b32", "b64" };
static const char *const field_types[] = { "u32", "u64", "s32", "s64" };
static const char *const words[] = { "b32", "b64" };

static void logic(void **state)
{
    uint64_t tables[257];

    (void)state;
    over("and", logic_types, 4, 2, ref_logic);
    over("or", logic_types, 4, 2, ref_logic);
    over("xor", logic_types, 4, 2, ref_logic);
    over("not", logic_types, 4, 1, ref_logic);
    over("cnot", logic_types + 1, 3, 1, ref_logic);
    for (unsigned i = 0; i < 256; i++)
        tables[i] = i;
    tables[256] = UINT64_MAX;
    check((struct instruction){ .opcode = "lop3.b32", .nsrc = 4, .ref = ref_lop3, .constants = tables, .constant_source = 3 });
    tables[0] = 0x96;
    tables[1] = 0xe8;
    tables[2] = UINT64_MAX;
    check((struct instruction){
        .opcode = "lop3.and.b32", .nsrc = 5, .pair = true, .ref = ref_lop3, .constants = tables, .constant_source = 3 });
    check((struct instruction){
        .opcode = "lop3.or.b32", .nsrc = 5, .pair = true, .ref = ref_lop3, .constants = tables, .constant_source = 3 });
    run_checks();
}

static void shifts(void **state)
{
    static const char *const right[] = { "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64" };
    static const uint64_t amounts[] = { 0, 1, 15, 16, 31, 32, 63, 64, 0xffffffff, UINT64_MAX };

    (void)state;
    over("shl", right, 3, 2, ref_shift);
    over("shr", right, 9, 2, ref_shift);
    check((struct instruction){ .opcode = "shl.b64", .nsrc = 2, .ref = ref_shift, .constants = amounts, .constant_source = 1 });
    check((struct instruction){ .opcode = "shr.s32", .nsrc = 2, .ref = ref_shift, .constants = amounts, .constant_source = 1 });
    add("shf.l.clamp.b32", 3, ref_shf);
    add("shf.r.clamp.b32", 3, ref_shf);
    add("shf.l.wrap.b32", 3, ref_shf);
    add("shf.r.wrap.b32", 3, ref_shf);
    run_checks();
}

static void fields(void **state)
{
    (void)state;
    over("bfe", field_types, 4, 3, ref_bfe);
    over("bfi", words, 2, 4, ref_bfi);
    over("bfind", field_types, 4, 1, ref_bfind);
    over("bfind.shiftamt", field_types, 4, 1, ref_bfind);
    over("popc", words, 2, 1, ref_count);
    over("clz", words, 2, 1, ref_count);
    over("brev", words, 2, 1, ref_count);
    add("bmsk.clamp.b32", 2, ref_mask);
    add("bmsk.wrap.b32", 2, ref_mask);
    add("szext.clamp.u32", 2, ref_szext);
    add("szext.wrap.u32", 2, ref_szext);
    add("szext.clamp.s32", 2, ref_szext);
    add("szext.wrap.s32", 2, ref_szext);
    add("fns.b32", 3, ref_fns);
    run_checks();
}

static void bytes(void **state)
{
    static const char *const modes[] = { "prmt.b32", "prmt.b32.f4e", "prmt.b32.b4e", "prmt.b32.rc8", "prmt.b32.ecl",
        "prmt.b32.ecr", "prmt.b32.rc16" };
    static const char *const dots[] = { "u32.u32", "u32.s32", "s32.u32", "s32.s32" };
    static const uint64_t selectors[] = { 0x3210, 0x0123, 0x7654, 0x4440, 0x8765, 0xfedc, 0x1111, 0x9999, UINT64_MAX };

    (void)state;
    for (unsigned i = 0; i < 7; i++)
        add(modes[i], 3, ref_prmt);
    check((struct instruction){ .opcode = "prmt.b32", .nsrc = 3, .ref = ref_prmt, .constants = selectors, .constant_source = 2 });
    check((struct instruction){
        .opcode = "prmt.b32.f4e", .nsrc = 3, .ref = ref_prmt, .constants = selectors, .constant_source = 2 });
    over("dp4a", dots, 4, 3, ref_dp);
    over("dp2a.lo", dots, 4, 3, ref_dp);
    over("dp2a.hi", dots, 4, 3, ref_dp);
    run_checks();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logic),
        cmocka_unit_test(shifts),
        cmocka_unit_test(fields),
        cmocka_unit_test(bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
