#include "src/loader/share/borrow.h"

#include <string.h>
#include <unistd.h>

#include "src/util/alloc.h"
#include "src/util/sample.h"

enum { CHUNK = 64 << 10, CANDIDATES = 4 };

/* A source that can be read in pieces, in any order. */
struct pieces {
    const unsigned char *bytes; /* or NULL: */
    int fd;
    size_t size;
};

static bool read_piece(const struct pieces *p, void *to, uint64_t at, size_t n)
{
    if (p->bytes)
        memcpy(to, p->bytes + at, n);
    return p->bytes || pread(p->fd, to, n, (off_t)at) == (ssize_t)n;
}

static bool sample(const struct pieces *p, uint64_t *out)
{
    unsigned char taken[HASH_SAMPLED];

    for (unsigned i = 0; i < HASH_SAMPLES; i++)
        if (!read_piece(p, taken + i * HASH_SAMPLE, gpudl__hash_sample_at(p->size, i), HASH_SAMPLE))
            return false;
    *out = gpudl__hash_samples(p->size, taken);
    return true;
}

/* A file that has grown is another one. */
static bool is_file(const struct pieces *p, struct span bytes)
{
    unsigned char *chunk = gpudl__alloc(CHUNK);
    bool same = chunk != NULL;

    for (size_t at = 0; at < bytes.size && same;) {
        size_t n = bytes.size - at < CHUNK ? bytes.size - at : CHUNK;
        same = pread(p->fd, chunk, n, (off_t)at) == (ssize_t)n && memcmp(chunk, bytes.data + at, n) == 0;
        at += n;
    }
    same = same && pread(p->fd, chunk, 1, (off_t)bytes.size) == 0;
    gpudl__free(chunk);
    return same;
}

static bool is_equal(const struct pieces *p, struct span bytes)
{
    return p->bytes ? memcmp(p->bytes, bytes.data, bytes.size) == 0 : is_file(p, bytes);
}

/* A reference to a record of these bytes; NULL: none was found. */
static struct record *find(struct commons *c, const struct pieces *p)
{
    struct record *r;
    uint64_t key;

    if (p->size < BORROW_LEAST || !sample(p, &key))
        return NULL;
    for (unsigned i = 0; i < CANDIDATES && (r = gpudl__record_like(c, key, p->size, i)); i++) {
        if (is_equal(p, r->bytes))
            return r;
        gpudl__record_abandon(c, r);
    }
    return NULL;
}

struct record *gpudl__borrow_memory(struct commons *c, const void *bytes, size_t size)
{
    return find(c, &(struct pieces){ bytes, -1, size });
}

struct record *gpudl__borrow_file(struct commons *c, int fd, size_t size)
{
    return find(c, &(struct pieces){ NULL, fd, size });
}
