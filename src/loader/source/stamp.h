/* stamp.h - what of a file changes when the file does. */
#ifndef GPUDL_LOADER_STAMP_H
#define GPUDL_LOADER_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct stamp {
    bool there;                 /* a regular file */
    uint64_t device, inode, size, modified, changed;    /* ns */
};

static inline uint64_t stamp_ns(struct timespec t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline struct stamp stamp_of(const struct stat *s)
{
    return (struct stamp){ S_ISREG(s->st_mode), s->st_dev, s->st_ino, (uint64_t)s->st_size, stamp_ns(s->st_mtim),
        stamp_ns(s->st_ctim) };
}

static inline struct stamp stamp_now(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISREG(s.st_mode) ? stamp_of(&s) : (struct stamp){ 0 };
}

static inline bool stamp_same(struct stamp a, struct stamp b)
{
    return a.there == b.there && a.device == b.device && a.inode == b.inode && a.size == b.size && a.modified == b.modified &&
        a.changed == b.changed;
}

#endif
