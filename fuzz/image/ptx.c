/* Any text: PTX where it begins like it, else whatever it looks like. */
#include "fuzz/image/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_image(data, size);
    return 0;
}
