/* single.c - one piece of code that is a file, or an archive's member, of its own: a cubin, PTX, LTO-IR or OptiX IR. */
#include "src/image/internal.h"

static enum image_error describe_cubin(struct span part, struct image_entry *info, struct text *t)
{
    struct cubin cubin;
    enum image_error error = gpudl__cubin_open(part, &cubin, t);

    gpudl__cubin_describe(&cubin, info);
    return error;
}

static enum image_error describe_ptx(struct span part, struct image_entry *info, struct text *t)
{
    struct ptx_header header;
    enum image_error error = gpudl__ptx_header(part, &header, t);

    if (!error)
        gpudl__ptx_describe(&header, info);
    return error;
}

static enum image_error describe_nvvm(struct span part, struct image_entry *info, struct text *t)
{
    struct image_nvvm nvvm;

    if (!gpudl__nvvm_open(part, &nvvm))
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "begins like LTO-IR and ends after %zu bytes", part.size);
    info->payload_sm = nvvm.sm;
    info->payload_suffix = nvvm.suffix;
    info->is_64bit = true;
    return IMAGE_OK;
}

static enum image_error describe(enum image_format format, struct span part, struct image_entry *info, struct text *t)
{
    switch (format) {
    case IMAGE_CUBIN: return describe_cubin(part, info, t);
    case IMAGE_PTX: return describe_ptx(part, info, t);
    default: return describe_nvvm(part, info, t);
    }
}

enum image_error gpudl__single_add(struct image *im, enum image_format format, struct span part, struct text *t)
{
    size_t offset = (size_t)(part.data - im->bytes.data);
    struct image_entry info = { .format = format, .stored_size = part.size, .raw_size = part.size, .offset = offset };
    enum image_error error = describe(format, part, &info, t);
    struct entry *e;

    if (error && !(im->inspecting && info.payload_sm))
        return error;
    if (error == IMAGE_NOT_SUPPORTED)
        gpudl__image_note(im, "%s", t->data);
    else if (error)
        gpudl__image_damaged(im, error, t->data);
    info.sm = info.payload_sm;
    info.suffix = info.payload_suffix;
    info.error = error;
    if (!gpudl__image_add_container(im, format, offset, part.size) || !(e = gpudl__image_add_entry(im)))
        return gpudl__image_no_memory(t);
    info.container = e->info.container;
    e->info = info;
    e->stored = part;
    return IMAGE_OK;
}
