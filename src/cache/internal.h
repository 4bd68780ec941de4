/* internal.h - what the files of this room share. */
#ifndef GPUDL_CACHE_INTERNAL_H
#define GPUDL_CACHE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "src/cache/cache.h"
#include "src/cache/entry.h"

#define NAMESPACE   "v2"            /* of ENTRY_VERSION */
#define OLD         "v1"            /* what older versions of gpudl keep; a sweep takes it away */
#define SECRET_NAME "secret"
#define TEMP_PREFIX "new-"

struct cache {
    const struct cache_io *io;
    char *folder;
    size_t given;                   /* bytes of folder that must be there already: nobody's home is made */
    const char *variable;           /* that named the folder; NULL: the caller did */
    uint64_t max_bytes, max_age;
    bool cheap;
    void (*warn)(void *user, const char *text);
    void *user;
    atomic_bool warned;
    atomic_bool no_tmpfile;         /* files without a name do not work here */
    atomic_uint_fast64_t hits, misses, stored, healed, evicted, failed;
    pthread_mutex_t lock;           /* of what follows; held for no call of the system */
    bool has_secret;
    struct entry_secret secret;
    dev_t device;                   /* of the folder that the secret is from */
    ino_t inode;
};

/* ---- place.c: the folder and its secret */
struct place {
    int folder, entries;
    dev_t device;
    ino_t inode;
    struct entry_secret secret;
};
/* make: what is missing is made. False: there is nothing, or nothing to be used. */
bool gpudl__place_open(struct cache *, bool make, struct place *);
void gpudl__place_close(struct cache *, struct place *);
/* Another process may have made the secret anew. Did it? */
bool gpudl__place_renew(struct cache *, struct place *);
/* Is the file this user's alone to write, and is it a file? */
bool gpudl__place_own_file(const struct stat *);
/* Counts; tells the first trouble with path (below the folder; NULL: the folder) and why. */
void gpudl__place_trouble(struct cache *, const char *path, const char *why);
int  gpudl__read_all(const struct cache_io *, int fd, void *to, size_t size);   /* 0; 1: the file ends before; -1 and errno */

/* ---- newfile.c: a file that appears whole or not at all */
struct newfile {
    int dir, fd;
    char name[32];                  /* empty: it has none yet */
};
int  gpudl__newfile_open(struct cache *, int dir, struct newfile *);
int  gpudl__newfile_write(struct cache *, struct newfile *, const void *bytes, size_t size);
enum {
    NEWFILE_REPLACE = 1,            /* takes the place of what is there; else fails with EEXIST */
    NEWFILE_SYNC = 2,               /* is on the disk before it has its name */
};
int  gpudl__newfile_commit(struct cache *, struct newfile *, const char *name, unsigned how);
void gpudl__newfile_drop(struct cache *, struct newfile *);     /* what was not committed goes */
/* All of it; again with a named file, where nameless ones turn out not to work. 0, or -1 and errno. */
int  gpudl__newfile_put(struct cache *, int dir, const char *name, unsigned how, const struct span *parts, size_t n);

/* ---- scratch.c */
void gpudl__remove_tree(struct cache *, int dir, const char *name);         /* a folder, as far as it can be removed */

/* ---- sweep.c */
void gpudl__sweep_after(struct cache *, struct place *, uint64_t stored);   /* so many bytes more: is it time? */

#endif
