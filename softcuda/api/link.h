/* link.h - from what the linker is given to the PTX texts in it. */
#ifndef SOFTCUDA_API_LINK_H
#define SOFTCUDA_API_LINK_H

#include "softcuda/api/objects.h"
#include "softcuda/ptx/join.h"

#define LINKED_TAG "// linked by softcuda\n"    /* begins what the linker returns: PTX in the place of a cubin */

/* All are the list's own. */
struct link_texts {
    struct ptx_source *items;
    size_t n;
};
void sc_link_texts_free(struct link_texts *);

/* Adds the texts of one input; name: for messages. On failure the log says why, and nothing is added. */
CUresult sc_link_texts_add(struct link_texts *, CUjitInputType, const void *data, size_t size, const char *name, unsigned sm,
                           struct load_log *);

#endif
