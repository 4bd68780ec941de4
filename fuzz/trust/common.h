/* common.h - what the targets of this folder share: a copy of the input of its own size, so that a sanitizer sees the first byte
 * read too many, and reasons that are there on failure and end in their buffer. */
#ifndef FUZZ_TRUST_COMMON_H
#define FUZZ_TRUST_COMMON_H

#include <string.h>

#include "fuzz/image/check.h"
#include "src/trust/trust.h"

enum { REASON_SIZE = 600 };

struct reason {
    char data[REASON_SIZE];
    struct text text;
};

static inline struct text *reason_begin(struct reason *r)
{
    r->text = gpudl__text_init(r->data, sizeof(r->data));
    return &r->text;
}

static inline void reason_check(const struct reason *r, enum trust_error error)
{
    CHECK(memchr(r->data, 0, sizeof(r->data)));
    CHECK(!error || r->data[0]);
}

static inline unsigned char *copy_input(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);

    CHECK(copy);
    memcpy(copy, data, size);
    return copy;
}

#endif
