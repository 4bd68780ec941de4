/* A plugin that brings gpudl along. */
#include "tests/share/copy.h"

static volatile uintptr_t nowhere = 64; /* not known to compilers and sanitizers */

static void crash(void)
{
    *(volatile int *)nowhere = 1;
}

extern const struct gpudl_copy gpudl_copy __attribute__((visibility("default")));
const struct gpudl_copy gpudl_copy = COPY_INIT(crash);
