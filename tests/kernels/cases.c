#include "tests/kernels/cases.h"

const struct kt_shape kt_any_shapes[9] = {
    KT_SHAPE_1D(5, 1),
    KT_SHAPE_1D(4, 31),
    KT_SHAPE_1D(3, 32),
    KT_SHAPE_1D(3, 33),
    KT_SHAPE_1D(4, 100),
    KT_SHAPE_1D(3, 256),
    { { 2, 1, 1 }, { 16, 16, 1 } },
    { { 2, 1, 1 }, { 8, 4, 3 } },
    { { 2, 2, 2 }, { 5, 3, 2 } },
};

const struct kt_shape kt_whole_warps[4] = { KT_SHAPE_1D(3, 32), KT_SHAPE_1D(4, 128), KT_SHAPE_1D(3, 256), KT_SHAPE_1D(1, 1024) };

const struct kt_shape kt_2d_shapes[6] = {
    { { 5, 4, 1 }, { 16, 16, 1 } },
    { { 3, 9, 1 }, { 32, 8, 1 } },
    { { 11, 3, 1 }, { 7, 13, 1 } },
    { { 70, 1, 1 }, { 1, 33, 1 } },
    { { 2, 5, 1 }, { 33, 3, 1 } },
    { { 1, 40, 1 }, { 100, 1, 1 } },
};

const struct kt_case *kt_case_at(size_t index)
{
    static const struct kt_table *const tables[] = { &kt_cases_nine, &kt_cases_warp, &kt_cases_sync, &kt_cases_control,
        &kt_cases_memory, &kt_cases_integer, &kt_cases_real };

    for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++) {
        if (index < tables[t]->count)
            return &tables[t]->cases[index];
        index -= tables[t]->count;
    }
    return NULL;
}
