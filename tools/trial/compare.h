/* compare.h - buffers as they are against what was expected. */
#ifndef GPUDL_TRIAL_COMPARE_H
#define GPUDL_TRIAL_COMPARE_H

#include "tools/gpudl/element.h"
#include "tools/trial/description.h"

struct difference {
    uint64_t count, first;      /* how many elements differ, and the index of the first */
};

const struct element_type *compare_type(unsigned element);      /* of a gpudl_trial_element */
struct difference compare(const struct buffer *b, const void *got);

#endif
