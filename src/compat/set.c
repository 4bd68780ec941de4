/* set.c - which addresses are handles of kernels.
 *
 * A function passed to a launch may be anything, such as a host function; it must not be followed before it is known to be a kernel, and a launch
 * should take no lock for that. So this is an open-addressed table: who leaves marks its slot as gone, for others to use, and takes such marks away
 * at the end of a chain. One that is too small is copied to one of twice the slots, and stays for those who are reading it: all old ones together
 * are not larger than the newest. */
#include "src/compat/internal.h"

#include <stdatomic.h>
#include <stdlib.h>

#define GONE ((uintptr_t)1)

struct table {
    struct table *older;
    size_t size, used; /* slots, a power of two; those that are not 0 */
    _Atomic(uintptr_t) slots[];
};
static _Atomic(struct table *) newest;

static size_t slot_of(const struct table *t, uintptr_t handle)
{
    return (size_t)((uint64_t)handle * 0x9e3779b97f4a7c15u >> 20) & (t->size - 1);
}

static _Atomic(uintptr_t) *find(struct table *t, uintptr_t handle)
{
    for (size_t i = slot_of(t, handle);; i = (i + 1) & (t->size - 1)) {
        uintptr_t there = atomic_load_explicit(&t->slots[i], memory_order_acquire);

        if (there == handle)
            return &t->slots[i];
        if (!there)
            return NULL;
    }
}

static void put(struct table *t, uintptr_t handle)
{
    size_t i = slot_of(t, handle);

    while (t->slots[i] > GONE)
        i = (i + 1) & (t->size - 1);
    t->used += !t->slots[i];
    atomic_store_explicit(&t->slots[i], handle, memory_order_release);
}

static struct table *larger(struct table *old)
{
    size_t size = old ? 2 * old->size : 64;
    struct table *t = calloc(1, sizeof(*t) + size * sizeof(t->slots[0]));

    if (!t)
        return NULL;
    t->older = old;
    t->size = size;
    for (size_t i = 0; old && i < old->size; i++)
        if (old->slots[i] > GONE)
            put(t, old->slots[i]);
    return t;
}

bool gpudl__rt_set_has(const void *handle)
{
    struct table *t = atomic_load_explicit(&newest, memory_order_acquire);

    return t && (uintptr_t)handle > GONE && find(t, (uintptr_t)handle);
}

bool gpudl__rt_set_add(const void *handle)
{
    struct table *t = newest;

    if (!t || 2 * (t->used + 1) > t->size) {
        t = larger(t);
        if (!t)
            return false;
        atomic_store_explicit(&newest, t, memory_order_release);
    }
    put(t, (uintptr_t)handle);
    return true;
}

void gpudl__rt_set_remove(const void *handle)
{
    struct table *t = newest;
    _Atomic(uintptr_t) *slot = t ? find(t, (uintptr_t)handle) : NULL;

    if (!slot)
        return;
    atomic_store_explicit(slot, GONE, memory_order_release);
    for (size_t i = (size_t)(slot - t->slots); t->slots[i] == GONE && !t->slots[(i + 1) & (t->size - 1)];
         i = (i - 1) & (t->size - 1)) {
        t->slots[i] = 0;
        t->used--;
    }
}
