/* opencl.h - an OpenCL CPU device (PoCL) to compare with, opened at run time. A failure prints why and gives false or NULL. */
#ifndef BENCH_OPENCL_H
#define BENCH_OPENCL_H

#include <stdbool.h>
#include <stddef.h>

struct opencl;
struct opencl_kernel;
struct opencl_buffer;

/* Builds the program of a file in bench-data. NULL without a word: there is no OpenCL here. */
struct opencl *opencl_open(const char *file);
struct opencl_kernel *opencl_kernel(struct opencl *, const char *name);
struct opencl_buffer *opencl_buffer(struct opencl *, const void *bytes, size_t size);
bool opencl_argument(struct opencl *, struct opencl_kernel *, unsigned index, const void *value, size_t size);
bool opencl_launch(struct opencl *, struct opencl_kernel *, const unsigned grid[3], const unsigned block[3]);
bool opencl_wait(struct opencl *);
void opencl_release_kernel(struct opencl *, struct opencl_kernel *);    /* accepts NULL */
void opencl_release_buffer(struct opencl *, struct opencl_buffer *);    /* accepts NULL */
void opencl_close(struct opencl *);                                     /* accepts NULL */

#endif
