/* cvt between pairs of 8-bit floats and f16 or f32, against a search through all numbers of the format. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/arith/exact.h"
#include "tests/arith/harness.h"

/* A byte without its sign; e4m3 has one NaN and no infinity. */
static double value_of(unsigned byte, enum ptx_type type)
{
    unsigned fraction = type == PTX_E4M3X2 ? 3 : 2, bias = type == PTX_E4M3X2 ? 7 : 15;
    unsigned exponent = byte >> fraction, rest = byte & ((1u << fraction) - 1);

    if (byte > (type == PTX_E4M3X2 ? 0x7eu : 0x7cu))
        return NAN;
    if (type == PTX_E5M2X2 && byte == 0x7c)
        return INFINITY;
    return exponent ? ldexp((1 << fraction) + rest, (int)exponent - (int)bias - (int)fraction) : ldexp(rest, 1 - (int)bias - (int)fraction);
}

static unsigned nearest(double x, enum ptx_type type)
{
    unsigned most = type == PTX_E4M3X2 ? 0x7e : 0x7b, best = 0;
    double size = fmin(fabs(x), value_of(most, type));

    if (x != x)
        return 0x7f;
    for (unsigned i = 1; i <= most; i++) {
        double now = fabs(value_of(i, type) - size), before = fabs(value_of(best, type) - size);
        if (now < before || (now == before && !(i & 1)))
            best = i;
    }
    return best | (signbit(x) ? 0x80 : 0);
}

static double relu(const struct ptx_insn *in, double x)
{
    return ptx_has(in, PTX_M_relu) && x == x && !(x > 0) ? 0 : x;
}

static struct answer from_fp8(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    uint64_t result = 0;

    (void)carry;
    for (unsigned i = 0; i < 2; i++) {
        unsigned byte = src[0] >> 8 * i & 0xff;
        double x = relu(in, copysign(value_of(byte & 0x7f, in->types[1]), byte & 0x80 ? -1 : 1));
        uint64_t half = x != x ? 0x7fff : exact_round((struct exact){ x, false }, PTX_F16, PTX_M_rn);

        result |= half << 16 * i;
    }
    return (struct answer){ .result = result };
}

static struct answer to_fp8(const struct ptx_insn *in, const uint64_t *src, bool carry)
{
    uint64_t result = 0;

    (void)carry;
    for (unsigned i = 0; i < 2; i++) {
        bool halves = in->types[1] == PTX_F16X2;
        uint64_t bits = halves ? src[0] >> 16 * i & 0xffff : src[1 - i];

        result |= (uint64_t)nearest(relu(in, (double)exact_of(bits, halves ? PTX_F16 : PTX_F32).v), in->types[0]) << 8 * i;
    }
    return (struct answer){ .result = result };
}

static void bytes_become_halves(void **state)
{
    (void)state;
    check((struct instruction){ .opcode = "cvt.rn.f16x2.e4m3x2", .nsrc = 1, .ref = from_fp8 });
    check((struct instruction){ .opcode = "cvt.rn.f16x2.e5m2x2", .nsrc = 1, .ref = from_fp8 });
    check((struct instruction){ .opcode = "cvt.rn.relu.f16x2.e4m3x2", .nsrc = 1, .ref = from_fp8 });
    check((struct instruction){ .opcode = "cvt.rn.relu.f16x2.e5m2x2", .nsrc = 1, .ref = from_fp8 });
    run_checks();
}

static void floats_become_bytes(void **state)
{
    (void)state;
    check((struct instruction){ .opcode = "cvt.rn.satfinite.e4m3x2.f32", .nsrc = 2, .ref = to_fp8 });
    check((struct instruction){ .opcode = "cvt.rn.satfinite.e5m2x2.f32", .nsrc = 2, .ref = to_fp8 });
    check((struct instruction){ .opcode = "cvt.rn.satfinite.relu.e4m3x2.f32", .nsrc = 2, .ref = to_fp8 });
    run_checks();
}

static void halves_become_bytes(void **state)
{
    (void)state;
    check((struct instruction){ .opcode = "cvt.rn.satfinite.e4m3x2.f16x2", .nsrc = 1, .ref = to_fp8, .rounds = 200 });
    check((struct instruction){ .opcode = "cvt.rn.satfinite.e5m2x2.f16x2", .nsrc = 1, .ref = to_fp8, .rounds = 200 });
    check((struct instruction){ .opcode = "cvt.rn.satfinite.relu.e5m2x2.f16x2", .nsrc = 1, .ref = to_fp8 });
    run_checks();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_halves),
        cmocka_unit_test(floats_become_bytes),
        cmocka_unit_test(halves_become_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
