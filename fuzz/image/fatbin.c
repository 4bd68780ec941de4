/* Any bytes behind the magic of a fatbin. */
#include <string.h>

#include "fuzz/image/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t fatbin[CHECK_MOST];

    if (size < 4 || size > CHECK_MOST)
        return 0;
    memcpy(fatbin, data, size);
    memcpy(fatbin, "\x50\xED\x55\xBA", 4);
    check_image(fatbin, size);
    return 0;
}
