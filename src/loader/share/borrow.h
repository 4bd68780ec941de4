/* borrow.h - a content that some loader has already is not read in once more: its source is compared with that one's bytes, and those
 * are taken. Which they may be is told by a sample of the source, so there is one pass over it and no copy. What is used is the
 * record's, which nobody writes to, whatever becomes of the source meanwhile. */
#ifndef GPUDL_LOADER_BORROW_H
#define GPUDL_LOADER_BORROW_H

#include "src/loader/share/record.h"

enum { BORROW_LEAST = 16 << 10 };      /* bytes: less is sooner read than looked for */

/* A reference to a record of the same bytes, to be let go of by gpudl__record_abandon(). NULL: none was found, or it is too small,
 * and the source is to be read; the position of fd has not moved. */
struct record *gpudl__borrow_memory(struct commons *c, const void *bytes, size_t size);
struct record *gpudl__borrow_file(struct commons *c, int fd, size_t size);

#endif
