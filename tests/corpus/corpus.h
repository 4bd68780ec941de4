/* corpus.h - CUDA sources as compilers take them, run on any driver and held against C.
 *
 * Each check loads one file's PTX from the folder at hand, runs its kernels, and returns what is wrong, or NULL. */
#ifndef TESTS_CORPUS_CORPUS_H
#define TESTS_CORPUS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcuda/api/abi.h"
#include "softcuda/api/functions.h"

struct corpus {
    void *driver;    /* the library */
    unsigned arch;   /* that the PTX was made for: 75, 90 */
    CUmodule module; /* of the file that is checked */
    const char *wrong;
};

typedef void corpus_check(struct corpus *);
struct corpus_file {
    const char *name; /* k01_saxpy */
    corpus_check *check;
};
extern const struct corpus_file corpus_numbers[], corpus_threads[], corpus_rest[]; /* end with a NULL name */
extern const struct corpus_file *const corpus_tables[];                             /* of the program; ends with NULL */

#define CALL(c, name, ...) corpus_call(c, ((__typeof__(&name))corpus_symbol(c, #name))(__VA_ARGS__), #name)
void *corpus_symbol(struct corpus *, const char *name);
void corpus_call(struct corpus *, int result, const char *what);

/* Device memory: a copy of size bytes, or zeroes where from is NULL. Freed with the file, or by corpus_free. */
CUdeviceptr corpus_up(struct corpus *, const void *from, size_t size);
void corpus_down(struct corpus *, void *to, CUdeviceptr from, size_t size);
void corpus_free(struct corpus *);
CUdeviceptr corpus_global(struct corpus *, const char *name);
/* Launches and waits; args end with NULL. */
void corpus_run(struct corpus *, const char *kernel, unsigned grid, unsigned block, unsigned shared, void **args);
void corpus_run_2d(struct corpus *, const char *kernel, unsigned gx, unsigned gy, unsigned bx, unsigned by, void **args);
void corpus_run_shape(struct corpus *, const char *kernel, const unsigned shape[4], unsigned shared, void **args); /* grid x y, block x y */
void corpus_run_together(struct corpus *, const char *kernel, unsigned grid, unsigned block, void **args);
#define ARGS(...) ((void *[]){ __VA_ARGS__ })

/* Says what is wrong, the first time. */
void corpus_expect(struct corpus *, bool, const char *what, long index);
bool corpus_near(double got, double want, double relative);
float corpus_random(float low, float high); /* the next of a fixed row */

#endif
