/* words.h - the fixed words of PTX: types, state spaces, roots, modifiers, special registers. All texts without their dot. */
#ifndef SOFTCUDA_PTX_WORDS_H
#define SOFTCUDA_PTX_WORDS_H

#include "softcuda/ptx/ptx.h"

struct ptx_slice {
    const char *text;
    uint32_t len;
};

bool ptx_slice_is(struct ptx_slice, const char *);

enum ptx_type ptx_find_type(struct ptx_slice);          /* PTX_NONE: no such type */
bool ptx_find_space(struct ptx_slice, enum ptx_space *);    /* "shared::cta" too */
int ptx_find_op(struct ptx_slice);                      /* -1: no such root */
int ptx_find_mod(struct ptx_slice);                     /* -1: no such modifier */

/* "%tid" with the part "x", "%laneid" with the part "". -1: none; -2: it needs a part, or has no such part. */
int ptx_find_special(struct ptx_slice name, struct ptx_slice part);

#endif
