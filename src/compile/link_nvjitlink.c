/* link_nvjitlink.c - the linker of the CUDA toolkit, 12.0 and later. Its functions are declared here: nothing of CUDA is included. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/compile/internal.h"
#include "src/compile/link_parts.h"
#include "src/util/alloc.h"

enum { OPTIONS_MOST = 16, WHY_SIZE = 512 };

/* X(member, name behind nvJitLink, parameters) */
#define FUNCTIONS(X) \
    X(create, "Create", (void **, uint32_t, const char **)) \
    X(destroy, "Destroy", (void **)) \
    X(add, "AddData", (void *, int, const void *, size_t, const char *)) \
    X(complete, "Complete", (void *)) \
    X(cubin_size, "GetLinkedCubinSize", (void *, size_t *)) \
    X(cubin, "GetLinkedCubin", (void *, void *)) \
    X(ptx_size, "GetLinkedPtxSize", (void *, size_t *)) \
    X(ptx, "GetLinkedPtx", (void *, char *)) \
    X(errors_size, "GetErrorLogSize", (void *, size_t *)) \
    X(errors, "GetErrorLog", (void *, char *)) \
    X(remarks_size, "GetInfoLogSize", (void *, size_t *)) \
    X(remarks, "GetInfoLog", (void *, char *))

/* A library of its kind is never closed, as it may have threads; and so these stay. */
struct nvjitlink {
#define MEMBER(member, name, parameters) int (*member) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
    int version;
    char path[512];
    char wanted[512];           /* what it was asked for by; "": whatever is found */
    struct nvjitlink *next;
};

static struct nvjitlink *opened;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* "nvJitLinkCreate", or "__nvJitLinkCreate_12_3" in libraries that have no other. */
static void *symbol(void *library, const char *name, int version)
{
    char full[64];

    if (version)
        snprintf(full, sizeof(full), "__nvJitLink%s_%d_%d", name, version / 1000, version % 1000 / 10);
    else
        snprintf(full, sizeof(full), "nvJitLink%s", name);
    return dlsym(library, full);
}

static bool fill_as(void *library, int version, struct nvjitlink *out)
{
#define FILL(member, name, parameters) \
    if (!(*(void **)&out->member = symbol(library, name, version))) \
        return false;
    FUNCTIONS(FILL)
#undef FILL
    return true;
}

static int version_of(void *library)
{
    int (*get)(unsigned *, unsigned *);
    unsigned major = 0, minor = 0;

    *(void **)&get = dlsym(library, "nvJitLinkVersion");
    if (get && !get(&major, &minor))
        return (int)(1000 * major + 10 * minor);
    for (int v = 12000; v < 20000; v += v % 1000 < 90 ? 10 : 910)
        if (symbol(library, "Create", v))
            return v;
    return 0;
}

static bool fill(void *library, struct nvjitlink *out, struct text *why)
{
    struct link_map *map = NULL;

    if (!dlinfo(library, RTLD_DI_LINKMAP, &map))
        snprintf(out->path, sizeof(out->path), "%s", map->l_name);
    out->version = version_of(library);
    if (fill_as(library, 0, out) || (out->version && fill_as(library, out->version, out)))
        return true;
    gpudl__text_add(why, "%s lacks functions of nvJitLink 12.0: is it one?", out->path);
    dlclose(library);
    return false;
}

static void *open_one(const char *path, struct text *why)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *words = library ? NULL : dlerror();

    if (!library)
        gpudl__text_add(why, "%s%s", why->used ? "; " : "", words ? words : path);
    return library;
}

/* In its places, or wherever the dynamic linker finds it. */
static void *open_any(struct text *why)
{
    char path[PATH_MAX];
    void *library = gpudl__find_nvjitlink(path, why) ? open_one(path, why) : NULL;

    if (!library)
        library = open_one("libnvJitLink.so.13", why);
    return library ? library : open_one("libnvJitLink.so.12", why);
}

static struct nvjitlink *known(const char *wanted)
{
    struct nvjitlink *n = opened;

    while (n && strcmp(n->wanted, wanted))
        n = n->next;
    return n;
}

/* The process's own memory, not a loader's. */
static struct nvjitlink *open_new(const char *wanted, struct text *why)
{
    struct nvjitlink *n = strlen(wanted) < sizeof(n->wanted) ? calloc(1, sizeof(*n)) : NULL;
    void *library = n ? *wanted ? open_one(wanted, why) : open_any(why) : NULL;

    if (!library || !fill(library, n, why)) {
        free(n);
        return NULL;
    }
    memcpy(n->wanted, wanted, strlen(wanted) + 1);
    n->next = opened;
    opened = n;
    return n;
}

const struct nvjitlink *gpudl__nvjitlink_open(const char *path, struct text *why)
{
    const char *wanted = path ? path : "";
    struct nvjitlink *n;

    pthread_mutex_lock(&lock);
    n = known(wanted);
    if (!n)
        n = open_new(wanted, why);
    pthread_mutex_unlock(&lock);
    return n;
}

int gpudl__nvjitlink_version(const struct nvjitlink *n)
{
    return n->version;
}

bool gpudl__link_describe(int *version, char *path, size_t path_size, struct text *text)
{
    const struct nvjitlink *n = gpudl__nvjitlink_open(NULL, text);

    if (!n)
        return false;
    *version = n->version;
    snprintf(path, path_size, "%s", n->path);
    return true;
}

/* -------------------------------------------------------------------------------------------------------------------- options */

struct jit_options {
    const char *list[OPTIONS_MOST];
    char texts[OPTIONS_MOST][48];
    uint32_t n;
};

__attribute__((format(printf, 2, 3))) static void option(struct jit_options *o, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(o->texts[o->n], sizeof(o->texts[0]), format, args);
    va_end(args);
    o->list[o->n] = o->texts[o->n];
    o->n++;
}

/* nvJitLink knows the levels 0 and 3 only. */
static void take_options(struct jit_options *o, const struct link_job *job, const struct link_parts *parts)
{
    const struct link_settings *s = &job->settings;
    char target[16];

    gpudl__link_name_target(job, target);
    option(o, "-arch=%s", target);
    if (parts->lto)
        option(o, "-lto");
    if (job->target.ptx)
        option(o, "-ptx");
    if (s->debug)
        option(o, "-g");
    if (s->line_info)
        option(o, "-lineinfo");
    if (s->optimization_given || s->debug)
        option(o, "-O%d", s->optimization_given && s->optimization ? 3 : 0);
    if (s->max_registers)
        option(o, "-maxrregcount=%u", s->max_registers);
    if (s->fma_given)
        option(o, "-fma=%d", s->fma);
    if (*s->cache_mode)
        option(o, "-Xptxas=-dlcm=%s", s->cache_mode);
}

/* -------------------------------------------------------------------------------------------------------------------- the link */

static int type_of(enum link_kind kind)
{
    switch (kind) {
    case LINK_CUBIN: return 1;
    case LINK_PTX: return 2;
    case LINK_LTOIR: return 3;
    case LINK_FATBIN: return 4;
    case LINK_LIBRARY: return 6;
    }
    return 0;
}

static char *log_of(void *handle, int (*size_of)(void *, size_t *), int (*get)(void *, char *))
{
    size_t size = 0;
    char *log;

    if (size_of(handle, &size) || !size || !(log = gpudl__alloc_zero(size + 1)))
        return NULL;
    get(handle, log);
    return log;
}

/* The name for a library's own number; the header of the toolkit has them. */
static const char *result_name(int code)
{
    static const char *const names[] = { "SUCCESS", "ERROR_UNRECOGNIZED_OPTION", "ERROR_MISSING_ARCH", "ERROR_INVALID_INPUT",
        "ERROR_PTX_COMPILE", "ERROR_NVVM_COMPILE", "ERROR_INTERNAL", "ERROR_THREADPOOL", "ERROR_UNRECOGNIZED_INPUT", "ERROR_FINALIZE",
        "ERROR_NULL_INPUT", "ERROR_INCOMPATIBLE_OPTIONS", "ERROR_INCORRECT_INPUT_TYPE", "ERROR_ARCH_MISMATCH", "ERROR_OUTDATED_LIBRARY",
        "ERROR_MISSING_FATBIN", "ERROR_UNRECOGNIZED_ARCH", "ERROR_UNSUPPORTED_ARCH", "ERROR_LTO_NOT_ENABLED" };

    return code >= 0 && (size_t)code < sizeof(names) / sizeof(*names) ? names[code] : "an error of no known name";
}

static bool is_mixed(const struct link_parts *parts)
{
    size_t lto = 0;

    for (size_t i = 0; i < parts->n; i++)
        lto += parts->items[i].kind == LINK_LTOIR || parts->items[i].kind == LINK_FATBIN;
    return lto && lto < parts->n;
}

static enum link_error refused(const struct nvjitlink *n, void *handle, int code, const char *what, const struct link_job *job,
    const struct link_parts *parts, struct text *text)
{
    char *log = handle ? log_of(handle, n->errors_size, n->errors) : NULL, *words = log ? gpudl__link_keep_log(log) : NULL;
    char target[16];

    gpudl__link_name_target(job, target);
    gpudl__text_add(text, "nvJitLink %d.%d could not link ", n->version / 1000, n->version % 1000 / 10);
    gpudl__link_name_inputs(job, text);
    gpudl__text_add(text, " for %s: %s (%s): %s", target, what, result_name(code), words ? words : "it has no words for it");
    if (is_mixed(parts))
        gpudl__text_add(text, "; PTX and machine code find no functions that are in LTO-IR: compile all of it with -dlto, or none");
    gpudl__free(words);
    gpudl__free(log);
    return LINK_REFUSED;
}

static enum link_error take_result(const struct nvjitlink *n, void *handle, bool ptx, struct link_result *out)
{
    size_t size = 0;

    if ((ptx ? n->ptx_size : n->cubin_size)(handle, &size) || !size)
        return LINK_REFUSED;
    if (!(out->bytes = gpudl__alloc_zero(size + 1)))
        return LINK_NO_MEMORY;
    if (ptx ? n->ptx(handle, (char *)out->bytes) : n->cubin(handle, out->bytes))
        return LINK_REFUSED;
    out->size = ptx ? strnlen((char *)out->bytes, size) : size;
    return LINK_OK;
}

static enum link_error link_all(const struct nvjitlink *n, void *handle, const struct link_job *job, const struct link_parts *parts,
    struct link_result *out, struct text *text)
{
    enum link_error error;
    char *log;
    int code;

    for (size_t i = 0; i < parts->n; i++) {
        const struct link_part *p = &parts->items[i];

        code = n->add(handle, type_of(p->kind), p->bytes.data, p->bytes.size + (p->kind == LINK_PTX), p->name);
        if (code)
            return refused(n, handle, code, p->name, job, parts, text);
    }
    if ((code = n->complete(handle)))
        return refused(n, handle, code, "the link", job, parts, text);
    error = take_result(n, handle, job->target.ptx, out);
    if (error == LINK_REFUSED)
        return refused(n, handle, 0, "its result is empty", job, parts, text);
    if (!error && (log = log_of(handle, n->remarks_size, n->remarks))) {
        out->log = gpudl__link_keep_log(log);
        gpudl__free(log);
    }
    return error;
}

enum link_error gpudl__nvjitlink_run(const struct nvjitlink *n, const struct link_job *job, const struct link_parts *parts,
    struct link_result *out, struct text *text)
{
    struct jit_options options = { .n = 0 };
    struct cache_key key;
    void *handle = NULL;
    enum link_error error;
    int code;

    take_options(&options, job, parts);
    gpudl__link_key(parts, n->path, options.list, options.n, &key);
    if (gpudl__link_kept_get(job->cache, &key, out))
        return LINK_OK;
    snprintf(out->linker, sizeof(out->linker), "nvJitLink %d.%d", n->version / 1000, n->version % 1000 / 10);
    if ((code = n->create(&handle, options.n, options.list)))
        return refused(n, NULL, code, "its options", job, parts, text);
    error = link_all(n, handle, job, parts, out, text);
    n->destroy(&handle);
    if (!error)
        gpudl__link_kept_put(job->cache, &key, job, out);
    return error;
}
