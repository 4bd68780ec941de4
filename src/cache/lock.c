/* lock.c - one maker among processes. A lock file lies among the entries, named like what is being written, so that a sweep takes away what
 * nobody holds. Where files can be locked, the system knows when a holder dies; else the file says who holds it, and others look whether that
 * process still lives. All of it saves work only: who is wrong about a lock makes a result that is there already. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "src/cache/internal.h"

enum { OWNER_SIZE = 160, NAME_DIGITS = 40, FOREIGN_STALE = 10 * 60, UNWRITTEN_STALE = 10 /* seconds */ };

static void lock_name(const struct cache_key *key, const char *kind, char name[64])
{
    char text[CACHE_KEY_TEXT];

    gpudl__key_print(key, text);
    snprintf(name, 64, TEMP_PREFIX "%s%.*s", kind, NAME_DIGITS, text);
}

/* ---- who we are, in a way that another process can check */

static bool read_line(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

    if (fd >= 0)
        close(fd);
    out[n > 0 ? n : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return n > 0;
}

/* When a process began, in ticks since the system did; 0: there is none. */
static unsigned long long began(long pid)
{
    char path[40], line[1024], *at;

    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    if (!read_line(path, line, sizeof(line)) || !(at = strrchr(line, ')')))
        return 0;
    for (int field = 2; field < 22; field++) {
        at = strchr(at + 1, ' ');
        if (!at)
            return 0;
    }
    return strtoull(at, NULL, 10);
}

/* The system since it was started, and the namespace that process ids are of. */
static void describe_system(char out[80])
{
    char boot[48];
    struct stat st;

    if (!read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot)))
        snprintf(boot, sizeof(boot), "unknown");
    snprintf(out, 80, "%s:%" PRIu64, boot, stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino);
}

static bool is_alive(const char *owner, time_t written)
{
    char here[80], there[81];
    unsigned long long since;
    long pid;

    if (sscanf(owner, "%ld %llu %80s", &pid, &since, there) != 3)
        return written + UNWRITTEN_STALE > time(NULL);
    describe_system(here);
    if (strcmp(here, there))
        return written + FOREIGN_STALE > time(NULL); /* another machine, or a container: it cannot be asked */
    return pid != (long)getpid() && began(pid) == since;
}

/* ---- without locks: a file that says who holds it */

static bool remove_dead(struct cache *c, int dir, const char *name)
{
    int fd = c->io->open(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    char owner[OWNER_SIZE] = "";
    struct stat st, now;
    bool dead = false;
    ssize_t n;

    if (fd < 0)
        return errno == ENOENT;
    if (!c->io->stat(fd, &st)) {
        n = c->io->read(fd, owner, sizeof(owner) - 1);
        owner[n > 0 ? n : 0] = '\0';
        dead = !is_alive(owner, st.st_mtime) && !c->io->stat_at(dir, name, &now) && now.st_ino == st.st_ino;
    }
    c->io->close(fd);
    return dead && !c->io->remove(dir, name, 0);
}

static enum cache_lock_state own_file(struct cache *c, int dir, const struct cache_key *key, struct cache_lock *lock)
{
    char owner[OWNER_SIZE], here[80];
    int n, fd;

    lock_name(key, "own-", lock->name);
    fd = c->io->open(dir, lock->name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (fd < 0 && errno != EEXIST)
        return CACHE_LOCK_NONE;
    if (fd < 0 && remove_dead(c, dir, lock->name))
        fd = c->io->open(dir, lock->name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (fd < 0)
        return CACHE_LOCK_BUSY;
    describe_system(here);
    n = snprintf(owner, sizeof(owner), "%ld %llu %s\n", (long)getpid(), began((long)getpid()), here);
    c->io->write(fd, owner, (size_t)n);
    c->io->close(fd);
    lock->owned = true;
    return CACHE_LOCK_MINE;
}

/* ---- with locks */

static enum cache_lock_state lock_file(struct cache *c, int dir, const struct cache_key *key, struct cache_lock *lock)
{
    struct stat st, now;
    int fd;

    lock_name(key, "lock-", lock->name);
    fd = c->io->open(dir, lock->name, O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0)
        return CACHE_LOCK_NONE;
    if (c->io->lock(fd, LOCK_EX | LOCK_NB)) {
        bool busy = errno == EWOULDBLOCK || errno == EINTR;
        c->io->close(fd);
        if (busy)
            return CACHE_LOCK_BUSY;
        c->io->remove(dir, lock->name, 0);
        return own_file(c, dir, key, lock);
    }
    /* The one before us has taken the name away with it: ours is a file that nobody else will see. */
    if (c->io->stat(fd, &st) || c->io->stat_at(dir, lock->name, &now) || st.st_ino != now.st_ino) {
        c->io->close(fd);
        return CACHE_LOCK_BUSY;
    }
    lock->fd = fd;
    return CACHE_LOCK_MINE;
}

enum cache_lock_state gpudl__cache_lock(struct cache *c, const struct cache_key *key, struct cache_lock *lock)
{
    enum cache_lock_state state;
    struct place p;

    *lock = (struct cache_lock){ .fd = -1 };
    if (!c || !gpudl__place_open(c, true, &p))
        return CACHE_LOCK_NONE;
    state = lock_file(c, p.entries, key, lock);
    gpudl__place_close(c, &p);
    return state;
}

void gpudl__cache_unlock(struct cache *c, struct cache_lock *lock)
{
    struct place p;

    if (lock->fd < 0 && !lock->owned)
        return;
    if (gpudl__place_open(c, false, &p)) {
        c->io->remove(p.entries, lock->name, 0);
        gpudl__place_close(c, &p);
    }
    if (lock->fd >= 0)
        c->io->close(lock->fd);
    *lock = (struct cache_lock){ .fd = -1 };
}
