/* check.h - everything that image/ can be asked about some bytes, and what must hold of the answers whatever the bytes are. */
#ifndef FUZZ_IMAGE_CHECK_H
#define FUZZ_IMAGE_CHECK_H

#include <stddef.h>
#include <stdint.h>

void check_image(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
