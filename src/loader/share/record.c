#include "src/loader/share/record.h"

#include <string.h>

#include "src/loader/share/pages.h"
#include "src/util/sample.h"

/* Bytes that begin where others do are compared faster. */
enum { RECORD_HEAD = (sizeof(struct record) + 63) / 64 * 64 };

static struct record **bucket(struct commons *c, uint64_t sample)
{
    return &c->buckets[sample % COMMONS_BUCKETS];
}

static bool is_equal(struct span a, struct span b)
{
    return a.size == b.size && (!a.size || a.data == b.data || memcmp(a.data, b.data, a.size) == 0);
}

/* ------------------------------------------------------------------------------------------------------------------ its memory */

static struct span put(unsigned char **to, struct span from)
{
    struct span copy = { *to, from.size };

    memcpy(*to, from.data, from.size);
    *to += from.size;
    return copy;
}

/* In flight, with one reference; a NUL follows the bytes, as in struct content. */
static struct record *make(
    struct commons *c, const struct record_key *key, struct hash128 hash, struct span bytes, struct span lowered)
{
    size_t mapped = RECORD_HEAD + bytes.size + 1 + lowered.size;
    struct record *r = gpudl__pages_take(c, &mapped);
    unsigned char *to;

    if (!r)
        return NULL;
    memset(r, 0, sizeof(*r));
    to = (unsigned char *)r + RECORD_HEAD;
    r->mapped = mapped;
    r->home = c;
    r->sample = gpudl__hash_sampled(bytes);
    r->hash = hash;
    r->key = *key;
    r->bytes = put(&to, bytes);
    *to++ = '\0';
    if (lowered.size)
        r->lowered = put(&to, lowered);
    r->used = (size_t)(to - (unsigned char *)r);
    r->references = 1;
    gpudl__commons_init_lock(&r->flight);
    gpudl__commons_take(&r->flight);
    return r;
}

void gpudl__record_free(struct record *r)
{
    if (r->contents && r->contents->mapped)
        gpudl__pages_give(r->home, r->contents, r->contents->mapped);
    pthread_mutex_destroy(&r->flight);
    gpudl__pages_give(r->home, r, r->mapped);
}

/* -------------------------------------------------------------------------------------------------- under the commons' lock */

static void list(struct commons *c, struct record *r)
{
    struct record **b = bucket(c, r->sample);

    r->listed = true;
    r->next = *b;
    *b = r;
}

static void unlist(struct commons *c, struct record *r)
{
    struct record **p = bucket(c, r->sample);

    if (!r->listed)
        return;
    while (*p != r)
        p = &(*p)->next;
    *p = r->next;
    r->listed = false;
}

static struct record *take(struct commons *c, struct record *r)
{
    if (r->references++ == 0)
        atomic_fetch_sub(&c->orphans, 1);
    return r;
}

/* A reference; the bytes are still to be compared. */
static struct record *find(struct commons *c, uint64_t sample, const struct record_key *key, struct hash128 hash, size_t size)
{
    for (struct record *r = *bucket(c, sample); r; r = r->next)
        if (r->hash.low == hash.low && r->hash.high == hash.high && r->bytes.size == size &&
            memcmp(&r->key, key, sizeof(*key)) == 0)
            return take(c, r);
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------------------- flight */

/* Until it has landed, or whoever loaded it has ended without; true: it is ready. */
static bool wait_for(struct commons *c, struct record *r)
{
    bool ready;

    gpudl__commons_lock(c);
    ready = r->state == RECORD_READY;
    gpudl__commons_unlock(c);
    if (ready)
        return true;
    if (gpudl__commons_take(&r->flight) != 0)
        return false; /* this thread loads it: a callback of its own asks for it again */
    gpudl__commons_lock(c);
    ready = r->state == RECORD_READY;
    if (!ready) {
        r->state = RECORD_ALONE;
        unlist(c, r);
    }
    gpudl__commons_unlock(c);
    pthread_mutex_unlock(&r->flight);
    return ready;
}

static struct record *land_nowhere(struct record *mine)
{
    pthread_mutex_unlock(&mine->flight);
    gpudl__record_free(mine);
    return NULL;
}

/* Of two that make one at the same time the first to list it has it. */
static struct record *claim(
    struct commons *c, const struct record_key *key, struct hash128 hash, struct span bytes, struct span lowered, bool *mine)
{
    struct record *r = make(c, key, hash, bytes, lowered), *other;

    if (!r)
        return NULL;
    gpudl__commons_lock(c);
    other = find(c, r->sample, key, hash, bytes.size);
    if (!other)
        list(c, r);
    gpudl__commons_unlock(c);
    *mine = !other;
    if (!other)
        return r;
    land_nowhere(r);
    return other;
}

struct record *gpudl__record_get(
    struct commons *c, const struct record_key *key, struct hash128 hash, struct span bytes, struct span lowered, bool *mine)
{
    uint64_t sample = gpudl__hash_sampled(bytes);
    struct record *r;

    *mine = false;
    gpudl__commons_lock(c);
    r = find(c, sample, key, hash, bytes.size);
    gpudl__commons_unlock(c);
    if (!r)
        r = claim(c, key, hash, bytes, lowered, mine);
    if (!r || *mine)
        return r;
    if (!is_equal(r->bytes, bytes) || !is_equal(r->lowered, lowered)) {
        gpudl__record_abandon(c, r); /* others may have let go meanwhile, and this loader has no use for it */
        return NULL;
    }
    if (wait_for(c, r))
        return r;
    gpudl__record_abandon(c, r);
    return NULL;
}

/* Names of kernels as the source has them belong to what was compiled: a content that was read has none. */
struct record *gpudl__record_like(struct commons *c, uint64_t sample, size_t size, unsigned n)
{
    struct record *r;

    gpudl__commons_lock(c);
    for (r = *bucket(c, sample); r; r = r->next)
        if (r->sample == sample && r->bytes.size == size && !r->lowered.size && n-- == 0)
            break;
    if (r)
        take(c, r);
    gpudl__commons_unlock(c);
    return r;
}

/* The contents come before the state that says that they are there. */
void gpudl__record_land(struct commons *c, struct record *r, struct record_contents *contents)
{
    gpudl__commons_lock(c);
    r->contents = contents;
    if (contents) {
        r->state = RECORD_READY;
    } else {
        r->state = RECORD_ALONE;
        unlist(c, r);
    }
    gpudl__commons_unlock(c);
    pthread_mutex_unlock(&r->flight);
}

/* ------------------------------------------------------------------------------------------------------------------- references */

bool gpudl__record_leave(struct commons *c, struct record *r)
{
    bool left;

    gpudl__commons_lock(c);
    left = r->references > 1;
    if (left)
        r->references--;
    gpudl__commons_unlock(c);
    return left;
}

bool gpudl__record_release(struct commons *c, struct record *r)
{
    bool last;

    gpudl__commons_lock(c);
    last = --r->references == 0;
    if (last)
        unlist(c, r);
    gpudl__commons_unlock(c);
    return last;
}

/* --------------------------------------------------------------------------------------------------------------------- orphans */

/* One that is not listed was not shared: it has nothing but bytes. */
void gpudl__record_abandon(struct commons *c, struct record *r)
{
    bool bytes_only;

    gpudl__commons_lock(c);
    bytes_only = --r->references == 0 && !r->listed;
    if (r->references == 0 && r->listed)
        atomic_fetch_add(&c->orphans, 1);
    gpudl__commons_unlock(c);
    if (bytes_only)
        gpudl__record_free(r);
}

struct record *gpudl__record_adopt(struct commons *c, uint64_t driver)
{
    struct record *found = NULL;

    if (!atomic_load(&c->orphans))
        return NULL;
    gpudl__commons_lock(c);
    for (size_t i = 0; i < COMMONS_BUCKETS && !found; i++)
        for (struct record *r = c->buckets[i]; r && !found; r = r->next)
            if (r->references == 0 && r->key.driver == driver)
                found = r;
    if (found) {
        found->references = 1;
        atomic_fetch_sub(&c->orphans, 1);
    }
    gpudl__commons_unlock(c);
    return found;
}

void gpudl__records_forget(struct commons *c)
{
    for (size_t i = 0; i < COMMONS_BUCKETS; i++)
        while (c->buckets[i]) {
            struct record *r = c->buckets[i];
            c->buckets[i] = r->next;
            gpudl__record_free(r);
        }
}
