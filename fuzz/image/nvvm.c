/* Any bytes behind the magic of LTO-IR and OptiX IR: as a file, and as it is in a fatbin. */
#include <string.h>

#include "fuzz/image/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[CHECK_MOST];
    uint8_t *payload = file + 16 + 64;
    uint64_t stored = size & ~(size_t)7, all = 64 + stored;

    if (size < 8 || size > CHECK_MOST / 2)
        return 0;
    memset(file, 0, 16 + 64);
    memcpy(payload, data, size);
    memcpy(payload, "\xED\x43\x4E\x7F", 4);
    check_inspection(payload, size);
    memcpy(file, "\x50\xED\x55\xBA\1\0\x10\0", 8);
    memcpy(file + 8, &all, 8);
    memcpy(file + 16, "\x08\0\1\1\x40\0\0\0", 8);
    memcpy(file + 16 + 8, &stored, 8);
    file[16 + 0x28] = 0x11;
    check_inspection(file, 16 + 64 + stored);
    return 0;
}
