/* options.h - sized structs are copied once, at the door, into complete ones. */
#ifndef GPUDL_LOADER_OPTIONS_H
#define GPUDL_LOADER_OPTIONS_H

#include <gpudl/gpudl.h>

/* dst of known bytes from src, whose first member is its size. Missing members become zero; members that this gpudl does not
 * know must be zero. */
gpudl_status gpudl__options_import(void *dst, size_t known, const void *src, const char *name);

#endif
