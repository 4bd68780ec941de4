/* half.h - 16-bit floats in C: to f32 exactly, from f32 to the nearest, ties to even. */
#ifndef SOFTCUDA_RUN_HALF_H
#define SOFTCUDA_RUN_HALF_H

#include <stdint.h>
#include <string.h>

/* A float of exponent_bits and mantissa_bits, without its infinities where it has none (finite: e4m3). */
static inline float sc_small_to_float(uint32_t v, unsigned exponent_bits, unsigned mantissa_bits, int finite)
{
    uint32_t top = (1u << exponent_bits) - 1, mantissa = v & ((1u << mantissa_bits) - 1), exponent = v >> mantissa_bits & top;
    uint32_t sign = (v >> (exponent_bits + mantissa_bits) & 1) << 31, bias = top / 2, word;
    float f;

    if (exponent == top && (!finite || mantissa == (1u << mantissa_bits) - 1)) {
        word = sign | 0x7f800000u | mantissa << (23 - mantissa_bits);
    } else if (exponent) {
        word = sign | (exponent + 127 - bias) << 23 | mantissa << (23 - mantissa_bits);
    } else { /* subnormal: mantissa * 2^(1 - bias - mantissa_bits) */
        uint32_t unit = (128 - bias - mantissa_bits) << 23;
        memcpy(&f, &unit, sizeof(f));
        f *= (float)mantissa;
        memcpy(&word, &f, sizeof(word));
        word |= sign;
    }
    memcpy(&f, &word, sizeof(f));
    return f;
}

static inline float sc_half_to_float(uint16_t h)
{
    return sc_small_to_float(h, 5, 10, 0);
}

static inline float sc_bfloat_to_float(uint16_t h)
{
    uint32_t word = (uint32_t)h << 16;
    float f;

    memcpy(&f, &word, sizeof(f));
    return f;
}

static inline uint16_t sc_float_to_half(float f)
{
    uint32_t word, sign, rest, shift;

    memcpy(&word, &f, sizeof(word));
    sign = word >> 16 & 0x8000;
    word &= 0x7fffffff;
    if (word > 0x7f800000)
        return 0x7fff;
    if (word >= 0x477ff000) /* rounds to more than 65504 */
        return (uint16_t)(sign | 0x7c00);
    if (word < 0x33000000) /* rounds to less than half of the smallest */
        return (uint16_t)sign;
    if (word < 0x38800000) { /* subnormal */
        shift = 126 - (word >> 23);
        word = (word & 0x7fffff) | 0x800000;
        rest = word & ((1u << shift) - 1);
        word >>= shift;
        word += rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && word & 1);
        return (uint16_t)(sign | word);
    }
    word -= 0x38000000;
    word += 0xfff + (word >> 13 & 1);
    return (uint16_t)(sign | word >> 13);
}

#endif
