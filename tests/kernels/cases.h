/* cases.h - the tables of cases, a file each. */
#ifndef TESTS_KERNELS_CASES_H
#define TESTS_KERNELS_CASES_H

#include "tests/kernels/kernel_test.h"

struct kt_table {
    const struct kt_case *cases;
    size_t count;
};
#define KT_TABLE(array) { (array), sizeof(array) / sizeof(*(array)) }

extern const struct kt_table kt_cases_nine, kt_cases_warp, kt_cases_sync, kt_cases_control, kt_cases_memory;
extern const struct kt_table kt_cases_integer, kt_cases_real;

/* Block sizes that are and are not multiples of 32, in one, two and three dimensions. */
extern const struct kt_shape kt_any_shapes[9], kt_whole_warps[4], kt_2d_shapes[6];

#endif
