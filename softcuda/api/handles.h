/* handles.h - the memory of handles. It is never given back and keeps its type, so that a handle whose object is gone can be told
 * for ever, whatever it points at by then. The newest free one comes first: what is destroyed comes back, under the same address,
 * as the next that is made. Real drivers do that too, and programs that keep dead handles find out here. Thread-safe. */
#ifndef SOFTCUDA_API_HANDLES_H
#define SOFTCUDA_API_HANDLES_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct sc_handles {
    pthread_mutex_t lock;
    size_t size;                        /* of an object, which begins with a uint32_t that is not 0 while it lives */
    void *unused;
    struct sc_chunk *chunks;
};

#define SC_HANDLES(type) { .lock = PTHREAD_MUTEX_INITIALIZER, .size = (sizeof(type) + 15) / 16 * 16 }

void *sc_handle_new(struct sc_handles *, uint32_t magic);      /* zero but for the magic; NULL: no memory */
void sc_handle_free(struct sc_handles *, void *);
/* Calls visit for each object that lives. They may come and go meanwhile, unless the caller prevents it. */
void sc_handles_each(struct sc_handles *, void (*visit)(void *object, void *arg), void *arg);

extern struct sc_handles sc_streams, sc_events, sc_modules, sc_libraries, sc_functions, sc_kernels;

#endif
