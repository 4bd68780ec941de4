/* join.h - several PTX texts as one, as a linker would join the code that they compile to: what one declares and another defines comes
 * together, names that are nobody else's stay apart, weak ones are taken once. Works on the text; what is wrong within it, the
 * parser says later. */
#ifndef SOFTCUDA_PTX_JOIN_H
#define SOFTCUDA_PTX_JOIN_H

#include <stddef.h>

struct ptx_source { const char *text; size_t size; };

/* *out: a text with a NUL behind it, to be freed. 0; -1: no memory (error is empty), or error says what cannot be joined. */
int ptx_join(const struct ptx_source *, size_t n, char **out, size_t *size, char *error, size_t error_size);

#endif
