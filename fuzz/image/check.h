/* check.h - everything that image/ can be asked about some bytes, and what must hold of the answers whatever the bytes are. */
#ifndef FUZZ_IMAGE_CHECK_H
#define FUZZ_IMAGE_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void check_image(const uint8_t *data, size_t size);        /* as a loader asks, and as a tool does */
void check_inspection(const uint8_t *data, size_t size);   /* as a tool does */

#define CHECK_MOST 65536        /* bytes that a target makes up an input of */

/* Aborts unless it is so. */
#define CHECK(what)                                                         \
    do {                                                                    \
        if (!(what)) {                                                      \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            abort();                                                        \
        }                                                                   \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
