/* record.h - a version that loaders share, whatever copy of gpudl each is of: the driver's library, the bytes that it was made of,
 * and what was read out of them.
 *
 *     loading --> ready --> gone          references: versions of loaders, one each (loader.h)
 *        '------> alone
 *
 * A record is found by content, load settings and driver, so whoever finds it would have loaded the same. The hash finds, the
 * bytes decide; a loader with a policy has checked its own bytes before, and those of the record are equal to them. The first to
 * ask loads it, and holds its flight meanwhile; others wait for that lock, which is robust: if its owner ends inside, they go on
 * alone. So do those who find that it could not be loaded, or is nobody else's (globals).
 *
 * What is ready is constant until the last reference goes; that one unloads, by its own loader. An orphan is ready and has no
 * reference: the copy that had it last was unloaded with its loader open, or let go while another looked at its bytes. A load finds
 * it; else the next loader that lets go of something takes it (gpudl__record_adopt).
 *
 * A record is one piece of the commons' pages, with the bytes behind it, and behind them, or in another piece, what was read out of
 * them (flat.c). */
#ifndef GPUDL_LOADER_RECORD_H
#define GPUDL_LOADER_RECORD_H

#include "src/image/image.h"
#include "src/loader/settings.h"
#include "src/loader/share/commons.h"
#include "src/util/hash.h"
#include "src/util/span.h"

#include <gpudl/driver.h>

struct version;

/* Without padding, as it is compared as bytes. */
struct record_key {
    uint64_t driver;            /* where its cuLibraryLoadData is: drivers stay in the process */
    uint32_t sm, ptx_version;
    uint32_t cuda_version, choice;      /* what else says which entry of an image is taken */
    struct load_settings settings;
};

enum record_state { RECORD_LOADING, RECORD_READY, RECORD_ALONE };

/* What was read out of the bytes. Constant, and the record's. */
struct record_contents {
    size_t mapped;              /* bytes of the pages that it is at the start of; 0: they are the record's */
    size_t entry;
    struct span code;           /* data NULL: the entry is compressed, and its bytes are to be had from the image */
    const struct image_kernel *kernels;
    const struct image_global *globals;
    size_t nkernels, nglobals;
    uint32_t *cells;            /* of the index of names */
    size_t ncells;
    const char *log;            /* what the driver remarked, or NULL */
    CUlibrary native;
    CUkernel first;
};

struct record {
    struct record *next;        /* in its bucket */
    size_t mapped, used;        /* bytes of the pages that it is at the start of; that the rest begins at */
    pthread_mutex_t flight;     /* held by who loads it */
    struct commons *home;
    uint64_t sample;            /* of the bytes: the bucket is found by it */
    struct hash128 hash;
    struct record_key key;
    struct span bytes, lowered; /* as in struct content */
    struct record_contents *contents;   /* ready: there */
    size_t references;          /* under the lock of the commons, as the next two */
    bool listed;
    uint8_t state;              /* enum record_state */
    atomic_bool touched;        /* a device may have it */
    _Atomic uint64_t attribute_changes; /* by anyone */
};

/* Told apart by their sizes are builds whose structs are not the same. */
#define RECORD_LAYOUT ((uint64_t)sizeof(struct record) << 20 ^ (uint64_t)sizeof(struct record_contents) << 14 ^ \
    (uint64_t)sizeof(struct image_kernel) << 10 ^ (uint64_t)sizeof(struct image_param) << 5 ^ sizeof(struct image_global))

/* A reference. *mine: it is in flight now, and the caller loads it and calls gpudl__record_land(); else it is ready. NULL: the
 * caller goes alone. Waits for a flight; not under a loader's lock. */
struct record *gpudl__record_get(
    struct commons *c, const struct record_key *key, struct hash128 hash, struct span bytes, struct span lowered, bool *mine);
/* After the flight. contents: what it is now, taken over; NULL: nobody else is to have it. The reference stays the caller's. */
void gpudl__record_land(struct commons *c, struct record *r, struct record_contents *contents);

/* A reference to the n-th record whose bytes may be those that were sampled, whatever else is its key; NULL: there are not so many.
 * To be let go of by gpudl__record_abandon(). */
struct record *gpudl__record_like(struct commons *c, uint64_t sample, size_t size, unsigned n);

/* Lets go, unless it is the last reference: then false. */
bool gpudl__record_leave(struct commons *c, struct record *r);
/* Is it others' as well, or may be? Else the one that loaded it unloads it, whoever looks at the bytes still. To be asked by an owner of
 * a reference, after the flight. */
static inline bool record_is_shared(const struct record *r)
{
    return r->contents != NULL;
}
/* True: that was the last reference, nobody finds it any more, and the caller unloads it, if it was shared, and frees it. */
bool gpudl__record_release(struct commons *c, struct record *r);
void gpudl__record_free(struct record *r);

/* Lets go without unloading, as who has looked at the bytes only, or whose code is about to go: the last reference leaves an orphan. */
void gpudl__record_abandon(struct commons *c, struct record *r);
/* A reference to an orphan of this driver; NULL: there is none. */
struct record *gpudl__record_adopt(struct commons *c, uint64_t driver);
/* The memory of all orphans. */
void gpudl__records_forget(struct commons *c);

/* flat.c. What was read of a loaded version, in one piece; NULL: no memory. Strings that lie in the record's bytes stay there. */
struct record_contents *gpudl__record_flatten(struct record *r, const struct version *v);

#endif
