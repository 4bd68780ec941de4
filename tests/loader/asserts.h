/* asserts.h - what a call answers, in tests with cmocka. */
#ifndef TESTS_LOADER_ASSERTS_H
#define TESTS_LOADER_ASSERTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <gpudl/gpudl.h>

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

#define assert_cu(call) \
    do { \
        int err_ = (call); \
        if (err_) \
            fail_msg("%s returned %d", #call, err_); \
    } while (0)

#endif
