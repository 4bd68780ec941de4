/* pages.h - memory of the commons: mapped, so nobody's heap. Small pieces are kept when they are given back, as most code is small,
 * and mapping and its page faults cost more than what goes on in them. */
#ifndef GPUDL_LOADER_PAGES_H
#define GPUDL_LOADER_PAGES_H

#include "src/loader/share/commons.h"

/* At least *size bytes, aligned as any type may want, not cleared; *size: what is to be given back. NULL: no memory. Not under the
 * lock, as the others. */
void *gpudl__pages_take(struct commons *c, size_t *size);
void gpudl__pages_give(struct commons *c, void *pages, size_t size);
void gpudl__pages_unmap(struct commons *c);     /* those that are kept */

#endif
