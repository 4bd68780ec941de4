/* npy.h - arrays in NumPy's file format, versions 1.0 to 3.0 read and 1.0 written: little-endian numbers in C order. */
#ifndef GPUDL_TOOL_NPY_H
#define GPUDL_TOOL_NPY_H

#include "tools/gpudl/element.h"

enum { ARRAY_DIMS = 8 };

struct array {
    const struct element_type *type;
    size_t ndims, dims[ARRAY_DIMS];
    size_t count;       /* elements: the product of dims, 1 without any */
    void *data;         /* count * type->size bytes, malloc'ed; at least one byte */
};

/* Sets count from dims and makes data, zeroed. -1: the array is too large for this machine. */
int array_allocate(struct array *);
void array_free(struct array *);    /* its data */

/* 0, or -1 with a sentence about the file in why. *out is the caller's to free, on success. */
int npy_read(const char *path, struct array *out, char *why, size_t size);
int npy_write(const char *path, const struct array *, char *why, size_t size);

#endif
