/* internal.h - the null driver's own. */
#ifndef NULLDRV_INTERNAL_H
#define NULLDRV_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>

#include <gpudl/driver.h>

#include "tests/nulldriver/nulldrv.h"

enum {
#define CALL(name, since, need, without, params) CALL_##name,
    GPUDL_DRIVER_FUNCTIONS(CALL)
#undef CALL
    CALLS
};

int enter(int call);            /* counts; the code that this call is to fail with, or 0 */
void reset_counts(void);
void read_rules(const char *text);

#define ENTER(name) \
    do { \
        int code_ = enter(CALL_##name); \
        if (code_) \
            return code_; \
    } while (0)

enum { MOST_DEVICES = 8, KERNEL_ATTRIBUTES = 16 };

struct settings {
    int version, devices, clusters, cooperative;
    unsigned sm;
    char name[64];
};
extern struct settings settings;

extern atomic_long alive_libraries, alive_contexts, alive_memory, alive_streams, alive_events, alive_links;
void misuse(const char *text);

/* One of these per function of the list, with the same name behind null_; weak, as not all are there: a missing one is NULL. */
#define DECLARE(name, since, need, without, params) __attribute__((weak)) int null_##name params;
GPUDL_DRIVER_FUNCTIONS(DECLARE)
#undef DECLARE

struct CUkern_st {
    struct CUkern_st *next;
    CUlibrary library;
    _Atomic unsigned shared; /* dynamic bytes that a launch may have: the most of all devices */
    atomic_int attributes[MOST_DEVICES][KERNEL_ATTRIBUTES], cache_preference[MOST_DEVICES];
    char name[];
};

/* attributes.c */
void start_attributes(CUkernel kernel);
void reset_nodes(void);

/* What is asked of an unloaded library fails, and is counted. */
int usable(CUlibrary library, const char *what);

void reset_libraries(void);
void reset_links(void);
/* An option of a JIT that is a buffer, filled with text where it is given. */
void write_log(const int *options, void **values, unsigned n, int buffer_option, int size_option, const char *text);
void reset_device(void);
long pushed(void);

#endif
