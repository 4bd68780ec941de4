/* depfile.h - what a file was made of, as make and ninja read it. */
#ifndef GPUDL_TOOL_DEPFILE_H
#define GPUDL_TOOL_DEPFILE_H

#include <stddef.h>

#include "tools/gpudl/command.h"

/* Writes "target: file..." to path. STATUS_OK, or STATUS_FAILED after having said why. */
int depfile_write(const struct command *, const char *path, const char *target, const char *const *files, size_t nfiles);

#endif
