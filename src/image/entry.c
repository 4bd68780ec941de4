/* entry.c - one entry: its bytes, decompressed where need be, and what was read from them, each on first use. */
#include "src/image/internal.h"

#include <stdio.h>

/* Puts "entry 3: " before the text of a failure, where there may be several. */
static void name_entry(const struct image *im, const struct entry *e, struct text *t)
{
    char prefix[32];
    int n;

    if (im->count < 2 && im->format != IMAGE_FATBIN)
        return;
    n = snprintf(prefix, sizeof(prefix), "entry %zu: ", (size_t)(e - im->entries));
    if (!t->size || n <= 0 || (size_t)n + t->used + 1 > t->size)
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
            gpudl__entry_what(&e->info), e->info.sm, &e->info.suffix);
    if (e->info.compression == IMAGE_STORED) {
        e->payload = e->stored;
        return IMAGE_OK;
    }
    if (e->info.raw_size > im->limits.total_bytes - im->unpacked)
        return gpudl__image_fail(t, IMAGE_LIMIT,
            "claims %llu bytes uncompressed, and %llu of the %llu that are allowed in all are used",
            (unsigned long long)e->info.raw_size, (unsigned long long)im->unpacked, (unsigned long long)im->limits.total_bytes);
    error = gpudl__decompress(packed, e->info.compression, e->info.raw_size, im->limits.entry_bytes, &e->owned, t);
    if (error)
        return error;
    im->unpacked += e->info.raw_size;
    e->payload = (struct span){ e->owned, (size_t)e->info.raw_size };
    return IMAGE_OK;
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

/* Drivers are reported to read PTX to its first NUL and a cubin to its own end, whatever the header of the entry says: what lies
 * behind is no code, and would be hashed with it. */
static void note_rest(struct image *im, const struct entry *e)
{
    struct span all = e->info.compression == IMAGE_STORED ? e->stored : (struct span){ e->owned, (size_t)e->info.raw_size };
    const char *what = e->info.format == IMAGE_PTX ? "PTX" : "cubin";
    struct text none = gpudl__text_init(NULL, 0);
    struct cubin cubin;
    uint64_t end = e->payload.size;

    if (e->info.format == IMAGE_CUBIN && gpudl__cubin_open(e->payload, &cubin, &none) == IMAGE_OK)
        end = gpudl__cubin_extent(&cubin);
    for (uint64_t at = end; at < all.size; at++) {
        if (!all.data[at])
            continue;
        gpudl__image_note(im, "entry %zu: %llu bytes behind the end of its %s", (size_t)(e - im->entries),
            (unsigned long long)(all.size - end), what);
        return;
    }
}

/* A cubin cannot say 'f', so an entry that does is believed. */
bool gpudl__entry_differs(const struct image_entry *e)
{
    bool same_suffix = e->suffix == e->payload_suffix || (e->format == IMAGE_CUBIN && e->suffix == 'f' && !e->payload_suffix);

    return e->payload_sm && (e->sm != e->payload_sm || !same_suffix);
}

void gpudl__entry_compare_arch(struct image *im, const struct entry *e)
{
    const struct image_entry *i = &e->info;

    if (gpudl__entry_differs(i))
        gpudl__image_note(im, "entry %zu says sm_%u%.1s, its %s is for sm_%u%.1s", (size_t)(e - im->entries), i->sm, &i->suffix,
            i->format == IMAGE_PTX ? "PTX" : "cubin", i->payload_sm, &i->payload_suffix);
}

/* Keeps an error for good, unless another try may end otherwise. */
static enum image_error unusable(struct image *im, struct entry *e, enum image_error error, struct text *t)
{
    name_entry(im, e, t);
    gpudl__entry_forget(e);
    if (error == IMAGE_NO_MEMORY || e->info.compression == IMAGE_SCRAMBLED)
        return error;
    if (!e->info.error)
        gpudl__image_note(im, "entry %zu is damaged", (size_t)(e - im->entries));
    if (e->info.is_64bit || error != IMAGE_NOT_SUPPORTED)
        gpudl__image_damaged(im, error, t->size ? t->data : "an entry is damaged");
    return e->info.error = error;
}

/* A stored cubin is looked at when its image is opened. PTX needs its NUL found, too. */
static bool was_described(const struct image_entry *e)
{
    return e->format == IMAGE_CUBIN && e->compression == IMAGE_STORED && e->payload_sm && !e->error;
}

static enum image_error make_ready(struct image *im, struct entry *e, struct text *t)
{
    bool known = e->info.payload_sm;
    enum image_error error = gpudl__fatbin_explain(im, e, t);

    if (!error)
        error = unpack(im, e, t);
    if (!error && !was_described(&e->info))
        error = describe(e, t);
    if (error)
        return unusable(im, e, error, t);
    if (!known)
        gpudl__entry_compare_arch(im, e);
    if (im->inspecting && !e->rest_told && (e->info.format == IMAGE_PTX || e->info.format == IMAGE_CUBIN))
        note_rest(im, e);
    e->rest_told = true;
    e->ready = true;
    return IMAGE_OK;
}

/* Inspecting, damage is told later: it needs words even where the caller who sees it first wants none. */
enum image_error gpudl__entry_ready(struct image *im, struct entry *e, struct text *t)
{
    char own[256];
    struct text mine;

    if (e->ready)
        return IMAGE_OK;
    if (t->size || !im->inspecting)
        return make_ready(im, e, t);
    mine = gpudl__text_init(own, sizeof(own));
    return make_ready(im, e, &mine);
}

enum image_error gpudl__image_payload(struct image *im, size_t entry, struct span *out, char *text, size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    struct entry *e = &im->entries[entry];
    enum image_error error = gpudl__entry_ready(im, e, &t);

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
        return gpudl__ptx_contents(e->payload, false, &e->contents, t);
    case IMAGE_CUBIN:
        error = gpudl__cubin_open(e->payload, &cubin, t);
        return error ? error : gpudl__cubin_contents(&cubin, &e->contents, t);
    case IMAGE_LTOIR:
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED,
            "LTO-IR does not tell its kernels before it is linked (nvJitLink, nvcc -dlto)");
    case IMAGE_OPTIXIR:
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "OptiX IR does not tell its programs");
    default:
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "%s (kind 0x%x) is not read here", gpudl__entry_what(&e->info),
            e->info.kind);
    }
}

static bool is_damage(enum image_error error)
{
    return error == IMAGE_DAMAGED || error == IMAGE_TRUNCATED || error == IMAGE_LIMIT;
}

/* Inspecting, what was read before the damage is kept. */
static enum image_error keep_what_is_whole(struct image *im, struct entry *e, enum image_error error, struct text *t)
{
    e->problem = gpudl__arena_string(&im->arena, t->size ? t->data : "", t->used);
    if (!e->problem)
        return gpudl__image_no_memory(t);
    gpudl__image_damaged(im, error, e->problem);
    e->info.error = error;
    return IMAGE_OK;
}

enum image_error gpudl__entry_contents(struct image *im, struct entry *e, const struct contents **out, struct text *t)
{
    char own[256];
    struct text mine = gpudl__text_init(own, sizeof(own));
    enum image_error error;

    if (im->inspecting && !t->size)
        t = &mine;
    error = gpudl__entry_ready(im, e, t);
    if (error)
        return error;
    if (!e->listed) {
        error = list(e, t);
        if (error)
            name_entry(im, e, t);
        if (is_damage(error) && im->inspecting)
            error = keep_what_is_whole(im, e, error, t);
        if (error) {
            gpudl__arena_free(&e->contents.arena);
            e->contents = (struct contents){ 0 };
            return error;
        }
        e->listed = true;
        e->info.no_code = !e->contents.nkernels && !e->contents.nglobals && !e->info.error;
    }
    *out = &e->contents;
    return IMAGE_OK;
}

enum image_error gpudl__image_kernels(struct image *im, size_t entry, const struct image_kernel **out, size_t *n, char *text,
    size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    const struct contents *c;
    enum image_error error = gpudl__entry_contents(im, &im->entries[entry], &c, &t);

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
    enum image_error error = gpudl__entry_contents(im, &im->entries[entry], &c, &t);

    if (error)
        return error;
    *out = c->globals;
    *n = c->nglobals;
    return IMAGE_OK;
}

void gpudl__entry_forget(struct entry *e)
{
    gpudl__arena_free(&e->contents.arena);
    gpudl__arena_free(&e->contents.details_arena);
    e->contents = (struct contents){ 0 };
    gpudl__free(e->owned);
    e->owned = NULL;
    e->ready = e->listed = e->detailed = false;
}

void gpudl__image_forget(struct image *im, size_t entry)
{
    gpudl__entry_forget(&im->entries[entry]);
}
