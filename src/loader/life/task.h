/* task.h - a load or a replace that goes on beside the program. */
#ifndef GPUDL_LOADER_TASK_H
#define GPUDL_LOADER_TASK_H

#include "src/loader/error.h"
#include "src/loader/source/kept.h"
#include "src/loader/loader.h"

enum { TASK_DEVICES = 64 };

/* Two hold it: its owner, and until it has ended the thread that runs it. Under the loader's lock but for what only that thread
 * has. */
struct gpudl_task {
    struct gpudl_kernel face;
    struct job job;
    gpudl_loader *loader;
    size_t references;
    bool ended;                 /* for the thread that runs it, */
    bool left;                  /* and for all others: it told, and let go */
    bool orphan;                /* its owner let go before */
    pthread_t runner;
    atomic_bool telling;        /* that thread is in done() */
    atomic_bool cancelled;
    gpudl_status status;
    struct failure failure;
    gpudl_library *library;     /* loaded and not taken yet; or, held, the one to be replaced */
    bool replaces;
    struct kept kept;
    CUevent event;              /* what to begin after, or NULL */
    int devices[TASK_DEVICES];
    gpudl_async_options async;
};

#endif
