/* link.h - several images as one, by a linker that is found on the machine: nvJitLink, opened at run time, or the driver's own. Opens no
 * driver: a job brings one along. Any number of threads.
 *
 * Inputs are looked into first (link_input.c): of each fatbin the one entry that the target takes goes to the linker, so that what does
 * not fit is told with both architectures; and names that two inputs define are told here (link_symbols.c), as nvJitLink 13.0 writes a
 * line to stderr for them and succeeds. */
#ifndef GPUDL_COMPILE_LINK_H
#define GPUDL_COMPILE_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include <gpudl/driver.h>

#include "src/image/image.h"
#include "src/util/span.h"
#include "src/util/text.h"

struct cache;

enum link_error {
    LINK_OK,
    LINK_INPUT,         /* an input cannot be read: link_failure.image */
    LINK_MISFIT,        /* an input holds nothing for the target: link_failure.misfit */
    LINK_NO_LINKER,     /* none that can do it: the text says where was looked */
    LINK_REFUSED,       /* the linker refused it: names that are missing or there twice, architectures, options */
    LINK_NO_MEMORY
};

struct link_input {
    struct span bytes;          /* unchanged during the call; a NUL follows where they are PTX */
    const char *name;           /* for messages */
};

struct link_target {
    unsigned sm;                /* 90 */
    char suffix;                /* 0, 'a', 'f'; 0 of a device takes code of any that it runs */
    bool device;                /* it is a device's */
    bool ptx;                   /* PTX is wanted, not machine code */
};

struct link_settings {
    bool line_info, debug, fma_given, fma, optimization_given;
    unsigned optimization;      /* 0 to 4, if given */
    unsigned max_registers;     /* 0: not given */
    char cache_mode[3];         /* "cg", "ca"; "" */
};

/* The driver whose linker may be taken. */
struct link_driver {
    const gpudl_driver_table *table;    /* NULL: there is none */
    bool software;                      /* softcuda */
    const char *text;                   /* what it is, for messages */
    int (*enter)(void *user);           /* makes a context current for its linker: 0, or the driver's code */
    void (*leave)(void *user);          /* after that */
    void *user;
};

struct link_job {
    const struct link_input *inputs;
    size_t n;
    struct link_target target;
    struct link_settings settings;
    struct link_driver driver;
    const char *linker;         /* "nvjitlink", "driver" or a library's path; NULL: GPUDL_LINKER, else what the inputs need */
    uint64_t limit;             /* that one entry may decompress to; 0: 1 GiB */
    struct cache *cache;        /* where nvJitLink's results are kept; NULL: they are not. Of the driver's linker it is not known what it is made of */
};

struct link_result {
    unsigned char *bytes;       /* a cubin, or PTX: a NUL follows. gpudl__free() */
    size_t size;
    char *log;                  /* what the linker remarked; NULL: nothing. gpudl__free() */
    char linker[96];            /* "nvJitLink 13.0" */
    bool kept;                  /* it was linked before, and taken from the cache */
};

struct link_failure {
    enum image_error image;
    enum image_misfit misfit;
    int cuda;                   /* the driver's own code, or 0 */
};

/* On failure there is nothing to release, and text says what was tried and why not. */
enum link_error gpudl__link(const struct link_job *, struct link_result *, struct link_failure *, struct text *text);
void gpudl__link_release(struct link_result *);

/* Is there a linker for LTO-IR, with this choice of linker (as in a job)? */
bool gpudl__link_takes_ltoir(const char *linker);

/* nvJitLink, as it would be taken now: its version (13000; 0: not known) and path; false: text says where was looked. */
bool gpudl__link_describe(int *version, char *path, size_t path_size, struct text *text);

#endif
