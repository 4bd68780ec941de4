/* read.h - a source's bytes, read once into a private copy; or mapped, where they are only looked at. */
#ifndef GPUDL_LOADER_READ_H
#define GPUDL_LOADER_READ_H

#include <stdbool.h>

#include <gpudl/gpudl.h>

#include "src/loader/source/stamp.h"
#include "src/util/hash.h"
#include "src/util/span.h"

struct content {
    struct span bytes;          /* a NUL follows the last byte, not counted, unless mapped */
    char *name;                 /* for messages: the path, or "memory" */
    bool mapped;
    bool shared;                /* bytes and lowered are a record's (share/record.h), and not to be freed */
    struct record *lender;      /* of the bytes: a reference that only this content has; or NULL */
    bool registered;            /* no image: gpudl_registered_kernels */
    CUlibrary adopted;          /* that they are of (adopt.c), or NULL */
    struct stamp stamp;         /* of the file that was read; not there: it was none */
    struct span signature;      /* the source's own, lent until it is admitted (trust.h); or empty */
    struct trust_setup *trust;  /* the policy that its load brought along (trust.h), or NULL */
    unsigned level;             /* the strictest that it answered to (enum trust_level) */
    struct trust_question *question;    /* what is still to be asked of its entry, or NULL */
    bool cuda;                  /* CUDA C++, to be compiled */
    bool hashed;                /* it was kept, on disk or by who lends it, with the hash of its bytes */
    struct hash128 hash;
    struct span lowered;        /* of what was compiled: "expression\0name\0..."; or empty */
};

/* On failure there is nothing to release. commons: where the same bytes may be already, and are taken then (share/borrow.h); NULL: a
 * copy is made. */
struct commons;
gpudl_status gpudl__content_read(const gpudl_source *source, struct commons *commons, struct content *out);
/* Memory whose bytes are loaded as they are: where they lie, and what messages call them. False: another source, or none. */
bool gpudl__source_in_place(const gpudl_source *source, struct span *bytes, const char **name);
/* For looking only: files of any size, of which the large ones are mapped. No NUL follows then, and who truncates the file takes
 * the bytes away. */
gpudl_status gpudl__content_map(const gpudl_source *source, struct content *out);
/* The same of whatever content, CUDA C++ too; may_map as in gpudl__content_map, else it is a private copy. */
gpudl_status gpudl__content_any(const gpudl_source *source, bool may_map, struct content *out);
/* What it was compiled to, with its names: taken over. hash: of the bytes, or NULL. */
void gpudl__content_replace(struct content *c, struct span bytes, struct span lowered, const struct hash128 *hash);
/* Sources of a newer header are larger: the size in each says how far it is to the next. */
static inline const gpudl_source *gpudl__source_at(const gpudl_source *sources, size_t i)
{
    return (const gpudl_source *)((const char *)sources + i * sources->size);
}
/* Are they of one size, as they lie in one array? There is at least one. */
gpudl_status gpudl__sources_check(const gpudl_source *sources, size_t n, const char *function);
void gpudl__content_release(struct content *c);     /* what was moved out of it is NULL and left alone */

#endif
