/* loader.h - the objects behind the handles, and who holds what.
 *
 *     kernel --> library --> binding --> version --> the driver's library
 *                  pin, graph ----------^
 *
 * An arrow is a counted reference. Libraries, kernels, pins and tasks are handles (handles.h). A kernel finds its code through
 * its library's binding at each launch: turning a library to another version is one store, and all its kernels follow. A
 * binding out of sight is retired, and freed when no launch can be in it (epoch.h); it holds its version till then. A version
 * that nobody holds is parked (parked.h).
 *
 * The loader's lock guards references, slots, the list of versions and what is retired. It is never held over a driver call
 * that loads or unloads code, nor over a callback. */
#ifndef GPUDL_LOADER_LOADER_H
#define GPUDL_LOADER_LOADER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <gpudl/gpudl.h>

#include "src/driver/driver.h"
#include "src/image/image.h"
#include "src/loader/handles.h"
#include "src/loader/names/index.h"
#include "src/loader/life/asker.h"
#include "src/loader/life/parked.h"
#include "src/loader/source/read.h"
#include "src/loader/settings.h"
#include "src/loader/share/record.h"
#include "src/loader/life/watch.h"
#include "src/loader/life/workers.h"
#include "src/trace/trace.h"
#include "src/util/alloc.h"
#include "src/util/hash.h"

enum { VERSION_BUCKETS = 64 };

struct primary_context {
    CUcontext context;                  /* NULL: not retained yet */
    CUdevice device;
};

/* The widest of all devices: a launch is refused here only where every device would. */
struct device_limits {
    bool known;                         /* asked for with the first checked launch */
    unsigned block[3], grid[3], threads;
    unsigned shared, shared_most;       /* bytes a block may have: without asking, with asking */
    bool clusters, cooperative;         /* of blocks; whole grids at once */
};

/* A kernel, and what every handle begins with, so that a launch of what is no live kernel goes nowhere and need not be looked for.
 * A launch reads the first 64 bytes, a cache line. */
struct gpudl_kernel {
    struct handle handle;
    _Atomic(struct binding *) *binding; /* the library's */
    size_t index;                       /* of its slot */
    int (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
    CUstream null_stream;
    int (*is_capturing)(CUstream, int *);   /* NULL: nobody captures */
    struct slot *slot;
    gpudl_library *library;
};

struct gpudl_loader {
    struct gpudl_kernel face;           /* still, and not in a slot */
    gpudl_loader *next;                 /* of the process's (process.h) */
    _Atomic(void *) code;               /* held while other threads may run it (process.h), or NULL */
    struct allocator allocator;         /* allocate is NULL: malloc */
    gpudl_log_function *log;
    void *log_user;
    struct driver driver;
    struct image_target target;         /* what device 0 takes */
    CUstream null_stream;               /* what a NULL stream means */
    bool captures;                      /* streams may be captured into graphs */
    char driver_text[256];
    pthread_mutex_t lock;
    struct version *versions[VERSION_BUCKETS];    /* those that may be shared; not counted */
    struct version *last_of_size[VERSION_BUCKETS];  /* one of them, wanted last, or NULL */
    struct version *newest;             /* of all */
    struct binding *retired;
    struct parking parking;
    struct moment *moments;             /* what waits for one (moment.h) */
    pthread_cond_t moment_came;         /* or a task, a replace or a look at a file has ended, or something was cancelled */
    struct workers workers;
    struct watcher watcher;
    struct asker asker;
    size_t orphans;                     /* tasks released before they ended, watches ended from within told() */
    struct commons *commons;            /* what it shares with other loaders, of whatever copy of gpudl; NULL: nothing */
    struct gpudl_loader_stats counts;   /* but for what is now */
    uint64_t made, gone;                /* versions; their numbers */
    struct handle_store stores[HANDLE_KINDS];
    size_t handles, graphs;             /* that are out */
    struct primary_context *contexts;   /* one a device */
    struct device_limits limits;
    struct trust_setup *trust;          /* its policy (trust.h); NULL: it has none */
    struct cache *cache;                /* opened with the first compilation */
    struct trace *trace;                /* the process's, or NULL: this loader is not traced */
};

struct version {
    gpudl_loader *loader;
    uint64_t number;
    size_t references;
    struct version *next;         /* in its bucket */
    bool listed;
    struct version *before, *after;     /* among all of the loader, by number */
    struct version *newer, *older;    /* where it is parked */
    enum parked parked;
    atomic_bool touched;                /* a device may have it: unloading may wait for what runs */
    _Atomic uint64_t resident;          /* a bit for each device that it was made resident on */
    uint64_t capture;                   /* the last one that holds it, by the driver's number */
    struct content content;
    struct hash128 hash;
    struct load_settings settings;      /* part of what makes two loads the same */
    struct image *image;                /* NULL where it is taken from a record, until it is asked for (gpudl__version_image) */
    size_t entry;
    struct span code;                   /* the entry's bytes, as the driver got them; of several entries a fatbin (mixed.h); data may be NULL while
                                           image is */
    struct mixed *mixed;                /* where devices differ; else NULL */
    const struct image_kernel *kernels; /* the image's */
    const struct image_global *globals;
    size_t nkernels, nglobals;
    struct name_index index;            /* of the kernels' names */
    struct record *record;              /* that it is a reference to, or NULL (record.h) */
    bool taken, left;                   /* what was read of the image is the record's; the record was left to others */
    CUlibrary native;                   /* NULL: kernels without one */
    bool lent;                          /* the code is somebody else's: not unloaded here, nor made resident */
    char *log;                          /* what the driver remarked at the load, or NULL */
    CUkernel first;                     /* kernels[0]'s, asked for when the load was checked */
    CUkernel *handles;                  /* of all kernels, where there is no image: registered or adopted ones; else NULL */
    struct plan *plans;                 /* of the kernels that had a checked launch */
    struct place *places;               /* of all its kernels, once one was launched under a pin; made under the lock */
};

/* Where a slot's code is. Written before the slot's kernel is handed out, constant from then on, but for the plan. */
struct place {
    CUkernel handle;
    const struct image_kernel *kernel;
    struct version *version;      /* the binding's */
    _Atomic(struct plan *) plan;        /* the version's; NULL until the first checked launch. Written under the lock */
};

struct binding {
    struct version *version;
    struct binding *next;               /* among the retired */
    uint64_t epoch;                     /* may be freed when it has passed */
    size_t capacity;
    struct place places[];              /* by slot */
};

/* A kernel's name, once it was asked for; its index is the same in every binding of the library. The most that it was launched
 * with: threads of a block, bytes of dynamic shared memory. */
struct slot {
    uint32_t index;
    _Atomic unsigned threads, shared;
    struct attribute *attributes;       /* that were set through it (attributes.h); under the lock */
    char name[];
};

struct gpudl_library {
    struct gpudl_kernel face;
    _Atomic(struct binding *) binding;
    gpudl_loader *loader;
    size_t references;                  /* the handle, and its kernels */
    char *name;                         /* of the source, for messages; a file's path */
    gpudl_compile_options *compile;     /* how CUDA C++ was compiled; NULL: no options were given */
    struct stamp stamp;                 /* of the file that it was loaded from; not there: from none */
    struct load_settings settings;      /* that it was loaded with */
    struct trust_setup *trust;          /* the policy that this load named (trust.h), or NULL */
    bool turning;                       /* one replace at a time; under the lock */
    atomic_bool hurried;                /* another cannot wait for the moment of that one; set under the lock */
    struct version *previous;     /* to go back to, or NULL; the replace's */
    _Atomic uint64_t generation;
    struct slot **slots;
    size_t nslots;
    struct name_index index;            /* of their names */
    size_t attribute_changes;           /* how often attributes of its kernels were set; under the lock */
};

/* A caller's own hold on a version. */
struct gpudl_version {
    struct gpudl_kernel face;
    gpudl_loader *loader;
    struct version *version;
    char *name;                         /* of the library that it was made of, for the report of leaks: others may share the version */
};

/* loader.c. The loader that a caller means, NULL the default one; NULL, and the thread's text set, when there is none. */
gpudl_loader *gpudl__loader(gpudl_loader *given, const char *what, gpudl_status *status);
static inline const struct allocator *gpudl__loader_heap(gpudl_loader *l)
{
    return l->allocator.allocate ? &l->allocator : NULL;
}

/* log.c */
__attribute__((format(printf, 3, 4))) void gpudl__log(gpudl_loader *l, gpudl_log_level level, const char *format, ...);
void gpudl__log_to_stderr(void *user, gpudl_log_level level, const char *text);

/* trace.c: is it to be traced? After its driver is open, and its policy. */
void gpudl__loader_trace(gpudl_loader *l, const char *wanted);

/* version.c. The version of this content: one that is there, or loaded now. Content is taken over on success. One reference
 * is the caller's. */
gpudl_status gpudl__version_get(
    gpudl_loader *l, struct content *content, const struct load_settings *settings, struct version **out);
/* The version of these bytes, one reference to it the caller's; NULL: they are to be loaded. They are compared where they lie, and
 * may change meanwhile. name: what this load calls them, for a trace. */
struct version *gpudl__version_find(
    gpudl_loader *l, struct span bytes, const char *name, const struct load_settings *settings);
/* Would a load of this content be the same? */
bool gpudl__version_is(const struct version *v, const struct content *content, const struct load_settings *settings);
void gpudl__version_hold(struct version *v);      /* under the lock */
void gpudl__version_let_go(struct version *v);    /* under the lock; parks it, if that was the last reference */
void gpudl__version_drop(struct version *v);      /* not under the lock: lets go, and may unload */
void gpudl__version_destroy(struct version *v);   /* not under the lock; nobody else knows it any more: unloads */
void gpudl__version_unlist(struct version *v);    /* under the lock: no load finds it any more */
/* Not under the lock. The record, a reference, becomes a version that nobody holds. */
void gpudl__version_adopt(gpudl_loader *l, struct record *r);
/* A device may have it from now on. The caller holds it. */
static inline void version_touch(struct version *v)
{
    atomic_store(&v->touched, true);
    if (v->record)
        atomic_store(&v->record->touched, true);
}

/* Is there one of this driver's library? Under the lock. */
bool gpudl__version_has_native(const gpudl_loader *l, CUlibrary native);

/* The kernels' names, by their number in kernels. */
struct names gpudl__version_names(const struct version *v);

/* place.c: image -> entry for the device -> loaded and found not to be empty. Undone by gpudl__version_unload. */
gpudl_status gpudl__version_load(struct version *v);
/* Logs what was remarked at that; under no lock. */
void gpudl__version_tell(const struct version *v);
/* Under the lock: where there is an image, it is open. */
gpudl_status gpudl__version_image(struct version *v);
/* A kernel of it, by its number in kernels. Returns the driver's code. */
int gpudl__version_kernel(const struct version *v, size_t index, CUkernel *out);
/* False: others have it, and it stays in the driver. */
bool gpudl__version_unload(struct version *v);

/* retire.c */
/* Takes over one reference. NULL: no memory, and then it does not. */
struct binding *gpudl__binding_create(struct version *v, size_t capacity);
void gpudl__binding_retire(gpudl_loader *l, struct binding *b);     /* not under the lock; b is out of sight */
void gpudl__reap(gpudl_loader *l);                                  /* frees what may go; never waits */

/* task.c: for the ends of tasks that were released before, and of told() that ended its watch */
void gpudl__tasks_wait(gpudl_loader *l);

/* library.c. Content is taken over on success. */
gpudl_status gpudl__library_create(
    gpudl_loader *l, struct content *content, const struct load_settings *settings, const void *made_at, gpudl_library **out);
/* The public calls, for those that need no door; resident.c. Also in trial.h. */
gpudl_status gpudl__library_load(gpudl_loader *l, const gpudl_source *source, const gpudl_load_options *options,
    const void *made_at, gpudl_library **out);
gpudl_status gpudl__library_make_resident(gpudl_library *lib, const int *devices, size_t n, gpudl_when when);
void gpudl__library_drop(gpudl_library *lib);
/* kernel.c; the same. */
gpudl_status gpudl__kernel_get(gpudl_library *lib, const char *name, const void *made_at, gpudl_kernel **out);
/* A reference to what the library is now. */
struct version *gpudl__library_hold(gpudl_library *lib);

#endif
