#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "src/cache/io.h"

static int open_at(int dir, const char *name, int flags, mode_t mode)
{
    return openat(dir, name, flags | O_CLOEXEC, mode);
}

static int stat_at(int dir, const char *name, struct stat *st)
{
    return fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW);
}

static int touch(int fd)
{
    return futimens(fd, NULL);
}

static int name_file(int fd, int dir, const char *name)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, path, dir, name, AT_SYMLINK_FOLLOW);
}

static int link_in(int dir, const char *from, const char *to)
{
    return linkat(dir, from, dir, to, 0);
}

static int rename_in(int dir, const char *from, const char *to)
{
    return renameat(dir, from, dir, to);
}

const struct cache_io gpudl__cache_io = {
    .open = open_at, .close = close, .read = read, .write = write, .sync = fsync, .stat = fstat, .stat_at = stat_at, .touch = touch,
    .name = name_file, .link = link_in, .rename = rename_in, .remove = unlinkat, .make_dir = mkdirat, .lock = flock, .list = fdopendir,
    .next = readdir, .end = closedir,
};
