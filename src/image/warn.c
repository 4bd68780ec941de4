/* warn.c - what would run, but badly. Limits of multiprocessors are those of the CUDA programming guide's table of compute
 * capabilities. */
#include "src/image/internal.h"

#include <stdarg.h>

#define REGISTERS_EACH 16384u       /* of each of the four parts of a multiprocessor */
#define PARTS 4u
#define REGISTER_UNIT 256u          /* given out to a warp at a time */
#define WARP 32u
#define USUAL_BLOCK 256u            /* threads, where the image does not limit them */
#define PORTABLE_CLUSTER 8u         /* blocks */

struct multiprocessor {
    unsigned sm, threads, blocks;
};

static const struct multiprocessor multiprocessors[] = {
    { 50, 2048, 32 }, { 52, 2048, 32 }, { 60, 2048, 32 }, { 61, 2048, 32 }, { 70, 2048, 32 }, { 72, 2048, 32 }, { 75, 1024, 16 },
    { 80, 2048, 32 }, { 86, 1536, 16 }, { 87, 1536, 16 }, { 88, 1536, 16 }, { 89, 1536, 24 }, { 90, 2048, 32 },
    { 100, 2048, 32 }, { 103, 2048, 32 }, { 110, 1536, 24 }, { 120, 1536, 24 }, { 121, 1536, 24 },
};

/* NULL: a device that is newer than this table, or has other register files. */
static const struct multiprocessor *multiprocessor_of(unsigned sm)
{
    for (size_t i = 0; i < sizeof(multiprocessors) / sizeof(multiprocessors[0]); i++)
        if (multiprocessors[i].sm == sm)
            return &multiprocessors[i];
    return NULL;
}

const char *gpudl__image_warning_name(enum image_warning w)
{
    static const char *const names[] = {
#define IMAGE_WARNING_NAME(name, text) text,
        IMAGE_WARNINGS(IMAGE_WARNING_NAME)
#undef IMAGE_WARNING_NAME
    };

    return (unsigned)w < sizeof(names) / sizeof(names[0]) ? names[w] : "";
}

struct warner {
    const struct entry *entry;
    const struct image_target *target;
    image_tell *tell;
    void *user;
};

__attribute__((format(printf, 4, 5))) static void tell(const struct warner *w, enum image_warning what,
    const struct image_kernel *k, const char *format, ...)
{
    char text[256];
    struct text t = gpudl__text_init(text, sizeof(text));
    va_list args;

    va_start(args, format);
    gpudl__text_add_args(&t, format, args);
    va_end(args);
    w->tell(w->user, what, k, text);
}

static void warn_of_entry(const struct warner *w)
{
    const struct image_entry *e = &w->entry->info;

    if (e->format == IMAGE_PTX && w->target->machine_code) {
        tell(w, IMAGE_WARNING_JIT, NULL, "PTX is compiled by the driver at each load that its cache does not serve: add -gencode "
            "arch=compute_%u,code=sm_%u", w->target->sm, w->target->sm);
        if (e->sm < w->target->sm)
            tell(w, IMAGE_WARNING_JIT_OLDER, NULL, "PTX for compute_%u%.1s uses nothing that came after it; this device is sm_%u",
                e->sm, &e->suffix, w->target->sm);
    }
    if (e->debug)
        tell(w, IMAGE_WARNING_DEBUG, NULL, "debug code, not optimised: compile without -G");
    if (gpudl__entry_differs(e))
        tell(w, IMAGE_WARNING_MISMATCH, NULL, "its header says sm_%u%.1s, what is in it is for sm_%u%.1s", e->sm, &e->suffix,
            e->payload_sm, &e->payload_suffix);
}

static void warn_of_registers(const struct warner *w, const struct image_kernel *k, const struct image_resources *r)
{
    const struct multiprocessor *mp = multiprocessor_of(w->target->sm);
    unsigned threads = r->max_threads && r->max_threads <= 1024 ? r->max_threads : USUAL_BLOCK;
    unsigned warps = (threads + WARP - 1) / WARP, each, blocks;

    if (!mp || r->registers == IMAGE_NOT_KNOWN || !r->registers)
        return;
    each = (r->registers * WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    blocks = PARTS * (REGISTERS_EACH / each) / warps;
    if (blocks > mp->blocks)
        blocks = mp->blocks;
    if (!blocks)
        tell(w, IMAGE_WARNING_DOES_NOT_FIT, k, "%u registers a thread: a block of %u threads does not fit", r->registers,
        threads);
    else if (blocks * threads * 2 < mp->threads && r->registers > WARP)
        tell(w, IMAGE_WARNING_REGISTERS, k,
            "%u registers a thread: %u %s of %u threads %s a multiprocessor, which holds %u threads",
            r->registers, blocks, blocks == 1 ? "block" : "blocks", threads, blocks == 1 ? "fits" : "fit", mp->threads);
}

static void warn_of_kernel(const struct warner *w, const struct image_kernel *k, const struct image_resources *r)
{
    uint64_t cluster = (uint64_t)r->cluster[0] * (r->cluster[1] ? r->cluster[1] : 1) * (r->cluster[2] ? r->cluster[2] : 1);

    if (!r->complete)
        tell(w, IMAGE_WARNING_DAMAGED, k, "%s", r->problem ? r->problem : "not all of it could be read");
    if (r->stack != IMAGE_NOT_KNOWN && r->stack)
        tell(w, IMAGE_WARNING_LOCAL_MEMORY, k, "%u bytes of local memory a thread: registers that were spilled, or local arrays",
            r->stack);
    else if (r->stack == IMAGE_NOT_KNOWN && r->frame != IMAGE_NOT_KNOWN && !w->entry->info.relocatable)
        tell(w, IMAGE_WARNING_STACK_UNKNOWN, k, "its stack has no known bound, as it recurs or calls through pointers");
    warn_of_registers(w, k, r);
    if (cluster > PORTABLE_CLUSTER)
        tell(w, IMAGE_WARNING_CLUSTER, k,
        "clusters of %llu blocks: more than 8 need the attribute for clusters that are not portable",
            (unsigned long long)cluster);
}

enum image_error gpudl__image_warn(struct image *im, size_t entry, const struct image_target *target, image_tell *tell_one,
    void *user, char *text, size_t text_size)
{
    const struct warner w = { &im->entries[entry], target, tell_one, user };
    struct text t = gpudl__text_init(text, text_size);
    const struct contents *c;
    enum image_error error = gpudl__entry_details(im, &im->entries[entry], &c, &t);

    if (error)
        return error;
    warn_of_entry(&w);
    for (size_t i = 0; i < c->details.nkernels; i++)
        warn_of_kernel(&w, &c->kernels[i], &c->details.kernels[i]);
    return IMAGE_OK;
}
