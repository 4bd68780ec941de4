/* Fills a driver table through cuGetProcAddress, which knows every function in every version that the driver has. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "src/driver/driver.h"
#include "src/driver/legacy.h"
#include "src/util/text.h"

static bool find_resolver(void *library, struct driver_resolver *r)
{
    /* A void * is what dlsym has; that it holds a function is POSIX's promise. */
    *(void **)&r->five = dlsym(library, "cuGetProcAddress_v2");
    *(void **)&r->four = dlsym(library, "cuGetProcAddress");
    return r->five || r->four;
}

void *gpudl__driver_resolve(const struct driver_resolver *r, const char *name, int version)
{
    void *function = NULL;
    int found, err;

    if (version > r->version)
        return NULL;
    err = r->five ? r->five(name, &function, version, 0, &found) : r->four(name, &function, version, 0);
    return err ? NULL : function;
}

/* What the driver calls its version, before there is a table: most failures are explained by it. */
static int version_of(struct driver_resolver *r)
{
    int (*get)(int *), version = 0;

    r->version = 2020;
    *(void **)&get = gpudl__driver_resolve(r, "cuDriverGetVersion", 2020);
    return get && get(&version) == 0 ? version : 0;
}

int gpudl__driver_since(const char *call)
{
    static const struct {
        const char *call;
        int since;
    } functions[] = {
#define FUNCTION(name, since, need, without, params) { "cu" #name, since },
        GPUDL_DRIVER_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };

    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
        if (strcmp(functions[i].call, call) == 0)
            return functions[i].since;
    return 0;
}

#define NEED true
#define MAYBE false

static void resolve_all(const struct driver_resolver *r, gpudl_driver_table *t)
{
#define FILL(name, since, need, without, params) *(void **)&t->name = gpudl__driver_resolve(r, "cu" #name, since);
    GPUDL_DRIVER_FUNCTIONS(FILL)
#undef FILL
}

static void list_missing(const gpudl_driver_table *t, struct text *needed, struct text *missing)
{
#define CHECK(name, since, need, without, params) \
    if (!t->name && need) \
        gpudl__text_add( \
            needed, "%scu" #name " (CUDA %d.%d)", needed->used ? ", " : "it lacks ", since / 1000, since % 1000 / 10); \
    else if (!t->name) \
        gpudl__text_add(missing, "%scu" #name " (without it: no %s)", missing->used ? ", " : "", without);
    GPUDL_DRIVER_FUNCTIONS(CHECK)
#undef CHECK
}

gpudl_status gpudl__driver_fill(void *library, int limit, struct driver *out, int *cuda, char *text)
{
    struct text missing = gpudl__text_init(out->missing, sizeof(out->missing)), needed = gpudl__text_init(text, DRIVER_TEXT_SIZE);
    char why[256] = "";
    struct text reason = gpudl__text_init(why, sizeof(why));
    gpudl_driver_table *t = &out->table;
    struct driver_resolver r;

    *cuda = 0;
    if (!find_resolver(library, &r)) {
        gpudl__text_add(&needed,
            "it has no cuGetProcAddress: it is no CUDA driver, or one older than CUDA 11.3 (gpudl needs 11.3, driver 465.19)");
        return GPUDL_ERROR_DRIVER_TOO_OLD;
    }
    t->size = sizeof(*t);
    t->version = version_of(&r);
    r.version = limit && limit < t->version ? limit : t->version;
    resolve_all(&r, t);
    if (t->version && !t->LibraryLoadData)
        gpudl__legacy_install(out, &r, &reason);
    list_missing(t, &needed, &missing);
    if (!needed.used && t->version)
        return GPUDL_OK;
    if (!t->version) {
        gpudl__text_clear(&needed);
        gpudl__text_add(&needed, "cuDriverGetVersion fails: is the library whole, and of the same version as the kernel module?");
        return GPUDL_ERROR_DRIVER;
    }
    gpudl__text_add(&needed, "%s; it calls itself CUDA %d.%d, and gpudl needs 11.3 (driver 465.19) or newer", why,
        t->version / 1000, t->version % 1000 / 10);
    return GPUDL_ERROR_DRIVER_TOO_OLD;
}
