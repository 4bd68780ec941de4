/* clock.h - deadlines on the clock that nobody sets. */
#ifndef GPUDL_UTIL_CLOCK_H
#define GPUDL_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* So long from now; as good as never when that is beyond all time. */
static inline uint64_t clock_after(uint64_t ns)
{
    uint64_t now = clock_now();

    return ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
}

static inline struct timespec clock_spec(uint64_t ns)
{
    uint64_t most = (uint64_t)INT64_MAX / 2, seconds = ns / 1000000000u;

    return (struct timespec){ (time_t)(seconds < most ? seconds : most), (long)(ns % 1000000000u) };
}

static inline void clock_sleep(uint64_t ns)
{
    struct timespec t = clock_spec(ns);

    nanosleep(&t, NULL);
}

#endif
