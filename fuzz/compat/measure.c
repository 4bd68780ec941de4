/* Whatever lies in memory, its length is told without looking past what may be looked at, and is no more than that. nvcc's wrapper holds an address,
 * which is followed: it is left out. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/compat/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t wrapper[4] = { 0xb1, 0x43, 0x62, 0x46 };
    unsigned char *copy = malloc(size ? size : 1); /* of this length, so that a sanitizer sees the first byte behind it */
    const void *image;
    size_t told;

    if (!copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    if (size < sizeof(wrapper) || memcmp(data, wrapper, sizeof(wrapper)) != 0) {
        told = gpudl__rt_image_size(copy, size, &image);
        if (told > size || image != copy)
            abort();
    }
    free(copy);
    return 0;
}
