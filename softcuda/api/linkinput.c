/* linkinput.c - the PTX texts in a text, a fatbin, a host object or a library of those. */
#include "softcuda/api/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/image/image.h"

enum { TEXT_SIZE = 1024 };

struct input {
    struct link_texts *into;
    CUjitInputType type;
    const char *name;
    unsigned sm;
    struct load_log *log;
    struct image *image;
};

void sc_link_texts_free(struct link_texts *t)
{
    for (size_t i = 0; i < t->n; i++) {
        free((void *)(uintptr_t)t->items[i].text);
        free((void *)(uintptr_t)t->items[i].name);
    }
    free(t->items);
    *t = (struct link_texts){ 0 };
}

static CUresult refuse(const struct input *in, CUresult code, const char *text)
{
    char full[TEXT_SIZE + 256];

    snprintf(full, sizeof(full), "'%.200s': %s", in->name, text);
    sc_load_log_error(in->log, full);
    return code;
}

/* ------------------------------------------------------------------------------------------------------------------ one text */

/* What is wrong with a text by itself is said with its own lines, before it is joined with others. */
static CUresult check_text(const struct input *in, const char *name, struct span text)
{
    char full[TEXT_SIZE];
    struct ptx_error perr;
    struct jit_error jerr;
    struct ptx_module *m = ptx_parse((const char *)text.data, text.size, &perr);
    int err = m ? jit_check_part(m, &jerr) : 0;

    if (!m)
        snprintf(full, sizeof(full), "'%s', line %u: %s", name, perr.pos.line, perr.text);
    else if (err)
        snprintf(full, sizeof(full), "'%s', line %u: %s", name, jerr.pos.line, jerr.text);
    ptx_module_destroy(m);
    if (m && !err)
        return CUDA_SUCCESS;
    sc_load_log_error(in->log, full);
    return CUDA_ERROR_INVALID_PTX;
}

static CUresult add_text(const struct input *in, const char *member, struct span text)
{
    struct ptx_source *items = realloc(in->into->items, (in->into->n + 1) * sizeof(*items));
    char name[256], *copy, *own_name;
    CUresult r;

    if (!items)
        return CUDA_ERROR_OUT_OF_MEMORY;
    in->into->items = items;
    if (member)
        snprintf(name, sizeof(name), "%.120s(%.120s)", in->name, member);
    else
        snprintf(name, sizeof(name), "%.250s", in->name);
    if ((r = check_text(in, name, text)))
        return r;
    copy = calloc(1, text.size + 1);
    own_name = strdup(name);
    if (!copy || !own_name) {
        free(copy);
        free(own_name);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, text.data, text.size);
    items[in->into->n++] = (struct ptx_source){ copy, text.size, own_name, in->type == CU_JIT_INPUT_LIBRARY };
    return CUDA_SUCCESS;
}

/* ---------------------------------------------------------------------------------------------------------- one of its entries */

/* As softcuda loads it: the highest at or below the device's, else the lowest above it; of equals the last. */
static bool is_better(const struct image_entry *a, const struct image_entry *b, unsigned sm)
{
    bool below_a = a->sm <= sm, below_b = b->sm <= sm;

    if (below_a != below_b)
        return below_a;
    return below_a ? a->sm >= b->sm : a->sm <= b->sm;
}

static CUresult nothing_in(const struct input *in, const struct image_container *c)
{
    bool lto = false, code = false;

    for (size_t i = c->first; i < c->first + c->count; i++) {
        lto |= gpudl__image_entry(in->image, i)->format == IMAGE_LTOIR;
        code |= gpudl__image_entry(in->image, i)->format == IMAGE_CUBIN;
    }
    if (lto)
        return refuse(in, CUDA_ERROR_INVALID_IMAGE, "holds LTO-IR, and softcuda links PTX only: compile with nvcc -rdc=true -ptx");
    if (code)
        return refuse(in, CUDA_ERROR_NO_BINARY_FOR_GPU,
            "holds machine code only, and softcuda links PTX only: compile with PTX for a virtual architecture, for example nvcc "
            "-rdc=true -gencode arch=compute_75,code=compute_75");
    return refuse(in, CUDA_ERROR_INVALID_IMAGE, "holds no PTX, and softcuda links nothing else");
}

/* The stub that device linking leaves in host files. */
static bool is_stub(const struct input *in, const struct image_container *c)
{
    for (size_t i = c->first; i < c->first + c->count; i++)
        if (!gpudl__image_entry(in->image, i)->no_code)
            return false;
    return true;
}

static CUresult add_container(const struct input *in, const struct image_container *c)
{
    const struct image_entry *best = NULL;
    char text[TEXT_SIZE];
    struct span bytes;
    size_t entry = 0;

    if (c->section && is_stub(in, c))
        return CUDA_SUCCESS;
    for (size_t i = c->first; i < c->first + c->count; i++) {
        const struct image_entry *e = gpudl__image_entry(in->image, i);

        if (e->format != IMAGE_PTX || !e->is_64bit || (best && !is_better(e, best, in->sm)))
            continue;
        best = e;
        entry = i;
    }
    if (!best)
        return nothing_in(in, c);
    if (gpudl__image_payload(in->image, entry, &bytes, text, sizeof(text)))
        return refuse(in, CUDA_ERROR_INVALID_IMAGE, text);
    return add_text(in, c->member, bytes);
}

/* ------------------------------------------------------------------------------------------------------------------ one input */

static bool is_tagged(struct span bytes)
{
    return span_is(bytes, 0, LINKED_TAG, strlen(LINKED_TAG));
}

static CUresult is_not(const struct input *in)
{
    static const char *const names[] = { "a cubin", "PTX", "a fatbin", "a host object", "a library" };
    char text[TEXT_SIZE];

    snprintf(text, sizeof(text), "was added as %s, and is none", names[in->type]);
    return refuse(in, CUDA_ERROR_INVALID_IMAGE, text);
}

/* The bytes must be what the caller says that they are. */
static CUresult check_type(const struct input *in, struct span bytes)
{
    enum image_format format = gpudl__image_format(in->image);
    bool fits;

    switch ((int)in->type) {
    case CU_JIT_INPUT_CUBIN: fits = format == IMAGE_CUBIN || (format == IMAGE_PTX && is_tagged(bytes)); break;
    case CU_JIT_INPUT_PTX: fits = format == IMAGE_PTX; break;
    case CU_JIT_INPUT_FATBINARY: fits = format == IMAGE_FATBIN; break;
    case CU_JIT_INPUT_OBJECT: fits = format == IMAGE_HOST_ELF; break;
    default: fits = format == IMAGE_ARCHIVE; break;
    }
    if (fits)
        return CUDA_SUCCESS;
    if (format == IMAGE_LTOIR)
        return refuse(in, CUDA_ERROR_INVALID_IMAGE, "is LTO-IR, and softcuda links PTX only: compile with nvcc -rdc=true -ptx");
    return is_not(in);
}

static CUresult add_image(struct input *in, struct span bytes)
{
    size_t before = in->into->n;
    CUresult r = check_type(in, bytes);

    for (size_t i = 0; !r && i < gpudl__image_container_count(in->image); i++)
        r = add_container(in, gpudl__image_container(in->image, i));
    if (!r && in->into->n == before)
        r = refuse(in, CUDA_ERROR_INVALID_IMAGE, "holds no device code");
    while (r && in->into->n > before) {
        in->into->n--;
        free((void *)(uintptr_t)in->into->items[in->into->n].text);
        free((void *)(uintptr_t)in->into->items[in->into->n].name);
    }
    return r;
}

CUresult sc_link_texts_add(struct link_texts *into, CUjitInputType type, const void *data, size_t size, const char *name, unsigned sm,
                           struct load_log *log)
{
    struct input in = { into, type, name ? name : "input", sm, log, NULL };
    struct span bytes = { data, size };
    char text[TEXT_SIZE];
    CUresult r;

    if (type == CU_JIT_INPUT_NVVM)
        return refuse(&in, CUDA_ERROR_INVALID_IMAGE, "is LTO-IR, and softcuda links PTX only: compile with nvcc -rdc=true -ptx");
    switch (gpudl__image_inspect(bytes, NULL, &in.image, text, sizeof(text))) {
    case IMAGE_OK:
        break;
    case IMAGE_NO_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    default:
        return refuse(&in, CUDA_ERROR_INVALID_IMAGE, text);
    }
    if (*gpudl__image_damage(in.image, NULL))
        r = refuse(&in, CUDA_ERROR_INVALID_IMAGE, gpudl__image_damage(in.image, NULL));
    else
        r = add_image(&in, bytes);
    gpudl__image_close(in.image);
    return r;
}
