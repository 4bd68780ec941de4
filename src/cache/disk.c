#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "src/cache/internal.h"
#include "src/util/alloc.h"

#define ENTRY_MAX   (1ull << 31)
#define TOUCH_AFTER (60 * 60)       /* seconds */

enum outcome { HIT, ABSENT, BAD, TROUBLE };

static enum outcome outcome_of(int error)
{
    switch (error) {
    case ENOENT: case ESTALE:            return ABSENT; /* ESTALE: removed by another machine while we looked */
    case ELOOP: case ENXIO: case EACCES: return BAD;    /* a link, a socket, a file we may not read: nothing that we made */
    default:                             return TROUBLE;
    }
}

static void touch(struct cache *c, int fd, const struct stat *st)
{
    time_t now = time(NULL);

    if (st->st_mtime + TOUCH_AFTER < now || st->st_mtime > now + TOUCH_AFTER)
        c->io->touch(fd);
}

/* A block of size bytes that are read, and a NUL behind them; ABSENT where there is no memory for it. */
static enum outcome read_block(struct cache *c, int fd, uint64_t size, struct span *out)
{
    unsigned char *bytes = gpudl__alloc((size_t)size + 1);
    int err;

    if (!bytes)
        return ABSENT;
    err = gpudl__read_all(c->io, fd, bytes, (size_t)size);
    if (!err) {
        bytes[size] = '\0';
        *out = (struct span){ bytes, (size_t)size };
        return HIT;
    }
    err = err < 0 ? errno : 0;
    gpudl__free(bytes);
    errno = err;
    return err ? outcome_of(err) : BAD;
}

/* The header says, sealed, how much follows. */
static enum outcome read_head(struct cache *c, struct place *p, int fd, uint64_t size, const struct cache_key *key,
    unsigned char header[ENTRY_HEADER], struct entry *e)
{
    int err = gpudl__read_all(c->io, fd, header, ENTRY_HEADER);
    struct span head = { header, ENTRY_HEADER };
    enum entry_fault fault;

    if (err)
        return err < 0 ? outcome_of(errno) : BAD;
    fault = gpudl__entry_head(head, size, &p->secret, e);
    if (fault == ENTRY_FORGED && gpudl__place_renew(c, p))
        fault = gpudl__entry_head(head, size, &p->secret, e);
    return fault || memcmp(&e->key, key, sizeof(*key)) ? BAD : HIT;
}

static enum outcome read_open(struct cache *c, struct place *p, int fd, struct stat *st, const struct cache_key *key, struct cache_hit *hit)
{
    unsigned char header[ENTRY_HEADER];
    enum outcome found;
    struct entry e;

    if (c->io->stat(fd, st))
        return outcome_of(errno);
    if (!gpudl__place_own_file(st) || st->st_size < ENTRY_HEADER || (uint64_t)st->st_size > ENTRY_MAX)
        return BAD;
    found = read_head(c, p, fd, (uint64_t)st->st_size, key, header, &e);
    if (found == HIT)
        found = read_block(c, fd, e.meta_size, &hit->meta);
    if (found == HIT)
        found = read_block(c, fd, e.data_size, &hit->data);
    e.meta = hit->meta;
    e.data = hit->data;
    if (found == HIT && gpudl__entry_body(header, &p->secret, &e))
        found = BAD;
    return found;
}

/* What is in the file, to be released, and what is known of the file. */
static enum outcome read_file(struct cache *c, struct place *p, const char *name, struct stat *st, const struct cache_key *key, struct cache_hit *hit)
{
    int fd = c->io->open(p->entries, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0), kept;
    enum outcome found;

    memset(st, 0, sizeof(*st));
    if (fd < 0)
        return outcome_of(errno);
    found = read_open(c, p, fd, st, key, hit);
    kept = errno;
    if (found == HIT)
        touch(c, fd, st);
    else
        gpudl__cache_release(hit);
    c->io->close(fd);
    errno = kept;
    return found;
}

/* Removes an entry that is no good, unless another process has replaced it since it was read. */
static void heal(struct cache *c, const struct place *p, const char *name, const struct stat *seen)
{
    struct stat now;

    if (c->io->stat_at(p->entries, name, &now) || (seen->st_ino && seen->st_ino != now.st_ino))
        return;
    if (!c->io->remove(p->entries, name, S_ISDIR(now.st_mode) ? AT_REMOVEDIR : 0))
        c->healed++;
}

static enum outcome look(struct cache *c, struct place *p, const struct cache_key *key, struct cache_hit *hit)
{
    char name[CACHE_KEY_TEXT];
    enum outcome found;
    struct stat st;

    gpudl__key_print(key, name);
    found = read_file(c, p, name, &st, key, hit);
    if (found == TROUBLE)
        gpudl__place_trouble(c, NAMESPACE, strerror(errno));
    else if (found == BAD)
        heal(c, p, name, &st);
    return found;
}

bool gpudl__cache_get(struct cache *c, const struct cache_key *key, struct cache_hit *hit)
{
    struct place p;
    bool found = false;

    *hit = (struct cache_hit){ .meta = { NULL, 0 } };
    if (!c)
        return false;
    if (gpudl__place_open(c, false, &p)) {
        found = look(c, &p, key, hit) == HIT;
        gpudl__place_close(c, &p);
    }
    if (found)
        c->hits++;
    else
        c->misses++;
    return found;
}

void gpudl__cache_release(struct cache_hit *hit)
{
    gpudl__free((void *)(uintptr_t)hit->meta.data);
    gpudl__free((void *)(uintptr_t)hit->data.data);
    *hit = (struct cache_hit){ .meta = { NULL, 0 } };
}

static bool write_entry(struct cache *c, const struct place *p, const struct entry *e)
{
    unsigned how = NEWFILE_REPLACE | (c->cheap ? 0 : NEWFILE_SYNC);
    unsigned char header[ENTRY_HEADER];
    const struct span parts[] = { { header, ENTRY_HEADER }, e->meta, e->data };
    char name[CACHE_KEY_TEXT];

    gpudl__key_print(&e->key, name);
    gpudl__entry_seal(header, e, &p->secret);
    if (!gpudl__newfile_put(c, p->entries, name, how, parts, 3))
        return true;
    gpudl__place_trouble(c, NAMESPACE, strerror(errno));
    return false;
}

bool gpudl__cache_put(struct cache *c, const struct cache_key *key, const char *label, struct span meta, struct span data)
{
    struct entry e = { .key = *key, .made = (uint64_t)time(NULL), .meta = meta, .data = data };
    uint64_t size = ENTRY_HEADER + (uint64_t)meta.size + data.size;
    struct place p;
    bool kept;

    if (!c || size > ENTRY_MAX || size > c->max_bytes / 2 || !gpudl__place_open(c, true, &p))
        return false;
    memcpy(e.label, label, strnlen(label, ENTRY_LABEL - 1));
    kept = write_entry(c, &p, &e);
    if (kept) {
        c->stored++;
        gpudl__sweep_after(c, &p, size);
    }
    gpudl__place_close(c, &p);
    return kept;
}

void gpudl__cache_drop(struct cache *c, const struct cache_key *key)
{
    char name[CACHE_KEY_TEXT];
    struct place p;

    if (!c || !gpudl__place_open(c, false, &p))
        return;
    gpudl__key_print(key, name);
    heal(c, &p, name, &(struct stat){ .st_ino = 0 });
    gpudl__place_close(c, &p);
}

void gpudl__cache_counts(const struct cache *c, struct cache_counts *out)
{
    *out = (struct cache_counts){ 0 };
    if (c)
        *out = (struct cache_counts){ c->hits, c->misses, c->stored, c->healed, c->evicted, c->failed };
}
