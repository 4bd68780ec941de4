/* options.h - sized structs are copied once, at the door, into complete ones. */
#ifndef GPUDL_LOADER_OPTIONS_H
#define GPUDL_LOADER_OPTIONS_H

#include <gpudl/gpudl.h>

/* dst of known bytes from src, whose first member is its size. Missing members become zero; members that this gpudl does not
 * know must be zero. */
gpudl_status gpudl__options_import(void *dst, size_t known, const void *src, const char *name);

/* Flags that this gpudl does not know are refused, as a newer caller's. */
gpudl_status gpudl__flags_check(uint64_t given, uint64_t known, const char *name);

/* The other way: may a struct of the caller, whose first member is its size, be filled? */
gpudl_status gpudl__result_check(const void *dst, const char *name);
/* As much of src, of known bytes, as dst has room for; its size stays. Members that this gpudl does not know become zero. */
void gpudl__result_export(void *dst, const void *src, size_t known);

#endif
