/* What a full build has, and a basic one has not. */
#include <limits.h>

#include "src/loader/features.h"
#include "src/loader/life/trial.h"

const uint64_t gpudl__features_built =
    GPUDL_BUILT_COMPILE | GPUDL_BUILT_LINK | GPUDL_BUILT_TRUST | GPUDL_BUILT_CACHE | GPUDL_BUILT_WATCH | GPUDL_BUILT_TRIAL;

static void note(void *user, const char *kind, const char *path)
{
    (void)kind, (void)path;
    *(bool *)user = true;
}

/* The driver's first, where there is one, as nvJitLink would have to be opened. */
static bool has_linker(gpudl_loader *l)
{
    gpudl_linker_info info = { .size_of_struct = sizeof(info) };

    for (size_t i = l ? 2 : 1; i-- > 0;)
        if (gpudl_linker_describe(l, i, &info) == GPUDL_OK && info.usable)
            return true;
    return false;
}

uint64_t gpudl__features_found(gpudl_loader *l)
{
    char program[PATH_MAX];
    bool compiler = false;

    gpudl_compilers(note, &compiler, NULL, 0);
    return (compiler ? GPUDL_HAS_COMPILER : 0) | (has_linker(l) ? GPUDL_HAS_LINKER : 0) |
        (gpudl__trial_find(program, sizeof(program)) == GPUDL_OK ? GPUDL_HAS_TRIAL : 0);
}
