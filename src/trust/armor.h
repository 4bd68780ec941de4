/* armor.h - text files of lines, some of them base64: what keys, signatures and lists are written in. */
#ifndef GPUDL_TRUST_ARMOR_H
#define GPUDL_TRUST_ARMOR_H

#include "src/util/span.h"

#define UNTRUSTED_COMMENT "untrusted comment: "

/* The next line of *rest, without its end, which is "\n", "\r\n" or the end of the file; false: there is none. */
bool gpudl__line_next(struct span *rest, struct span *line);
/* Does the line begin with this? Then *value is what follows. */
bool gpudl__line_value(struct span line, const char *prefix, struct span *value);
/* The line without blanks on either side. */
struct span gpudl__line_trim(struct span line);

/* Base64 of exactly so many bytes, padded, and in the one way to write it. */
enum { BASE64_MOST = 256 };
bool gpudl__base64_read(struct span text, void *out, size_t size);
#define BASE64_TEXT(size) (((size) + 2) / 3 * 4 + 1)
void gpudl__base64_print(const void *bytes, size_t size, char *text);   /* of BASE64_TEXT(size) */

#endif
