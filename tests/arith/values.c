#include "tests/arith/values.h"

uint64_t random_bits(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

unsigned value_edges(unsigned bits, bool is_float, uint64_t *out)
{
    static const uint64_t f32[] = { 0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
        0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000, 0x40400000, 0xc0400000, 0x3f000000, 0xbf000000, 0x3fc00000,
        0x40200000, 0xc0200000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000,
        0xdf000000, 0x5f800000, 0x4b000001, 0x4b800001, 0x7f7fffff, 0xff7fffff, 0x7e800000, 0x7f000000, 0x7f800000, 0xff800000,
        0x7fc00000, 0xffc00000, 0x7f800001, 0xff801234, 0x7fffffff, 0x477fefff, 0x477ff000, 0x33800000, 0x33000000, 0x387fc000,
        0x1f800000, 0xc3150000, 0xc2fc0000, 0x43000000, 0x00000002, 0x3effffff, 0x42fe0000, 0xc2ff0000, 0x40490fdb, 0x3f19999a };
    static const uint64_t f64[] = { 0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
        0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff, 0x4000000000000000,
        0x4008000000000000, 0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0x41dfffffffc00000,
        0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000, 0x43dfffffffffffff,
        0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x4330000000000001, 0x7fefffffffffffff, 0xffefffffffffffff,
        0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x47efffffe0000000,
        0x47efffffefffffff, 0x47eff00000000000, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x380fffffffffffff,
        0x40effdffffffffff, 0x40effe0000000000, 0x3e70000000000000, 0x3e60000000000001, 0x3fe00000000fffff };
    static const uint64_t f16[] = { 0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4000, 0x4200,
        0x3800, 0xb800, 0x3e00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0x7fff, 0x0080, 0x3f80, 0xbf80, 0x4080,
        0x7f80, 0xff80, 0x7f7f, 0xff7f, 0x7fc0, 0x7f81, 0x007f, 0x4f00, 0x5f00 };
    static const uint64_t ints[] = { 0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 0x7fff, 0x8000,
        0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x1000001, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000,
        0x1fffffffffffff, 0x20000000000001, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe,
        0xffffffffffffffff, 0xffffffffffffff80, 0xffffffffffff8000, 0xffffffff80000000, 0x0123456789abcdef, 0xfffffffffffffff0,
        0x7fffffffffffffc0, 0xffffffffffffff9c };
    const uint64_t *from = ints;
    unsigned n = sizeof(ints) / sizeof(*ints);

    if (bits == 1) {
        out[0] = 0;
        out[1] = 1;
        return 2;
    }
    if (is_float) {
        from = bits == 64 ? f64 : bits == 32 ? f32 : f16;
        n = bits == 64 ? sizeof(f64) / 8 : bits == 32 ? sizeof(f32) / 8 : sizeof(f16) / 8;
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = bits == 64 ? from[i] : from[i] & ((1ull << bits) - 1);
    return n;
}

uint64_t value_random(unsigned bits, bool is_float, unsigned bits_exponent)
{
    uint64_t v = random_bits();

    if (is_float && random_bits() & 1) {
        unsigned fraction = bits - 1 - bits_exponent;
        uint64_t middle = (1ull << (bits_exponent - 1)) - 4 + (random_bits() & 7);

        v = (v & ~(((1ull << bits_exponent) - 1) << fraction)) | middle << fraction;
    } else if (!is_float && random_bits() & 1)
        v >>= random_bits() & 63;
    return bits == 64 ? v : v & ((1ull << bits) - 1);
}
