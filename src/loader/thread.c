#include "src/loader/thread.h"

#include <pthread.h>
#include <stdlib.h>

THREAD_LOCAL struct thread *gpudl__self;

static _Atomic(struct thread *) all;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static atomic_int have_key;

/* A later destructor of the same thread may launch or fail again: it registers anew. */
static void on_thread_end(void *record)
{
    struct thread *t = record;

    gpudl__self = NULL;
    atomic_store_explicit(&t->pinned, 0, memory_order_release);
    atomic_store_explicit(&t->taken, 0, memory_order_release);
}

static void make_key(void)
{
    atomic_store(&have_key, pthread_key_create(&key, on_thread_end) == 0);
}

/* The code of on_thread_end goes with dlclose; threads that end later must not call it. */
__attribute__((destructor)) static void drop_key(void)
{
    if (atomic_exchange(&have_key, 0))
        pthread_key_delete(key);
}

static struct thread *take_over(void)
{
    for (struct thread *t = atomic_load_explicit(&all, memory_order_acquire); t; t = t->next) {
        int free_one = 0;
        if (atomic_compare_exchange_strong(&t->taken, &free_one, 1))
            return t;
    }
    return NULL;
}

/* The first few are in the object itself: a plugin that comes and goes leaves none behind. */
enum { FIRST = 4 };
static struct thread first[FIRST];
static atomic_uint nfirst;

static struct thread *allocate(void)
{
    unsigned i = atomic_load(&nfirst);

    while (i < FIRST && !atomic_compare_exchange_weak(&nfirst, &i, i + 1))
        ;
    return i < FIRST ? &first[i] : aligned_alloc(alignof(struct thread), sizeof(struct thread));
}

static struct thread *make_new(void)
{
    struct thread *t = allocate();

    if (!t)
        return NULL;
    atomic_init(&t->pinned, 0);
    atomic_init(&t->taken, 1);
    atomic_init(&t->launched, NULL);
    t->next = atomic_load_explicit(&all, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&all, &t->next, t, memory_order_release, memory_order_relaxed))
        ;
    return t;
}

struct thread *gpudl__thread_register(void)
{
    struct thread *t = take_over();

    if (!t)
        t = make_new();
    if (!t)
        return NULL;
    atomic_store_explicit(&t->launched, NULL, memory_order_relaxed);
    t->cancelled = NULL;
    t->cuda = 0;
    t->text[0] = '\0';
    pthread_once(&once, make_key);
    if (atomic_load(&have_key))
        pthread_setspecific(key, t); /* on failure the record stays with a thread that ended: no harm but its bytes */
    gpudl__self = t;
    return t;
}

struct thread *gpudl__thread_list(void)
{
    return atomic_load_explicit(&all, memory_order_acquire);
}
