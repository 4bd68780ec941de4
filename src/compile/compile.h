/* compile.h - CUDA C++ to code for one architecture, by a compiler that is found on the machine: NVRTC, opened at run time; nvcc or clang,
 * run as processes. Knows no driver and no device. Any number of threads; nothing is compiled under a lock of this room.
 *
 * What was compiled before is taken from the cache, without opening a compiler: see kept.c for what makes two compilations the same. */
#ifndef GPUDL_COMPILE_COMPILE_H
#define GPUDL_COMPILE_COMPILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/util/hash.h"
#include "src/util/span.h"
#include "src/util/text.h"

struct cache;

enum compile_format { COMPILE_CUBIN = 1, COMPILE_PTX = 2, COMPILE_LTOIR = 3 };

enum compile_error {
    COMPILE_OK,
    COMPILE_NO_COMPILER, /* none that can do it: the text says where was looked */
    COMPILE_SOURCE,      /* the compiler refused the source */
    COMPILE_HEADER,      /* a header was not found */
    COMPILE_OPTION,
    COMPILE_TARGET, /* the compiler does not know the architecture */
    COMPILE_BROKEN, /* the compiler could not be run, or died */
    COMPILE_CANCELLED,
    COMPILE_NO_MEMORY,
};

struct compile_header { /* that is in memory only */
    const char *name;   /* as #include has it */
    struct span text;
};

struct compile_target {
    unsigned sm; /* 90 */
    char suffix; /* 0, 'a', 'f' */
    enum compile_format format;
    bool exact; /* false: where the compiler does not know it, PTX of the nearest below, else PTX for a cubin */
};

enum {
    COMPILE_NO_CACHE = 1,
    COMPILE_RELOCATABLE = 2,
    COMPILE_PROCESS = 4, /* NVRTC in a process of its own; so does GPUDL_COMPILE_PROCESS, if it is not "0" */
};

struct compile_job {
    const char *name; /* of the source: a path, or what to call it; headers between quotes are looked for beside it */
    struct span text; /* a NUL follows */
    const char *const *options;
    size_t noptions;
    const struct compile_header *headers;
    size_t nheaders;
    const char *const *names; /* name expressions */
    size_t nnames;
    const char *compiler; /* "nvrtc", "nvcc", "clang" or a path; NULL: GPUDL_COMPILER, else the first that there is */
    struct compile_target target;
    unsigned flags;  /* COMPILE_... */
    /* How much of what is compiled is to be verified. Not 0: the text was, and headers come from memory or are the compiler's own. Entries of
     * the cache that were made with less do not serve. */
    unsigned policy;
    bool (*cancelled)(void *user); /* asked now and then, from the calling thread or one of the compiler's; may be NULL */
    void *user;
    struct cache *cache; /* NULL: nothing is kept */
    bool wants_headers;  /* compile_result.headers */
};

struct compile_result {
    struct span bytes;            /* PTX has a NUL behind it, which is not counted */
    struct compile_target target; /* what it became */
    char *log;                    /* warnings; "" */
    struct span lowered;          /* "expression\0name\0..." of every name expression */
    char compiler[96];            /* "NVRTC 13.0" */
    bool kept;                    /* it came from the cache */
    bool hashed;                  /* so it was kept with the hash of its bytes */
    struct hash128 hash;
    struct span headers;          /* "path\0..." of the files that it may include, as far as its text tells */
};

/* On failure there is nothing to release, and text says what was tried, with the compiler's own words. */
enum compile_error gpudl__compile(const struct compile_job *, struct compile_result *, struct text *text);
void gpudl__compile_release(struct compile_result *);

/* The name that an expression was lowered to; NULL: it is none of them. */
const char *gpudl__compile_lowered(struct span lowered, const char *expression);

/* Is it a spelling of -arch or --gpu-architecture among options? Its value then ("sm_90"), else NULL. */
const char *gpudl__compile_arch_of(const char *const *options, size_t n);

/* From now on, in this process: nothing in the environment says where compilers are. */
void gpudl__compilers_ignore_environment(void);

/* Every compiler that is found, in the order of preference; for doctor. */
struct compile_found {
    const char *kind, *path; /* lent for the call */
    const char *trouble;     /* why it is of no use; NULL: none is known */
};
void gpudl__compilers_list(void (*each)(void *user, const struct compile_found *), void *user, struct text *looked);

/* Where CUPTI is, the profiling library of a toolkit; false: there is none. */
bool gpudl__find_cupti(char path[PATH_MAX]);

#endif
