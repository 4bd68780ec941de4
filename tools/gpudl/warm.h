/* warm.h - gpudl cache warm: compiles ahead what a list says. */
#ifndef GPUDL_TOOL_WARM_H
#define GPUDL_TOOL_WARM_H

#include "tools/gpudl/command.h"

int warm(const char *list, unsigned jobs); /* jobs 0: one for each CPU */

#endif
