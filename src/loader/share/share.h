/* share.h - a loader's way to what it has in common with others (record.h). */
#ifndef GPUDL_LOADER_SHARE_H
#define GPUDL_LOADER_SHARE_H

#include "src/loader/loader.h"

/* For an open loader: joins the commons unless that is turned off, and says what it met. */
void gpudl__share_open(gpudl_loader *l, const gpudl_loader_options *options);
void gpudl__share_close(gpudl_loader *l);       /* it has no versions any more */

/* Two loaders of one driver have the same number. */
uint64_t gpudl__share_driver(const gpudl_loader *l);

/* A record for a version that has its content: then the version's bytes are the record's, and the caller keeps the content.
 * *mine: it is to be loaded now, else gpudl__share_take() has all of it. False: the version goes alone. */
bool gpudl__share_get(struct version *v, bool *mine);
void gpudl__share_take(struct version *v);
/* Loaded, or not; others may have it if they are to. */
void gpudl__share_land(struct version *v, bool for_others);

/* Its code is about to go: others have what it had. */
void gpudl__share_hand_on(gpudl_loader *l);

#endif
