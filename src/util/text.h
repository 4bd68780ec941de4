/* text.h - puts a text for a person together in the caller's buffer. Never overruns, always ends in NUL; what does not fit is
 * cut and the cut shows as "...". A buffer of NULL or size 0 is accepted: nothing is written then. */
#ifndef GPUDL_UTIL_TEXT_H
#define GPUDL_UTIL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "src/util/span.h"

struct text {
    char *data;
    size_t size, used;      /* used: without the NUL */
    bool cut;               /* something did not fit; nothing is added any more */
};

struct text gpudl__text_init(char *data, size_t size);
void gpudl__text_clear(struct text *t);
__attribute__((format(printf, 2, 3))) void gpudl__text_add(struct text *t, const char *format, ...);
__attribute__((format(printf, 2, 0))) void gpudl__text_add_args(struct text *t, const char *format, va_list args);
/* Bytes of others between single quotes: what is not printable ASCII as \xNN, after 120 bytes "...". */
void gpudl__text_quote(struct text *t, const void *bytes, size_t size);

#endif
