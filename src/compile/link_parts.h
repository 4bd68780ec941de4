/* link_parts.h - what the files of the linkers share. */
#ifndef GPUDL_COMPILE_LINK_PARTS_H
#define GPUDL_COMPILE_LINK_PARTS_H

#include "src/cache/key.h"
#include "src/compile/link.h"

enum link_kind { LINK_CUBIN, LINK_PTX, LINK_LTOIR, LINK_FATBIN, LINK_LIBRARY };

/* What the linker gets: lent by the images. */
struct link_part {
    enum link_kind kind;
    struct span bytes;          /* PTX: a NUL follows, not counted */
    char name[160];             /* "lib.a(k.o)" */
    struct image *image;        /* CUBIN, PTX: to look into it */
    size_t entry;
    unsigned sm;                /* what it is for; 0: a library, for several */
    char suffix;
};

struct link_parts {
    struct link_part *items;
    size_t n, room;
    struct image **images;      /* as many as the job's inputs */
    size_t nimages;
    bool lto;                   /* there is LTO-IR among them */
    unsigned ptx_version;       /* the newest */
};

/* link_input.c. ltoir: may LTO-IR be taken? Freed in any case. */
enum link_error gpudl__link_parts_read(const struct link_job *, bool ltoir, struct link_parts *, struct link_failure *, struct text *);
void gpudl__link_parts_free(struct link_parts *);

/* link_symbols.c. Names that two parts define; LTO-IR does not tell its own. */
enum link_error gpudl__link_symbols_check(const struct link_parts *, struct link_failure *, struct text *);

/* link_kept.c. The key of what this library makes of these. cache may be NULL. */
void gpudl__link_key(
    const struct link_parts *, const char *library, const char *const *options, size_t noptions, struct cache_key *);
bool gpudl__link_kept_get(struct cache *, const struct cache_key *, struct link_result *);
void gpudl__link_kept_put(struct cache *, const struct cache_key *, const struct link_job *, const struct link_result *);

/* Back ends. */
struct nvjitlink;       /* an opened library */
const struct nvjitlink *gpudl__nvjitlink_open(const char *path, struct text *why);  /* stays open; NULL: why says it */
int gpudl__nvjitlink_version(const struct nvjitlink *);     /* 13000; 0: not known */
enum link_error gpudl__nvjitlink_run(const struct nvjitlink *, const struct link_job *, const struct link_parts *, struct link_result *,
    struct text *);
enum link_error gpudl__link_driver_run(const struct link_job *, const struct link_parts *, struct link_result *, struct link_failure *,
    struct text *);

/* "a.o, b.o and 3 more" */
void gpudl__link_name_inputs(const struct link_job *, struct text *);
/* "sm_90a" */
void gpudl__link_name_target(const struct link_job *, char name[16]);
/* A log without the blanks at its ends, as an own copy; NULL: it is empty, or there is no memory. */
char *gpudl__link_keep_log(const char *log);

#endif
