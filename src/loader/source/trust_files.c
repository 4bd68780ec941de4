/* The files that a policy is made of: a key ring, lists, signatures. Whoever can write to them decides what is trusted, so that
 * must be root or this user alone. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/loader/error.h"
#include "src/loader/source/trust.h"
#include "src/util/alloc.h"

enum { KEY_MOST = 64 << 10, LIST_MOST = 64 << 20, SIGNATURE_FILE_MOST = 64 << 10, KEYS_MOST = 4096 };

#define REVOKED "revoked"

static gpudl_status fail(const char *path, const char *why)
{
    return gpudl__fail(GPUDL_ERROR_TRUST_SETUP, "%s: %s", path, why);
}

static gpudl_status fail_errno(const char *path, const char *what)
{
    return gpudl__fail(GPUDL_ERROR_TRUST_SETUP, "%s: %s cannot be read: %s", path, what, strerror(errno));
}

/* ---- one file */

/* The file's bytes, for gpudl__free(). 0, or an errno; EFBIG: more than most, EINVAL: no regular file. */
static int read_bytes(int fd, size_t most, struct span *out)
{
    unsigned char *bytes;
    struct stat st;
    size_t done = 0;
    ssize_t n = 1;

    if (fstat(fd, &st) != 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EINVAL;
    if ((uint64_t)st.st_size > most)
        return EFBIG;
    bytes = gpudl__alloc((size_t)st.st_size + 1);
    if (!bytes)
        return ENOMEM;
    while (done < (size_t)st.st_size && n) {
        n = read(fd, bytes + done, (size_t)st.st_size - done);
        if (n < 0 && errno != EINTR) {
            int error = errno;
            gpudl__free(bytes);
            return error;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    *out = (struct span){ bytes, done };
    return 0;
}

static const char *describe(int error)
{
    return error == EINVAL ? "not a regular file" : error == EFBIG ? "it is too large for what it should be" : strerror(error);
}

/* Does nobody but root and this user decide what is in it? */
static gpudl_status check_owner(int fd, const char *path)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return fail(path, strerror(errno));
    if (st.st_uid != 0 && st.st_uid != geteuid())
        return gpudl__fail(GPUDL_ERROR_TRUST_SETUP,
            "%s: belongs to user %u, who could change what is trusted: it must belong to root or to user %u, who runs this", path,
            (unsigned)st.st_uid, (unsigned)geteuid());
    if (st.st_mode & 022)
        return gpudl__fail(GPUDL_ERROR_TRUST_SETUP,
            "%s: others can write to it (mode %04o), and so change what is trusted: `chmod go-w` it", path,
            (unsigned)(st.st_mode & 07777));
    return GPUDL_OK;
}

static gpudl_status read_owned(int folder, const char *name, const char *path, const char *what, size_t most, struct span *out)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), error;
    gpudl_status status;

    if (fd < 0)
        return fail_errno(path, what);
    status = check_owner(fd, path);
    error = status == GPUDL_OK ? read_bytes(fd, most, out) : 0;
    close(fd);
    if (error == ENOMEM)
        return gpudl__fail_memory(what);
    return error ? gpudl__fail(GPUDL_ERROR_TRUST_SETUP, "%s: %s cannot be read: %s", path, what, describe(error)) : status;
}

/* What takes a file's bytes in. */
typedef enum trust_error take_bytes(struct trust_setup *, struct span, const char *path, struct text *why);

static enum trust_error take_key(struct trust_setup *s, struct span bytes, const char *path, struct text *why)
{
    (void)path;
    return gpudl__trust_keys_add(s->keys, bytes, why);
}

static enum trust_error take_revoked(struct trust_setup *s, struct span bytes, const char *path, struct text *why)
{
    (void)path;
    return gpudl__trust_keys_revoke(s->keys, bytes, why);
}

/* Its names are relative to where it lies. */
static enum trust_error take_manifest(struct trust_setup *s, struct span bytes, const char *path, struct text *why)
{
    char *folder = gpudl__trust_absolute(path), *slash = folder ? strrchr(folder, '/') : NULL;
    enum trust_error error;

    if (!slash) {
        gpudl__free(folder);
        return trust_fail(TRUST_NO_MEMORY, why, "no host memory for its path");
    }
    *slash = '\0';
    error = gpudl__trust_digests_add_manifest(s->digests, folder, bytes, why);
    gpudl__free(folder);
    return error;
}

static gpudl_status take_file(
    struct trust_setup *s, int folder, const char *name, const char *path, const char *what, size_t most, take_bytes *take)
{
    char reason[1024];
    struct text why = gpudl__text_init(reason, sizeof(reason));
    struct span bytes;
    gpudl_status status = read_owned(folder, name, path, what, most, &bytes);
    enum trust_error error;

    if (status != GPUDL_OK)
        return status;
    error = take(s, bytes, path, &why);
    gpudl__free((void *)bytes.data);
    return error ? gpudl__fail(gpudl__trust_status(error), "%s: %s", path, reason) : GPUDL_OK;
}

/* ---- the key ring */

static bool is_key_file(const char *name)
{
    size_t n = strlen(name);

    return n > 4 && name[0] != '.' && strcmp(name + n - 4, ".pub") == 0;
}

static gpudl_status take_in_ring(
    struct trust_setup *s, int folder, const char *ring, const char *name, const char *what, take_bytes *take)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", ring, name);
    return take_file(s, folder, name, path, what, take == take_key ? KEY_MOST : LIST_MOST, take);
}

static gpudl_status read_keys(struct trust_setup *s, DIR *d, const char *ring)
{
    gpudl_status status = GPUDL_OK;
    struct dirent *e;
    size_t n = 0;

    while (status == GPUDL_OK && (e = readdir(d)) != NULL) {
        if (!is_key_file(e->d_name))
            continue;
        if (++n > KEYS_MOST)
            return fail(ring, "holds more than 4096 keys: name the folder that holds those to be trusted");
        status = take_in_ring(s, dirfd(d), ring, e->d_name, "the public key", take_key);
    }
    if (status == GPUDL_OK && !n)
        return fail(ring, "holds no public key: those are files whose names end in .pub");
    return status;
}

/* A list that is there and cannot be read is not passed over. */
static gpudl_status read_ring(struct trust_setup *s, const char *ring, bool with_revoked)
{
    int fd = open(ring, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    gpudl_status status;
    DIR *d;

    if (fd < 0)
        return fail_errno(ring, "the key ring");
    status = check_owner(fd, ring);
    d = status == GPUDL_OK ? fdopendir(fd) : NULL;
    if (!d) {
        close(fd);
        return status == GPUDL_OK ? gpudl__fail_memory("a key ring") : status;
    }
    status = read_keys(s, d, ring);
    if (status == GPUDL_OK && with_revoked && faccessat(fd, REVOKED, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        status = take_in_ring(s, fd, ring, REVOKED, "the list of what is revoked", take_revoked);
    closedir(d);
    return status;
}

/* ---- the options */

static gpudl_status check_options(const gpudl_trust_options *o)
{
    bool has_keys = o->key_ring || o->nkeys, has_digests = o->manifest || o->ndigests;

    if ((unsigned)o->policy > GPUDL_TRUST_SIGNATURE)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT,
            "gpudl_trust_options: policy is %d: give GPUDL_TRUST_NONE, _DIGEST or _SIGNATURE", (int)o->policy);
    if (o->policy == GPUDL_TRUST_DEFAULT && (has_keys || has_digests || o->revoked))
        return gpudl__fail_argument(
            "gpudl_trust_options", "keys or digests are given, and no policy: say which one they are for");
    if ((o->nkeys && !o->keys) || (o->ndigests && !o->digests) || (o->signature_size && !o->signature))
        return gpudl__fail_argument("gpudl_trust_options", "a count is not 0, and what it counts is NULL");
    if (o->locked > 1)
        return gpudl__fail_argument("gpudl_trust_options", "locked is 0 or 1");
    return GPUDL_OK;
}

static gpudl_status add_given(struct trust_setup *s, const gpudl_trust_options *o)
{
    char reason[1024];
    struct text why = gpudl__text_init(reason, sizeof(reason));
    enum trust_error error = TRUST_OK;
    const char *what = "key";
    size_t i;

    for (i = 0; i < o->nkeys && !error; i++) {
        struct span text = { (const unsigned char *)o->keys[i], o->keys[i] ? strlen(o->keys[i]) : 0 };
        error = gpudl__trust_keys_add(s->keys, text, &why);
    }
    if (!error) {
        what = "digest";
        for (i = 0; i < o->ndigests && !error; i++)
            error = gpudl__trust_digests_add(s->digests, o->digests[i], &why);
    }
    return error ? gpudl__fail(gpudl__trust_status(error), "gpudl_trust_options: %s %zu: %s", what, i - 1, reason) : GPUDL_OK;
}

static gpudl_status fill(struct trust_setup *s, const gpudl_trust_options *o)
{
    gpudl_status status = GPUDL_OK;

    if (o->key_ring)
        status = read_ring(s, o->key_ring, !o->revoked);
    if (status == GPUDL_OK && o->revoked)
        status = take_file(s, AT_FDCWD, o->revoked, o->revoked, "the list of what is revoked", LIST_MOST, take_revoked);
    if (status == GPUDL_OK && o->manifest)
        status = take_file(s, AT_FDCWD, o->manifest, o->manifest, "the manifest", LIST_MOST, take_manifest);
    return status == GPUDL_OK ? add_given(s, o) : status;
}

static enum trust_level level_of(gpudl_trust_policy policy)
{
    return policy == GPUDL_TRUST_SIGNATURE ? TRUST_BY_SIGNATURE : policy == GPUDL_TRUST_DIGEST ? TRUST_BY_DIGEST : TRUST_NONE;
}

gpudl_status gpudl__trust_setup(const gpudl_trust_options *o, struct trust_setup **out)
{
    struct trust_setup *s;
    gpudl_status status = check_options(o);

    if (status != GPUDL_OK)
        return status;
    s = gpudl__alloc_zero(sizeof(*s));
    if (!s)
        return gpudl__fail_memory("a trust policy");
    s->level = level_of(o->policy);
    s->level_given = o->policy != GPUDL_TRUST_DEFAULT;
    s->keys = gpudl__trust_keys_create();
    s->digests = gpudl__trust_digests_create();
    status = s->keys && s->digests ? fill(s, o) : gpudl__fail_memory("a trust policy");
    if (status != GPUDL_OK) {
        gpudl__trust_setup_free(s);
        return status;
    }
    *out = s;
    return GPUDL_OK;
}

void gpudl__trust_setup_free(struct trust_setup *s)
{
    if (!s)
        return;
    gpudl__trust_keys_free(s->keys);
    gpudl__trust_digests_free(s->digests);
    gpudl__free(s);
}

/* ---- signatures, and names */

gpudl_status gpudl__trust_read_signature(const char *name, struct span *bytes, struct text *why)
{
    size_t size = strlen(name) + sizeof(TRUST_SIGNATURE_SUFFIX);
    char *path = gpudl__alloc(size);
    int fd, error;

    *bytes = (struct span){ NULL, 0 };
    if (!path)
        return gpudl__fail_memory("a signature's name");
    snprintf(path, size, "%s" TRUST_SIGNATURE_SUFFIX, name);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    error = fd < 0 ? errno : read_bytes(fd, SIGNATURE_FILE_MOST, bytes);
    if (fd >= 0)
        close(fd);
    if (error && error != ENOMEM)
        gpudl__text_add(why, "no signature can be read from %s: %s", path, describe(error));
    gpudl__free(path);
    return error == ENOMEM ? gpudl__fail_memory("a signature") : GPUDL_OK;
}

char *gpudl__trust_absolute(const char *path)
{
    char here[PATH_MAX];

    if (*path != '/' && !getcwd(here, sizeof(here)))
        here[0] = '\0';
    return gpudl__trust_path(*path == '/' ? "" : here, path);
}
