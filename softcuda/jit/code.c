#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "softcuda/jit/code.h"
#include "softcuda/jit/engine.h"

#define BUCKETS 1024

enum { MAKING, MADE, FAILED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;    /* of all below, and of states and references */
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;
static struct code *table[BUCKETS];

static struct code **bucket(const struct cache_key *key)
{
    return &table[(key->bytes[0] | key->bytes[1] << 8) % BUCKETS];
}

static struct code *find(const struct cache_key *key)
{
    struct code *c = *bucket(key);

    while (c && memcmp(&c->key, key, sizeof(*key)))
        c = c->next;
    return c;
}

static struct code *add(const struct cache_key *key)
{
    struct code *c = calloc(1, sizeof(*c)), **head = bucket(key);

    if (!c)
        return NULL;
    c->key = *key;
    c->state = MAKING;
    c->next = *head;
    *head = c;
    return c;
}

static void take_out(struct code *c)
{
    struct code **at = bucket(&c->key);

    while (*at && *at != c)
        at = &(*at)->next;
    if (*at)
        *at = c->next;
}

/* The code goes under the lock: its name must be free again before anyone else can make it. */
static void unref(struct code *c)
{
    if (--c->refs)
        return;
    take_out(c);
    engine_release(c->memory);
    free(c);
}

static void make(struct code *c, code_maker *maker, void *arg)
{
    int failed;

    pthread_mutex_unlock(&lock);
    failed = maker(arg, c, &c->error);
    pthread_mutex_lock(&lock);
    c->state = failed ? FAILED : MADE;
    if (failed)
        take_out(c);
    pthread_cond_broadcast(&made);
}

struct code *code_get(const struct cache_key *key, code_maker *maker, void *arg, struct jit_error *err)
{
    struct code *c;

    pthread_mutex_lock(&lock);
    c = find(key);
    if (c) {
        c->refs++;
        while (c->state == MAKING)
            pthread_cond_wait(&made, &lock);
    } else if ((c = add(key))) {
        c->refs++;
        make(c, maker, arg);
    } else {
        snprintf(err->text, sizeof(err->text), "out of host memory");
    }
    if (c && c->state == FAILED) {
        *err = c->error;
        unref(c);
        c = NULL;
    }
    pthread_mutex_unlock(&lock);
    return c;
}

void code_release(struct code *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&lock);
    unref(c);
    pthread_mutex_unlock(&lock);
}
