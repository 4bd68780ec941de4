/* compare.c - see compare.h. */
#include "tools/trial/compare.h"

#include <math.h>
#include <stdbool.h>

const struct element_type *compare_type(unsigned element)
{
    static const char kinds[] = "uuuuiiiifff";
    static const unsigned char sizes[] = { 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8 };

    return element_find_kind(kinds[element], sizes[element]);
}

/* long double holds an integer of 64 bits where CUDA's hosts are x86; elsewhere the tolerance is as exact as that is. */
static long double value_of(const struct element_type *type, const void *at)
{
    int unused = 64 - 8 * type->size;
    uint64_t bits = 0;

    if (type->kind == 'f')
        return element_real(type, at);
    memcpy(&bits, at, type->size);
    return type->kind == 'i' ? (long double)((int64_t)(bits << unused) >> unused) : (long double)bits;
}

static bool is_close(const struct buffer *b, const struct element_type *type, const void *got, const void *expected)
{
    long double x, y;

    if (!memcmp(got, expected, type->size))
        return true;
    x = value_of(type, got);
    y = value_of(type, expected);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (isinf(x) || isinf(y))
        return x == y;
    return fabsl(x - y) <= b->absolute + b->relative * fabsl(y);
}

struct difference compare(const struct buffer *b, const void *got)
{
    const struct element_type *type = compare_type(b->element);
    struct difference d = { 0, 0 };

    for (uint64_t i = 0; i < b->size / type->size; i++) {
        uint64_t at = i * type->size;

        if (is_close(b, type, (const char *)got + at, b->expected.data + at))
            continue;
        if (!d.count++)
            d.first = i;
    }
    return d;
}
