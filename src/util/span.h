/* span.h - bytes from outside, and the only way to read them.
 *
 * A span lends. Offsets are 64 bits wide, so that a file's own numbers are compared before they are narrowed, and no sum is
 * taken before it is known to be in range. Reads go through memcpy, as nothing in a file is aligned, and are little-endian.
 * Cut a record out once with span_cut(), then read its fields: a field outside of the span reads as 0 and touches nothing. */
#ifndef GPUDL_UTIL_SPAN_H
#define GPUDL_UTIL_SPAN_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
    const unsigned char *data;
    size_t size;
};

static inline bool span_holds(struct span s, uint64_t off, uint64_t n)
{
    return off <= s.size && n <= s.size - off;
}

/* The n bytes at off; false, and *out untouched, unless all of them are there. */
static inline bool span_cut(struct span s, uint64_t off, uint64_t n, struct span *out)
{
    if (!span_holds(s, off, n))
        return false;
    *out = (struct span){ s.data + off, (size_t)n };
    return true;
}

/* What follows off; empty when that is past the end. */
static inline struct span span_from(struct span s, uint64_t off)
{
    if (off >= s.size)
        return (struct span){ s.data, 0 };
    return (struct span){ s.data + off, s.size - (size_t)off };
}

static inline uint8_t span_u8(struct span s, uint64_t off)
{
    return span_holds(s, off, 1) ? s.data[off] : 0;
}

static inline uint16_t span_u16(struct span s, uint64_t off)
{
    uint16_t v = 0;

    if (span_holds(s, off, sizeof(v)))
        memcpy(&v, s.data + off, sizeof(v));
    return le16toh(v);
}

static inline uint32_t span_u32(struct span s, uint64_t off)
{
    uint32_t v = 0;

    if (span_holds(s, off, sizeof(v)))
        memcpy(&v, s.data + off, sizeof(v));
    return le32toh(v);
}

static inline uint64_t span_u64(struct span s, uint64_t off)
{
    uint64_t v = 0;

    if (span_holds(s, off, sizeof(v)))
        memcpy(&v, s.data + off, sizeof(v));
    return le64toh(v);
}

/* Does the span hold these n bytes at off? */
static inline bool span_is(struct span s, uint64_t off, const void *bytes, size_t n)
{
    return span_holds(s, off, n) && memcmp(s.data + off, bytes, n) == 0;
}

/* The string at off, or NULL unless its NUL is among the next `most` bytes of the span. *length may be NULL. */
static inline const char *span_string(struct span s, uint64_t off, size_t most, size_t *length)
{
    struct span rest = span_from(s, off);
    const unsigned char *nul;

    if (rest.size > most)
        rest.size = most;
    nul = rest.size ? memchr(rest.data, 0, rest.size) : NULL;
    if (nul && length)
        *length = (size_t)(nul - rest.data);
    return nul ? (const char *)rest.data : NULL;
}

#endif
