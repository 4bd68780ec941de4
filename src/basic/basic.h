/* basic.h - what a basic build has in the place of compile/, cache/, trust/, and of what the loader does with them: answers that say so. */
#ifndef GPUDL_BASIC_H
#define GPUDL_BASIC_H

#include <gpudl/gpudl.h>

/* "WHAT: this is a basic build of gpudl, without PART: ..." */
gpudl_status gpudl__basic_lacks(const char *what, const char *part);

#endif
