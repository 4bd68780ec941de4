/* link_input.c - what the linker gets of each input: one entry of each fatbin, as the target takes it. */
#include "src/compile/link_parts.h"

#include <stdio.h>
#include <string.h>

#include "src/util/alloc.h"

enum { TEXT_SIZE = 1024 };

struct reading {
    const struct link_job *job;
    const struct link_input *input;
    struct image *image;
    struct image_target target;
    struct link_parts *parts;
    struct link_failure *failure;
    struct text *text;
};

static enum link_error cannot_read(const struct reading *r, enum image_error error, const char *why)
{
    if (error == IMAGE_NO_MEMORY)
        return LINK_NO_MEMORY;
    gpudl__text_add(r->text, "%s: %s", r->input->name, why);
    r->failure->image = error;
    return LINK_INPUT;
}

static struct link_part *new_part(struct link_parts *p)
{
    size_t room = p->room ? 2 * p->room : 16;
    struct link_part *items;

    if (p->n == p->room) {
        if (!(items = gpudl__alloc_zero(room * sizeof(*items))))
            return NULL;
        if (p->n)
            memcpy(items, p->items, p->n * sizeof(*items));
        gpudl__free(p->items);
        p->items = items;
        p->room = room;
    }
    return &p->items[p->n++];
}

static void name_part(struct link_part *part, const char *input, const char *member)
{
    if (member)
        snprintf(part->name, sizeof(part->name), "%.90s(%.60s)", input, member);
    else
        snprintf(part->name, sizeof(part->name), "%.150s", input);
}

/* A library whole, as linkers take of it what they need. */
static enum link_error add_library(struct reading *r)
{
    struct link_part *part = new_part(r->parts);

    if (!part)
        return LINK_NO_MEMORY;
    name_part(part, r->input->name, NULL);
    part->kind = LINK_LIBRARY;
    part->bytes = r->input->bytes;
    for (size_t i = 0; r->target.ltoir && i < gpudl__image_count(r->image); i++)
        r->parts->lto = r->parts->lto || gpudl__image_entry(r->image, i)->format == IMAGE_LTOIR;
    return LINK_OK;
}

static enum link_error add_payload(struct reading *r, struct link_part *part, size_t entry)
{
    char why[TEXT_SIZE];
    enum image_error error = gpudl__image_payload(r->image, entry, &part->bytes, why, sizeof(why));

    return error ? cannot_read(r, error, why) : LINK_OK;
}

/* Scrambled LTO-IR can be read by nvJitLink only, which takes it out of the fatbin by itself. */
static enum link_error add_ltoir(struct reading *r, const struct image_container *c, size_t entry, struct link_part *part)
{
    const struct image_entry *e = gpudl__image_entry(r->image, entry);

    r->parts->lto = true;
    part->kind = LINK_LTOIR;
    if (e->compression != IMAGE_SCRAMBLED)
        return add_payload(r, part, entry);
    part->kind = LINK_FATBIN;
    if (!span_cut(r->input->bytes, c->offset, c->size, &part->bytes))
        return cannot_read(r, IMAGE_DAMAGED, "its fatbin is not where it should be");
    return LINK_OK;
}

static enum link_error add_entry(struct reading *r, const struct image_container *c, size_t entry)
{
    const struct image_entry *e = gpudl__image_entry(r->image, entry);
    struct link_part *part = new_part(r->parts);

    if (!part)
        return LINK_NO_MEMORY;
    name_part(part, r->input->name, c->member);
    part->sm = e->sm;
    part->suffix = e->suffix;
    if (e->format == IMAGE_LTOIR)
        return add_ltoir(r, c, entry, part);
    part->kind = e->format == IMAGE_PTX ? LINK_PTX : LINK_CUBIN;
    part->image = r->image;
    part->entry = entry;
    if (e->ptx_version > r->parts->ptx_version)
        r->parts->ptx_version = e->ptx_version;
    return add_payload(r, part, entry);
}

static enum link_error does_not_fit(struct reading *r, enum image_misfit why, const char *text)
{
    char target[16];

    if (why == MISFIT_NO_MEMORY)
        return LINK_NO_MEMORY;
    gpudl__link_name_target(r->job, target);
    gpudl__text_add(r->text, "%s: %s; what is linked is for %s%s", r->input->name, text, target,
        r->target.machine_code ? "" : ", by softcuda, which links PTX");
    r->failure->misfit = why;
    return LINK_MISFIT;
}

/* What device linking leaves in host files. */
static bool is_stub(const struct image *im, const struct image_container *c)
{
    if (!c->section)
        return false;
    for (size_t i = c->first; i < c->first + c->count; i++)
        if (!gpudl__image_entry(im, i)->no_code || gpudl__image_entry(im, i)->relocatable)
            return false;
    return true;
}

static enum link_error add_container(struct reading *r, size_t index)
{
    const struct image_container *c = gpudl__image_container(r->image, index);
    enum image_misfit why = MISFIT_ARCH;
    char text[TEXT_SIZE];
    int entry;

    if (is_stub(r->image, c))
        return LINK_OK;
    entry = gpudl__image_choose_in(r->image, index, &r->target, &why, text, sizeof(text));
    return entry < 0 ? does_not_fit(r, why, text) : add_entry(r, c, (size_t)entry);
}

static enum link_error read_input(struct reading *r)
{
    struct image_limits limits = { .entry_bytes = r->job->limit };
    size_t before = r->parts->n;
    enum link_error error = LINK_OK;
    enum image_error damage;
    char why[TEXT_SIZE];

    damage = gpudl__image_inspect(r->input->bytes, &limits, &r->image, why, sizeof(why));
    if (damage)
        return cannot_read(r, damage, why);
    r->parts->images[r->parts->nimages++] = r->image;
    gpudl__image_damage(r->image, &damage);
    if (damage)
        return cannot_read(r, damage, gpudl__image_damage(r->image, NULL));
    if (gpudl__image_format(r->image) == IMAGE_ARCHIVE)
        return add_library(r);
    for (size_t i = 0; !error && i < gpudl__image_container_count(r->image); i++)
        error = add_container(r, i);
    if (!error && r->parts->n == before)
        return cannot_read(r, IMAGE_NOT_AN_IMAGE, "holds no device code: is it an object of nvcc?");
    return error;
}

enum link_error gpudl__link_parts_read(const struct link_job *job, bool ltoir, struct link_parts *parts, struct link_failure *failure,
    struct text *text)
{
    struct reading r = { .job = job, .parts = parts, .failure = failure, .text = text };
    enum link_error error = LINK_OK;

    *parts = (struct link_parts){ 0 };
    r.target = (struct image_target){
        .sm = job->target.sm,
        .machine_code = !job->driver.software || !job->target.ptx,
        .any_ptx = job->driver.software && job->target.ptx,
        .linking = true,
        .ltoir = ltoir,
    };
    parts->images = gpudl__alloc_zero((job->n + 1) * sizeof(*parts->images));
    if (!parts->images)
        return LINK_NO_MEMORY;
    for (size_t i = 0; !error && i < job->n; i++) {
        r.input = &job->inputs[i];
        error = read_input(&r);
    }
    return error;
}

void gpudl__link_parts_free(struct link_parts *p)
{
    for (size_t i = 0; i < p->nimages; i++)
        gpudl__image_close(p->images[i]);
    gpudl__free(p->images);
    gpudl__free(p->items);
    *p = (struct link_parts){ 0 };
}
