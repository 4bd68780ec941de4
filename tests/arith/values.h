/* values.h - what instructions are tried on. */
#ifndef TESTS_ARITH_VALUES_H
#define TESTS_ARITH_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_EDGES 80

uint64_t random_bits(void);     /* always the same ones */
/* The edges of a type of so many bits; their number. */
unsigned value_edges(unsigned bits, bool is_float, uint64_t *out);
/* Random bits; of floats half of them of moderate exponent, so that sums and products are not all infinite. */
uint64_t value_random(unsigned bits, bool is_float, unsigned bits_exponent);

#endif
