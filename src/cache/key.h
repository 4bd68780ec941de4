/* key.h - the name of a result: a digest over everything that it depends on.
 *
 * Fields are added one by one, each as a tag and its bytes with their lengths before them: other fields, or the same ones cut elsewhere, never
 * make the same key. The domain says what kind of result is named, its version what the fields mean. BLAKE2b, 256 bits. */
#ifndef GPUDL_CACHE_KEY_H
#define GPUDL_CACHE_KEY_H

#include <stdint.h>

#include "src/util/span.h"

struct cache_key {
    unsigned char bytes[32];
};

struct cache_key_maker {
    _Alignas(64) unsigned char state[384];
};

void gpudl__key_begin(struct cache_key_maker *, const char *domain, uint32_t version);
void gpudl__key_add(struct cache_key_maker *, const char *tag, struct span bytes);
void gpudl__key_add_text(struct cache_key_maker *, const char *tag, const char *text);
void gpudl__key_add_number(struct cache_key_maker *, const char *tag, uint64_t number);
void gpudl__key_end(struct cache_key_maker *, struct cache_key *);

/* As 64 lower-case hexadecimal digits, and back; false: these are none. */
#define CACHE_KEY_TEXT 65
void gpudl__key_print(const struct cache_key *, char text[CACHE_KEY_TEXT]);
bool gpudl__key_scan(const char *text, struct cache_key *);

#endif
