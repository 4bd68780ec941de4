#include "src/image/internal.h"

#include <stdarg.h>
#include <stdio.h>

#define DEFAULT_LIMIT (1ull << 30)
#define NOTES_SIZE 1024

enum image_error gpudl__image_fail(struct text *t, enum image_error error, const char *format, ...)
{
    va_list args;

    gpudl__text_clear(t);
    va_start(args, format);
    gpudl__text_add_args(t, format, args);
    va_end(args);
    return error;
}

enum image_error gpudl__image_no_memory(struct text *t)
{
    return gpudl__image_fail(t, IMAGE_NO_MEMORY, "out of memory");
}

/* Notes are a courtesy: without memory there is none. */
void gpudl__image_note(struct image *im, const char *format, ...)
{
    size_t used;
    va_list args;

    if (!im->notes)
        im->notes = gpudl__alloc_zero(NOTES_SIZE);
    if (!im->notes)
        return;
    used = strlen(im->notes);
    if (used > NOTES_SIZE - 128)
        return;
    if (used)
        im->notes[used++] = '\n';
    va_start(args, format);
    vsnprintf(im->notes + used, NOTES_SIZE - used, format, args);
    va_end(args);
}

/* A cubin cannot say 'f', so an entry that does is believed. */
void gpudl__image_compare_arch(struct image *im, const struct entry *e)
{
    const struct image_entry *i = &e->info;
    bool same_suffix = i->suffix == i->payload_suffix || (i->format == IMAGE_CUBIN && i->suffix == 'f' && !i->payload_suffix);

    if (i->payload_sm && (i->sm != i->payload_sm || !same_suffix))
        gpudl__image_note(im, "entry %zu says sm_%u%.1s, its %s is for sm_%u%.1s", (size_t)(e - im->entries), i->sm, &i->suffix,
            i->format == IMAGE_PTX ? "PTX" : "cubin", i->payload_sm, &i->payload_suffix);
}

struct image *gpudl__image_create(enum image_format format, struct span bytes, uint64_t limit, size_t count)
{
    struct image *im = gpudl__alloc_zero(sizeof(*im) + count * sizeof(im->entries[0]));

    if (!im)
        return NULL;
    im->format = format;
    im->bytes = bytes;
    im->limit = limit;
    im->count = count;
    return im;
}

/* A file that is one cubin or one PTX text is an image of one entry. */
static struct entry *open_single(enum image_format format, struct span bytes, uint64_t limit, struct image **out, struct text *t)
{
    struct image *im = gpudl__image_create(format, bytes, limit, 1);
    struct entry *e;

    if (!im) {
        gpudl__image_no_memory(t);
        return NULL;
    }
    e = &im->entries[0];
    e->stored = bytes;
    e->info = (struct image_entry){ .format = format, .stored_size = bytes.size, .raw_size = bytes.size };
    *out = im;
    return e;
}

static enum image_error open_cubin(struct span bytes, uint64_t limit, struct image **out, struct text *t)
{
    struct cubin cubin;
    struct entry *e;
    enum image_error error = gpudl__cubin_open(bytes, &cubin, t);

    if (error)
        return error;
    e = open_single(IMAGE_CUBIN, bytes, limit, out, t);
    if (!e)
        return IMAGE_NO_MEMORY;
    gpudl__cubin_describe(&cubin, &e->info);
    e->info.sm = e->info.payload_sm;
    e->info.suffix = e->info.payload_suffix;
    return IMAGE_OK;
}

static enum image_error open_ptx(struct span bytes, uint64_t limit, struct image **out, struct text *t)
{
    struct ptx_header header;
    struct entry *e;
    enum image_error error = gpudl__ptx_header(bytes, &header, t);

    if (error)
        return error;
    e = open_single(IMAGE_PTX, bytes, limit, out, t);
    if (!e)
        return IMAGE_NO_MEMORY;
    gpudl__ptx_describe(&header, &e->info);
    e->info.sm = e->info.payload_sm;
    e->info.suffix = e->info.payload_suffix;
    return IMAGE_OK;
}

enum image_error gpudl__image_open(struct span bytes, uint64_t limit, struct image **out, char *text, size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    enum image_format format = IMAGE_UNKNOWN;
    enum image_error error = gpudl__image_detect(bytes, &format, &t);

    if (error)
        return error;
    if (!limit)
        limit = DEFAULT_LIMIT;
    switch (format) {
    case IMAGE_FATBIN: return gpudl__fatbin_open(bytes, limit, out, &t);
    case IMAGE_CUBIN: return open_cubin(bytes, limit, out, &t);
    default: return open_ptx(bytes, limit, out, &t);
    }
}

void gpudl__entry_forget(struct entry *e)
{
    gpudl__arena_free(&e->contents.arena);
    e->contents = (struct contents){ 0 };
    gpudl__free(e->owned);
    e->owned = NULL;
    e->ready = e->listed = false;
}

void gpudl__image_close(struct image *im)
{
    if (!im)
        return;
    for (size_t i = 0; i < im->count; i++) {
        gpudl__entry_forget(&im->entries[i]);
        gpudl__free(im->entries[i].owned_name);
    }
    gpudl__free(im->notes);
    gpudl__free(im);
}

enum image_format gpudl__image_format(const struct image *im)
{
    return im->format;
}

size_t gpudl__image_count(const struct image *im)
{
    return im->count;
}

const struct image_entry *gpudl__image_entry(const struct image *im, size_t i)
{
    return &im->entries[i].info;
}

const char *gpudl__image_notes(const struct image *im)
{
    return im->notes ? im->notes : "";
}

/* Puts "entry 3: " before the text of a failure inside of a fatbin. */
static void name_entry(const struct image *im, const struct entry *e, struct text *t)
{
    char prefix[32];
    int n;

    if (im->format != IMAGE_FATBIN || !t->size)
        return;
    n = snprintf(prefix, sizeof(prefix), "entry %zu: ", (size_t)(e - im->entries));
    if (n <= 0 || (size_t)n + t->used + 1 > t->size)
        return;
    memmove(t->data + n, t->data, t->used + 1);
    memcpy(t->data, prefix, (size_t)n);
    t->used += (size_t)n;
}

static enum image_error unpack(struct image *im, struct entry *e, struct text *t)
{
    struct span packed = { e->stored.data, e->packed_size };
    enum image_error error;

    if (e->info.compression == IMAGE_SCRAMBLED)
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "%s for sm_%u%.1s, scrambled, contents not readable",
            gpudl__fatbin_kind_name(e->info.kind) ? gpudl__fatbin_kind_name(e->info.kind) : "code", e->info.sm, &e->info.suffix);
    if (e->info.compression == IMAGE_STORED) {
        e->payload = e->stored;
        return IMAGE_OK;
    }
    error = gpudl__decompress(packed, e->info.compression, e->info.raw_size, im->limit, &e->owned, t);
    if (!error)
        e->payload = (struct span){ e->owned, (size_t)e->info.raw_size };
    return error;
}

/* PTX ends at its first NUL; where there is none a copy gets one. */
static enum image_error terminate(struct entry *e, struct text *t)
{
    const unsigned char *nul = e->payload.size ? memchr(e->payload.data, 0, e->payload.size) : NULL;

    if (nul)
        e->payload.size = (size_t)(nul - e->payload.data);
    if (nul || e->owned)
        return IMAGE_OK;
    e->owned = gpudl__alloc(e->payload.size + 1);
    if (!e->owned)
        return gpudl__image_no_memory(t);
    memcpy(e->owned, e->payload.data, e->payload.size);
    e->owned[e->payload.size] = '\0';
    e->payload.data = e->owned;
    return IMAGE_OK;
}

static enum image_error describe(struct entry *e, struct text *t)
{
    struct ptx_header ptx;
    struct cubin cubin;
    enum image_error error = IMAGE_OK;

    if (e->info.format == IMAGE_CUBIN) {
        error = gpudl__cubin_open(e->payload, &cubin, t);
        if (!error)
            gpudl__cubin_describe(&cubin, &e->info);
    } else if (e->info.format == IMAGE_PTX) {
        error = terminate(e, t);
        if (!error)
            error = gpudl__ptx_header(e->payload, &ptx, t);
        if (!error)
            gpudl__ptx_describe(&ptx, &e->info);
    }
    return error;
}

static enum image_error make_ready(struct image *im, struct entry *e, struct text *t)
{
    bool known = e->info.payload_sm;
    enum image_error error = gpudl__fatbin_explain(im, e, t);

    if (!error)
        error = unpack(im, e, t);
    if (!error)
        error = describe(e, t);
    if (error) {
        name_entry(im, e, t);
        gpudl__entry_forget(e);
        if (error == IMAGE_NO_MEMORY || e->info.compression == IMAGE_SCRAMBLED)
            return error;
        if (!e->info.error)
            gpudl__image_note(im, "entry %zu is damaged", (size_t)(e - im->entries));
        return e->info.error = error;
    }
    if (!known)
        gpudl__image_compare_arch(im, e);
    e->ready = true;
    return IMAGE_OK;
}

enum image_error gpudl__image_payload(struct image *im, size_t entry, struct span *out, char *text, size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    struct entry *e = &im->entries[entry];
    enum image_error error = e->ready ? IMAGE_OK : make_ready(im, e, &t);

    if (!error)
        *out = e->payload;
    return error;
}

static enum image_error list(struct entry *e, struct text *t)
{
    struct cubin cubin;
    enum image_error error;

    switch (e->info.format) {
    case IMAGE_PTX:
        return gpudl__ptx_contents(e->payload, &e->contents, t);
    case IMAGE_CUBIN:
        error = gpudl__cubin_open(e->payload, &cubin, t);
        return error ? error : gpudl__cubin_contents(&cubin, &e->contents, t);
    case IMAGE_LTOIR:
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED,
            "LTO-IR does not tell its kernels before it is linked (nvJitLink, nvcc -dlto)");
    default:
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "%s (kind 0x%x) is not read here",
            gpudl__fatbin_kind_name(e->info.kind) ? gpudl__fatbin_kind_name(e->info.kind) : "this", e->info.kind);
    }
}

enum image_error gpudl__image_contents(struct image *im, struct entry *e, const struct contents **out, struct text *t)
{
    enum image_error error = e->ready ? IMAGE_OK : make_ready(im, e, t);

    if (error)
        return error;
    if (!e->listed) {
        error = list(e, t);
        if (error) {
            name_entry(im, e, t);
            gpudl__arena_free(&e->contents.arena);
            e->contents = (struct contents){ 0 };
            return error;
        }
        e->listed = true;
    }
    *out = &e->contents;
    return IMAGE_OK;
}

enum image_error gpudl__image_kernels(struct image *im, size_t entry, const struct image_kernel **out, size_t *n, char *text,
    size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    const struct contents *c;
    enum image_error error = gpudl__image_contents(im, &im->entries[entry], &c, &t);

    if (error)
        return error;
    *out = c->kernels;
    *n = c->nkernels;
    return IMAGE_OK;
}

enum image_error gpudl__image_globals(struct image *im, size_t entry, const struct image_global **out, size_t *n, char *text,
    size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    const struct contents *c;
    enum image_error error = gpudl__image_contents(im, &im->entries[entry], &c, &t);

    if (error)
        return error;
    *out = c->globals;
    *n = c->nglobals;
    return IMAGE_OK;
}
