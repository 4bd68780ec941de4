/* Any bytes behind the magic of an archive, a thin one where the first byte is odd. */
#include <string.h>

#include "fuzz/image/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t archive[CHECK_MOST];

    if (size < 8 || size > CHECK_MOST)
        return 0;
    memcpy(archive, data[0] & 1 ? "!<arch>\n" : "!<thin>\n", 8);    /* '!' is odd */
    memcpy(archive + 8, data + 8, size - 8);
    check_inspection(archive, size);
    return 0;
}
