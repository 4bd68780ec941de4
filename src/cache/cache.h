/* cache.h - results on disk, found again by their keys: by later runs of a program, and by other programs of this user.
 *
 * Nothing here is ever an error: what cannot be read is not there, what cannot be written is not kept. The first trouble is told, once, with the
 * path and the variable that names it. An entry that is damaged, planted or another's is a miss, goes away and is counted.
 *
 *     FOLDER           this user's own, mode 0700, or it is not used: GPUDL_CACHE_DIR, else XDG_CACHE_HOME/gpudl, else ~/.cache/gpudl
 *     FOLDER/secret    what entries are sealed with
 *     FOLDER/v2/KEY    an entry (entry.h); its time of change is that of its last use, to the hour
 *
 * Any number of threads and processes may use one folder. Files appear whole; nothing is locked that a reader waits for. The folder is opened
 * for each call: it may be deleted meanwhile, and programs that close every descriptor close none of ours. */
#ifndef GPUDL_CACHE_CACHE_H
#define GPUDL_CACHE_CACHE_H

#include "src/cache/io.h"
#include "src/cache/key.h"

struct cache_options {
    const char *folder;             /* NULL: as the environment says */
    bool no_environment;            /* ... or .cache/gpudl in the home that the system has for this user */
    uint64_t max_bytes, max_age;    /* bytes, seconds without use; 0: 1 GiB, 90 days */
    bool cheap;                     /* entries are made again sooner than a disk is waited for: what a power cut damages is a miss */
    const struct cache_io *io;      /* NULL: the system's */
    void (*warn)(void *user, const char *text);     /* may be NULL; comes from any thread */
    void *user;
};

struct cache;
/* Touches no file. NULL: no memory; every call takes that for a cache that keeps nothing. */
struct cache *gpudl__cache_open(const struct cache_options *);
void gpudl__cache_close(struct cache *);
const char *gpudl__cache_folder(const struct cache *);     /* lent; NULL: none of the variables is set */

struct cache_hit {
    struct span meta, data;         /* private copies, checked: a block each, with a NUL behind, which who wants to keep it takes out and frees */
};
bool gpudl__cache_get(struct cache *, const struct cache_key *, struct cache_hit *);
void gpudl__cache_release(struct cache_hit *);
/* meta and data come back as they are; label is for people who look at a list. False: not kept; so is what takes half of max_bytes. */
bool gpudl__cache_put(struct cache *, const struct cache_key *, const char *label, struct span meta, struct span data);
/* The entry was whole and of no use all the same: a miss after all. */
void gpudl__cache_drop(struct cache *, const struct cache_key *);

struct cache_counts {               /* of this process */
    uint64_t hits, misses, stored;
    uint64_t healed;                /* entries found bad, and removed */
    uint64_t evicted;
    uint64_t failed;                /* calls of the system that should have worked */
};
void gpudl__cache_counts(const struct cache *, struct cache_counts *);

struct cache_item {                 /* lent for the call */
    const struct cache_key *key;
    const char *label;
    uint64_t bytes, made, used;     /* seconds since 1970 */
};
struct cache_total {
    uint64_t entries, bytes;
};
/* Every entry that is sealed as ours, in no order, while others come and go; each may be NULL. False: there is no folder to look into. */
bool gpudl__cache_list(struct cache *, void (*each)(void *user, const struct cache_item *), void *user, struct cache_total *);
/* Removes what is older than max_age, then the longest unused down to max_bytes (0: everything), and what dead writers left behind. Told: what
 * is gone. put() does the same by itself now and then, with the bounds that the cache was opened with. */
bool gpudl__cache_trim(struct cache *, uint64_t max_bytes, struct cache_total *gone);

/* One maker of an entry among processes: who has the lock makes it, others ask again now and then, and look for the entry when it is no longer
 * busy. A holder that died holds nothing. NONE: there is no locking here, and whoever wants the entry makes it. */
enum cache_lock_state { CACHE_LOCK_MINE, CACHE_LOCK_BUSY, CACHE_LOCK_NONE };
struct cache_lock {
    int fd;
    bool owned;
    char name[64];
};
enum cache_lock_state gpudl__cache_lock(struct cache *, const struct cache_key *, struct cache_lock *);
void gpudl__cache_unlock(struct cache *, struct cache_lock *);      /* of any state, once */

/* A folder for files of whoever makes an entry; what a dead one leaves goes with the next trim. False: there is none here. */
struct cache_scratch {
    int fd;
    char path[4000];
};
bool gpudl__cache_scratch(struct cache *, struct cache_scratch *);
void gpudl__cache_scratch_end(struct cache *, struct cache_scratch *);      /* it goes, with all that is in it */

#endif
