/* manifest.h - lists of digests as sha256sum writes them, a line for each file:
 *
 *     DIGEST  NAME            text
 *     DIGEST *NAME            binary, which is the same
 *     \DIGEST  NA\\ME         where the name holds a backslash, a line feed or a carriage return: \\, \n, \r
 *
 * Lines that are empty are passed over, all others must be right. */
#ifndef GPUDL_TRUST_MANIFEST_H
#define GPUDL_TRUST_MANIFEST_H

#include "src/trust/error.h"
#include "src/trust/sha256.h"

/* The next file of *rest. *more is false at the end. The name, with its NUL, is in `name` of size bytes; a longer one is an error.
 * *line counts the lines that were read. */
enum trust_error gpudl__manifest_next(struct span *rest, unsigned *line, struct sha256 *digest, char *name, size_t size, bool *more,
    struct text *why);
#endif
