#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/cache/internal.h"
#include "src/util/alloc.h"
#include "src/util/text.h"

#define DEFAULT_BYTES   (1ull << 30)
#define DEFAULT_AGE     (90ull * 24 * 60 * 60)

/* ---- which folder */

static char *join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *s = gpudl__alloc(size);

    if (s)
        snprintf(s, size, "%s%s", a, b);
    return s;
}

static const char *variable(const char *name)
{
    const char *value = secure_getenv(name);

    return value && *value ? value : NULL;
}

/* Below the home of the list of users. */
static bool choose_home(struct cache *c)
{
    struct passwd user, *found = NULL;
    char room[4096];

    if (getpwuid_r(geteuid(), &user, room, sizeof(room), &found) || !found || *user.pw_dir != '/')
        return true;
    c->given = strlen(user.pw_dir);
    c->folder = join(user.pw_dir, "/.cache/gpudl");
    return c->folder != NULL;
}

/* False: no memory. */
static bool choose_folder(struct cache *c, const struct cache_options *o)
{
    const char *own = variable("GPUDL_CACHE_DIR"), *xdg = variable("XDG_CACHE_HOME"), *home = variable("HOME"), *asked = o->folder;

    if (o->no_environment)
        return choose_home(c);
    if (asked && *asked) {
        c->folder = gpudl__alloc_string(asked);
    } else if (own) {
        c->variable = "GPUDL_CACHE_DIR";
        c->folder = gpudl__alloc_string(own);
    } else if (xdg && *xdg == '/') {            /* a relative one is to be ignored, says the XDG specification */
        c->variable = "XDG_CACHE_HOME";
        c->folder = join(xdg, "/gpudl");
    } else if (home) {
        c->variable = "HOME";
        c->folder = join(home, "/.cache/gpudl");
        c->given = strlen(home);
    } else {
        return true;
    }
    return c->folder != NULL;
}

struct cache *gpudl__cache_open(const struct cache_options *o)
{
    struct cache *c = gpudl__alloc_zero(sizeof(*c));

    if (!c)
        return NULL;
    c->io = o->io ? o->io : &gpudl__cache_io;
    c->max_bytes = o->max_bytes ? o->max_bytes : DEFAULT_BYTES;
    c->max_age = o->max_age ? o->max_age : DEFAULT_AGE;
    c->cheap = o->cheap;
    c->warn = o->warn;
    c->user = o->user;
    pthread_mutex_init(&c->lock, NULL);
    if (sodium_init() >= 0 && choose_folder(c, o))
        return c;
    gpudl__cache_close(c);
    return NULL;
}

void gpudl__cache_close(struct cache *c)
{
    if (!c)
        return;
    sodium_memzero(&c->secret, sizeof(c->secret));
    pthread_mutex_destroy(&c->lock);
    gpudl__free(c->folder);
    gpudl__free(c);
}

const char *gpudl__cache_folder(const struct cache *c)
{
    return c ? c->folder : NULL;
}

/* ---- trouble */

void gpudl__place_trouble(struct cache *c, const char *path, const char *why)
{
    char message[512];
    struct text t = gpudl__text_init(message, sizeof(message));

    c->failed++;
    if (atomic_exchange(&c->warned, true) || !c->warn)
        return;
    if (!c->folder) {
        gpudl__text_add(&t, "compiled code is not kept: none of GPUDL_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
    } else {
        gpudl__text_add(&t, "compiled code is not kept: %s%s%s: %s", c->folder, path ? "/" : "", path ? path : "", why);
        if (c->variable && strcmp(c->variable, "GPUDL_CACHE_DIR"))
            gpudl__text_add(&t, " (the folder is from %s; GPUDL_CACHE_DIR may name another)", c->variable);
        else
            gpudl__text_add(&t, " (GPUDL_CACHE_DIR may name another folder)");
    }
    c->warn(c->user, message);
}

static bool refuse(struct cache *c, const char *path, const char *why)
{
    gpudl__place_trouble(c, path, why);
    return false;
}

/* ---- opening it */

static bool own_folder(const struct stat *st)
{
    return S_ISDIR(st->st_mode) && st->st_uid == geteuid() && !(st->st_mode & 077);
}

bool gpudl__place_own_file(const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_uid == geteuid() && !(st->st_mode & 022);
}

/* Makes the folder and those above it, none of which is the given part. */
static int make_folders(struct cache *c)
{
    char *path = gpudl__alloc_string(c->folder);
    int err = 0;

    if (!path) {
        errno = ENOMEM;
        return -1;
    }
    for (char *at = path + c->given + 1; !err && *at; at++) {
        if (*at != '/')
            continue;
        *at = 0;
        err = c->io->make_dir(AT_FDCWD, path, 0700) && errno != EEXIST;
        *at = '/';
    }
    if (!err)
        err = c->io->make_dir(AT_FDCWD, path, 0700) && errno != EEXIST;
    gpudl__free(path);
    return err ? -1 : 0;
}

static bool open_folder(struct cache *c, bool make, struct place *p)
{
    struct stat st;

    if (!c->folder)
        return refuse(c, NULL, NULL);
    p->folder = c->io->open(AT_FDCWD, c->folder, O_RDONLY | O_DIRECTORY, 0);
    if (p->folder < 0 && errno == ENOENT) {
        if (!make)
            return false;
        if (make_folders(c))
            return refuse(c, NULL, strerror(errno));
        p->folder = c->io->open(AT_FDCWD, c->folder, O_RDONLY | O_DIRECTORY, 0);
    }
    if (p->folder < 0 || c->io->stat(p->folder, &st))
        return refuse(c, NULL, strerror(errno));
    if (!own_folder(&st))
        return refuse(c, NULL, st.st_uid == geteuid() ? "others may use it too, its mode must be 0700" : "it belongs to another user");
    p->device = st.st_dev;
    p->inode = st.st_ino;
    return true;
}

static bool open_entries(struct cache *c, bool make, struct place *p)
{
    struct stat st;

    p->entries = c->io->open(p->folder, NAMESPACE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (p->entries < 0 && errno == ENOENT) {
        if (!make)
            return false;
        if (c->io->make_dir(p->folder, NAMESPACE, 0700) && errno != EEXIST)
            return refuse(c, NAMESPACE, strerror(errno));
        p->entries = c->io->open(p->folder, NAMESPACE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    }
    if (p->entries < 0 || c->io->stat(p->entries, &st))
        return refuse(c, NAMESPACE, strerror(errno));
    return own_folder(&st) || refuse(c, NAMESPACE, "it is not this user's own, with mode 0700");
}

/* ---- the secret */

int gpudl__read_all(const struct cache_io *io, int fd, void *to, size_t size)
{
    char *at = to;

    while (size) {
        ssize_t n = io->read(fd, at, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -1 : 1;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

enum found { FOUND, NONE, BAD, UNREADABLE };

static enum found read_secret(struct cache *c, const struct place *p, struct entry_secret *secret)
{
    int fd = c->io->open(p->folder, SECRET_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0), err;
    struct stat st;
    enum found found = FOUND;

    if (fd < 0)
        return errno == ENOENT ? NONE : errno == ELOOP ? BAD : UNREADABLE;
    err = c->io->stat(fd, &st);
    if (err)
        found = UNREADABLE;
    else if (!gpudl__place_own_file(&st) || (st.st_mode & 077) || st.st_size != ENTRY_SECRET)
        found = BAD;
    else if ((err = gpudl__read_all(c->io, fd, secret->bytes, ENTRY_SECRET)))
        found = err < 0 ? UNREADABLE : BAD;
    err = errno;
    c->io->close(fd);
    errno = err;
    return found;
}

/* Whoever makes the first one makes it for all: a file appears under this name once, whole. */
static bool make_secret(struct cache *c, const struct place *p, enum found found, struct entry_secret *secret)
{
    struct span part = { secret->bytes, ENTRY_SECRET };

    if (found == BAD)
        c->io->remove(p->folder, SECRET_NAME, 0);
    randombytes_buf(secret->bytes, ENTRY_SECRET);
    if (gpudl__newfile_put(c, p->folder, SECRET_NAME, NEWFILE_SYNC, &part, 1) && errno != EEXIST)
        return refuse(c, SECRET_NAME, strerror(errno));
    return read_secret(c, p, secret) == FOUND || refuse(c, SECRET_NAME, "it cannot be read");
}

static void remember(struct cache *c, const struct place *p)
{
    pthread_mutex_lock(&c->lock);
    c->secret = p->secret;
    c->device = p->device;
    c->inode = p->inode;
    c->has_secret = true;
    pthread_mutex_unlock(&c->lock);
}

static bool remembered(struct cache *c, struct place *p)
{
    bool known;

    pthread_mutex_lock(&c->lock);
    known = c->has_secret && c->device == p->device && c->inode == p->inode;
    p->secret = c->secret;
    pthread_mutex_unlock(&c->lock);
    return known;
}

static bool open_secret(struct cache *c, bool make, struct place *p)
{
    enum found found;

    if (remembered(c, p))
        return true;
    found = read_secret(c, p, &p->secret);
    if (found == UNREADABLE)
        return refuse(c, SECRET_NAME, strerror(errno));
    if (found != FOUND && (!make || !make_secret(c, p, found, &p->secret)))
        return false;
    remember(c, p);
    return true;
}

bool gpudl__place_renew(struct cache *c, struct place *p)
{
    struct entry_secret now;

    if (read_secret(c, p, &now) != FOUND || !sodium_memcmp(now.bytes, p->secret.bytes, ENTRY_SECRET))
        return false;
    p->secret = now;
    remember(c, p);
    return true;
}

bool gpudl__place_open(struct cache *c, bool make, struct place *p)
{
    *p = (struct place){ .folder = -1, .entries = -1 };
    if (open_folder(c, make, p) && open_secret(c, make, p) && open_entries(c, make, p))
        return true;
    gpudl__place_close(c, p);
    return false;
}

void gpudl__place_close(struct cache *c, struct place *p)
{
    if (p->entries >= 0)
        c->io->close(p->entries);
    if (p->folder >= 0)
        c->io->close(p->folder);
    sodium_memzero(&p->secret, sizeof(p->secret));
}
