/* services.h - what device code may ask of a context: printf's buffer and the heap. */
#ifndef SOFTCUDA_RUN_SERVICES_H
#define SOFTCUDA_RUN_SERVICES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "softcuda/run/devmem.h"

#define SC_KIND_HEAP 0x68656170u        /* sc_devmem's kind of what device code allocated */

struct sc_services {
    pthread_mutex_t lock;               /* the text */
    char *text;
    size_t length, capacity, limit;     /* limit: bytes kept before they are written without a synchronisation */
    struct sc_devmem *memory;
    void *owner;                        /* of heap memory, for sc_devmem_free_owned */
    _Atomic uint64_t heap_used, heap_limit;
};

void sc_services_init(struct sc_services *, struct sc_devmem *, void *owner);
void sc_services_finish(struct sc_services *);      /* writes what is left */
/* Appends one printf's output. */
void sc_services_print(struct sc_services *, const char *text, size_t length);
/* Writes what was printed to stdout. */
void sc_services_flush(struct sc_services *);

#endif
