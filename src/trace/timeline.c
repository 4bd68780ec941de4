/* Records into buffers. A thread always takes the same buffer, so its lock is nearly always free, and nothing is lost of a thread that
 * ends: buffers are the timeline's. */
#include "src/trace/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/util/alloc.h"

enum { RECORDS = 2048, TEXT = 128 << 10, LONGEST = 1000 };

uint64_t gpudl__timeline_thread(void)
{
    static __thread pid_t self;

    if (!self)
        self = gettid();
    return (uint64_t)self;
}

void gpudl__timeline_init(struct timeline *t, void (*write)(void *, struct trace_record *, size_t), void *user)
{
    memset(t, 0, sizeof(*t));
    for (int i = 0; i < TIMELINE_BUFFERS; i++)
        pthread_mutex_init(&t->buffers[i].lock, NULL);
    pthread_mutex_init(&t->writing, NULL);
    t->write = write;
    t->user = user;
}

static int by_beginning(const void *a, const void *b)
{
    const struct trace_record *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end); /* what holds the other first */
}

/* Under the buffer's lock. */
static void write_out(struct timeline *t, struct timeline_buffer *b)
{
    if (!b->n)
        return;
    qsort(b->records, b->n, sizeof(*b->records), by_beginning);
    pthread_mutex_lock(&t->writing);
    t->write(t->user, b->records, b->n);
    pthread_mutex_unlock(&t->writing);
    b->n = b->used = 0;
}

static bool has_memory(struct timeline_buffer *b)
{
    const struct allocator *before;

    if (b->records)
        return true;
    before = gpudl__alloc_use(NULL);
    b->records = gpudl__alloc(RECORDS * sizeof(*b->records) + TEXT);
    gpudl__alloc_use(before);
    b->text = (char *)(b->records + RECORDS);
    return b->records != NULL;
}

static const char *keep(struct timeline_buffer *b, const char *text, size_t size)
{
    char *copy = b->text + b->used;

    if (!text)
        return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    b->used += size + 1;
    return copy;
}

void gpudl__timeline_add(struct timeline *t, const struct trace_record *r)
{
    struct timeline_buffer *b = &t->buffers[gpudl__timeline_thread() % TIMELINE_BUFFERS];
    size_t name = r->name ? strnlen(r->name, LONGEST) : 0, of = r->of ? strnlen(r->of, LONGEST) : 0;
    struct trace_record *own;

    pthread_mutex_lock(&b->lock);
    if (has_memory(b)) {
        if (b->n == RECORDS || b->used + name + of + 2 > TEXT)
            write_out(t, b);
        own = &b->records[b->n++];
        *own = *r;
        own->name = keep(b, r->name, name);
        own->of = keep(b, r->of, of);
    } else {
        atomic_fetch_add(&t->lost, 1);
    }
    pthread_mutex_unlock(&b->lock);
}

void gpudl__timeline_flush(struct timeline *t)
{
    for (int i = 0; i < TIMELINE_BUFFERS; i++) {
        pthread_mutex_lock(&t->buffers[i].lock);
        write_out(t, &t->buffers[i]);
        pthread_mutex_unlock(&t->buffers[i].lock);
    }
}
