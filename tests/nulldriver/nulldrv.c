/* The door: cuGetProcAddress, settings, what is alive, misuse. */
#include "tests/nulldriver/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *found);
EXPORT int cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);

static atomic_ulong misuses;
static const char *_Atomic last_misuse;

void misuse(const char *text)
{
    atomic_store(&last_misuse, text);
    atomic_fetch_add(&misuses, 1);
}

unsigned long nulldrv_misuses(const char **text)
{
    if (text)
        *text = atomic_load(&last_misuse);
    return atomic_load(&misuses);
}

int null_GetErrorName(int code, const char **out)
{
    static const struct { int code; const char *name; } known[] = {
        { 0, "CUDA_SUCCESS" }, { 1, "CUDA_ERROR_INVALID_VALUE" }, { 2, "CUDA_ERROR_OUT_OF_MEMORY" },
        { 100, "CUDA_ERROR_NO_DEVICE" }, { 200, "CUDA_ERROR_INVALID_IMAGE" }, { 201, "CUDA_ERROR_INVALID_CONTEXT" }, { 218, "CUDA_ERROR_INVALID_PTX" },
        { 500, "CUDA_ERROR_NOT_FOUND" }, { 719, "CUDA_ERROR_LAUNCH_FAILED" }, { 999, "CUDA_ERROR_UNKNOWN" },
    };

    ENTER(GetErrorName);
    *out = "CUDA_ERROR_OTHER";
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (known[i].code == code)
            *out = known[i].name;
    return 0;
}

int null_GetErrorString(int code, const char **out)
{
    ENTER(GetErrorString);
    *out = code ? "an error of the null driver" : "no error";
    return 0;
}

int null_GetProcAddress(const char *name, void **out, int version, uint64_t flags, int *found)
{
    static const struct { const char *name; int since; void *function; } functions[] = {
#define FUNCTION(name, since, need, without, params) { "cu" #name, since, (void *)null_##name },
        GPUDL_DRIVER_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };

    (void)flags;
    *out = NULL;
    *found = 1;
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
        if (strcmp(functions[i].name, name) == 0) {
            bool there = functions[i].function && functions[i].since <= settings.version && functions[i].since <= version;
            *out = there ? functions[i].function : NULL;
            *found = there ? 0 : 2;
        }
    return 0;
}

int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *found)
{
    return null_GetProcAddress(name, out, version, flags, found);
}

int cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
    int found;

    return null_GetProcAddress(name, out, version, flags, &found);
}

void nulldrv_set_sm(unsigned sm) { settings.sm = sm; }
void nulldrv_set_clusters(int can) { settings.clusters = can; }
void nulldrv_set_cooperative(int can) { settings.cooperative = can; }
void nulldrv_set_devices(int count) { settings.devices = count; }
void nulldrv_set_name(const char *name) { snprintf(settings.name, sizeof(settings.name), "%s", name); }

long nulldrv_alive(const char *what)
{
    return strcmp(what, "library") == 0 ? atomic_load(&alive_libraries) :
           strcmp(what, "context") == 0 ? atomic_load(&alive_contexts) :
           strcmp(what, "memory") == 0 ? atomic_load(&alive_memory) :
           strcmp(what, "stream") == 0 ? atomic_load(&alive_streams) :
           strcmp(what, "event") == 0 ? atomic_load(&alive_events) :
           strcmp(what, "link") == 0 ? atomic_load(&alive_links) :
           strcmp(what, "pushed") == 0 ? pushed() : -1;
}

void nulldrv_reset(void)
{
    reset_counts();
    reset_device();
    reset_libraries();
    reset_links();
    atomic_store(&misuses, 0);
    atomic_store(&last_misuse, "");
}

__attribute__((constructor)) static void read_environment(void)
{
    const char *sm = getenv("NULLDRV_SM"), *name = getenv("NULLDRV_NAME"), *devices = getenv("NULLDRV_DEVICES"),
               *version = getenv("NULLDRV_VERSION");

    nulldrv_reset();
    if (sm)
        nulldrv_set_sm((unsigned)atoi(sm));
    if (name)
        nulldrv_set_name(name);
    if (devices)
        nulldrv_set_devices(atoi(devices));
    if (version)
        settings.version = atoi(version);
    read_rules(getenv("NULLDRV_FAIL"));
}
