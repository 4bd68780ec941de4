/* Trial launches: what new code does, seen in another process before it takes the old one's place. Part of <gpudl/gpudl.h>, which
 * includes it.
 *
 *     float in[256], twice[256];              what goes in, and what should come out
 *     gpudl_trial_buffer buffer = gpudl_trial_buffer_of(GPUDL_TRIAL_F32, in, twice, sizeof(in));
 *     gpudl_arg args[] = { GPUDL_ARG(256), gpudl_trial_arg(0) };      the kernel's: n, and the buffer's address
 *     gpudl_trial trial = gpudl_trial_1d("twice", 1, 256);
 *     gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;
 *
 *     buffer.relative = 1e-6;
 *     trial.args = args, trial.nargs = 2;
 *     trial.buffers = &buffer, trial.nbuffers = 1;
 *     o.trials = &trial, o.ntrials = 1;
 *     gpudl_library_replace(library, GPUDL_FILE("better.fatbin"), &o);
 *
 * A kernel that faults poisons its context for good, and one that never ends keeps its device. So trials are launched by a program of
 * their own, gpudl-trial(1), which gets the image's bytes from this process, loads them with gpudl, launches each trial in turn,
 * compares, and is killed when the time is up. No descriptor of this process is open in it, no handler of pthread_atfork() runs,
 * and signals stay as they are set; this process gets its SIGCHLD.
 *
 * The program is looked for where GPUDL_TRIAL says, a path; where that is not set: beside libgpudl and the program that has it, in bin
 * beside their folders, then in PATH. In set-user-id programs and under a locked trust policy the environment has no say. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_TRIAL_H
#define GPUDL_TRIAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a buffer's elements are. */
typedef enum gpudl_trial_element {
    GPUDL_TRIAL_U8 = 0, GPUDL_TRIAL_U16 = 1, GPUDL_TRIAL_U32 = 2, GPUDL_TRIAL_U64 = 3,
    GPUDL_TRIAL_I8 = 4, GPUDL_TRIAL_I16 = 5, GPUDL_TRIAL_I32 = 6, GPUDL_TRIAL_I64 = 7,
    GPUDL_TRIAL_F16 = 8, GPUDL_TRIAL_F32 = 9, GPUDL_TRIAL_F64 = 10
} gpudl_trial_element;

/* Device memory for a trial. An element is as expected when it differs by no more than absolute + relative * |expected|; a NaN is
 * expected to be a NaN, an infinity to be the same one. */
typedef struct gpudl_trial_buffer {
    size_t size;                /* sizeof(gpudl_trial_buffer) */
    const void *bytes;          /* what is in it before the launch; NULL: zeroes */
    const void *expected;       /* what should be in it afterwards; NULL: whatever */
    size_t nbytes;              /* of it, and of both */
    unsigned element;           /* gpudl_trial_element; nbytes is a multiple of its size */
    unsigned reserved;          /* 0 */
    double absolute, relative;  /* tolerances; 0 or more */
} gpudl_trial_buffer;

/* A launch, as gpudl_kernel_launch() checks it. */
typedef struct gpudl_trial {
    size_t size;                /* sizeof(gpudl_trial) */
    const char *kernel;         /* as in gpudl_kernel_get(); NULL where the image holds one */
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    unsigned device;            /* counts from 0, among those of the trial's driver */
    const gpudl_arg *args;      /* in the kernel's order; pointers as gpudl_trial_arg() */
    size_t nargs;
    const gpudl_trial_buffer *buffers;
    size_t nbuffers;
} gpudl_trial;

#define GPUDL_TRIAL_ARG 0x100u  /* the type of an argument that is a buffer's address, in trials only */

/* The address of a trial's buffer, which counts from 0. */
static inline gpudl_arg gpudl_trial_arg(size_t buffer)
{
    gpudl_arg a = { GPUDL_TRIAL_ARG, sizeof(CUdeviceptr), { NULL } };
    a.value.integer = buffer;
    return a;
}

static inline gpudl_trial_buffer gpudl_trial_buffer_of(unsigned element, const void *bytes, const void *expected, size_t nbytes)
{
    gpudl_trial_buffer b = { sizeof(gpudl_trial_buffer), bytes, expected, nbytes, element, 0, 0, 0 };
    return b;
}

static inline gpudl_trial gpudl_trial_1d(const char *kernel, unsigned grid, unsigned block)
{
    gpudl_trial t = { sizeof(gpudl_trial), kernel, { grid, 1, 1 }, { block, 1, 1 }, 0, 0, NULL, 0, NULL, 0 };
    return t;
}

#ifdef __cplusplus
}
#endif
#endif
