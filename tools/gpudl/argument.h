/* argument.h - kernel arguments as they are written on the command line:
 *     TYPE:VALUE              a scalar
 *     TYPE[N,...]             a buffer of zeros; =VALUE, =iota, =random or =@FILE.npy fill it
 *     @FILE.npy               a buffer with the file's type, shape and content */
#ifndef GPUDL_TOOL_ARGUMENT_H
#define GPUDL_TOOL_ARGUMENT_H

#include "tools/gpudl/npy.h"

#include <gpudl/driver.h>
#include <stdbool.h>

struct argument {
    const char *text;       /* as written; lent by the command line */
    const struct element_type *type;
    bool is_buffer;
    uint64_t scalar;        /* the value's bytes come first */
    struct array array;     /* of a buffer */
    CUdeviceptr address;    /* of a buffer on the device; 0: none yet */
};

/* Whether this is meant as an argument, well written or not; a kernel's name ("ns::scale<float, 4>") is not. */
bool argument_is_meant(const char *text);

/* 0; or 2, it is written wrongly, or 1, its file cannot be had: with a sentence in why. index seeds what is random. */
int argument_parse(const char *text, size_t index, struct argument *out, char *why, size_t size);
void argument_free(struct argument *);      /* not what is on the device */

size_t argument_bytes(const struct argument *);     /* as a kernel's parameter: a buffer is a pointer */

#endif
