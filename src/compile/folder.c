#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

static const uint64_t LARGEST = (uint64_t)1 << 31;

/* In the cache, where what a killed process leaves is taken away one day; else where temporary files are. */
bool gpudl__folder_make(struct cache *cache, struct folder *f, struct text *why)
{
    const char *base = secure_getenv("TMPDIR");

    f->cache = NULL;
    if (cache && gpudl__cache_scratch(cache, &f->scratch)) {
        f->cache = cache;
        snprintf(f->path, sizeof(f->path), "%s", f->scratch.path);
        return true;
    }
    if (!base || *base != '/')
        base = "/tmp";
    if (snprintf(f->path, sizeof(f->path), "%s/gpudl-XXXXXX", base) >= (int)sizeof(f->path) || !mkdtemp(f->path)) {
        gpudl__text_add(
            why, "no folder for the compiler's files can be made in %s: %s (TMPDIR may name another)", base, strerror(errno));
        f->path[0] = '\0';
        return false;
    }
    return true;
}

static bool leads_out(const char *name)
{
    if (*name == '/' || !*name)
        return true;
    for (const char *at = name; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
            return true;
    return false;
}

static bool make_parents(char *path, size_t given)
{
    for (char *at = path + given; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(path, 0700) && errno != EEXIST)
            return false;
        *at = '/';
    }
    return true;
}

static bool write_all(int fd, struct span part)
{
    while (part.size) {
        ssize_t n = write(fd, part.data, part.size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        part = span_from(part, (uint64_t)n);
    }
    return true;
}

bool gpudl__folder_write(const struct folder *f, const char *name, const struct span *parts, size_t n, struct text *why)
{
    char path[PATH_MAX];
    bool good;
    int fd;

    if (leads_out(name)) {
        gpudl__text_add(why,
            "the header '%s' cannot be kept in memory for a compiler that runs as a process: its name must be relative, "
            "without '..'",
            name);
        return false;
    }
    if (snprintf(path, sizeof(path), "%s/%s", f->path, name) >= (int)sizeof(path)) {
        gpudl__text_add(why, "the name '%s' is too long", name);
        return false;
    }
    fd = make_parents(path, strlen(f->path) + 1) ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    good = fd >= 0;
    for (size_t i = 0; good && i < n; i++)
        good = write_all(fd, parts[i]);
    if (!good)
        gpudl__text_add(why, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

static bool read_open(int fd, struct span *out)
{
    unsigned char *bytes;
    struct stat st;
    size_t done = 0;

    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > LARGEST)
        return false;
    bytes = gpudl__alloc((size_t)st.st_size + 1);
    while (bytes && done < (size_t)st.st_size) {
        ssize_t n = read(fd, bytes + done, (size_t)st.st_size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (!bytes || done != (size_t)st.st_size) {
        gpudl__free(bytes);
        return false;
    }
    bytes[done] = '\0';
    *out = (struct span){ bytes, done };
    return true;
}

bool gpudl__folder_read(const struct folder *f, const char *name, struct span *out, struct text *why)
{
    char path[PATH_MAX];
    bool good = false;
    int fd;

    snprintf(path, sizeof(path), "%s/%s", f->path, name);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    errno = fd < 0 ? errno : 0;
    if (fd >= 0)
        good = read_open(fd, out);
    if (!good)
        gpudl__text_add(why, "%s, which the compiler should have written, cannot be read: %s", path,
            errno ? strerror(errno) : "it is no file, or changes");
    if (fd >= 0)
        close(fd);
    return good;
}

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *at)
{
    (void)st, (void)what, (void)at;
    remove(path);
    return 0;
}

void gpudl__folder_remove(struct folder *f)
{
    if (f->cache)
        gpudl__cache_scratch_end(f->cache, &f->scratch);
    else if (*f->path)
        nftw(f->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    f->path[0] = '\0';
}
