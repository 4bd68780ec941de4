#include "src/loader/leaks.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/loader/loader.h"
#include "src/loader/life/task.h"
#include "src/loader/source/trust.h"
#include "src/util/text.h"

enum { UNASKED = 16, LINE_SIZE = 1024 };

bool gpudl__leaks_wanted(void)
{
    const char *value = gpudl__trust_locked() ? NULL : secure_getenv("GPUDL_LEAKS");

    return value && strcmp(value, "1") == 0;
}

/* What a handle is. Under the lock, which keeps its names. */
static void describe(const struct handle *h, enum handle_kind kind, struct text *t)
{
    const gpudl_library *lib = (const void *)h;
    const gpudl_kernel *k = (const void *)h;
    const gpudl_version *pin = (const void *)h;
    const gpudl_task *task = (const void *)h;

    switch (kind) {
    case HANDLE_LIBRARY:
        gpudl__text_add(t, "library %s", lib->name);
        break;
    case HANDLE_KERNEL:
        gpudl__text_add(t, "kernel '%s' of %s", k->slot->name, k->library->name);
        break;
    case HANDLE_PIN:
        gpudl__text_add(t, "pinned version %llu of %s", (unsigned long long)pin->version->number, pin->name);
        break;
    case HANDLE_TASK:
        gpudl__text_add(
            t, "task, a %s %s", task->replaces ? "replace by" : "load of", task->kept.name ? task->kept.name : "memory");
        break;
    default:
        break;
    }
}

/* Object and offset are what addr2line takes; made_at is where the call returns to, so the byte before is of the call. */
static void locate(const void *made_at, struct text *t)
{
    uintptr_t at = (uintptr_t)made_at - 1;
    const struct link_map *map;
    Dl_info info;

    if (!dladdr1((void *)at, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname) {
        gpudl__text_add(t, ", made at %p, in code that is gone", (const void *)at);
        return;
    }
    gpudl__text_add(t, ", made at %s+0x%llx", info.dli_fname, (unsigned long long)(at - map->l_addr));
    if (info.dli_sname)
        gpudl__text_add(t, " (%s+0x%llx)", info.dli_sname, (unsigned long long)(at - (uintptr_t)info.dli_saddr));
}

/* The next one that the program has: a library that a task still has is not one. *at: where it was made. */
static const struct handle *next(gpudl_loader *l, const struct handle *after, struct text *t, const void **at)
{
    enum handle_kind kind = HANDLE_LOADER;

    pthread_mutex_lock(&l->lock);
    do
        after = gpudl__handle_next(l, after, &kind);
    while (after && !after->made_at);
    if (after) {
        *at = after->made_at;
        if (t)
            describe(after, kind, t);
    }
    pthread_mutex_unlock(&l->lock);
    return after;
}

static size_t count(gpudl_loader *l)
{
    const void *at;
    size_t n = 0;

    for (const struct handle *h = next(l, NULL, NULL, &at); h; h = next(l, h, NULL, &at))
        n++;
    return n;
}

void gpudl__leaks_name(gpudl_loader *l, const char *when, gpudl_log_function *log, void *user)
{
    size_t all = count(l), most = gpudl__leaks_wanted() || all <= UNASKED ? all : UNASKED;
    const struct handle *h = NULL;
    char line[LINE_SIZE];
    const void *at;

    for (size_t i = 0; i < most; i++) {
        struct text t = gpudl__text_init(line, sizeof(line));
        gpudl__text_add(&t, "%s: not released: ", when);
        h = next(l, h, &t, &at);
        if (!h)
            return;
        locate(at, &t);
        log(user, GPUDL_LOG_ERROR, line);
    }
    if (most == all)
        return;
    {
        struct text t = gpudl__text_init(line, sizeof(line));
        gpudl__text_add(&t, "%s: not released: %zu more; GPUDL_LEAKS=1 in the environment names all", when, all - most);
        log(user, GPUDL_LOG_ERROR, line);
    }
}
