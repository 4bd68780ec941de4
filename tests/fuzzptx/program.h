/* program.h - a PTX kernel as lines, with everything that a launch of it needs, and how it is run.
 *
 * The memory of a launch is one block: in (read only), own (a stripe for each thread), rows (for each slot a row over all threads), sums (atomics
 * whose order does not matter) and last (what threads end with), in this order and with nothing between or behind them. */
#ifndef TESTS_FUZZPTX_PROGRAM_H
#define TESTS_FUZZPTX_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IN_BYTES    4096
#define OWN_BYTES   256     /* of each thread */
#define ROWS        16      /* of words */
#define SUMS        64      /* words; even ones are added to, odd ones take the maximum, unsigned; 4 more: a lock, and what is counted under it */
#define LAST        20      /* rows of double words */

/* One or more whole instructions. When a program is reduced, fixed lines stay, and neighbours of one group (0: none) go together. */
struct line { char *text; bool fixed; unsigned group; };

struct arguments { uint64_t in, own, rows, sums, last; uint32_t n, w; float x; uint32_t zero; uint64_t big; };

struct program {
    uint64_t seed;
    struct line *lines;
    unsigned nlines, room, group;   /* group: of lines that are added now */
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    struct arguments arguments; /* but the addresses */
};

void program_add(struct program *, bool fixed, char *text);     /* takes text */
char *program_text(const struct program *);                     /* the caller's */
void program_clear(struct program *);
uint32_t program_threads(const struct program *);               /* of the grid */

/* generate.c: always the same for the same seed. structured: no tangles of branches, which NVIDIA's compiler does not always get right. */
void generate(struct program *, uint64_t seed, bool structured);

size_t memory_size(const struct program *);
void memory_fill(const struct program *, uint8_t *memory);
/* The kernel's arguments where its memory lies at this address. */
struct arguments memory_arguments(const struct program *, uint64_t address);

/* ---- runs: 0, or -1 with why */

struct outcome { uint8_t *memory, *any; };      /* any: bytes that may have any value */
int run_interpreter(const struct program *, bool backwards, struct outcome *, char why[256]);
void outcome_clear(struct outcome *);
/* The machine under test: on_jit.c or on_cuda.c. memory is filled and is left as the kernel leaves it. */
int machine_run(const struct program *, const char *text, uint8_t *memory, char why[256]);
/* Is there one? false, with why. */
bool machine_begin(char why[256]);
extern const bool machine_may_hang;     /* it must be run in a process of its own */

/* First difference that counts, in words of memory; false: none. */
bool outcome_differs(const struct program *, const struct outcome *, const uint8_t *memory, char why[256]);

/* ---- reduce.c */
typedef bool still_fails(const struct program *, void *context);
void reduce(struct program *, still_fails *, void *context);

#endif
