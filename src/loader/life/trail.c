#include "src/loader/life/trail.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MOST = 40 };       /* as the kernel has it */

static const uint32_t EVENTS = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR;

static bool add(struct trail *t, int inotify, const char *folder, const char *name)
{
    int watch;

    if (t->n == TRAIL_MOST || strlen(name) > NAME_MAX)
        return false;
    watch = inotify_add_watch(inotify, *folder ? folder : "/", EVENTS);
    if (watch < 0)
        return false;
    t->signs[t->n].folder = watch;
    strcpy(t->signs[t->n++].name, name);
    return true;
}

/* Splits off the next component of rest; false: there is none. */
static bool next_name(char **rest, char **name)
{
    while (**rest == '/')
        ++*rest;
    *name = *rest;
    *rest += strcspn(*rest, "/");
    if (**rest)
        *(*rest)++ = '\0';
    return **name != '\0';
}

/* A link's target in place of what led to it, before the rest of the path. */
static bool substitute(char *path, char *done, const char *target, const char *rest)
{
    char joined[PATH_MAX];
    int n = snprintf(joined, sizeof(joined), "%s%s%s", target, *rest ? "/" : "", rest);

    if (n < 0 || (size_t)n >= sizeof(joined))
        return false;
    if (*target == '/')
        *done = '\0';
    strcpy(path, joined);
    return true;
}

static bool join(char *done, const char *name)
{
    size_t used = strlen(done);

    return (size_t)snprintf(done + used, PATH_MAX - used, "/%s", name) < PATH_MAX - used;
}

static void go_up(char *done)
{
    char *slash = strrchr(done, '/');

    if (slash)
        *slash = '\0';
}

bool gpudl__trail_follow(struct trail *t, int inotify, const char *path)
{
    char todo[PATH_MAX], done[PATH_MAX] = "", target[PATH_MAX], *rest = todo, *name;
    ssize_t n;

    t->n = 0;
    if (strlen(path) >= sizeof(todo))
        return false;
    strcpy(todo, path);
    for (int links = 0; next_name(&rest, &name);) {
        if (strcmp(name, ".") == 0)
            continue;
        if (strcmp(name, "..") == 0) {
            go_up(done);
            continue;
        }
        if (!join(done, name))
            return false;
        n = readlink(done, target, sizeof(target) - 1);
        if (n < 0 && *rest)
            continue; /* a folder, which may be renamed: that is not seen */
        go_up(done);
        if (!add(t, inotify, done, name))
            return false;
        if (n < 0)
            return true; /* the file, or where it will be */
        target[n] = '\0';
        if (++links > LINKS_MOST || !substitute(todo, done, target, rest))
            return false;
        rest = todo;
    }
    return true;
}

bool gpudl__trail_goes_through(const struct trail *t, int folder)
{
    for (unsigned i = 0; i < t->n; i++)
        if (t->signs[i].folder == folder)
            return true;
    return false;
}

bool gpudl__trail_has(const struct trail *t, int folder, const char *name)
{
    for (unsigned i = 0; i < t->n; i++)
        if (t->signs[i].folder == folder && strcmp(t->signs[i].name, name) == 0)
            return true;
    return false;
}

/* Numbers as linux/magic.h has them; some are in no header. */
bool gpudl__is_remote(const char *path)
{
    static const uint32_t kinds[] = { 0x6969 /* NFS */, 0x517b /* SMB */, 0xff534d42 /* CIFS */, 0xfe534d42 /* SMB 2 */,
        0x65735546 /* FUSE */, 0x01021997 /* 9P */, 0x00c36400 /* Ceph */, 0x5346414f /* AFS */, 0x0bd00bd0 /* Lustre */,
        0x47504653 /* GPFS */ };
    char folder[PATH_MAX];
    struct statfs s;

    if (strlen(path) >= sizeof(folder))
        return true;
    strcpy(folder, path);
    if (statfs(dirname(folder), &s) != 0)
        return false;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if ((uint32_t)s.f_type == kinds[i])
            return true;
    return false;
}
