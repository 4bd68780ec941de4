/* exact.h - floats of every format as numbers of 113 bits, and back with one rounding; for references. */
#ifndef TESTS_ARITH_EXACT_H
#define TESTS_ARITH_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "softcuda/ptx/ptx.h"

/* A number, and whether the true one lies a little further from 0. */
struct exact { __float128 v; bool more; };

struct exact exact_of(uint64_t bits, enum ptx_type);
struct exact exact_add(struct exact, struct exact);     /* operands with nothing more */
struct exact exact_mul(struct exact, struct exact);
struct exact exact_div(struct exact, struct exact);
struct exact exact_sqrt(struct exact);
/* rounding: PTX_M_rn rz rm rp, or rna. NaNs are the hardware's. */
uint64_t exact_round(struct exact, enum ptx_type, enum ptx_mod rounding);

enum ptx_mod rounding_of(const struct ptx_insn *);
bool is_nan(uint64_t bits, enum ptx_type);
uint64_t flushed(uint64_t bits, enum ptx_type);
unsigned fraction_bits(enum ptx_type);
/* Both NaN, or the same. */
bool same_or_nan(const struct ptx_insn *, const uint64_t *src, uint64_t want, uint64_t got);

#endif
