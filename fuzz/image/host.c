/* Any bytes behind what tells a 64-bit ELF file for x86-64 from other files. */
#include <string.h>

#include "fuzz/image/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t elf[CHECK_MOST];

    if (size < 0x14 || size > CHECK_MOST)
        return 0;
    memcpy(elf, data, size);
    memcpy(elf, "\x7f" "ELF\2\1\1", 7);
    memcpy(elf + 0x12, "\x3e\0", 2);
    check_inspection(elf, size);
    return 0;
}
