/* common.h - what the loader's tests say again and again. */
#ifndef TESTS_LOADER_COMMON_H
#define TESTS_LOADER_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/harness/harness.h"
#include "tests/loader/data.h"

#define assert_ok(call) \
    do { \
        gpudl_status status_ = (call); \
        if (status_ != GPUDL_OK) \
            fail_msg("%s: %s", gpudl_status_name(status_), gpudl_error_text()); \
    } while (0)

/* The call fails with this status, and the text holds those words. */
#define assert_fails(call, expected, words) \
    do { \
        gpudl_status status_ = (call); \
        if (status_ != (expected)) \
            fail_msg("%s, not %s: %s", gpudl_status_name(status_), gpudl_status_name(expected), gpudl_error_text()); \
        if (!strstr(gpudl_error_text(), (words))) \
            fail_msg("no '%s' in: %s", (words), gpudl_error_text()); \
    } while (0)

static inline int reset_driver(void **state)
{
    (void)state;
    nulldrv_reset();
    return 0;
}

#endif
