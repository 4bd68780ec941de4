/* scratch.c - a folder among the entries for files of somebody who makes one. It is locked while its owner lives, so a sweep takes away what one
 * that was killed has left. */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/file.h>

#include "src/cache/internal.h"

enum { DEPTH_MOST = 32 };

/* Another process's sweep may come between the making and the lock. */
static bool is_ours(struct cache *c, int dir, const char *name, int fd)
{
    struct stat st, now;

    c->io->lock(fd, LOCK_EX | LOCK_NB);
    return !c->io->stat(fd, &st) && !c->io->stat_at(dir, name, &now) && st.st_ino == now.st_ino;
}

static bool make(struct cache *c, int dir, struct cache_scratch *s)
{
    unsigned char random[12];
    char hex[2 * sizeof(random) + 1], name[40];

    randombytes_buf(random, sizeof(random));
    snprintf(name, sizeof(name), TEMP_PREFIX "%s", sodium_bin2hex(hex, sizeof(hex), random, sizeof(random)));
    if (snprintf(s->path, sizeof(s->path), "%s/" NAMESPACE "/%s", c->folder, name) >= (int)sizeof(s->path) ||
        c->io->make_dir(dir, name, 0700))
        return false;
    s->fd = c->io->open(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (s->fd >= 0 && is_ours(c, dir, name, s->fd))
        return true;
    c->io->remove(dir, name, AT_REMOVEDIR);
    if (s->fd >= 0)
        c->io->close(s->fd);
    s->fd = -1;
    return false;
}

bool gpudl__cache_scratch(struct cache *c, struct cache_scratch *s)
{
    struct place p;
    bool made = false;

    *s = (struct cache_scratch){ .fd = -1 };
    if (!c || !gpudl__place_open(c, true, &p))
        return false;
    for (int tries = 0; tries < 4 && !made; tries++)
        made = make(c, p.entries, s);
    gpudl__place_close(c, &p);
    return made;
}

static void remove_tree(struct cache *c, int dir, const char *name, int depth)
{
    int fd = c->io->open(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0), within;
    DIR *d = fd < 0 || depth > DEPTH_MOST ? NULL : c->io->list(fd);
    struct dirent *e;

    if (!d && fd >= 0)
        c->io->close(fd);
    within = d ? c->io->open(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0) : -1;
    while (within >= 0 && (e = c->io->next(d))) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (c->io->remove(within, e->d_name, 0) && (errno == EISDIR || errno == EPERM))
            remove_tree(c, within, e->d_name, depth + 1);
    }
    if (within >= 0)
        c->io->close(within);
    if (d)
        c->io->end(d);
    c->io->remove(dir, name, AT_REMOVEDIR);
}

void gpudl__remove_tree(struct cache *c, int dir, const char *name)
{
    remove_tree(c, dir, name, 0);
}

void gpudl__cache_scratch_end(struct cache *c, struct cache_scratch *s)
{
    const char *slash = s->fd < 0 ? NULL : strrchr(s->path, '/');
    struct place p;

    if (!slash)
        return;
    if (gpudl__place_open(c, false, &p)) {
        gpudl__remove_tree(c, p.entries, slash + 1);
        gpudl__place_close(c, &p);
    }
    c->io->close(s->fd);
    *s = (struct cache_scratch){ .fd = -1 };
}
