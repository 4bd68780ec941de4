/* entry.h - what a file of the cache holds, and whether to believe it. Bytes only: no file is touched here.
 *
 *     0    magic[8] "gpudlce\n"
 *     8    version:u32, size of this header:u16, kind of tag:u16
 *     16   key[32]
 *     48   time of making:u64, seconds since 1970
 *     56   size of meta:u64, size of data:u64
 *     72   nonce[32], random: no two entries are alike up to here
 *     104  digest of meta[32]
 *     136  label[120], text for people, ends in NUL
 *     256  seal[32] of all before it
 *     288  tag of data[16]
 *     304  zeros[16]
 *     320  meta, then data, to the end of the file
 *
 * Little-endian. BLAKE2b, keyed with a secret of this user, makes 64 bytes of what is before the seal: 32 are the seal, the others are a key that
 * is used once, for the tag of the data. So what is large is gone through by what is fastest: GMAC (AES-256) where the CPU has instructions for it, else
 * Poly1305, which are six and three times as fast as BLAKE2b. */
#ifndef GPUDL_CACHE_ENTRY_H
#define GPUDL_CACHE_ENTRY_H

#include "src/cache/key.h"

#define ENTRY_VERSION 2
#define ENTRY_HEADER  320
#define ENTRY_LABEL   120
#define ENTRY_SECRET  32

struct entry_secret {
    unsigned char bytes[ENTRY_SECRET];
};

struct entry {
    struct cache_key key;
    char label[ENTRY_LABEL];
    uint64_t made, meta_size, data_size;
    struct span meta, data;
};

enum entry_fault {
    ENTRY_GOOD,
    ENTRY_CUT,          /* shorter or longer than it says */
    ENTRY_UNKNOWN,      /* no entry, one of another version, or with a tag that this CPU cannot make */
    ENTRY_FORGED,       /* not sealed with this secret */
    ENTRY_DAMAGED,      /* not what was sealed */
};

/* Writes the header of an entry; meta and data are to follow it. A label that is too long is cut. */
void gpudl__entry_seal(unsigned char header[ENTRY_HEADER], const struct entry *, const struct entry_secret *);
/* Is it the header of a file of this size? Meta and data of *out stay empty. */
enum entry_fault gpudl__entry_head(struct span header, uint64_t size, const struct entry_secret *, struct entry *out);
/* Are meta and data of e, of the sizes that a good header has told, what was sealed with it? */
enum entry_fault gpudl__entry_body(const unsigned char header[ENTRY_HEADER], const struct entry_secret *, const struct entry *e);

#endif
