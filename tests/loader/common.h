/* common.h - what the loader's tests say again and again. */
#ifndef TESTS_LOADER_COMMON_H
#define TESTS_LOADER_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/harness/harness.h"
#include "tests/loader/asserts.h"
#include "tests/loader/data.h"

static inline int reset_driver(void **state)
{
    (void)state;
    nulldrv_reset();
    return 0;
}

#endif
