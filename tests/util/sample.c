#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "src/util/sample.h"

/* The first byte and the last are sampled, and pieces of any source give what the whole does. */
static void samples_lie_all_over(void **state)
{
    static unsigned char bytes[100000];
    unsigned char taken[HASH_SAMPLED];
    struct span all = { bytes, sizeof(bytes) };

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * i >> 3);
    for (size_t size = HASH_SAMPLE; size <= sizeof(bytes); size = size * 5 / 3 + 1) {
        all.size = size;
        for (unsigned i = 0; i < HASH_SAMPLES; i++) {
            assert_true(gpudl__hash_sample_at(size, i) + HASH_SAMPLE <= size);
            memcpy(taken + i * HASH_SAMPLE, bytes + gpudl__hash_sample_at(size, i), HASH_SAMPLE);
        }
        assert_true(gpudl__hash_sampled(all) == gpudl__hash_samples(size, taken));
        assert_int_equal(gpudl__hash_sample_at(size, 0), 0);
        assert_int_equal(gpudl__hash_sample_at(size, HASH_SAMPLES - 1), size - HASH_SAMPLE);
    }
    for (size_t size = 0; size < HASH_SAMPLE; size++) {
        all.size = size;
        assert_true(gpudl__hash_sampled(all) != gpudl__hash_sampled((struct span){ bytes, size + 1 }));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_lie_all_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
