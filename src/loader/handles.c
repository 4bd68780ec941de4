#include "src/loader/handles.h"

#include <stdalign.h>
#include <string.h>

#include "src/loader/error.h"
#include "src/loader/launch/launch.h"
#include "src/loader/loader.h"
#include "src/loader/life/task.h"

enum { LINE = 64, BLOCK_BYTES = 8192 };

struct handle_block {
    struct handle_block *next;
    void *memory;               /* as it was allocated */
    char *slots;                /* from the next line on */
    size_t n;
};

/* ------------------------------------------------------------------------------------------------------- what is not launched */

static int launch_nothing(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, CUstream stream, void **params, void **extra)
{
    (void)f, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)params, (void)extra;
    return LAUNCH_NO_KERNEL;
}

/* A binding with one place, which has no code and no plan. */
static union {
    struct binding binding;
    char room[sizeof(struct binding) + sizeof(struct place)];
} nothing;

static _Atomic(struct binding *) nothing_now = &nothing.binding;
static struct slot no_slot = { .threads = UINT32_MAX, .shared = UINT32_MAX }; /* nothing is remembered in it */

void gpudl__handle_still(gpudl_kernel *k)
{
    k->index = 0;
    k->is_capturing = NULL;
    k->launch = launch_nothing;
    k->slot = &no_slot;
    k->binding = &nothing_now;
}

/* ---------------------------------------------------------------------------------------------------------- slots; under the lock */

static size_t size_of(enum handle_kind kind)
{
    static const size_t sizes[HANDLE_KINDS] = { 0, sizeof(gpudl_library), sizeof(gpudl_kernel), sizeof(gpudl_version),
        sizeof(gpudl_task) };

    return (sizes[kind] + LINE - 1) / LINE * LINE;
}

void gpudl__handles_init(struct handle_store stores[HANDLE_KINDS])
{
    for (int kind = HANDLE_LOADER + 1; kind < HANDLE_KINDS; kind++) {
        struct handle_store *s = &stores[kind];
        s->size = size_of(kind);
        s->most = HANDLES_BYTES / s->size;
        if (s->most > HANDLES_WAITING)
            s->most = HANDLES_WAITING;
        if (s->most < HANDLES_WAITING_LEAST)
            s->most = HANDLES_WAITING_LEAST;
    }
}

void gpudl__handles_free(struct handle_store stores[HANDLE_KINDS])
{
    struct handle_block *next;

    for (int kind = 0; kind < HANDLE_KINDS; kind++)
        for (struct handle_block *b = stores[kind].blocks; b; b = next) {
            next = b->next;
            gpudl__free(b->memory);
        }
}

static bool add_block(struct handle_store *s)
{
    size_t n = BLOCK_BYTES / s->size ? BLOCK_BYTES / s->size : 1;
    char *memory = gpudl__alloc_zero(sizeof(struct handle_block) + LINE + n * s->size);
    struct handle_block *b = (struct handle_block *)memory;

    if (!memory)
        return false;
    b->memory = memory;
    b->slots = (char *)(((uintptr_t)(b + 1) + LINE - 1) / LINE * LINE);
    b->n = n;
    b->next = s->blocks;
    s->blocks = b;
    for (size_t i = n; i-- > 0;) {
        struct handle *h = (struct handle *)(b->slots + i * s->size);
        h->next = s->fresh;
        s->fresh = h;
    }
    return true;
}

static struct handle *take_oldest(struct handle_store *s)
{
    struct handle *h = s->oldest;

    if (!h)
        return NULL;
    s->oldest = h->next;
    if (!s->oldest)
        s->newest = NULL;
    s->waiting--;
    return h;
}

static struct handle *take(struct handle_store *s)
{
    struct handle *h;

    if (s->waiting > s->most)
        return take_oldest(s);
    if (!s->fresh && !add_block(s))
        return take_oldest(s); /* better than none */
    h = s->fresh;
    s->fresh = h->next;
    return h;
}

static void append(struct handle_store *s, struct handle *h)
{
    h->next = NULL;
    *(s->newest ? &s->newest->next : &s->oldest) = h;
    s->newest = h;
    s->waiting++;
}

/* ---------------------------------------------------------------------------------------------------------- not under the lock */

void *gpudl__handle_take(gpudl_loader *l, enum handle_kind kind)
{
    const struct allocator *before = gpudl__alloc_use(gpudl__loader_heap(l));
    struct handle_store *s = &l->stores[kind];
    struct handle *h;

    pthread_mutex_lock(&l->lock);
    h = take(s);
    if (h) {
        atomic_store_explicit(&h->state, 0, memory_order_relaxed);
        l->handles++;
    }
    pthread_mutex_unlock(&l->lock);
    gpudl__alloc_use(before);
    if (!h)
        return NULL;
    memset((char *)h + sizeof(*h), 0, s->size - sizeof(*h));
    h->made_at = NULL;
    gpudl__handle_still((gpudl_kernel *)h);
    return h;
}

void gpudl__handle_open(void *handle, enum handle_kind kind, const void *made_at)
{
    struct handle *h = handle;

    h->made_at = made_at;
    atomic_store_explicit(&h->state, handle_live(kind), memory_order_release);
}

void gpudl__handle_give(gpudl_loader *l, void *handle, enum handle_kind kind)
{
    struct handle *h = handle;

    atomic_store_explicit(&h->state, handle_released(kind), memory_order_relaxed);
    pthread_mutex_lock(&l->lock);
    gpudl__handle_still(handle);
    append(&l->stores[kind], h);
    l->handles--;
    pthread_mutex_unlock(&l->lock);
}

static const char *const names[HANDLE_KINDS] = { "loader", "library", "kernel", "pinned version", "task" };

static gpudl_status refuse_released(enum handle_kind kind, const char *function)
{
    return gpudl__fail(GPUDL_ERROR_RELEASED, "%s: the %s was released before this call%s", function, names[kind],
        kind == HANDLE_LIBRARY ? "; its kernels may be used, the library itself not" : "; release it after its last use");
}

gpudl_status gpudl__handle_refuse(const void *handle, enum handle_kind kind, const char *function)
{
    uint32_t state = atomic_load_explicit(&((const struct handle *)handle)->state, memory_order_acquire);

    if (state == handle_released(kind))
        return refuse_released(kind, function);
    for (int other = 0; other < HANDLE_KINDS; other++)
        if (state == handle_live(other) || state == handle_released(other))
            return gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: what was given as a %s is a %s%s", function, names[kind], names[other],
                state == handle_live(other) ? "" : " that was released");
    return gpudl__fail(GPUDL_ERROR_ARGUMENT,
        "%s: what was given as a %s (%p) is none that gpudl gave: pass what one of its calls wrote, and not after its release",
        function, names[kind], handle);
}

/* Of a handle that was released, which is memory of its loader's. */
static gpudl_loader *loader_of(const void *handle, enum handle_kind kind)
{
    const gpudl_library *lib = kind == HANDLE_KERNEL ? ((const gpudl_kernel *)handle)->library : handle;

    if (kind == HANDLE_PIN)
        return ((const gpudl_version *)handle)->loader;
    if (kind == HANDLE_TASK)
        return ((const gpudl_task *)handle)->loader;
    return lib ? lib->loader : NULL;
}

bool gpudl__handle_close(void *handle, enum handle_kind kind, const char *function)
{
    struct handle *h = handle;
    uint32_t live = handle_live(kind);
    gpudl_loader *l;

    if (atomic_compare_exchange_strong(&h->state, &live, handle_released(kind)))
        return true;
    l = gpudl__handle_refuse(handle, kind, function) == GPUDL_ERROR_RELEASED ? loader_of(handle, kind) : NULL;
    if (l)
        gpudl__log(l, GPUDL_LOG_ERROR, "%s", gpudl_error_text());
    return false;
}

/* ------------------------------------------------------------------------------------------------------------------ who is live */

static const struct handle *slot_at(const struct handle_block *b, size_t i, size_t size)
{
    return (const struct handle *)(b->slots + i * size);
}

/* Behind after, where after has been seen, or is NULL. */
static const struct handle *next_of_kind(const struct handle_store *s, enum handle_kind kind, const struct handle **after)
{
    for (const struct handle_block *b = s->blocks; b; b = b->next)
        for (size_t i = 0; i < b->n; i++) {
            const struct handle *h = slot_at(b, i, s->size);
            if (*after)
                *after = h == *after ? NULL : *after;
            else if (atomic_load_explicit(&h->state, memory_order_acquire) == handle_live(kind))
                return h;
        }
    return NULL;
}

bool gpudl__handle_is(const gpudl_loader *l, const void *handle, enum handle_kind kind)
{
    const struct handle_store *s = &l->stores[kind];

    for (const struct handle_block *b = s->blocks; b; b = b->next)
        if ((uintptr_t)handle - (uintptr_t)b->slots < b->n * s->size)
            return atomic_load_explicit(&((const struct handle *)handle)->state, memory_order_acquire) == handle_live(kind);
    return false;
}

const struct handle *gpudl__handle_next(const gpudl_loader *l, const struct handle *after, enum handle_kind *kind)
{
    const struct handle *h;

    for (int k = HANDLE_LOADER + 1; k < HANDLE_KINDS; k++) {
        h = next_of_kind(&l->stores[k], k, &after);
        if (h) {
            *kind = k;
            return h;
        }
    }
    return NULL;
}
