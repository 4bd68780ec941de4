/* gather.h - a source of CUDA C++ with its macros and headers in its own text, to be compiled where they are not. */
#ifndef GPUDL_TOOL_GATHER_H
#define GPUDL_TOOL_GATHER_H

#include "tools/gpudl/compiling.h"

struct gathered {
    char *text;         /* begins with GPUDL_SOURCE_MARK */
    size_t size;
    char **files;       /* the source, and the headers that are in the text */
    size_t nfiles;
};

/* Headers are found as compilers find them: between quotes beside the file that names them, then in the folders of -I. Those that are not found stay
 * #includes, for the compiler to come. STATUS_OK; or another after having said why, with nothing to free. */
int gather(const struct command *, const char *file, const struct compiling *, struct gathered *out);
void gathered_free(struct gathered *);

#endif
