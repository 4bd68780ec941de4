/* png.c - a PNG file: eight bytes that say so, then pieces of length, kind, data and checksum: the size, the rows as zlib packs
 * them, the end. */
#include "png.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put32(unsigned char *to, unsigned long n)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(n >> (24 - 8 * i));
}

static int write_piece(FILE *f, const char *kind, const unsigned char *data, unsigned long size)
{
    unsigned char length[4], checksum[4];

    put32(length, size);
    put32(checksum, crc32(crc32(0, (const unsigned char *)kind, 4), data, (uInt)size));
    return fwrite(length, 1, 4, f) != 4 || fwrite(kind, 1, 4, f) != 4 || fwrite(data, 1, size, f) != size ||
        fwrite(checksum, 1, 4, f) != 4;
}

/* Rows as PNG has them: a byte for how each was filtered, 0: not at all, then its pixels. The caller frees them. */
static unsigned char *pack(const unsigned char *pixels, unsigned width, unsigned height, unsigned long *size)
{
    unsigned long plain_size = (unsigned long)(width + 1) * height;
    unsigned char *plain = calloc(plain_size, 1), *packed;

    *size = compressBound(plain_size);
    packed = malloc(*size);
    for (unsigned y = 0; plain && y < height; y++)
        memcpy(plain + y * (width + 1) + 1, pixels + y * width, width);
    if (!plain || !packed || compress(packed, size, plain, plain_size) != Z_OK) {
        free(packed);
        packed = NULL;
        errno = ENOMEM;
    }
    free(plain);
    return packed;
}

int png_write(const char *path, const unsigned char *pixels, unsigned width, unsigned height)
{
    static const unsigned char signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    unsigned char header[13] = { [8] = 8 }; /* bits of a pixel; the zeros say grey, not interlaced */
    unsigned long size;
    unsigned char *packed = pack(pixels, width, height, &size);
    FILE *f = packed ? fopen(path, "wb") : NULL;
    int failed = !f;

    put32(header, width);
    put32(header + 4, height);
    if (f) {
        failed = fwrite(signature, 1, sizeof(signature), f) != sizeof(signature) ||
            write_piece(f, "IHDR", header, sizeof(header)) || write_piece(f, "IDAT", packed, size) ||
            write_piece(f, "IEND", header, 0);
        failed |= fclose(f) != 0;
    }
    free(packed);
    return failed;
}
