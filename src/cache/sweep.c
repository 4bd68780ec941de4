/* sweep.c - what is in the folder, and what has to go. */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>

#include "src/cache/internal.h"
#include "src/util/alloc.h"

#define STRAY_AFTER (60 * 60)       /* seconds, where locks cannot tell that the writer is gone */

struct found {
    char name[CACHE_KEY_TEXT];
    time_t used;
    uint64_t bytes;
};

struct survey {
    struct found *entries;
    size_t n, room;
    uint64_t bytes;
};

static bool survey_add(struct survey *s, const char *name, const struct stat *st)
{
    if (s->n == s->room) {
        size_t room = s->room ? 2 * s->room : 256;
        struct found *more = gpudl__alloc(room * sizeof(*more));

        if (!more)
            return false;
        if (s->n)
            memcpy(more, s->entries, s->n * sizeof(*more));
        gpudl__free(s->entries);
        s->entries = more;
        s->room = room;
    }
    s->entries[s->n].used = st->st_mtime;
    s->entries[s->n].bytes = (uint64_t)st->st_size;
    memcpy(s->entries[s->n++].name, name, CACHE_KEY_TEXT);
    s->bytes += (uint64_t)st->st_size;
    return true;
}

/* A file that is being written is locked by its writer; where files cannot be locked, only an old one is known to be left over. */
static void remove_stray(struct cache *c, int dir, const char *name)
{
    int fd = c->io->open(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    struct stat st;
    bool over = false;

    if (fd < 0)
        return;
    if (!c->io->lock(fd, LOCK_EX | LOCK_NB))
        over = true;
    else if (errno != EWOULDBLOCK)
        over = !c->io->stat(fd, &st) && st.st_mtime + STRAY_AFTER < time(NULL);
    if (over && c->io->remove(dir, name, 0) && (errno == EISDIR || errno == EPERM))
        gpudl__remove_tree(c, dir, name);
    c->io->close(fd);
}

static bool is_entry(const char *name)
{
    struct cache_key key;

    return gpudl__key_scan(name, &key);
}

/* Calls for every name in a folder; false: it could not be read to its end. */
static bool each_name(struct cache *c, int dir, bool (*call)(void *, const char *name), void *arg)
{
    int fd = c->io->open(dir, ".", O_RDONLY | O_DIRECTORY, 0);
    DIR *d = fd < 0 ? NULL : c->io->list(fd);
    struct dirent *e;
    bool ok = d != NULL;

    if (!d && fd >= 0)
        c->io->close(fd);
    while (ok && (errno = 0, e = c->io->next(d)))
        ok = call(arg, e->d_name);
    ok = ok && !errno;
    if (d)
        c->io->end(d);
    return ok;
}

struct looking {
    struct cache *c;
    struct place *p;
    struct survey *survey;
};

static bool look_at(void *arg, const char *name)
{
    struct looking *l = arg;
    struct stat st;

    if (!strncmp(name, TEMP_PREFIX, sizeof(TEMP_PREFIX) - 1))
        remove_stray(l->c, l->p->entries, name);
    else if (is_entry(name) && !l->c->io->stat_at(l->p->entries, name, &st))
        return survey_add(l->survey, name, &st);
    return true;
}

static bool remove_stray_secret(void *arg, const char *name)
{
    struct looking *l = arg;

    if (!strncmp(name, TEMP_PREFIX, sizeof(TEMP_PREFIX) - 1))
        remove_stray(l->c, l->p->folder, name);
    return true;
}

static int by_use(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return (x->used > y->used) - (x->used < y->used);
}

/* Unless it was used or replaced since it was looked at. */
static bool evict(struct cache *c, const struct place *p, const struct found *f)
{
    struct stat st;

    if (c->io->stat_at(p->entries, f->name, &st) || st.st_mtime != f->used)
        return false;
    if (c->io->remove(p->entries, f->name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0))
        return false;
    c->evicted++;
    return true;
}

static bool sweep(struct cache *c, struct place *p, uint64_t max_bytes, struct cache_total *gone)
{
    struct survey s = { .n = 0 };
    struct looking l = { c, p, &s };
    time_t oldest = time(NULL) - (time_t)c->max_age;
    bool ok = each_name(c, p->folder, remove_stray_secret, &l) && each_name(c, p->entries, look_at, &l);
    struct stat st;

    if (!c->io->stat_at(p->folder, OLD, &st) && S_ISDIR(st.st_mode))
        gpudl__remove_tree(c, p->folder, OLD);
    if (s.n)
        qsort(s.entries, s.n, sizeof(*s.entries), by_use);
    for (size_t i = 0; i < s.n && (!max_bytes || s.bytes > max_bytes || s.entries[i].used < oldest); i++) {
        if (!evict(c, p, &s.entries[i]))
            continue;
        s.bytes -= s.entries[i].bytes;
        gone->entries++;
        gone->bytes += s.entries[i].bytes;
    }
    gpudl__free(s.entries);
    return ok;
}

/* One process at a time, others go on. */
static void sweep_alone(struct cache *c, struct place *p)
{
    struct cache_total gone = { 0, 0 };
    int busy = c->io->lock(p->entries, LOCK_EX | LOCK_NB);

    if (!busy || errno != EWOULDBLOCK)
        sweep(c, p, c->max_bytes - c->max_bytes / 8, &gone);
    if (!busy)
        c->io->lock(p->entries, LOCK_UN);
}

/* A sweep looks at every file. Left to chance, it comes once for every sixteenth of the bound that is written, however many processes write:
 * nobody has to keep an account, and the bound is overrun by little. */
void gpudl__sweep_after(struct cache *c, struct place *p, uint64_t stored)
{
    uint64_t share = c->max_bytes / 16, part = stored < share ? (stored << 20) / (share + 1) : 1u << 20;   /* of 2^20 */

    if (randombytes_uniform(1u << 20) < part)
        sweep_alone(c, p);
}

bool gpudl__cache_trim(struct cache *c, uint64_t max_bytes, struct cache_total *gone)
{
    struct place p;
    bool ok;

    *gone = (struct cache_total){ 0, 0 };
    if (!c || !gpudl__place_open(c, false, &p))
        return false;
    ok = sweep(c, &p, max_bytes, gone);
    gpudl__place_close(c, &p);
    return ok;
}

/* ---- list */

struct listing {
    struct cache *c;
    struct place *p;
    void (*each)(void *user, const struct cache_item *);
    void *user;
    struct cache_total total;
};

static void list_entry(struct listing *l, const char *name, int fd)
{
    unsigned char header[ENTRY_HEADER];
    struct cache_item item = { .key = NULL };
    struct cache_key key;
    struct entry e;
    struct stat st;

    if (!gpudl__key_scan(name, &key) || l->c->io->stat(fd, &st) || !gpudl__place_own_file(&st) || st.st_size < ENTRY_HEADER)
        return;
    if (gpudl__read_all(l->c->io, fd, header, sizeof(header)))
        return;
    if (gpudl__entry_head((struct span){ header, sizeof(header) }, (uint64_t)st.st_size, &l->p->secret, &e) || memcmp(&e.key, &key, sizeof(key)))
        return;
    item = (struct cache_item){ &key, e.label, (uint64_t)st.st_size, e.made, (uint64_t)st.st_mtime };
    l->total.entries++;
    l->total.bytes += item.bytes;
    if (l->each)
        l->each(l->user, &item);
}

static bool list_name(void *arg, const char *name)
{
    struct listing *l = arg;
    int fd = is_entry(name) ? l->c->io->open(l->p->entries, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0) : -1;

    if (fd >= 0) {
        list_entry(l, name, fd);
        l->c->io->close(fd);
    }
    return true;
}

bool gpudl__cache_list(struct cache *c, void (*each)(void *, const struct cache_item *), void *user, struct cache_total *total)
{
    struct place p;
    struct listing l = { c, &p, each, user, { 0, 0 } };
    bool ok;

    *total = l.total;
    if (!c || !gpudl__place_open(c, false, &p))
        return false;
    ok = each_name(c, p.entries, list_name, &l);
    gpudl__place_close(c, &p);
    *total = l.total;
    return ok;
}
