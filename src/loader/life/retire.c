/* Bindings, and the wait for the last launch in them. */
#include "src/loader/launch/epoch.h"
#include "src/loader/loader.h"

struct binding *gpudl__binding_create(struct version *v, size_t capacity)
{
    struct binding *b = gpudl__alloc_zero(sizeof(*b) + capacity * sizeof(b->places[0]));

    if (!b)
        return NULL;
    b->version = v;
    b->capacity = capacity;
    return b;
}

void gpudl__binding_retire(gpudl_loader *l, struct binding *b)
{
    b->epoch = gpudl__epoch_advance();
    pthread_mutex_lock(&l->lock);
    b->next = l->retired;
    l->retired = b;
    pthread_mutex_unlock(&l->lock);
    gpudl__reap(l);
}

/* Takes those off the list that no launch can be in. Under the lock. */
static struct binding *take_passed(gpudl_loader *l)
{
    struct binding *passed = NULL;

    for (struct binding **p = &l->retired; *p;) {
        struct binding *b = *p;
        if (!gpudl__epoch_passed(b->epoch)) {
            p = &b->next;
            continue;
        }
        *p = b->next;
        b->next = passed;
        passed = b;
    }
    return passed;
}

void gpudl__reap(gpudl_loader *l)
{
    struct binding *b, *next;

    pthread_mutex_lock(&l->lock);
    b = take_passed(l);
    pthread_mutex_unlock(&l->lock);
    for (; b; b = next) {
        next = b->next;
        gpudl__version_drop(b->version);
        gpudl__free(b);
    }
}
