/* handles.h - what callers hold: slots of the loader's memory, which stay what they are until it is closed.
 *
 *     taken --> live --> released --> waits its turn --> taken again
 *
 * A slot says of what kind it is and whether it was released, so a call with a handle that is not what it should be finds out at
 * the door. Released ones are used again in the order in which they came, when more wait than HANDLES_WAITING (or than fit into
 * HANDLES_BYTES): for so long a use after the release is told, later it meets another handle of the same kind.
 *
 * The launch path does not look. Every handle begins as a kernel does (loader.h), and all but live kernels begin as one whose
 * launches go nowhere: gpudl__handle_still(). */
#ifndef GPUDL_LOADER_HANDLES_H
#define GPUDL_LOADER_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpudl/gpudl.h>

enum handle_kind { HANDLE_LOADER, HANDLE_LIBRARY, HANDLE_KERNEL, HANDLE_PIN, HANDLE_TASK, HANDLE_KINDS };

enum { HANDLES_WAITING = 1024, HANDLES_BYTES = 512 << 10, HANDLES_WAITING_LEAST = 32 };

struct handle {
    _Atomic uint32_t state;             /* handle_live() or handle_released() of its kind; 0: being made */
    uint32_t reserved;
    union {
        const void *made_at;            /* live: where in the program */
        struct handle *next;            /* among those that wait */
    };
};

/* Bits that nothing else is likely to begin with. */
static inline uint32_t handle_live(enum handle_kind kind)
{
    return 0x6c640000u + 2 * (uint32_t)kind;
}
static inline uint32_t handle_released(enum handle_kind kind)
{
    return handle_live(kind) + 1;
}

/* Of one kind; a loader's, under its lock. */
struct handle_store {
    struct handle_block *blocks;
    struct handle *oldest, *newest;     /* those that wait */
    struct handle *fresh;               /* never used */
    size_t waiting, most, size;
};

void gpudl__handles_init(struct handle_store stores[HANDLE_KINDS]);
void gpudl__handles_free(struct handle_store stores[HANDLE_KINDS]);

/* Not under the lock. A slot of that kind's size, all zero but for the still face; NULL: no memory. It is not live yet. */
void *gpudl__handle_take(gpudl_loader *l, enum handle_kind kind);
/* It is complete, and the caller's from now on. */
void gpudl__handle_open(void *handle, enum handle_kind kind, const void *made_at);
/* Not under the lock: back to the others. It need not have been live. */
void gpudl__handle_give(gpudl_loader *l, void *handle, enum handle_kind kind);

/* Makes launches of it go nowhere. */
void gpudl__handle_still(gpudl_kernel *face);

/* GPUDL_OK: it is live, and of that kind. handle is not NULL. */
gpudl_status gpudl__handle_refuse(const void *handle, enum handle_kind kind, const char *function);
static inline gpudl_status handle_check(const void *handle, enum handle_kind kind, const char *function)
{
    const struct handle *h = handle;

    if (__builtin_expect(atomic_load_explicit(&h->state, memory_order_acquire) == handle_live(kind), 1))
        return GPUDL_OK;
    return gpudl__handle_refuse(handle, kind, function);
}

/* Its owner lets go: true once. Else the failure is the thread's, and logged if it was released before. */
bool gpudl__handle_close(void *handle, enum handle_kind kind, const char *function);

/* Is this a live handle of that kind of the loader's? It may be anything. Under the lock, which keeps what the handle has. */
bool gpudl__handle_is(const gpudl_loader *l, const void *handle, enum handle_kind kind);

/* The live handle behind *after in the loader's order, or the first one; NULL: no more. Under the lock. */
const struct handle *gpudl__handle_next(const gpudl_loader *l, const struct handle *after, enum handle_kind *kind);

#endif
