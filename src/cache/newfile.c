/* newfile.c - write, sync, give it its name. A file without a name (O_TMPFILE) leaves nothing behind when its writer dies; where there are
 * none, or a name is taken, it is a file new-XXXX, locked while its writer lives, that trim() removes when nobody holds the lock. */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/file.h>

#include "src/cache/internal.h"

static void invent_name(struct newfile *f)
{
    unsigned char random[12];
    char hex[2 * sizeof(random) + 1];

    randombytes_buf(random, sizeof(random));
    snprintf(f->name, sizeof(f->name), TEMP_PREFIX "%s", sodium_bin2hex(hex, sizeof(hex), random, sizeof(random)));
}

int gpudl__newfile_open(struct cache *c, int dir, struct newfile *f)
{
    *f = (struct newfile){ .dir = dir, .fd = -1 };
    if (!c->no_tmpfile) {
        f->fd = c->io->open(dir, ".", O_TMPFILE | O_WRONLY, 0600);
        if (f->fd >= 0 || errno == ENOSPC || errno == EDQUOT || errno == EROFS || errno == EIO)
            return f->fd < 0 ? -1 : 0;
        c->no_tmpfile = true;
    }
    invent_name(f);
    f->fd = c->io->open(dir, f->name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (f->fd < 0) {
        f->name[0] = 0;
        return -1;
    }
    c->io->lock(f->fd, LOCK_EX | LOCK_NB);
    return 0;
}

int gpudl__newfile_write(struct cache *c, struct newfile *f, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size) {
        ssize_t n = c->io->write(f->fd, at, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n ? errno : ENOSPC;
            return -1;
        }
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

/* Gives a nameless file a name that nobody asks for. */
static int make_named(struct cache *c, struct newfile *f)
{
    c->io->lock(f->fd, LOCK_EX | LOCK_NB);
    invent_name(f);
    if (!c->io->name(f->fd, f->dir, f->name))
        return 0;
    f->name[0] = 0;
    return -1;
}

/* Only if the name is free. */
static int take_name(struct cache *c, struct newfile *f, const char *name)
{
    struct stat st;

    if (!c->io->link(f->dir, f->name, name)) {
        c->io->remove(f->dir, f->name, 0);
        f->name[0] = 0;
        return 0;
    }
    if (errno == EEXIST)
        return -1;
    if (!c->io->stat_at(f->dir, name, &st)) {   /* no hard links here: the best that is left, and a race costs a second secret at most */
        errno = EEXIST;
        return -1;
    }
    return c->io->rename(f->dir, f->name, name);
}

int gpudl__newfile_commit(struct cache *c, struct newfile *f, const char *name, unsigned how)
{
    bool replace = how & NEWFILE_REPLACE;

    if ((how & NEWFILE_SYNC) && c->io->sync(f->fd))
        return -1;
    if (!f->name[0]) {
        if (!c->io->name(f->fd, f->dir, name))
            return 0;
        if (errno != EEXIST || !replace || make_named(c, f))
            return -1;
    }
    if (replace ? c->io->rename(f->dir, f->name, name) : take_name(c, f, name))
        return -1;
    f->name[0] = 0;
    return 0;
}

void gpudl__newfile_drop(struct cache *c, struct newfile *f)
{
    int kept = errno;

    if (f->name[0])
        c->io->remove(f->dir, f->name, 0);
    if (f->fd >= 0)
        c->io->close(f->fd);
    errno = kept;
}

static int put_once(struct cache *c, int dir, const char *name, unsigned how, const struct span *parts, size_t n)
{
    struct newfile f;
    int err = gpudl__newfile_open(c, dir, &f);

    for (size_t i = 0; !err && i < n; i++)
        err = gpudl__newfile_write(c, &f, parts[i].data, parts[i].size);
    if (!err)
        err = gpudl__newfile_commit(c, &f, name, how);
    gpudl__newfile_drop(c, &f);
    return err;
}

static bool is_final(int error)     /* another way of making files will not help */
{
    return error == ENOSPC || error == EDQUOT || error == EROFS || error == EIO || error == ESTALE || error == EEXIST || error == EISDIR;
}

int gpudl__newfile_put(struct cache *c, int dir, const char *name, unsigned how, const struct span *parts, size_t n)
{
    for (int tries = 0; tries < 4; tries++) {
        if (!put_once(c, dir, name, how, parts, n))
            return 0;
        if (is_final(errno) || (c->no_tmpfile && errno != ENOENT))
            return -1;
        c->no_tmpfile = true;       /* no /proc, or a file system that cannot; or a sweep took a new file before it was locked */
    }
    return -1;
}
