/* apart.h - what gpudl-nvrtc is told, in a file, and what it answers, in another: both are read as bytes from outside.
 *
 *     request   APART_WORD, library, name, text, architecture ("90"), its suffix, format, relocatable ("0", "1"); then lists, each behind how
 *               many there are: folders of the compiler's own, options, headers (name, text), name expressions
 *     answer    APART_WORD, error, compiler, why, log, size of the lowered names; then these, and behind them the code
 *
 * All of it is text with a NUL, numbers are decimal, but for the lowered names and the code. */
#ifndef GPUDL_COMPILE_APART_H
#define GPUDL_COMPILE_APART_H

#include "src/compile/internal.h"

#define APART_PROGRAM "gpudl-nvrtc"
#define APART_WORD    "gpudl-nvrtc 1" /* another version says another */

/* Takes texts from the front, one by one. */
struct apart_reader {
    struct span rest;
    bool failed;
};
const char *gpudl__apart_text(struct apart_reader *);   /* "" after a failure */
size_t gpudl__apart_number(struct apart_reader *);
/* How many follow, of at least so many bytes each. */
size_t gpudl__apart_count(struct apart_reader *, size_t each);

#endif
