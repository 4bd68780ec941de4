/* entry.h - what a file of the cache holds, and whether to believe it. Bytes only: no file is touched here.
 *
 *     0    magic[8] "gpudlce\n"
 *     8    version:u32, size of this header:u32
 *     16   key[32]
 *     48   time of making:u64, seconds since 1970
 *     56   size of meta:u64, size of data:u64
 *     72   digest of meta and data[32]
 *     104  label[120], text for people, ends in NUL
 *     224  seal[32]: keyed digest of all before it
 *     256  meta, then data, to the end of the file
 *
 * Little-endian. Digests are BLAKE2b, 256 bits; the seal is one under a secret of this user. */
#ifndef GPUDL_CACHE_ENTRY_H
#define GPUDL_CACHE_ENTRY_H

#include "src/cache/key.h"

#define ENTRY_VERSION 1
#define ENTRY_HEADER  256
#define ENTRY_LABEL   120
#define ENTRY_SECRET  32

struct entry_secret {
    unsigned char bytes[ENTRY_SECRET];
};

struct entry {
    struct cache_key key;
    char label[ENTRY_LABEL];
    uint64_t made, meta_size, data_size;
    struct span meta, data;         /* lent by the bytes read */
};

enum entry_fault {
    ENTRY_GOOD,
    ENTRY_CUT,          /* shorter or longer than it says */
    ENTRY_UNKNOWN,      /* no entry, or one of another version */
    ENTRY_FORGED,       /* not sealed with this secret */
    ENTRY_MISPLACED,    /* of another key */
    ENTRY_DAMAGED,      /* not what was sealed */
};

/* Writes the header of an entry; meta and data are to follow it. A label that is too long is cut. */
void gpudl__entry_seal(unsigned char header[ENTRY_HEADER], const struct entry *, const struct entry_secret *);
/* Only the header: meta and data of *out stay empty. size: of the whole file. */
enum entry_fault gpudl__entry_head(struct span header, uint64_t size, const struct entry_secret *, struct entry *out);
/* The whole file, which must be of this key. *out is good on ENTRY_GOOD only. */
enum entry_fault gpudl__entry_open(struct span file, const struct cache_key *, const struct entry_secret *, struct entry *out);

#endif
