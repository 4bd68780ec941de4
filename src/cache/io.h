/* io.h - the calls of the system that the cache makes, in a table, so that a test can make each fail. As the calls of these names: -1 (or
 * NULL) and errno. */
#ifndef GPUDL_CACHE_IO_H
#define GPUDL_CACHE_IO_H

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>

struct cache_io {
    int     (*open)(int dir, const char *name, int flags, mode_t mode);
    int     (*close)(int fd);
    ssize_t (*read)(int fd, void *to, size_t size);
    ssize_t (*write)(int fd, const void *from, size_t size);
    int     (*sync)(int fd);
    int     (*stat)(int fd, struct stat *);
    int     (*stat_at)(int dir, const char *name, struct stat *);           /* of a link itself */
    int     (*touch)(int fd);                                               /* last used: now */
    int     (*name)(int fd, int dir, const char *name);                     /* gives a file without one a name */
    int     (*link)(int dir, const char *from, const char *to);
    int     (*rename)(int dir, const char *from, const char *to);
    int     (*remove)(int dir, const char *name, int flags);                /* AT_REMOVEDIR */
    int     (*make_dir)(int dir, const char *name, mode_t mode);
    int     (*lock)(int fd, int how);                                       /* flock */
    DIR    *(*list)(int fd);                                                /* takes fd */
    struct dirent *(*next)(DIR *);
    int     (*end)(DIR *);
};

extern const struct cache_io gpudl__cache_io;   /* the system's */

#endif
