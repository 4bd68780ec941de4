/* services.c - see services.h. */
#include "softcuda/run/services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_FIFO    ((size_t)1 << 20)
#define DEFAULT_HEAP    ((uint64_t)8 << 20)

void sc_services_init(struct sc_services *s, struct sc_devmem *memory, void *owner)
{
    memset(s, 0, sizeof(*s));
    pthread_mutex_init(&s->lock, NULL);
    s->limit = DEFAULT_FIFO;
    s->memory = memory;
    s->owner = owner;
    atomic_init(&s->heap_used, 0);
    atomic_init(&s->heap_limit, DEFAULT_HEAP);
}

void sc_services_finish(struct sc_services *s)
{
    sc_services_flush(s);
    free(s->text);
    pthread_mutex_destroy(&s->lock);
}

static void write_out(struct sc_services *s)
{
    if (s->length) {
        fwrite(s->text, 1, s->length, stdout);
        fflush(stdout);
    }
    s->length = 0;
}

static int make_room(struct sc_services *s, size_t more)
{
    size_t capacity = s->capacity ? s->capacity : 4096;
    char *text;

    while (capacity - s->length < more)
        capacity *= 2;
    if (capacity == s->capacity)
        return 0;
    if (!(text = realloc(s->text, capacity)))
        return -1;
    s->text = text;
    s->capacity = capacity;
    return 0;
}

void sc_services_print(struct sc_services *s, const char *text, size_t length)
{
    pthread_mutex_lock(&s->lock);
    if (s->length + length > s->limit)
        write_out(s);
    if (!make_room(s, length)) {
        memcpy(s->text + s->length, text, length);
        s->length += length;
    }
    pthread_mutex_unlock(&s->lock);
}

void sc_services_flush(struct sc_services *s)
{
    pthread_mutex_lock(&s->lock);
    write_out(s);
    pthread_mutex_unlock(&s->lock);
}
