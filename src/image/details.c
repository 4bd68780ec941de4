/* details.c - what an entry tells beyond what a load needs. */
#include "src/image/internal.h"

/* The product, and IMAGE_NOT_KNOWN for one that is absurd. */
uint32_t gpudl__threads_of(const struct image_resources *k)
{
    const uint32_t *block = k->required_block[0] ? k->required_block : k->max_block;
    uint64_t n = block[0];

    for (unsigned i = 1; i < 3; i++)
        if (__builtin_mul_overflow(n, block[i] ? block[i] : 1, &n))
            return IMAGE_NOT_KNOWN;
    return n > IMAGE_NOT_KNOWN ? IMAGE_NOT_KNOWN : (uint32_t)n;
}

/* PTX is scanned once more, bodies included; its kernels come in the same order as before. */
static enum image_error ptx_details(struct entry *e, struct text *t)
{
    struct contents again = { 0 };
    enum image_error error = gpudl__ptx_contents(e->payload, true, &again, t);

    if (error == IMAGE_NO_MEMORY) {
        gpudl__arena_free(&again.arena);
        return error;
    }
    e->contents.details_arena = again.arena;
    e->contents.details = again.details;
    if (e->contents.details.nkernels > e->contents.nkernels)
        e->contents.details.nkernels = e->contents.nkernels;
    e->contents.details.needs_linking = again.details.needs_linking || e->info.relocatable;
    return IMAGE_OK;
}

static enum image_error cubin_details(struct entry *e, struct text *t)
{
    struct cubin cubin;
    enum image_error error = gpudl__cubin_open(e->payload, &cubin, t);

    return error ? error : gpudl__cubin_details(&cubin, &e->contents, t);
}

enum image_error gpudl__entry_details(struct image *im, struct entry *e, const struct contents **out, struct text *t)
{
    enum image_error error = gpudl__entry_contents(im, e, out, t);

    if (error || e->detailed)
        return error;
    error = e->info.format == IMAGE_PTX ? ptx_details(e, t) : cubin_details(e, t);
    if (error) {
        gpudl__arena_free(&e->contents.details_arena);
        e->contents.details_arena = (struct arena){ 0 };
        e->contents.details = (struct image_details){ 0 };
        return error;
    }
    e->detailed = true;
    return IMAGE_OK;
}

enum image_error gpudl__image_details(struct image *im, size_t entry, const struct image_details **out, char *text,
    size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    const struct contents *c;
    enum image_error error = gpudl__entry_details(im, &im->entries[entry], &c, &t);

    if (!error)
        *out = &c->details;
    return error;
}

/* A string of the header, which need not end in NUL. */
static enum image_error keep_string(struct image *im, struct span s, const char **out, struct text *t)
{
    *out = gpudl__arena_string(&im->arena, s.data, s.size);
    return *out ? IMAGE_OK : gpudl__image_no_memory(t);
}

static enum image_error ptx_provenance(struct image *im, struct entry *e, struct image_provenance *out, struct text *t)
{
    enum image_error error = gpudl__entry_ready(im, e, t);
    struct ptx_header h;

    if (!error)
        error = gpudl__ptx_header(e->payload, &h, t);
    if (error)
        return error;
    out->texmode_independent = h.texmode_independent;
    out->map_f64_to_f32 = h.map_f64_to_f32;
    return keep_string(im, h.targets, &out->ptx_targets, t);
}

static enum image_error provenance(struct image *im, struct entry *e, struct image_provenance *out, struct text *t)
{
    enum image_error error = IMAGE_OK;
    struct span extension = { 0 };

    out->format_version[0] = span_u16(e->header, 0x1a);
    out->format_version[1] = span_u16(e->header, 0x18);
    if (gpudl__fatbin_extension(e, &extension) && e->info.format != IMAGE_CUBIN)
        error = keep_string(im, extension, &out->options, t);
    else
        out->extension = extension;
    if (error)
        return error;
    if (e->info.format == IMAGE_PTX)
        return ptx_provenance(im, e, out, t);
    if ((e->info.format == IMAGE_LTOIR || e->info.format == IMAGE_OPTIXIR) && e->info.compression != IMAGE_SCRAMBLED) {
        error = gpudl__entry_ready(im, e, t);
        if (!error)
            gpudl__nvvm_open(e->payload, &out->nvvm);
    }
    return error;
}

enum image_error gpudl__image_provenance(struct image *im, size_t entry, struct image_provenance *out, char *text,
    size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    struct image_provenance p = { 0 };
    enum image_error error = provenance(im, &im->entries[entry], &p, &t);

    if (!error)
        *out = p;
    return error;
}

static enum image_error open_cubin(struct image *im, size_t entry, struct cubin *c, struct text *t)
{
    struct entry *e = &im->entries[entry];
    enum image_error error;

    if (e->info.format != IMAGE_CUBIN)
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "%s has no sections and symbols", gpudl__entry_what(&e->info));
    error = gpudl__entry_ready(im, e, t);
    return error ? error : gpudl__cubin_open(e->payload, c, t);
}

enum image_error gpudl__image_sections(struct image *im, size_t entry, image_each_section *each, void *user, char *text,
    size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    struct cubin c = { 0 };
    enum image_error error = open_cubin(im, entry, &c, &t);
    struct symbol_table names = { .names = c.section_names, .names_left = 4 * (uint64_t)c.bytes.size };
    size_t length;

    for (uint32_t i = 0; !error && i < c.nsections; i++) {
        struct section s = gpudl__cubin_section(&c, i);
        struct span h = gpudl__cubin_header(&c, i);
        const char *name = gpudl__symbols_name(&names, (struct symbol){ .name = s.name }, &length);
        struct image_section out = {
            .name = name ? name : "", .index = i, .type = s.type, .link = s.link, .info = s.info, .flags = span_u64(h, 0x08),
            .address = span_u64(h, 0x10), .offset = s.offset, .size = s.size, .align = span_u64(h, 0x30),
            .entry_size = s.entry_size,
        };

        if (!each(user, &out))
            break;
    }
    return error;
}

enum image_error gpudl__image_symbols(struct image *im, size_t entry, image_each_symbol *each, void *user, char *text,
    size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    struct symbol_table st;
    struct cubin c;
    enum image_error error = open_cubin(im, entry, &c, &t);
    size_t length;

    if (!error)
        error = gpudl__symbols_open(&c, &st, &t);
    for (size_t i = 0; !error && i < gpudl__symbols_count(&st); i++) {
        struct symbol s = gpudl__symbols_at(&st, i);
        const char *name = gpudl__symbols_name(&st, s, &length);
        struct image_symbol out = {
            .name = name ? name : "", .index = (uint32_t)i, .section = s.section, .type = (uint8_t)s.type,
            .binding = (uint8_t)s.binding, .other = (uint8_t)s.other, .value = s.value, .size = s.size,
        };

        if (!each(user, &out))
            break;
    }
    return error;
}
