/* Fills a driver table through cuGetProcAddress, which knows every function in every version that the driver has. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "src/driver/driver.h"
#include "src/util/text.h"

typedef int get_proc_address_5(const char *, void **, int, uint64_t, int *); /* since CUDA 12.0 */
typedef int get_proc_address_4(const char *, void **, int, uint64_t);        /* since CUDA 11.3 */

struct resolver {
    get_proc_address_5 *five;
    get_proc_address_4 *four;
};

static void *resolve(const struct resolver *r, const char *name, int version)
{
    void *function = NULL;
    int found, err;

    err = r->five ? r->five(name, &function, version, 0, &found) : r->four(name, &function, version, 0);
    return err ? NULL : function;
}

static bool find_resolver(void *library, struct resolver *r)
{
    /* A void * is what dlsym has; that it holds a function is POSIX's promise. */
    *(void **)&r->five = dlsym(library, "cuGetProcAddress_v2");
    *(void **)&r->four = dlsym(library, "cuGetProcAddress");
    return r->five || r->four;
}

/* What the driver calls its version, before there is a table: most failures are explained by it. */
static int version_of(const struct resolver *r)
{
    int (*get)(int *), version = 0;

    *(void **)&get = resolve(r, "cuDriverGetVersion", 2020);
    return get && get(&version) == 0 ? version : 0;
}

#define NEED true
#define MAYBE false

gpudl_status gpudl__driver_fill(void *library, struct driver *out, int *cuda, char *text)
{
    struct text missing = gpudl__text_init(out->missing, sizeof(out->missing)), needed = gpudl__text_init(text, DRIVER_TEXT_SIZE);
    gpudl_driver_table *t = &out->table;
    struct resolver r;

    *cuda = 0;
    if (!find_resolver(library, &r)) {
        gpudl__text_add(&needed,
            "it has no cuGetProcAddress: it is no CUDA driver, or one older than CUDA 11.3 (gpudl needs 12.0, driver 525.60)");
        return GPUDL_ERROR_DRIVER_TOO_OLD;
    }
    t->size = sizeof(*t);
    t->version = version_of(&r);
#define FILL(name, since, need, without, params) \
    *(void **)&t->name = resolve(&r, "cu" #name, since); \
    if (!t->name && need) \
        gpudl__text_add( \
            &needed, "%scu" #name " (CUDA %d.%d)", needed.used ? ", " : "it lacks ", since / 1000, since % 1000 / 10); \
    else if (!t->name) \
        gpudl__text_add(&missing, "%scu" #name " (without it: no %s)", missing.used ? ", " : "", without);
    GPUDL_DRIVER_FUNCTIONS(FILL)
#undef FILL
    if (!needed.used && t->version)
        return GPUDL_OK;
    if (!needed.used) {
        gpudl__text_add(&needed, "cuDriverGetVersion fails: is the library whole, and of the same version as the kernel module?");
        return GPUDL_ERROR_DRIVER;
    }
    gpudl__text_add(&needed, "; it calls itself CUDA %d.%d, and gpudl needs 12.0 (driver 525.60) or newer", t->version / 1000,
        t->version % 1000 / 10);
    return GPUDL_ERROR_DRIVER_TOO_OLD;
}
