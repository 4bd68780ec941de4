/* link.h - contents to one content, by a linker that fits them. */
#ifndef GPUDL_LOADER_LINK_H
#define GPUDL_LOADER_LINK_H

#include "src/compile/link.h"
#include "src/loader/loader.h"

struct link_request {
    gpudl_loader *loader;               /* NULL: nobody's driver is asked */
    struct content *contents;           /* CUDA C++ among them becomes what it is compiled to */
    size_t n;
    const struct load_settings *settings;
    const gpudl_compile_options *options;       /* for what is compiled; may be NULL */
    struct link_target target;
    const char *linker;
};

/* All of the sources read; each of *out is released, then gpudl__free(). On failure there is nothing to release. */
gpudl_status gpudl__contents_read(const gpudl_source *sources, size_t n, struct content **out);
void gpudl__contents_release(struct content *contents, size_t n);

/* What device 0 of the loader takes. */
struct link_target gpudl__link_target_of(const gpudl_loader *l);

gpudl_status gpudl__link_contents(const struct link_request *request, struct link_result *out);

/* After a load failed: is it for want of a link, and can the content be linked by itself? True: it was, content is the result; else
 * *status, and the thread's text, say what is missing, where that is the reason. */
bool gpudl__link_alone(gpudl_loader *l, struct content *content, const struct load_settings *settings, gpudl_status *status);

#endif
