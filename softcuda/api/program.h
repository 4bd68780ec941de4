/* program.h - an image that was read, parsed and checked: what modules and libraries share. Knows no context.
 *
 * Immutable after loading, but for the machine code of its kernels, which is made for each block shape when that is first
 * launched. */
#ifndef SOFTCUDA_API_PROGRAM_H
#define SOFTCUDA_API_PROGRAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "softcuda/api/functions.h"
#include "softcuda/jit/jit.h"
#include "softcuda/ptx/ptx.h"

struct shape { struct shape *next; uint32_t ntid[3]; struct jit_code code; };

struct program_kernel {
    struct program *program;
    const struct ptx_func *func;
    struct jit_kernel_info info;
    _Atomic(struct shape *) shapes;
};

struct program {
    atomic_uint refs;
    struct ptx_module *ptx;             /* NULL: nothing was loadable */
    struct jit_unit *unit;
    struct program_kernel *kernels;
    uint32_t nkernels;
    uint64_t *managed;                  /* address of each __managed__ variable, which all contexts share; 0 for others */
    pthread_mutex_t lock;               /* making shapes */
};

/* The caller's options of a load; its buffers receive the logs. */
struct load_log {
    char *error, *info;
    size_t error_size, info_size;
    void **error_slot, **info_slot, **time_slot;    /* where the bytes written and the time are returned */
    uint64_t start;
    const char *file;                   /* that is loaded, or NULL */
};
CUresult sc_load_log_init(struct load_log *, unsigned n, const CUjit_option *, void **values);
void sc_load_log_error(struct load_log *, const char *text);
void sc_load_log_finish(struct load_log *);

/* The image's bytes; size 0: not told, found out from the bytes. sm: the device's, 75. On failure the log says why. */
CUresult sc_program_load(const void *image, size_t size, unsigned sm, struct load_log *, struct program **);
CUresult sc_program_load_file(const char *file, unsigned sm, struct load_log *, struct program **);
/* The file's bytes with a NUL behind them, to be freed; NULL: *r says why. */
char *sc_read_file(const char *file, size_t *size, CUresult *r);
struct program *sc_program_empty(void);             /* without kernels; NULL: no memory */
void sc_program_ref(struct program *);
void sc_program_unref(struct program *);            /* accepts NULL */

/* Kernels by name and in a row, as the handles that a caller has for them: handles[i] is the i-th one's. */
CUresult sc_program_find(const struct program *, const char *name, uint32_t *i);
CUresult sc_program_count(const struct program *, unsigned *n);
CUresult sc_program_list(const struct program *, const void *handles, void *to, unsigned n);
/* The machine code for this block shape. */
CUresult sc_program_code(struct program_kernel *, const uint32_t ntid[3], struct jit_code *);

#endif
