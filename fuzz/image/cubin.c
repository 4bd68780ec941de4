/* Any bytes behind what tells a 64-bit cubin from other files. */
#include <string.h>

#include "fuzz/image/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t cubin[CHECK_MOST];

    if (size < 0x14 || size > CHECK_MOST)
        return 0;
    memcpy(cubin, data, size);
    memcpy(cubin, "\x7f" "ELF\2\1\1", 7);
    memcpy(cubin + 0x12, "\xbe\0", 2);
    check_image(cubin, size);
    return 0;
}
