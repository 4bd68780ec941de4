/* kernel_test.h - kernels, run and compared with the same in C, over gpudl's public header.
 *
 * A case builds, for one launch shape, the arguments of a kernel in their order, and what each buffer must hold afterwards. It
 * knows no device; running it on one or on two of them, and comparing, is done here. Data is small and deterministic. */
#ifndef TESTS_KERNELS_KERNEL_TEST_H
#define TESTS_KERNELS_KERNEL_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <gpudl/gpudl.h>

enum kt_type { KT_U8, KT_U16, KT_U32, KT_U64, KT_F32, KT_F64 };

/* |got - want| <= absolute + relative * |want|. Both 0: the bits must be equal. */
struct kt_tolerance {
    double absolute, relative;
};
#define KT_EXACT ((struct kt_tolerance){ 0, 0 })
#define KT_ULP 0x1p-23          /* one ulp of an f32, at most, as a relative error */

#define KT_MAX_BUFFERS 16
#define KT_MAX_PARAMS 24

struct kt_buffer {
    enum kt_type type;
    size_t count;
    bool compared;
    struct kt_tolerance tolerance;
    const char *global;         /* the buffer is this variable of the image, not an argument */
    void *in, *want;            /* before and after the launch */
    void *got[2];               /* of the first and the second device that it was run on */
};

struct kt {
    unsigned grid[3], block[3], shared_bytes;
    uint32_t random;            /* state */
    struct kt_buffer buffers[KT_MAX_BUFFERS];
    size_t nbuffers;
    struct {
        int buffer;             /* -1: a scalar */
        uint64_t scalar;
    } params[KT_MAX_PARAMS];
    size_t nparams;
};

struct kt_shape {
    unsigned grid[3], block[3];
};
#define KT_SHAPE_1D(blocks, threads) { { blocks, 1, 1 }, { threads, 1, 1 } }

struct kt_case {
    const char *file;           /* FILE.ptx beside the program */
    const char *kernel;
    void (*build)(struct kt *);
    const struct kt_shape *shapes;
    size_t nshapes;
};
#define KT_SHAPES(array) (array), sizeof(array) / sizeof(*(array))

/* Every case of every table, in order; NULL past the end. */
const struct kt_case *kt_case_at(size_t index);

/* --------------------------------------------------------------------------------------------------------- for building cases */

/* Each adds an argument. A buffer's memory is zero, to be filled by the caller, and is the case's. */
void *kt_in(struct kt *, enum kt_type, size_t count);                           /* read by the kernel, not compared */
void *kt_inout(struct kt *, enum kt_type, size_t count, struct kt_tolerance);   /* compared afterwards */
void kt_u32(struct kt *, uint32_t);
void kt_u64(struct kt *, uint64_t);
void kt_f32(struct kt *, float);
void kt_f64(struct kt *, double);
/* No argument: a variable of the image, set before the launch and compared afterwards. */
void *kt_global(struct kt *, const char *name, enum kt_type, size_t count, struct kt_tolerance);
/* What the buffer, by its memory, must hold after the launch; starts as a copy of it. */
void *kt_want(struct kt *, const void *in);

unsigned kt_block_threads(const struct kt *);
unsigned kt_threads(const struct kt *);     /* of the whole grid */
uint32_t kt_random(struct kt *);
float kt_random_float(struct kt *, float low, float high);
void kt_fill_floats(struct kt *, float *, size_t n, float low, float high);
void kt_fill_bits(struct kt *, void *, size_t bytes);

/* ---------------------------------------------------------------------------------------------------------------- for running */

struct kt_device {
    gpudl_loader *loader;
    const gpudl_driver_table *driver;
    int which;                  /* 0 or 1: the got that it fills */
};

void kt_build(const struct kt_case *, const struct kt_shape *, struct kt *);
void kt_finish(struct kt *);
/* driver NULL: GPUDL_DRIVER decides. */
gpudl_status kt_device_open(const char *driver, int which, struct kt_device *);
void kt_device_close(struct kt_device *);
/* false: why, in error. */
bool kt_run(const struct kt_device *, const struct kt_case *, struct kt *, char *error, size_t size);
/* The first difference between got[0] and what is wanted, or got[1]. */
bool kt_matches_reference(const struct kt *, char *error, size_t size);
bool kt_matches_each_other(const struct kt *, char *error, size_t size);
size_t kt_bytes(const struct kt_buffer *);
/* Of got[0] of the buffers that are compared bit by bit. */
uint64_t kt_digest(const struct kt *);
/* "saxpy.saxpy (4,1,1)x(100,1,1)" */
const char *kt_name(const struct kt_case *, const struct kt *, char *text, size_t size);

#endif
