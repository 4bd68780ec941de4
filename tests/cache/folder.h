/* folder.h - a cache in a folder of its own, and what it complains of. */
#ifndef TESTS_CACHE_FOLDER_H
#define TESTS_CACHE_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "src/cache/cache.h"

extern const char *folder_base;     /* /tmp, unless set */
extern char folder[64];             /* not made yet */
extern char warning[600];           /* the last one */
extern unsigned warnings;

/* cmocka's setup and teardown: a new name, and the removal of what is there. */
int folder_new(void **state);
int folder_remove(void **state);

/* Without a table of calls, nothing is synced: the disk is not at stake in these tests, and slow. */
struct cache *cache_in(const char *path, const struct cache_io *, uint64_t max_bytes);
struct cache *cache_here(void);     /* in folder, of 1 MiB */

struct cache_key key_number(uint64_t n);
/* What is kept under key n: bytes of a length and a content that follow from n. */
struct span data_number(uint64_t n, unsigned char room[4096]);
bool put_number(struct cache *, uint64_t n);
/* Is it there? Fails if it is, and is anything else. */
bool get_number(struct cache *, uint64_t n);
void path_of(uint64_t n, char path[256]);       /* the file of key n */
struct cache_counts counts_of(const struct cache *);

/* The whole file; returns its size. */
size_t read_bytes(const char *path, unsigned char *bytes, size_t room);
void write_bytes(const char *path, const void *bytes, size_t size);

#endif
