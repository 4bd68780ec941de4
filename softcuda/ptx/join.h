/* join.h - several PTX texts as one, as a linker would join the code that they compile to: what one declares and another defines
 * comes together, names that are nobody else's stay apart, weak ones are taken once. Works on statements; what is wrong within a
 * body, the parser says later. */
#ifndef SOFTCUDA_PTX_JOIN_H
#define SOFTCUDA_PTX_JOIN_H

#include <stdbool.h>
#include <stddef.h>

struct ptx_source {
    const char *text;
    size_t size;
    const char *name; /* for messages */
    bool optional;    /* a library's: taken if it defines what is missing without it */
};

/* provided: is this function the driver's own?
 * *out: a text with a NUL behind it, to be freed. 0; -1: no memory (error is empty), or error has a line for each thing that is
 * wrong. */
int ptx_join(const struct ptx_source *, size_t n, bool (*provided)(const char *name), char **out, size_t *size, char *error,
    size_t error_size);

#endif
