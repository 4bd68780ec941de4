/* matrix.h - matrices of tensor cores for machine code: wmma, mma, ldmatrix, stmatrix, movmatrix.
 *
 * A warp holds a matrix as fragments, 32-bit registers of all lanes; who holds which element is the PTX ISA manual's for mma, and for
 * wmma, where the manual leaves it open, built of the same tiles. Registers are spilled: register r of lane l at [r * SC_LANES + l].
 *
 * Products are added to the accumulator one after the other, k upwards, each sum rounded to f32 (f16: and to f16 in the end); tensor
 * cores add in another order and with other roundings, so floating-point bits may differ from theirs. Integers are exact. */
#ifndef SOFTCUDA_RUN_MATRIX_H
#define SOFTCUDA_RUN_MATRIX_H

#include "softcuda/run/warp.h"

enum sc_element {
    SC_ELEMENT_F16,
    SC_ELEMENT_BF16,
    SC_ELEMENT_TF32,
    SC_ELEMENT_F32,
    SC_ELEMENT_F64,
    SC_ELEMENT_S32,
    SC_ELEMENT_S8,
    SC_ELEMENT_U8,
    SC_ELEMENT_S4,
    SC_ELEMENT_U4,
    SC_ELEMENT_B1,
    SC_ELEMENT_E4M3,
    SC_ELEMENT_E5M2
};

/* How a multiplication is told to sc_rt_matrix_multiply(): fields of a 64-bit number. */
#define SC_MATRIX_M(f) ((unsigned)(f)&63)
#define SC_MATRIX_N(f) ((unsigned)((f) >> 6) & 63)
#define SC_MATRIX_K(f) ((unsigned)((f) >> 12) & 511)
#define SC_MATRIX_A(f) ((enum sc_element)((f) >> 24 & 15))
#define SC_MATRIX_B(f) ((enum sc_element)((f) >> 28 & 15))
#define SC_MATRIX_C(f) ((enum sc_element)((f) >> 32 & 15))
#define SC_MATRIX_D(f) ((enum sc_element)((f) >> 36 & 15))
#define SC_MATRIX_FORM(m, n, k, a, b, c, d) \
    ((uint64_t)(m) | (uint64_t)(n) << 6 | (uint64_t)(k) << 12 | (uint64_t)(a) << 24 | (uint64_t)(b) << 28 | \
        (uint64_t)(c) << 32 | (uint64_t)(d) << 36)
#define SC_MATRIX_SATURATE ((uint64_t)1 << 40)  /* integers */
#define SC_MATRIX_AND ((uint64_t)1 << 41)       /* b1: and.popc, else xor.popc */
#define SC_MATRIX_QUADS ((uint64_t)1 << 42)     /* m8n8k4 of f16: four products, one for each two quads of lanes */
#define SC_MATRIX_A_COLUMNS ((uint64_t)1 << 43) /* QUADS: a is in columns, b is in rows */
#define SC_MATRIX_B_ROWS ((uint64_t)1 << 44)

void sc_rt_matrix_multiply(uint64_t form, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d);

/* One matrix between memory and its fragment. which: 'a', 'b' or 'c' (accumulators); rows of memory are rows of the matrix unless
 * columns is set; stride: elements between them. The address is that of the lowest lane. */
#define SC_MATRIX_WHICH_A 0u
#define SC_MATRIX_WHICH_B 1u
#define SC_MATRIX_WHICH_C 2u
#define SC_MATRIX_WHICH(f) ((f)&3)
#define SC_MATRIX_COLUMNS (1u << 2)
#define SC_MATRIX_STORE (1u << 3)
#define SC_MATRIX_REGISTERS(f) ((f) >> 8 & 63) /* 32-bit ones a lane */
void sc_rt_matrix_move(
    struct sc_warp *, uint32_t lanes, uint64_t form, uint32_t how, const uint64_t *address, uint32_t stride, uint32_t *regs);

/* ldmatrix, stmatrix: n matrices of 8 rows of 16 bytes, whose addresses lanes 8 * i to 8 * i + 7 hold. */
#define SC_ROWS_TRANSPOSED (1u << 3)
#define SC_ROWS_STORE (1u << 4)
void sc_rt_matrix_rows(
    struct sc_warp *, uint32_t lanes, uint32_t how, const uint64_t *address, uint32_t *regs); /* how: n in the low bits */
void sc_rt_matrix_transpose(const uint32_t *from, uint32_t *to);

#endif
