/* fatbin_write.h - the other way: a fatbin made of entries. */
#ifndef GPUDL_IMAGE_FATBIN_WRITE_H
#define GPUDL_IMAGE_FATBIN_WRITE_H

#include "src/image/image.h"

struct fatbin_part {
    enum image_format format; /* IMAGE_CUBIN, IMAGE_PTX (a NUL follows its bytes), IMAGE_LTOIR */
    struct span bytes;
    unsigned sm;
    char suffix;            /* 0, 'a', 'f' */
    const char *identifier; /* "k.cu", or NULL */
};

/* PTX is compressed (LZ4, which every driver reads). *out is for gpudl__free(). IMAGE_NOT_SUPPORTED: a part is of another format. */
enum image_error gpudl__fatbin_write(const struct fatbin_part *, size_t n, struct span *out);

#endif
