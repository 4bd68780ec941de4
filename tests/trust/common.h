/* common.h - what the tests of this room say again and again. */
#ifndef TESTS_TRUST_COMMON_H
#define TESTS_TRUST_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/trust/trust.h"
#include "tests/trust/data.h"

static char reason[2048];

/* Where a failing call writes its reason; emptied for each. */
static inline struct text *why(void)
{
    static struct text text;

    text = gpudl__text_init(reason, sizeof(reason));
    return &text;
}

static inline struct span text_of(const char *text)
{
    return (struct span){ (const unsigned char *)text, strlen(text) };
}

#define assert_good(call) \
    do { \
        if ((call) != TRUST_OK) \
            fail_msg("%s", reason); \
    } while (0)

/* The call fails in this way, and the reason holds those words. */
#define assert_refused(call, expected, words) \
    do { \
        enum trust_error error_ = (call); \
        if (error_ != (expected)) \
            fail_msg("%d, not %d: %s", (int)error_, (int)(expected), reason); \
        if (!strstr(reason, (words))) \
            fail_msg("no '%s' in: %s", (words), reason); \
    } while (0)

#endif
