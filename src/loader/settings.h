/* settings.h - gpudl_load_options, taken in once: what makes two loads of the same bytes the same, and what a driver is told. */
#ifndef GPUDL_LOADER_SETTINGS_H
#define GPUDL_LOADER_SETTINGS_H

#include <stdbool.h>

#include <gpudl/gpudl.h>

enum { SETTINGS_JIT_MOST = 7, SETTINGS_LIBRARY_MOST = 2 };

/* Without padding, as it is compared as bytes. */
struct load_settings {
    uint64_t limit, flags;
    uint32_t optimization, max_registers, fma, cache_mode;
    uint32_t target;            /* as CUjit_target has it; 0: the device's own */
    uint32_t target_sm;
    gpudl_host_table host;      /* zeroes: none */
};

/* given may be NULL. Refuses values that no driver knows. */
gpudl_status gpudl__settings_import(const gpudl_load_options *given, struct load_settings *out);
bool gpudl__settings_same(const struct load_settings *a, const struct load_settings *b);
/* Is what it asks for good for this device? Code for another target would load, and fail at its first launch. */
gpudl_status gpudl__settings_check(const struct load_settings *s, unsigned device_sm);

/* The target that was asked for, if one was. */
void gpudl__settings_target(const struct load_settings *s, unsigned *sm, char *suffix);

/* Options for cuLibraryLoadData, and their values; returns how many. The values point into s, which stays until the unload. */
unsigned gpudl__settings_jit(const struct load_settings *s, int options[], void *values[]);
unsigned gpudl__settings_library(struct load_settings *s, int options[], void *values[]);

#endif
