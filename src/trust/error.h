/* error.h - why something is not trusted. Every function of this room that returns one of these says in `why` what was found, what
 * was expected and what to do, on failure only. */
#ifndef GPUDL_TRUST_ERROR_H
#define GPUDL_TRUST_ERROR_H

#include "src/util/text.h"

enum trust_error {
    TRUST_OK,
    TRUST_UNSIGNED,             /* no signature */
    TRUST_BAD_SIGNATURE,        /* not of these bytes, or no signature at all */
    TRUST_UNKNOWN_KEY,          /* of a key that is not trusted */
    TRUST_REVOKED,
    TRUST_OTHER_DIGEST,
    TRUST_BAD_SETUP,            /* a key, a list, a manifest cannot be used */
    TRUST_WRONG_PASSWORD,
    TRUST_NO_MEMORY
};

/* For one-line failures: adds the text to `why`, returns the error. */
#define trust_fail(error, why, ...) (gpudl__text_add(why, __VA_ARGS__), error)

#endif
