#include "fuzz/image/check.h"

#include <string.h>

#include "src/image/details.h"
#include "src/image/explain.h"

#define TEXT_SIZE 512

static const struct image_limits limits = { .entry_bytes = 1u << 20, .total_bytes = 16u << 20, .entries = 4096 };
static const struct image_target targets[] = {
    { .sm = 90, .ptx_version = 90, .machine_code = true, .cuda_version = 13000 },
    { .sm = 80, .ptx_version = 84, .machine_code = true, .cuda_version = 12040, .jit_disabled = true },
    { .sm = 75, .any_ptx = true },
};
#define TARGETS (sizeof(targets) / sizeof(targets[0]))

/* What two readings of the same bytes have to agree on. */
struct sum {
    size_t containers, entries, kernels, globals, problems, names, warnings;
    uint64_t values;
    int chosen[TARGETS + 1];        /* even in number, so that no padding is left */
};

static void mix(struct sum *s, uint64_t v)
{
    s->values = (s->values ^ v) * 0x100000001b3u;
}

static void check_containers(struct image *im, size_t size, struct sum *s)
{
    size_t first = 0;

    s->containers = gpudl__image_container_count(im);
    for (size_t i = 0; i < s->containers; i++) {
        const struct image_container *c = gpudl__image_container(im, i);

        CHECK(c->offset <= size && c->size <= size - c->offset);
        CHECK(c->first == first && c->count <= gpudl__image_count(im) - first);
        CHECK(!c->member || strlen(c->member) <= size);
        first += c->count;
        mix(s, c->offset);
        for (size_t j = 0; j < c->count; j++) {
            const struct image_entry *e = gpudl__image_entry(im, c->first + j);

            CHECK(e->container == i);
            CHECK(e->offset >= c->offset && e->offset - c->offset <= c->size);
            CHECK(e->stored_size <= c->size - (e->offset - c->offset));
            CHECK(!e->identifier || strlen(e->identifier) <= size);
        }
    }
    CHECK(first == gpudl__image_count(im));
}

static void check_resources(const struct image_kernel *k, const struct image_resources *r, struct sum *s)
{
    CHECK(r->complete == !r->problem);
    CHECK(!r->problem || *r->problem);
    CHECK(r->registers == IMAGE_NOT_KNOWN || r->registers <= 255);
    CHECK(k->params_known || !k->nparams);
    mix(s, r->registers + ((uint64_t)r->shared << 32));
    mix(s, r->stack + ((uint64_t)r->max_threads << 32));
    s->problems += !r->complete;
}

static void check_details(struct image *im, size_t i, struct sum *s)
{
    const struct image_kernel *k;
    const struct image_global *g;
    const struct image_details *d;
    size_t n, nglobals;
    char text[TEXT_SIZE] = "";

    if (gpudl__image_kernels(im, i, &k, &n, text, sizeof(text)) != IMAGE_OK) {
        CHECK(text[0]);
        return;
    }
    CHECK(gpudl__image_globals(im, i, &g, &nglobals, NULL, 0) == IMAGE_OK);
    s->kernels += n;
    s->globals += nglobals;
    if (gpudl__image_details(im, i, &d, text, sizeof(text)) != IMAGE_OK) {
        CHECK(text[0]);
        return;
    }
    CHECK(d->nkernels == n || gpudl__image_entry(im, i)->error);
    CHECK(d->nkernels <= n);
    for (size_t j = 0; j < d->nkernels; j++)
        check_resources(&k[j], &d->kernels[j], s);
    for (size_t j = 0; j < d->nexterns; j++)
        s->names += strlen(d->externs[j]);
    for (size_t j = 0; j < d->nfunctions; j++)
        s->names += strlen(d->functions[j]);
}

static bool sum_section(void *user, const struct image_section *section)
{
    mix(user, section->offset + strlen(section->name));
    return true;
}

static bool sum_symbol(void *user, const struct image_symbol *symbol)
{
    mix(user, symbol->value + strlen(symbol->name));
    return true;
}

static void sum_warning(void *user, enum image_warning what, const struct image_kernel *k, const char *text)
{
    struct sum *s = user;

    CHECK(text[0] && gpudl__image_warning_name(what)[0]);
    CHECK(!k || k->name);
    s->warnings++;
}

static void check_entry(struct image *im, size_t i, struct sum *s)
{
    struct image_provenance p;
    struct image_words words;
    char text[TEXT_SIZE];

    check_details(im, i, s);
    if (gpudl__image_provenance(im, i, &p, text, sizeof(text)) == IMAGE_OK)
        mix(s, (p.options ? strlen(p.options) : 0) + p.extension.size + p.nvvm.sm);
    gpudl__image_sections(im, i, sum_section, s, text, sizeof(text));
    gpudl__image_symbols(im, i, sum_symbol, s, text, sizeof(text));
    for (size_t t = 0; t < TARGETS; t++) {
        enum image_verdict v = gpudl__image_judge(im, i, &targets[t], &words);

        CHECK(words.reason[0] && (v == IMAGE_VERDICT_FITS) == !words.remedy[0]);
        CHECK(gpudl__image_judge(im, i, &targets[t], NULL) == v);
        mix(s, v);
        gpudl__image_warn(im, i, &targets[t], sum_warning, s, text, sizeof(text));
    }
    gpudl__image_forget(im, i);
}

static void check_choices(struct image *im, struct sum *s)
{
    struct image_words words;

    for (size_t t = 0; t < TARGETS; t++) {
        struct image_explanation x = gpudl__image_explain(im, SIZE_MAX, &targets[t], &words);

        CHECK(words.reason[0]);
        CHECK(x.entry < 0 || gpudl__image_judge(im, (size_t)x.entry, &targets[t], NULL) == IMAGE_VERDICT_FITS);
        s->chosen[t] = x.entry;
    }
}

static struct sum inspect(struct span bytes, bool *opened)
{
    struct image *im = NULL;
    char text[TEXT_SIZE] = "";
    enum image_error error;
    struct sum s;

    memset(&s, 0, sizeof(s));
    *opened = gpudl__image_inspect(bytes, &limits, &im, text, sizeof(text)) == IMAGE_OK;
    if (!*opened) {
        CHECK(!im && text[0]);
        return s;
    }
    s.entries = gpudl__image_count(im);
    check_containers(im, bytes.size, &s);
    for (size_t i = 0; i < s.entries; i++)
        check_entry(im, i, &s);
    check_choices(im, &s);
    CHECK((gpudl__image_damage(im, &error)[0] != '\0') == (error != IMAGE_OK));
    CHECK(strlen(gpudl__image_notes(im)) < 4096);
    gpudl__image_close(im);
    return s;
}

/* Copied to their own size, so that a sanitizer sees the first byte read too many. */
void check_inspection(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    struct span bytes = { copy, size };
    struct sum one, two;
    bool opened, again;

    CHECK(copy);
    memcpy(copy, data, size);
    one = inspect(bytes, &opened);
    two = inspect(bytes, &again);
    CHECK(opened == again && memcmp(&one, &two, sizeof(one)) == 0);
    free(copy);
}
