/* hpp.h - what the tests of gpudl.hpp say again and again: cmocka, in C++. */
#ifndef TESTS_HPP_HPP_H
#define TESTS_HPP_HPP_H

#include <gpudl/gpudl.hpp>

#include <csetjmp>
#include <cstdarg>
#include <cstring>
#include <string>

extern "C" {
#include <cmocka.h>
#include "tests/harness/harness.h"
#include "tests/loader/data.h"
}

#define expect(condition) \
    do { \
        if (!(condition)) \
            fail_msg("not so: %s", #condition); \
    } while (0)

#define expect_text(text, words) \
    do { \
        const std::string text_ = (text); \
        if (text_.find(words) == std::string::npos) \
            fail_msg("no '%s' in: %s", words, text_.c_str()); \
    } while (0)

/* A result is a failure of this status, and its text has those words. */
#define expect_failure(result, expected, words) \
    do { \
        const auto &result_ = (result); \
        if (result_.status() != (expected)) \
            fail_msg("%s, not %s: %s", gpudl_status_name(result_.status()), gpudl_status_name(expected), \
                result_.error().text().c_str()); \
        expect_text(result_.error().text(), words); \
    } while (0)

#define DATA_BYTES(name) gpudl::memory(data_##name, DATA_SIZE(name))

#endif
