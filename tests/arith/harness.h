/* harness.h - runs single arithmetic instructions and compares every result with a reference in C.
 *
 * A test adds instructions and then runs them: each is built for 32 lanes and for one, with AVX-512 (where the machine has it)
 * and without, on edge values in all combinations and on random bits from a fixed seed. */
#ifndef TESTS_ARITH_HARNESS_H
#define TESTS_ARITH_HARNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "softcuda/ptx/ptx.h"

struct answer { uint64_t result; bool second, carry; };

/* The true answer for one lane; src: each source's bits, zero-extended. */
typedef struct answer reference(const struct ptx_insn *, const uint64_t *src, bool carry);
/* Is got good enough for these sources? Replaces equality. */
typedef bool judge(const struct ptx_insn *, const uint64_t *src, uint64_t want, uint64_t got);

struct instruction {
    const char *opcode;     /* copied */
    unsigned nsrc;
    bool pair;              /* written d|p */
    reference *ref;
    judge *good;            /* NULL: equal bits */
    const uint64_t *constants;  /* each in turn is source constant_source, an immediate; ended by UINT64_MAX; NULL: none */
    unsigned constant_source;
    uint32_t parts[4];      /* of the operands of a video instruction, destination first */
    unsigned rounds;        /* of 32 random lanes each; 0: a few */
};

void check(struct instruction);
/* Runs what was added since the last call; a cmocka failure names the instruction, the build and the sources. */
void run_checks(void);

/* "add.rn.f32" taken apart; ops is nops operands that the caller lends. */
bool split_opcode(const char *opcode, struct ptx_insn *);

#endif
