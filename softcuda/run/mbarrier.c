/* mbarrier.c - see mbarrier.h. */
#include "softcuda/run/mbarrier.h"

#include <string.h>

#define MASK(bits) (((uint64_t)1 << (bits)) - 1)
#define COUNT MASK(SC_MBARRIER_COUNT_BITS)
#define BYTES_SHIFT (2 * SC_MBARRIER_COUNT_BITS)
#define PHASE ((uint64_t)1 << 63)

static uint64_t pending(uint64_t b)
{
    return b & COUNT;
}

static uint64_t expected(uint64_t b)
{
    return b >> SC_MBARRIER_COUNT_BITS & COUNT;
}

static uint64_t bytes(uint64_t b)
{
    return b >> BYTES_SHIFT & MASK(SC_MBARRIER_BYTES_BITS);
}

/* A phase whose arrivals and bytes are complete gives way to the next. */
static uint64_t make(uint64_t phase, uint64_t missing, uint64_t next, uint64_t announced)
{
    missing &= COUNT;
    next &= COUNT;
    announced &= MASK(SC_MBARRIER_BYTES_BITS);
    if (!missing && !announced) {
        phase ^= PHASE;
        missing = next;
    }
    return phase | announced << BYTES_SHIFT | next << SC_MBARRIER_COUNT_BITS | missing;
}

static uint64_t apply(uint32_t form, uint64_t b, uint64_t count)
{
    uint64_t phase = b & PHASE, arriving = form & SC_MBARRIER_ANNOUNCES ? 1 : count, announced = bytes(b);

    if (form & SC_MBARRIER_ANNOUNCES)
        announced += count;
    switch (SC_MBARRIER_OP(form)) {
    case SC_MBARRIER_INIT:
        return (count & COUNT) << SC_MBARRIER_COUNT_BITS | (count & COUNT);
    case SC_MBARRIER_INVAL:
        return 0;
    case SC_MBARRIER_ARRIVE:
        return make(phase, pending(b) - arriving, expected(b), announced);
    case SC_MBARRIER_DROP:
        return make(phase, pending(b) - arriving, expected(b) - arriving, announced);
    case SC_MBARRIER_EXPECT:
        return phase | ((announced + count) & MASK(SC_MBARRIER_BYTES_BITS)) << BYTES_SHIFT | (b & MASK(BYTES_SHIFT));
    case SC_MBARRIER_COMPLETE:
        return make(phase, pending(b), expected(b), announced - count);
    default:
        return b;
    }
}

static uint64_t answer(uint32_t form, uint64_t b, uint64_t count)
{
    switch (SC_MBARRIER_OP(form)) {
    case SC_MBARRIER_TEST:
        return (b & PHASE) != (count & PHASE);
    case SC_MBARRIER_PARITY:
        return (b >> 63) != (count & 1);
    default:
        return b;
    }
}

static void one(struct sc_warp *w, uint32_t lane_bit, uint32_t form, uint64_t address, uint64_t count, uint64_t *result)
{
    uint64_t b, now;

    sc_rt_check_one(w, address, 8, lane_bit, 0, 0);
    memcpy(&b, (const void *)(uintptr_t)address, sizeof(b));
    *result = answer(form, b, count);
    now = apply(form, b, count);
    if (now != b)
        memcpy((void *)(uintptr_t)address, &now, sizeof(now));
}

void sc_rt_mbarrier(
    struct sc_warp *w, uint32_t lanes, uint32_t form, const uint64_t *address, const uint64_t *count, uint64_t *result)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);

        if (SC_MBARRIER_OP(form) == SC_MBARRIER_PENDING)
            result[l] = pending(count[l]);
        else
            one(w, 1u << l, form, address[l], count[l], &result[l]);
    }
}

void sc_rt_bulk_copy(
    struct sc_warp *w, uint32_t lanes, const uint64_t *to, const uint64_t *from, const uint32_t *size, const uint64_t *mbarrier)
{
    uint64_t unused;

    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);

        for (uint32_t at = 0; at < size[l]; at += 16) {
            sc_rt_check_one(w, from[l] + at, 16, 1u << l, 0, 0);
            sc_rt_check_one(w, to[l] + at, 16, 1u << l, 0, 0);
        }
        memmove((void *)(uintptr_t)to[l], (const void *)(uintptr_t)from[l], size[l] & ~15u);
        if (mbarrier)
            one(w, 1u << l, SC_MBARRIER_COMPLETE, mbarrier[l], size[l], &unused);
    }
}
