#include <stdio.h>

#include "src/trust/manifest.h"
#include "src/trust/trust.h"
#include "src/util/alloc.h"

enum { NAME_MOST = 4096 }; /* PATH_MAX, with its NUL */

struct pin {
    struct pin *next;
    struct sha256 digest;
    char *path; /* that a manifest gives it, or NULL */
};

struct trust_digests {
    struct pin *first;
    size_t n;
};

struct trust_digests *gpudl__trust_digests_create(void)
{
    return gpudl__alloc_zero(sizeof(struct trust_digests));
}

void gpudl__trust_digests_free(struct trust_digests *d)
{
    struct pin *pin = d ? d->first : NULL, *next;

    for (; pin; pin = next) {
        next = pin->next;
        gpudl__free(pin->path);
        gpudl__free(pin);
    }
    gpudl__free(d);
}

/* path is taken over, on failure too. */
static enum trust_error add(struct trust_digests *d, const struct sha256 *digest, char *path, struct text *why)
{
    struct pin *pin = gpudl__alloc(sizeof(*pin));

    if (!pin) {
        gpudl__free(path);
        return trust_fail(TRUST_NO_MEMORY, why, "no host memory for its digests");
    }
    *pin = (struct pin){ d->first, *digest, path };
    d->first = pin;
    d->n++;
    return TRUST_OK;
}

enum trust_error gpudl__trust_digests_add(struct trust_digests *d, const char *hex, struct text *why)
{
    struct span text = { (const unsigned char *)hex, hex ? strlen(hex) : 0 };
    struct sha256 digest;

    if (gpudl__sha256_scan(text, &digest))
        return add(d, &digest, NULL, why);
    gpudl__text_quote(why, text.data, text.size);
    return trust_fail(
        TRUST_BAD_SETUP, why, " is no SHA-256: that is 64 hexadecimal digits, as `gpudl manifest` and sha256sum print it");
}

enum trust_error gpudl__trust_digests_add_manifest(
    struct trust_digests *d, const char *folder, struct span manifest, struct text *why)
{
    char name[NAME_MOST], *path;
    enum trust_error error;
    struct sha256 digest;
    unsigned line = 0;
    bool more;

    for (;;) {
        error = gpudl__manifest_next(&manifest, &line, &digest, name, sizeof(name), &more, why);
        if (error || !more)
            return error;
        path = gpudl__trust_path(folder, name);
        if (!path)
            return trust_fail(TRUST_NO_MEMORY, why, "no host memory for its names");
        error = add(d, &digest, path, why);
        if (error)
            return error;
    }
}

size_t gpudl__trust_digests_count(const struct trust_digests *d)
{
    return d ? d->n : 0;
}

bool gpudl__trust_digests_have(const struct trust_digests *d, const struct sha256 *digest)
{
    for (const struct pin *pin = d ? d->first : NULL; pin; pin = pin->next)
        if (sha256_same(&pin->digest, digest))
            return true;
    return false;
}

bool gpudl__trust_digests_name(const struct trust_digests *d, const char *path, const struct sha256 *digest, bool *listed)
{
    *listed = false;
    for (const struct pin *pin = d ? d->first : NULL; pin; pin = pin->next) {
        if (!pin->path || strcmp(pin->path, path) != 0)
            continue;
        *listed = true;
        if (sha256_same(&pin->digest, digest))
            return true;
    }
    return false;
}

bool gpudl__trust_digests_same(const struct trust_digests *a, const struct trust_digests *b)
{
    const struct pin *p = a->first, *q = b->first;

    for (; p && q; p = p->next, q = q->next)
        if (!sha256_same(&p->digest, &q->digest) || !p->path != !q->path || (p->path && strcmp(p->path, q->path) != 0))
            return false;
    return !p && !q;
}

/* The next part of a path, between slashes; false at the end. */
static bool next_part(const char **path, size_t *size)
{
    *path += strspn(*path, "/");
    *size = strcspn(*path, "/");
    return *size > 0;
}

static char *add_parts(char *to, const char *path)
{
    size_t size;

    for (; next_part(&path, &size); path += size) {
        if (size == 1 && *path == '.')
            continue;
        *to++ = '/';
        memcpy(to, path, size);
        to += size;
    }
    return to;
}

/* ".." stays: what it leads to, only a file system knows. */
char *gpudl__trust_path(const char *folder, const char *name)
{
    char *path = gpudl__alloc(strlen(folder) + strlen(name) + 3), *end = path;

    if (!path)
        return NULL;
    if (*name != '/')
        end = add_parts(end, folder);
    *add_parts(end, name) = '\0';
    return path;
}
