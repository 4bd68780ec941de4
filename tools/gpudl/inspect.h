/* inspect.h - what gpudl inspect prints of one open image: for people (listing.c) or for programs (report.c). Each returns
 * whether all that it asked for could be read; what could not is said where it would stand. */
#ifndef GPUDL_TOOL_INSPECT_H
#define GPUDL_TOOL_INSPECT_H

#include <stdbool.h>

#include <gpudl/gpudl.h>

/* What became of reading one entry. */
struct reading {
    size_t nkernels, nglobals;
    bool damaged;
    const char *text;           /* why it could not be read, lent until the next failure; or NULL */
};

struct reading inspect_read(gpudl_image *image, const char *file, size_t entry);
const char *inspect_demangle(const char *name);     /* lent until the next call */

bool inspect_list(gpudl_image *image, const char *file, bool symbols);
bool inspect_report(gpudl_image *image, const char *file, bool symbols);

/* A type of section as ELF tools write it, "PROGBITS"; NULL: no name for it is known. */
const char *inspect_section_type(unsigned type);

#endif
