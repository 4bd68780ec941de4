/* decompress.c - the two compressions of fatbin entries. The sizes are others' claims: nothing is allocated before they are
 * plausible, and the result must have exactly the size that was claimed.
 *
 * LZ4: one raw block, without frame or magic. zstd: one frame, content size present, no dictionary. */
#include "src/image/internal.h"

#include <limits.h>
#include <lz4.h>
#include <zstd.h>

#define LZ4_MOST_RATIO 255u     /* of the block format itself */
#define LZ4_SLACK 64u
#define ZSTD_WINDOW_LOG_MOST 27u

static enum image_error check_lz4(struct span packed, uint64_t raw_size, struct text *t)
{
    if (packed.size > INT_MAX || raw_size > INT_MAX)
        return gpudl__image_fail(t, IMAGE_LIMIT, "%llu bytes are more than one LZ4 block can hold", (unsigned long long)raw_size);
    if (raw_size > (uint64_t)LZ4_MOST_RATIO * packed.size + LZ4_SLACK)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "claims %llu bytes uncompressed, but %zu bytes of LZ4 cannot give that many",
            (unsigned long long)raw_size, packed.size);
    return IMAGE_OK;
}

/* Frame: magic:u32 descriptor:u8 [window:u8] dictionary[0..4] content_size[1..8]. Bit 5 of the descriptor: a single segment, no
 * window. */
static enum image_error check_zstd(struct span packed, uint64_t raw_size, struct text *t)
{
    unsigned descriptor = span_u8(packed, 4), window_log = 10 + (span_u8(packed, 5) >> 3);
    unsigned long long content;
    size_t frame;

    if (span_u32(packed, 0) != ZSTD_MAGICNUMBER)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "is marked as zstd, but does not begin with a zstd frame (found 0x%08x)",
            span_u32(packed, 0));
    if (ZSTD_getDictID_fromFrame(packed.data, packed.size))
        return gpudl__image_fail(t, IMAGE_DAMAGED, "its zstd frame needs a dictionary");
    if (!(descriptor & 0x20) && window_log > ZSTD_WINDOW_LOG_MOST)
        return gpudl__image_fail(t, IMAGE_LIMIT, "its zstd frame asks for a window of 2^%u bytes, the limit is 2^%u", window_log,
            ZSTD_WINDOW_LOG_MOST);
    content = ZSTD_getFrameContentSize(packed.data, packed.size);
    if (content == ZSTD_CONTENTSIZE_ERROR || content == ZSTD_CONTENTSIZE_UNKNOWN)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "its zstd frame does not say how large its content is");
    if (content != raw_size)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "its zstd frame holds %llu bytes, the entry claims %llu", content,
            (unsigned long long)raw_size);
    frame = ZSTD_findFrameCompressedSize(packed.data, packed.size);
    if (ZSTD_isError(frame))
        return gpudl__image_fail(t, IMAGE_DAMAGED, "zstd data is damaged (%s)", ZSTD_getErrorName(frame));
    if (frame != packed.size)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "its zstd frame ends after %zu of %zu bytes: one frame is expected", frame,
            packed.size);
    return IMAGE_OK;
}

static enum image_error run(struct span packed, enum image_compression how, unsigned char *out, size_t raw_size, struct text *t)
{
    size_t n;
    int lz4;

    if (how == IMAGE_LZ4) {
        lz4 = LZ4_decompress_safe((const char *)packed.data, (char *)out, (int)packed.size, (int)raw_size);
        if (lz4 < 0)
            return gpudl__image_fail(t, IMAGE_DAMAGED, "LZ4 data is damaged (near byte %lld of %zu)", -(long long)lz4 - 1,
                packed.size);
        n = (size_t)lz4;
    } else {
        n = ZSTD_decompress(out, raw_size, packed.data, packed.size);
        if (ZSTD_isError(n))
            return gpudl__image_fail(t, IMAGE_DAMAGED, "zstd data is damaged (%s)", ZSTD_getErrorName(n));
    }
    if (n != raw_size)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "decompresses to %zu bytes, %zu were promised", n, raw_size);
    return IMAGE_OK;
}

enum image_error gpudl__decompress(struct span packed, enum image_compression how, uint64_t raw_size, uint64_t limit,
    unsigned char **out, struct text *t)
{
    enum image_error error;
    unsigned char *raw;

    if (raw_size > limit || raw_size >= SIZE_MAX)
        return gpudl__image_fail(t, IMAGE_LIMIT, "claims %llu bytes uncompressed, the limit is %llu",
            (unsigned long long)raw_size,
            (unsigned long long)limit);
    error = how == IMAGE_LZ4 ? check_lz4(packed, raw_size, t) : check_zstd(packed, raw_size, t);
    if (error)
        return error;
    raw = gpudl__alloc_zero((size_t)raw_size + 1);     /* zeroed: a hostile LZ4 block can copy what was there before */
    if (!raw)
        return gpudl__image_no_memory(t);
    error = run(packed, how, raw, (size_t)raw_size, t);
    if (error) {
        gpudl__free(raw);
        return error;
    }
    raw[raw_size] = '\0';
    *out = raw;
    return IMAGE_OK;
}
