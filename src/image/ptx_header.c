/* ptx_header.c - .version M.N, .target LIST, [.address_size N]: the first directives of a PTX text, in this order. */
#include "src/image/internal.h"
#include "src/image/ptx_lex.h"

/* "9.0" -> 90 */
static bool read_version(struct span word, unsigned *out)
{
    const unsigned char *dot = word.size ? memchr(word.data, '.', word.size) : NULL;
    struct span major, minor;
    uint64_t a, b;

    if (!dot)
        return false;
    major = (struct span){ word.data, (size_t)(dot - word.data) };
    minor = span_from(word, major.size + 1);
    if (!gpudl__ptx_number(major, &a) || !gpudl__ptx_number(minor, &b) || a > 999 || b > 9)
        return false;
    *out = (unsigned)(10 * a + b);
    return true;
}

/* "sm_90a", "compute_100f" -> number and suffix */
static bool read_arch(struct span word, unsigned *sm, char *suffix)
{
    size_t prefix = span_is(word, 0, "sm_", 3) ? 3 : span_is(word, 0, "compute_", 8) ? 8 : 0;
    unsigned char last = word.size ? word.data[word.size - 1] : 0;
    struct span digits;
    uint64_t v;

    if (!prefix)
        return false;
    *suffix = last == 'a' || last == 'f' ? (char)last : 0;
    digits = (struct span){ word.data + prefix, word.size - prefix - (*suffix ? 1 : 0) };
    if (!gpudl__ptx_number(digits, &v) || v > 9999)
        return false;
    *sm = (unsigned)v;
    return true;
}

/* A list of architectures and options; the highest architecture counts. */
static enum image_error read_target(struct ptx_lexer *l, struct ptx_header *h, struct text *t)
{
    unsigned sm = 0;
    char suffix = 0;

    for (;;) {
        if (gpudl__ptx_next(l) != PTX_WORD)
            return gpudl__ptx_unexpected(l, "a target such as sm_90", t);
        if (read_arch(l->word, &sm, &suffix)) {
            if (sm > h->sm) {
                h->sm = sm;
                h->suffix = suffix;
            }
        } else {
            h->debug = h->debug || gpudl__ptx_is(l, PTX_WORD, "debug");
            h->texmode_independent = h->texmode_independent || gpudl__ptx_is(l, PTX_WORD, "texmode_independent");
            h->map_f64_to_f32 = h->map_f64_to_f32 || gpudl__ptx_is(l, PTX_WORD, "map_f64_to_f32");
        }
        if (!h->targets.data)
            h->targets.data = l->word.data;
        h->targets.size = (size_t)(l->word.data - h->targets.data) + l->word.size;
        gpudl__ptx_next(l);
        if (!gpudl__ptx_is_mark(l, ','))
            return IMAGE_OK;
    }
}

static enum image_error read_address_size(struct ptx_lexer *l, struct ptx_header *h, struct text *t)
{
    gpudl__ptx_next(l);
    if (!gpudl__ptx_is(l, PTX_NUMBER, "32") && !gpudl__ptx_is(l, PTX_NUMBER, "64"))
        return gpudl__ptx_unexpected(l, "an address size of 32 or 64", t);
    h->is_64bit = gpudl__ptx_is(l, PTX_NUMBER, "64");
    gpudl__ptx_next(l);
    return IMAGE_OK;
}

enum image_error gpudl__ptx_header(struct span text, struct ptx_header *out, struct text *t)
{
    struct ptx_lexer l = { .text = text };
    struct ptx_header h = { .is_64bit = true };
    enum image_error error = IMAGE_OK;

    gpudl__ptx_next(&l);
    if (!gpudl__ptx_is(&l, PTX_DIRECTIVE, "version"))
        return gpudl__ptx_unexpected(&l, "the directive .version", t);
    if (gpudl__ptx_next(&l) != PTX_NUMBER || !read_version(l.word, &h.version))
        return gpudl__ptx_unexpected(&l, "a version such as 9.0", t);
    gpudl__ptx_next(&l);
    if (!gpudl__ptx_is(&l, PTX_DIRECTIVE, "target"))
        return gpudl__ptx_unexpected(&l, "the directive .target", t);
    while (!error && gpudl__ptx_is(&l, PTX_DIRECTIVE, "target"))
        error = read_target(&l, &h, t);
    if (!error && !h.sm)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "PTX: .target names no architecture such as sm_90");
    if (!error && gpudl__ptx_is(&l, PTX_DIRECTIVE, "address_size"))
        error = read_address_size(&l, &h, t);
    if (!error)
        *out = h;
    return error;
}

void gpudl__ptx_describe(const struct ptx_header *h, struct image_entry *info)
{
    info->payload_sm = h->sm;
    info->payload_suffix = h->suffix;
    info->ptx_version = h->version;
    info->is_64bit = h->is_64bit;
    info->debug = info->debug || h->debug;
}
