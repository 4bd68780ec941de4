/* kept.c - results in the cache: what makes two compilations the same, and how an entry says what it is.
 *
 * The request's key is made of the compiler's parts, the options, the target and all bytes that the scan finds (scan.c). For a compiler that says
 * what it read, that is a key to the list of those files; the list's content makes the key of the result:
 *
 *     request key -> list of files -> request key and their content -> result
 *
 * An entry's meta is little-endian:
 *
 *     0   version:u32, format:u32, sm:u32, suffix:u32
 *     16  policy:u32, sizes:u32[3] of log, lowered names, compiler's name, which follow
 *     32  hash of the code:u64[2], low and high
 *     to a multiple of 16 bytes. The data is the code. A list is meta of no bytes, and paths that end in NUL. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

enum { KEY_VERSION = 2, META_VERSION = 2, META_HEAD = 48, META_ALIGN = 16 };

static const int64_t LARGEST_READ = 256 << 20;

/* ---- the request's key */

static void add_job(const struct request *r, struct cache_key_maker *m)
{
    const struct compile_job *job = r->job;
    char folder[PATH_MAX];
    bool debug = false;

    gpudl__key_add_text(m, "name", job->name);
    for (size_t i = 0; i < r->options->n; i++) {
        const struct option *o = &r->options->list[i];
        debug = debug || o->kind == OPTION_DEBUG || o->kind == OPTION_LINES;
        gpudl__key_add_text(m, "option", o->word);
        if (o->apart)
            gpudl__key_add_text(m, "value", o->value);
    }
    for (size_t i = 0; i < r->nfolders; i++)
        gpudl__key_add_text(m, "folder", r->folders[i]);
    for (size_t i = 0; i < job->nnames; i++)
        gpudl__key_add_text(m, "expression", job->names[i]);
    gpudl__key_add_number(m, "sm", r->target.sm);
    gpudl__key_add_number(m, "suffix", (unsigned char)r->target.suffix);
    gpudl__key_add_number(m, "format", r->target.format);
    gpudl__key_add_number(m, "exact", r->target.exact);
    gpudl__key_add_number(m, "relocatable", r->relocatable);
    if (debug && getcwd(folder, sizeof(folder)))
        gpudl__key_add_text(m, "current folder", folder); /* debuggers are told */
}

bool gpudl__request_key(struct request *r)
{
    const struct scan_place place = { r->folders, r->nfolders, r->job->headers, r->job->nheaders, r->defines, r->ndefines,
        r->nown, r->headers };
    struct cache_key_maker m;
    struct scan scan;
    bool good;

    gpudl__key_begin(&m, "compile", KEY_VERSION);
    gpudl__compiler_identify(r->compiler, &m);
    add_job(r, &m);
    good = gpudl__scan(r->job->name, r->job->text, r->before, r->nbefore, &place, &m, &scan);
    gpudl__key_end(&m, &r->key);
    /* NVRTC has no folders but those that it is given, and does not say what it read. */
    r->may_keep = !r->options->opaque && !scan.changing && (r->compiler->kind != COMPILER_NVRTC || !scan.partial);
    r->verified = !r->options->opaque && !scan.partial && !scan.foreign;
    return good;
}

static void derive(const struct cache_key *from, const char *domain, struct cache_key_maker *m)
{
    gpudl__key_begin(m, domain, KEY_VERSION);
    gpudl__key_add(m, "request", (struct span){ from->bytes, sizeof(from->bytes) });
}

static struct cache_key list_key(const struct cache_key *request)
{
    struct cache_key_maker m;
    struct cache_key key;

    derive(request, "compile list", &m);
    gpudl__key_end(&m, &key);
    return key;
}

/* ---- the files on the list */

/* False: it cannot be read, or changed after `before` (0: whenever). */
static bool add_read(const char *path, int64_t before, struct cache_key_maker *m)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    unsigned char *bytes = NULL;
    size_t done = 0;
    struct stat st;
    bool good = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= LARGEST_READ;

    if (good && before)
        good = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec < before;
    if (good)
        bytes = gpudl__alloc((size_t)st.st_size + 1);
    good = good && bytes;
    while (good && done < (size_t)st.st_size) {
        ssize_t n = read(fd, bytes + done, (size_t)st.st_size - done);
        if (n < 0 && errno == EINTR)
            continue;
        good = n > 0;
        done += good ? (size_t)n : 0;
    }
    if (good) {
        gpudl__key_add_text(m, "read", path);
        gpudl__key_add(m, "content", (struct span){ bytes, done });
    }
    gpudl__free(bytes);
    if (fd >= 0)
        close(fd);
    return good;
}

/* The result's key; false: a file of the list is not what it was, or what it is cannot be told. */
static bool result_key(const struct cache_key *request, struct span list, int64_t before, struct cache_key *out)
{
    struct cache_key_maker m;
    bool good = true;

    derive(request, "compile result", &m);
    for (size_t at = 0, n; good && at < list.size; at += n + 1) {
        const char *path = span_string(list, at, PATH_MAX, &n);
        good = path && add_read(path, before, &m);
        if (!path)
            break;
    }
    gpudl__key_end(&m, out);
    return good;
}

static bool key_of_kept(const struct request *r, struct cache_key *out)
{
    const struct cache_key key = list_key(&r->key);
    struct cache_hit hit;
    bool good;

    if (r->compiler->kind == COMPILER_NVRTC) {
        *out = r->key;
        return true;
    }
    if (!gpudl__cache_get(r->job->cache, &key, &hit))
        return false;
    good = result_key(&r->key, hit.data, 0, out);
    gpudl__cache_release(&hit);
    return good;
}

/* ---- entries */

static void put_u32(unsigned char *at, size_t value)
{
    uint32_t little = htole32((uint32_t)value);

    memcpy(at, &little, sizeof(little));
}

static void put_u64(unsigned char *at, uint64_t value)
{
    put_u32(at, (uint32_t)value);
    put_u32(at + 4, (uint32_t)(value >> 32));
}

static struct span encode(const struct request *r, const struct compile_result *result)
{
    const struct hash128 hash = gpudl__hash128(result->bytes);
    size_t log = strlen(result->log), compiler = strlen(result->compiler);
    size_t size = META_HEAD + log + result->lowered.size + compiler;
    unsigned char *meta;

    size = (size + META_ALIGN - 1) / META_ALIGN * META_ALIGN;
    meta = gpudl__alloc_zero(size);
    if (!meta)
        return (struct span){ NULL, 0 };
    put_u32(meta, META_VERSION);
    put_u32(meta + 4, result->target.format);
    put_u32(meta + 8, result->target.sm);
    put_u32(meta + 12, (unsigned char)result->target.suffix);
    put_u32(meta + 16, r->job->policy);
    put_u32(meta + 20, log);
    put_u32(meta + 24, result->lowered.size);
    put_u32(meta + 28, compiler);
    put_u64(meta + 32, hash.low);
    put_u64(meta + 40, hash.high);
    memcpy(meta + META_HEAD, result->log, log);
    if (result->lowered.size)
        memcpy(meta + META_HEAD + log, result->lowered.data, result->lowered.size);
    memcpy(meta + META_HEAD + log + result->lowered.size, result->compiler, compiler);
    return (struct span){ meta, size };
}

/* With a NUL behind; NULL: no memory. */
static char *copy_of(struct span s)
{
    char *copy = gpudl__alloc(s.size + 1);

    if (!copy)
        return NULL;
    if (s.size)
        memcpy(copy, s.data, s.size);
    copy[s.size] = '\0';
    return copy;
}

/* Pairs of texts, each with its NUL. */
static bool is_pairs(struct span s)
{
    size_t nuls = 0;

    for (size_t i = 0; i < s.size; i++)
        nuls += s.data[i] == '\0';
    return !s.size || (!s.data[s.size - 1] && nuls % 2 == 0);
}

/* Lent by the hit. */
struct decoded {
    struct compile_target target;
    struct hash128 hash;
    struct span log, lowered, compiler;
};

static bool decode(const struct request *r, struct span meta, struct decoded *out)
{
    uint64_t log = span_u32(meta, 20), lowered = span_u32(meta, 24), compiler = span_u32(meta, 28);

    if (meta.size < META_HEAD || span_u32(meta, 0) != META_VERSION || span_u32(meta, 16) < r->job->policy)
        return false;
    out->target =
        (struct compile_target){ span_u32(meta, 8), (char)span_u32(meta, 12), (enum compile_format)span_u32(meta, 4), true };
    out->hash = (struct hash128){ span_u64(meta, 32), span_u64(meta, 40) };
    return span_cut(meta, META_HEAD, log, &out->log) && span_cut(meta, META_HEAD + log, lowered, &out->lowered) &&
        span_cut(meta, META_HEAD + log + lowered, compiler, &out->compiler) && is_pairs(out->lowered);
}

/* The code is taken out of the hit. */
static bool take(const struct decoded *d, struct span *data, struct compile_result *out)
{
    struct compile_result result = { .target = d->target, .kept = true, .hashed = true, .hash = d->hash };

    result.bytes = *data;
    *data = (struct span){ NULL, 0 };
    result.log = copy_of(d->log);
    result.lowered = (struct span){ (unsigned char *)copy_of(d->lowered), d->lowered.size };
    snprintf(result.compiler, sizeof(result.compiler), "%.*s", (int)(d->compiler.size < 95 ? d->compiler.size : 95),
        (const char *)d->compiler.data);
    if (result.bytes.data && result.log && result.lowered.data) {
        *out = result;
        return true;
    }
    gpudl__compile_release(&result);
    return false;
}

bool gpudl__kept_get(const struct request *r, struct compile_result *out)
{
    struct cache_key key;
    struct cache_hit hit;
    struct decoded d;
    bool good;

    if (!key_of_kept(r, &key) || !gpudl__cache_get(r->job->cache, &key, &hit))
        return false;
    good = decode(r, hit.meta, &d) && take(&d, &hit.data, out);
    gpudl__cache_release(&hit);
    return good;
}

static bool has_changed(const struct request *r)
{
    struct request now = *r;

    now.headers = NULL;
    return !gpudl__request_key(&now) || !now.may_keep || memcmp(&now.key, &r->key, sizeof(r->key)) != 0;
}

static void make_label(const struct request *r, const struct compile_result *result, char *label, size_t size)
{
    static const char *const formats[] = { "?", "cubin", "PTX", "LTO-IR" };
    const char *name = r->job->name;
    size_t n = strlen(name);

    snprintf(label, size, "%s%s, sm_%u%.1s %s, %s", n > 60 ? "..." : "", n > 60 ? name + n - 57 : name, result->target.sm,
        &result->target.suffix, formats[result->target.format], result->compiler);
}

void gpudl__kept_put(const struct request *r, const struct compile_result *result, const struct made *made)
{
    const struct span list = { (const unsigned char *)made->reads.data, made->reads.used };
    const struct cache_key list_name = list_key(&r->key);
    struct cache_key key = r->key;
    char label[120];
    struct span meta;

    if (made->reads.failed || has_changed(r))
        return;
    if (r->compiler->kind != COMPILER_NVRTC && !result_key(&r->key, list, r->begun, &key))
        return;
    meta = encode(r, result);
    if (!meta.data)
        return;
    make_label(r, result, label, sizeof(label));
    if (gpudl__cache_put(r->job->cache, &key, label, meta, result->bytes) && r->compiler->kind != COMPILER_NVRTC) {
        snprintf(label, sizeof(label), "what %.60s reads", r->job->name);
        gpudl__cache_put(r->job->cache, &list_name, label, (struct span){ NULL, 0 }, list);
    }
    gpudl__free((void *)(uintptr_t)meta.data);
}

bool gpudl__result_copy(const struct compile_result *from, struct compile_result *out)
{
    struct compile_result copy = *from;

    copy.bytes.data = (unsigned char *)copy_of(from->bytes);
    copy.log = copy_of((struct span){ (const unsigned char *)from->log, strlen(from->log) });
    copy.lowered.data = (unsigned char *)copy_of(from->lowered);
    if (copy.bytes.data && copy.log && copy.lowered.data) {
        *out = copy;
        return true;
    }
    gpudl__compile_release(&copy);
    return false;
}
