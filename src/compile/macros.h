/* macros.h - the names that `#include MACRO` may mean, by the texts that may define it. */
#ifndef GPUDL_COMPILE_MACROS_H
#define GPUDL_COMPILE_MACROS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/util/span.h"

struct macro_texts {
    const struct span *texts; /* logical lines */
    size_t ntexts;
    const char *const *defines; /* "NAME" or "NAME=BODY", of the command line */
    size_t ndefines;
};
typedef void macro_each(void *user, const char *header, bool quoted);

/* Calls for every header that the macro may stand for, whichever of its definitions holds when it is asked. False: that cannot be told. */
bool gpudl__macro_headers(const struct macro_texts *, const char *name, macro_each *, void *user);

#endif
