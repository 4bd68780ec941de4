#include "src/loader/settings.h"

#include <string.h>

#include "src/image/image.h"
#include "src/loader/error.h"
#include "src/loader/options.h"

enum { TARGET_ACCELERATED = 0x10000, TARGET_FAMILY = 0x20000 }; /* what CUjit_target adds for the suffixes a and f */

static const uint64_t KNOWN_FLAGS = GPUDL_LOAD_LINE_INFO | GPUDL_LOAD_DEBUG | GPUDL_LOAD_PRESERVED | GPUDL_LOAD_SHARED_GLOBALS;

static gpudl_status wrong(const char *what)
{
    return gpudl__fail_argument("gpudl_load_options", what);
}

static gpudl_status parse_target(const char *name, struct load_settings *s)
{
    char suffix;
    unsigned sm;

    if (!name)
        return GPUDL_OK;
    if (!gpudl__image_parse_arch(name, &sm, &suffix) || sm >= TARGET_ACCELERATED)
        return gpudl__fail(
            GPUDL_ERROR_ARGUMENT, "gpudl_load_options: target is '%.32s': write it as \"sm_90\" or \"sm_90a\"", name);
    s->target_sm = sm;
    s->target = sm + (suffix == 'a' ? TARGET_ACCELERATED : suffix == 'f' ? TARGET_FAMILY : 0);
    return GPUDL_OK;
}

static gpudl_status check(const gpudl_load_options *o)
{
    gpudl_status status = gpudl__flags_check(o->flags, KNOWN_FLAGS, "gpudl_load_options");

    if (status != GPUDL_OK)
        return status;
    if (o->optimization > GPUDL_OPTIMIZATION(4))
        return wrong("optimization is 0 (the driver's choice) or GPUDL_OPTIMIZATION(level), with a level from 0 to 4");
    if (o->fma > GPUDL_FMA_OFF)
        return wrong("fma is 0 (the driver's choice), GPUDL_FMA_ON or GPUDL_FMA_OFF");
    if (o->cache_mode > GPUDL_CACHE_MODE_CA)
        return wrong("cache_mode is 0 (the driver's choice), GPUDL_CACHE_MODE_CG or GPUDL_CACHE_MODE_CA");
    if ((o->flags & GPUDL_LOAD_DEBUG) && o->optimization > GPUDL_OPTIMIZATION(0))
        return wrong("GPUDL_LOAD_DEBUG is for code that is not optimised: set optimization to 0 or GPUDL_OPTIMIZATION(0)");
    return GPUDL_OK;
}

gpudl_status gpudl__settings_import(const gpudl_load_options *given, struct load_settings *out)
{
    gpudl_load_options o = GPUDL_LOAD_OPTIONS_INIT;
    struct load_settings s;
    gpudl_status status = GPUDL_OK;

    if (given)
        status = gpudl__options_import(&o, sizeof(o), given, "gpudl_load_options");
    if (status == GPUDL_OK)
        status = check(&o);
    memset(&s, 0, sizeof(s));
    s.limit = o.max_image_bytes;
    s.flags = o.flags;
    s.optimization = o.optimization;
    s.max_registers = o.max_registers;
    s.fma = o.fma;
    s.cache_mode = o.cache_mode;
    if (status == GPUDL_OK)
        status = parse_target(o.target, &s);
    if (o.host_table)
        s.host = *o.host_table;
    if (status == GPUDL_OK)
        *out = s;
    return status;
}

bool gpudl__settings_same(const struct load_settings *a, const struct load_settings *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

gpudl_status gpudl__settings_check(const struct load_settings *s, unsigned device)
{
    bool exact = s->target & TARGET_ACCELERATED;

    if (!s->target || (s->target_sm / 10 == device / 10 && (exact ? s->target_sm == device : s->target_sm <= device)))
        return GPUDL_OK;
    return gpudl__fail(GPUDL_ERROR_ARCHITECTURE,
        "gpudl_load_options: target is sm_%u%s, and code for it does not run on this device, sm_%u: leave target NULL",
        s->target_sm,
        exact                           ? "a"
            : s->target & TARGET_FAMILY ? "f"
                                        : "",
        device);
}

void gpudl__settings_target(const struct load_settings *s, unsigned *sm, char *suffix)
{
    if (!s->target)
        return;
    *sm = s->target_sm;
    *suffix = s->target & TARGET_ACCELERATED ? 'a' : s->target & TARGET_FAMILY ? 'f' : 0;
}

struct list {
    int *options;
    void **values;
    unsigned n;
};

static void add(struct list *l, int option, uintptr_t value)
{
    l->options[l->n] = option;
    l->values[l->n++] = (void *)value;
}

unsigned gpudl__settings_jit(const struct load_settings *s, int options[], void *values[])
{
    struct list l = { options, values, 0 };

    if (s->optimization)
        add(&l, GPUDL_JIT_OPTIMIZATION_LEVEL, s->optimization - GPUDL_OPTIMIZATION(0));
    if (s->max_registers)
        add(&l, GPUDL_JIT_MAX_REGISTERS, s->max_registers);
    if (s->target)
        add(&l, GPUDL_JIT_TARGET, s->target);
    if (s->fma)
        add(&l, GPUDL_JIT_FMA, s->fma == GPUDL_FMA_ON);
    if (s->cache_mode)
        add(&l, GPUDL_JIT_CACHE_MODE, s->cache_mode);
    if (s->flags & GPUDL_LOAD_LINE_INFO)
        add(&l, GPUDL_JIT_GENERATE_LINE_INFO, 1);
    if (s->flags & GPUDL_LOAD_DEBUG)
        add(&l, GPUDL_JIT_GENERATE_DEBUG_INFO, 1);
    return l.n;
}

static bool has_host_table(const struct load_settings *s)
{
    return s->host.functions || s->host.data || s->host.function_bytes || s->host.data_bytes;
}

unsigned gpudl__settings_library(struct load_settings *s, int options[], void *values[])
{
    struct list l = { options, values, 0 };

    if (has_host_table(s))
        add(&l, GPUDL_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE, (uintptr_t)&s->host);
    if (s->flags & GPUDL_LOAD_PRESERVED)
        add(&l, GPUDL_LIBRARY_BINARY_IS_PRESERVED, 1);
    return l.n;
}
