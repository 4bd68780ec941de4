/* objects.h - what stands behind the handles. Private to api/.
 *
 * Locks, taken in this order: a library's or context's callers hold sc_objects (modules, libraries, contexts: who exists), then
 * sc_queue (queue.h: streams and the operations in them), then the locks of run/. Nothing is compiled, parsed or run under
 * either. */
#ifndef SOFTCUDA_API_OBJECTS_H
#define SOFTCUDA_API_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "softcuda/api/functions.h"
#include "softcuda/api/handles.h"
#include "softcuda/api/life.h"
#include "softcuda/api/program.h"
#include "softcuda/api/queue.h"
#include "softcuda/run/devmem.h"
#include "softcuda/run/grid.h"
#include "softcuda/run/services.h"

#define SC_MAX_DEVICES 16

/* First word of each object, so that a wrong or dead handle is told with good odds. */
enum { SC_CONTEXT = 0x43547863, SC_MODULE = 0x6d6f6463, SC_LIBRARY = 0x6c696263, SC_FUNCTION = 0x66756e63, SC_KERNEL = 0x6b65726e,
       SC_STREAM = 0x7374726d, SC_EVENT = 0x65766e74, SC_POOL = 0x706f6f6c, SC_LINK = 0x6c696e6b, SC_GONE = 0x676f6e65 };

struct device {
    int ordinal;
    unsigned major, minor;
    struct sc_devmem *memory;
    struct CUctx_st *primary;           /* once retained it stays, alive or not */
    unsigned primary_refs, primary_flags;   /* sc_objects */
    atomic_int sticky;                  /* the CUresult that poisoned it for good, or 0 */
};

struct CUctx_st {
    uint32_t magic;
    struct device *device;
    bool is_primary;
    atomic_bool alive;
    atomic_int sticky;                  /* the CUresult that poisoned it, or 0 */
    atomic_uint holds;                  /* who keeps launches waiting: hazards.c */
    unsigned flags;
    uint64_t id;                        /* new each time it comes to life */
    struct CUctx_st *next;              /* all contexts ever made: a handle is never followed into freed memory */
    struct CUmod_st *modules;           /* sc_objects */
    struct CUstream_st *streams;        /* sc_queue; without the legacy one */
    struct CUstream_st *legacy;
    struct op *gate;                    /* sc_queue: what all new operations wait for, a reference, or NULL */
    struct sc_services services;
    atomic_size_t stack_limit;          /* bytes a thread */
    _Atomic uint32_t peers;             /* bit d: kernels may touch the memory of device d, too */
};

struct CUfunc_st {
    uint32_t magic;
    struct CUmod_st *module;
    struct program_kernel *kernel;
    struct CUkern_st *from;             /* NULL in a plain module */
    atomic_int max_dynamic;             /* -1: not set */
};

/* A program in one context. */
struct CUmod_st {
    uint32_t magic;
    struct CUctx_st *context;
    struct program *program;            /* a reference */
    struct CUlib_st *library;           /* NULL for a plain module */
    struct CUmod_st *next;              /* in its context */
    struct CUmod_st *sibling;           /* in its library */
    uint64_t *globals;                  /* address of each variable of the PTX module */
    struct CUfunc_st **functions;       /* one a kernel of the program */
    atomic_bool resident;
    struct sc_life *life;               /* for those who outlive it */
};

struct CUkern_st {
    uint32_t magic;
    struct CUlib_st *library;
    uint32_t index;
    atomic_int max_dynamic[SC_MAX_DEVICES];     /* -1: not set */
};

struct CUlib_st {
    uint32_t magic;
    struct program *program;            /* whose kernels are the library's */
    struct program *programs[SC_MAX_DEVICES];   /* where devices differ: what each takes, or NULL */
    struct CUkern_st **kernels;         /* one a kernel of the program */
    struct CUmod_st *modules;           /* sc_objects: one a context that has used it */
    bool unloading;                     /* sc_objects */
};

struct CUevent_st {
    uint32_t magic;
    struct CUctx_st *context;
    unsigned flags;
    struct op *op;                      /* sc_queue: the last record, a reference; NULL: never recorded */
    struct captured *captured;          /* capture.c: the last record was in a capture */
};

extern pthread_mutex_t sc_objects;

/* hazards.c */
extern _Thread_local bool sc_in_callback;       /* this thread runs a host function, which may not call the driver */
bool sc_hazards(void);                  /* false: SOFTCUDA_HAZARDS=off */
bool sc_eager(void);                    /* CUDA_MODULE_LOADING=EAGER */
/* Between the two no launch of the context begins; sc_hold returns when nothing runs in it any more. */
void sc_hold(CUcontext);
void sc_unhold(CUcontext);
void sc_hold_wait(CUcontext);           /* every launch, of a graph too, waits here first */
void sc_make_resident(struct CUmod_st *);
CUresult sc_sticky(const struct CUctx_st *);    /* what poisoned the context, or 0 */
void sc_poison(CUcontext, CUresult);

/* device.c */
CUresult sc_device(CUdevice, struct device **);         /* also tells a driver that is not initialised */
CUresult sc_ready(void);                                /* cuInit was called */
int sc_device_count(void);
struct device *sc_device_at(int);
unsigned sc_device_sm(int);                             /* 75 */
bool sc_devices_differ(void);                           /* in what they can: then images are read as strictly as GPUs do */
int sc_shared_optin(const struct device *);             /* most dynamic shared memory of a block */
int sc_device_attribute(const struct device *, int attribute);

/* versions.c */
int sc_driver_version(void);

/* context.c */
CUresult sc_enter(CUcontext *current);                  /* the current context, alive and not poisoned */
CUresult sc_check_context(CUcontext);                   /* alive and not poisoned */
CUcontext sc_current(void);                             /* or NULL */
CUcontext sc_context_next(CUcontext);                   /* all that ever were, alive or not; NULL: the first, or the end */

/* stream.c: NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD and real ones to a stream whose context may work. */
CUresult sc_stream(CUstream handle, struct CUstream_st **);
CUresult sc_stream_create(CUcontext, unsigned flags, int priority, struct CUstream_st **);

/* memory.c */
enum { MEM_DEVICE = 1, MEM_MODULE, MEM_HOST, MEM_REGISTERED, MEM_MANAGED,
       MEM_POOL, MEM_GRAPH };           /* what a pool, or a graph, holds; who finds it gets MEM_DEVICE */
struct mem_info { uint64_t start, size, id; int kind; CUcontext context; int device; unsigned flags; };
bool sc_mem_find(uint64_t address, struct mem_info *);
/* Does [p, p + size) lie in one allocation that a device can reach? */
bool sc_mem_holds(uint64_t p, uint64_t size);
/* Can it be touched now without harm to this process? What was freed in stream order can, until the stream comes to that. */
bool sc_mem_there(uint64_t p, uint64_t size);
/* May kernels of the context touch it? */
bool sc_mem_reachable(CUcontext, uint64_t p, uint64_t size);
CUresult sc_mem_free_now(uint64_t p);                   /* device or managed memory that nobody uses any more */
uint64_t sc_mem_host_alloc(CUcontext, uint64_t size, int kind, unsigned flags);     /* page-aligned, zero; 0: no memory */
bool sc_mem_host_free(uint64_t p, int kind);
void sc_mem_drop(CUcontext);                            /* host memory of a context */

/* transfer.c: wait: return when it is done. */
CUresult sc_htod(uint64_t to, const void *from, size_t size, CUstream, bool wait);
CUresult sc_dtoh(void *to, uint64_t from, size_t size, CUstream, bool wait);
CUresult sc_dtod(uint64_t to, uint64_t from, size_t size, CUstream, bool wait);
CUresult sc_any(uint64_t to, uint64_t from, size_t size, CUstream, bool wait);
CUresult sc_fill2d(uint64_t to, size_t pitch, uint32_t value, unsigned element, size_t width, size_t height, CUstream, bool wait);
CUresult sc_fill(uint64_t to, uint32_t value, unsigned width, size_t n, CUstream, bool wait);
bool sc_fill_fits(const struct sc_abi_memset_node *);   /* it stays in one allocation, and has an extent */
void sc_fill_run(const struct sc_abi_memset_node *, CUcontext);        /* now; memory that is gone poisons the context */

/* event.c */
CUresult sc_event_record(CUevent, struct CUstream_st *);
CUresult sc_event_wait(CUevent, struct CUstream_st *);

/* module.c */
/* Takes a reference of its own to the program; sc_objects held. */
CUresult sc_module_create(CUcontext, struct program *, struct CUlib_st *, struct CUmod_st **);
void sc_module_destroy(struct CUmod_st *);              /* nothing of it runs; sc_objects held */
CUresult sc_module_global(const struct CUmod_st *, const char *name, bool managed, CUdeviceptr *, size_t *);

/* library.c: the module of a library in a context, made now if need be, and resident. */
CUresult sc_library_module(struct CUlib_st *, CUcontext, struct CUmod_st **);
CUresult sc_libraries_enter(CUcontext);                 /* all libraries, where loading is eager */

/* function.c: a CUfunction, or a CUkernel passed as one, in this context (NULL: the current one). */
CUresult sc_function(CUfunction, CUcontext, struct CUfunc_st **);
int sc_max_dynamic(const struct CUfunc_st *);           /* bytes that a launch may ask for */

/* occupancy.c */
int sc_active_blocks(const struct CUfunc_st *, int threads, size_t dynamic);

#endif
