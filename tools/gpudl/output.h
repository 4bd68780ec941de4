/* output.h - a file that is written whole, or not at all. */
#ifndef GPUDL_TOOL_OUTPUT_H
#define GPUDL_TOOL_OUTPUT_H

#include "tools/gpudl/command.h"

/* What could not be written whole is taken away again; a device is not. STATUS_OK, or STATUS_FAILED after having said why. */
int output_write(const struct command *, const char *path, const void *bytes, size_t size);

#endif
