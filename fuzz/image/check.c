#include "fuzz/image/check.h"

#include <string.h>

#include "src/image/image.h"

#define LIMIT (1u << 20)        /* bytes that one entry may decompress to */
#define TEXT_SIZE 512

/* A failure has a text that ends in its buffer. */
static void check_text(const char *text)
{
    CHECK(text[0] && memchr(text, 0, TEXT_SIZE));
}

static void check_kernel(const struct image_kernel *k, enum image_format format)
{
    uint64_t end = 0;

    CHECK(k->name && strlen(k->name) <= LIMIT * 4u);
    CHECK(k->params_known || k->nparams == 0);
    for (uint32_t i = 0; i < k->nparams; i++) {
        CHECK(k->params[i].size > 0);
        CHECK(k->params[i].offset >= end);
        end = (uint64_t)k->params[i].offset + k->params[i].size;
    }
    CHECK(!k->params_known || end == k->param_bytes);
    CHECK(!k->params_known || format != IMAGE_CUBIN || end <= UINT16_MAX);
}

static size_t check_contents(struct image *im, size_t entry)
{
    const struct image_kernel *kernels;
    const struct image_global *globals;
    size_t nkernels, nglobals;
    char text[TEXT_SIZE] = "";

    if (gpudl__image_kernels(im, entry, &kernels, &nkernels, text, sizeof(text)) != IMAGE_OK) {
        check_text(text);
        return SIZE_MAX;
    }
    CHECK(gpudl__image_globals(im, entry, &globals, &nglobals, NULL, 0) == IMAGE_OK);
    for (size_t i = 0; i < nkernels; i++)
        check_kernel(&kernels[i], gpudl__image_entry(im, entry)->format);
    for (size_t i = 0; i < nglobals; i++)
        CHECK(globals[i].name && globals[i].name[0] != '$');
    return nkernels;
}

static bool lies_within(struct span part, struct span whole)
{
    return part.data >= whole.data && part.size <= whole.size && (size_t)(part.data - whole.data) <= whole.size - part.size;
}

/* A payload is an image of its own, with the same kernels in it. */
static void check_payload(struct image *im, size_t entry, struct span bytes)
{
    const struct image_entry *e = gpudl__image_entry(im, entry);
    struct span payload, again;
    struct image *own = NULL;
    char text[TEXT_SIZE] = "";
    size_t kernels;

    if (gpudl__image_payload(im, entry, &payload, text, sizeof(text)) != IMAGE_OK) {
        check_text(text);
        CHECK(check_contents(im, entry) == SIZE_MAX);
        return;
    }
    CHECK(gpudl__image_payload(im, entry, &again, NULL, 0) == IMAGE_OK && again.data == payload.data
        && again.size == payload.size);
    CHECK(payload.size <= LIMIT || e->compression == IMAGE_STORED);
    CHECK(e->format != IMAGE_CUBIN || e->compression != IMAGE_STORED || lies_within(payload, bytes));
    CHECK(e->format != IMAGE_PTX || (!payload.data[payload.size] && strlen((const char *)payload.data) == payload.size));
    kernels = check_contents(im, entry);
    if ((e->format != IMAGE_CUBIN && e->format != IMAGE_PTX) || kernels == SIZE_MAX)
        return;
    CHECK(gpudl__image_open(payload, LIMIT, &own, NULL, 0) == IMAGE_OK);
    CHECK(gpudl__image_format(own) == e->format && gpudl__image_count(own) == 1);
    CHECK(gpudl__image_entry(own, 0)->sm == e->payload_sm);
    CHECK(check_contents(own, 0) == kernels);
    gpudl__image_close(own);
}

/* What is chosen can be loaded as it is, and is chosen again. */
static void check_choice(struct image *im, struct image_target target)
{
    enum image_misfit why = (enum image_misfit)-1;
    char text[TEXT_SIZE] = "";
    const struct image_entry *e;
    const struct image_global *globals;
    size_t nglobals = 0, kernels;
    int chosen = gpudl__image_choose(im, &target, &why, text, sizeof(text));

    CHECK(gpudl__image_choose(im, &target, NULL, NULL, 0) == chosen);
    if (chosen < 0) {
        check_text(text);
        CHECK((unsigned)why <= MISFIT_DAMAGED);
        return;
    }
    CHECK((size_t)chosen < gpudl__image_count(im));
    e = gpudl__image_entry(im, (size_t)chosen);
    CHECK(e->error == IMAGE_OK && e->is_64bit && !e->relocatable);
    CHECK(e->format == IMAGE_PTX || (e->format == IMAGE_CUBIN && target.machine_code));
    CHECK(e->format != IMAGE_PTX || !target.ptx_version || e->ptx_version <= target.ptx_version);
    CHECK(e->format != IMAGE_CUBIN || e->payload_sm / 10 == target.sm / 10);
    kernels = check_contents(im, (size_t)chosen);
    CHECK(kernels != SIZE_MAX);
    CHECK(gpudl__image_globals(im, (size_t)chosen, &globals, &nglobals, NULL, 0) == IMAGE_OK);
    CHECK(kernels || nglobals);
}

static void check_entry(const struct image_entry *e, struct span bytes)
{
    CHECK(e->offset <= bytes.size && e->stored_size <= bytes.size - e->offset);
    CHECK(e->suffix == 0 || e->suffix == 'a' || e->suffix == 'f');
    CHECK(!e->identifier || strlen(e->identifier) < bytes.size);
}

/* Choosing first or looking first: both orders, as each leaves things behind for the other. */
static void check_opened(struct image *im, struct span bytes, bool choose_first)
{
    static const struct image_target targets[] = {
        { .sm = 90, .ptx_version = 90, .machine_code = true },
        { .sm = 80, .ptx_version = 78, .machine_code = true, .cuda_version = 11080 },
        { .sm = 103, .machine_code = true, .cuda_version = 13000 },
        { .sm = 121, .ptx_version = 88, .machine_code = true, .jit_forced = true },
        { .sm = 90, .any_ptx = true },
        { .sm = 60, .any_ptx = true },
    };

    for (size_t i = 0; i < gpudl__image_count(im); i++)
        check_entry(gpudl__image_entry(im, i), bytes);
    for (int pass = 0; pass < 2; pass++) {
        if (choose_first == (pass == 0))
            for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
                check_choice(im, targets[i]);
        else
            for (size_t i = 0; i < gpudl__image_count(im); i++)
                check_payload(im, i, bytes);
    }
    CHECK(strlen(gpudl__image_notes(im)) < 4096);
}

/* The bytes are copied to their own size, so that a sanitizer sees the first one read too many. */
void check_image(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    struct span bytes = { copy, size };
    char text[TEXT_SIZE] = "";

    CHECK(copy);
    memcpy(copy, data, size);
    for (int choose_first = 0; choose_first < 2; choose_first++) {
        struct image *im = NULL;

        if (gpudl__image_open(bytes, LIMIT, &im, text, sizeof(text)) != IMAGE_OK) {
            check_text(text);
            CHECK(!im);
            continue;
        }
        check_opened(im, bytes, choose_first);
        gpudl__image_close(im);
    }
    free(copy);
    check_inspection(data, size);
}
