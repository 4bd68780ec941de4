/* Images: what one entry holds. */
#include <stdlib.h>
#include <string.h>

#include "src/image/details.h"
#include "src/loader/error.h"
#include "src/loader/image/image_api.h"
#include "src/loader/names/names.h"
#include "src/loader/options.h"

/* What was read of an entry; lent by the image. */
struct contents {
    const struct image_kernel *kernels;
    const struct image_global *globals;
    size_t nkernels, nglobals;
};

static gpudl_status read_contents(gpudl_image *im, size_t entry, struct contents *out)
{
    char text[IMAGE_TEXT_SIZE];
    enum image_error error;

    text[0] = '\0';
    error = gpudl__image_kernels(im->image, entry, &out->kernels, &out->nkernels, text, sizeof(text));
    if (!error)
        error = gpudl__image_globals(im->image, entry, &out->globals, &out->nglobals, text, sizeof(text));
    return error ? gpudl__image_refuse(im, error, text) : GPUDL_OK;
}

/* Entered on success. */
static gpudl_status enter(gpudl_image *im, size_t entry, const char *function, struct contents *out)
{
    gpudl_status status = gpudl__image_enter(im, entry, function);

    if (status != GPUDL_OK)
        return status;
    status = read_contents(im, entry, out);
    if (status != GPUDL_OK)
        gpudl__image_leave(im);
    return status;
}

static gpudl_status none_such(const gpudl_image *im, const char *what, size_t count, size_t index)
{
    return gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: the entry has %zu %s, and they count from 0: there is no %zu", im->content.name,
        count, what, index);
}

gpudl_status gpudl_image_read(gpudl_image *im, size_t entry, size_t *nkernels, size_t *nglobals)
{
    struct contents c;
    gpudl_status status = enter(im, entry, "gpudl_image_read", &c);

    if (status != GPUDL_OK)
        return status;
    gpudl__image_leave(im);
    if (nkernels)
        *nkernels = c.nkernels;
    if (nglobals)
        *nglobals = c.nglobals;
    return GPUDL_OK;
}

void gpudl_image_forget(gpudl_image *im, size_t entry)
{
    if (!im || gpudl__image_enter(im, entry, "gpudl_image_forget") != GPUDL_OK)
        return;
    gpudl__image_forget(im->image, entry);
    gpudl__image_leave(im);
}

gpudl_status gpudl_image_code(gpudl_image *im, size_t entry, const void **bytes, size_t *size)
{
    char text[IMAGE_TEXT_SIZE];
    enum image_error error;
    gpudl_status status;
    struct span code;

    if (!bytes || !size)
        return gpudl__fail_argument("gpudl_image_code", "bytes or size is NULL");
    status = gpudl__image_enter(im, entry, "gpudl_image_code");
    if (status != GPUDL_OK)
        return status;
    text[0] = '\0';
    error = gpudl__image_payload(im->image, entry, &code, text, sizeof(text));
    gpudl__image_leave(im);
    if (error)
        return gpudl__image_refuse(im, error, text);
    *bytes = code.data;
    *size = code.size;
    return GPUDL_OK;
}

static void fill_resources(gpudl_kernel_info *info, const struct image_resources *r)
{
    info->problem = r->problem ? r->problem : "";
    info->registers = r->registers;
    info->shared = r->shared;
    info->local = r->stack;
    info->constants = r->constants;
    info->barriers = r->barriers;
    info->max_threads = r->max_threads;
    memcpy(info->max_block, r->max_block, sizeof(info->max_block));
    memcpy(info->required_block, r->required_block, sizeof(info->required_block));
    info->min_blocks = r->min_blocks;
    memcpy(info->cluster, r->cluster, sizeof(info->cluster));
    info->max_cluster = r->max_cluster_rank;
}

static gpudl_status describe_kernel(
    gpudl_image *im, size_t entry, size_t kernel, const struct contents *c, gpudl_kernel_info *info)
{
    const struct image_details *details;
    char text[IMAGE_TEXT_SIZE];
    enum image_error error;

    if (kernel >= c->nkernels)
        return none_such(im, "kernels", c->nkernels, kernel);
    text[0] = '\0';
    error = gpudl__image_details(im->image, entry, &details, text, sizeof(text));
    if (error)
        return gpudl__image_refuse(im, error, text);
    info->name = c->kernels[kernel].name;
    info->params = c->kernels[kernel].params_known ? c->kernels[kernel].nparams : GPUDL_UNKNOWN;
    info->param_bytes = c->kernels[kernel].param_bytes;
    fill_resources(info, &details->kernels[kernel]);
    return GPUDL_OK;
}

gpudl_status gpudl_image_kernel(gpudl_image *im, size_t entry, size_t kernel, gpudl_kernel_info *out)
{
    gpudl_kernel_info info = { .size_of_struct = sizeof(info) };
    gpudl_status status = gpudl__result_check(out, "gpudl_kernel_info");
    struct contents c;

    if (status == GPUDL_OK)
        status = enter(im, entry, "gpudl_image_kernel", &c);
    if (status != GPUDL_OK)
        return status;
    status = describe_kernel(im, entry, kernel, &c, &info);
    gpudl__image_leave(im);
    if (status == GPUDL_OK)
        gpudl__result_export(out, &info, sizeof(info));
    return status;
}

gpudl_param_info gpudl__param_info(const struct image_param *p)
{
    return (gpudl_param_info){
        .size_of_struct = sizeof(gpudl_param_info),
        .offset = p->offset,
        .size = p->size,
        .type = gpudl__image_type_name(p->type),
        .align = p->align,
        .pointee = gpudl__image_space_name(p->pointee_space),
    };
}

static gpudl_status describe_param(
    const gpudl_image *im, const struct contents *c, size_t kernel, size_t index, gpudl_param_info *info)
{
    const struct image_kernel *k;

    if (kernel >= c->nkernels)
        return none_such(im, "kernels", c->nkernels, kernel);
    k = &c->kernels[kernel];
    if (!k->params_known)
        return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
            "%s: the image does not say, or not consistently, what parameters '%s' takes: its source does", im->content.name,
            k->name);
    if (index >= k->nparams)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: '%s' has %u parameters, and they count from 0: there is no %zu",
            im->content.name, k->name, k->nparams, index);
    *info = gpudl__param_info(&k->params[index]);
    return GPUDL_OK;
}

gpudl_status gpudl_image_param(gpudl_image *im, size_t entry, size_t kernel, size_t index, gpudl_param_info *out)
{
    gpudl_status status = gpudl__result_check(out, "gpudl_param_info");
    gpudl_param_info info;
    struct contents c;

    if (status == GPUDL_OK)
        status = enter(im, entry, "gpudl_image_param", &c);
    if (status != GPUDL_OK)
        return status;
    status = describe_param(im, &c, kernel, index, &info);
    gpudl__image_leave(im);
    if (status == GPUDL_OK)
        gpudl__result_export(out, &info, sizeof(info));
    return status;
}

gpudl_status gpudl_image_global(gpudl_image *im, size_t entry, size_t global, gpudl_global_info *out)
{
    gpudl_global_info info = { .size_of_struct = sizeof(info) };
    gpudl_status status = gpudl__result_check(out, "gpudl_global_info");
    const struct image_global *g;
    struct contents c;

    if (status == GPUDL_OK)
        status = enter(im, entry, "gpudl_image_global", &c);
    if (status != GPUDL_OK)
        return status;
    gpudl__image_leave(im);
    if (global >= c.nglobals)
        return none_such(im, "globals", c.nglobals, global);
    g = &c.globals[global];
    info.name = g->name;
    info.size = g->size;
    info.constant = g->constant;
    info.managed = g->managed;
    info.initialised = g->initialised;
    gpudl__result_export(out, &info, sizeof(info));
    return GPUDL_OK;
}

const char *gpudl_image_extern(gpudl_image *im, size_t entry, size_t index)
{
    const struct image_details *details;
    const char *name = NULL;

    if (!im || gpudl__image_enter(im, entry, "gpudl_image_extern") != GPUDL_OK)
        return NULL;
    if (!gpudl__image_details(im->image, entry, &details, NULL, 0) && index < details->nexterns)
        name = details->externs[index];
    gpudl__image_leave(im);
    return name;
}

/* ----------------------------------------------------------------------------------------------------------------- the tables */

struct section_walk {
    int (*each)(void *, const gpudl_section_info *);
    void *user;
};

static bool give_section(void *user, const struct image_section *s)
{
    struct section_walk *walk = user;
    const gpudl_section_info info = { sizeof(info), s->name, s->index, s->type, s->link, s->info, s->flags, s->address, s->offset,
        s->size, s->align, s->entry_size };

    return walk->each(walk->user, &info) != 0;
}

gpudl_status gpudl_image_sections(gpudl_image *im, size_t entry, int (*each)(void *user, const gpudl_section_info *), void *user)
{
    struct section_walk walk = { each, user };
    char text[IMAGE_TEXT_SIZE];
    enum image_error error;
    gpudl_status status;

    if (!each)
        return gpudl__fail_argument("gpudl_image_sections", "each is NULL");
    status = gpudl__image_enter(im, entry, "gpudl_image_sections");
    if (status != GPUDL_OK)
        return status;
    text[0] = '\0';
    error = gpudl__image_sections(im->image, entry, give_section, &walk, text, sizeof(text));
    gpudl__image_leave(im);
    return error ? gpudl__image_refuse(im, error, text) : GPUDL_OK;
}

struct symbol_walk {
    int (*each)(void *, const gpudl_symbol_info *);
    void *user;
};

static bool give_symbol(void *user, const struct image_symbol *s)
{
    struct symbol_walk *walk = user;
    const gpudl_symbol_info info = { sizeof(info), s->name, s->index, s->section, s->type, s->binding, s->other, s->value,
        s->size };

    return walk->each(walk->user, &info) != 0;
}

gpudl_status gpudl_image_symbols(gpudl_image *im, size_t entry, int (*each)(void *user, const gpudl_symbol_info *), void *user)
{
    struct symbol_walk walk = { each, user };
    char text[IMAGE_TEXT_SIZE];
    enum image_error error;
    gpudl_status status;

    if (!each)
        return gpudl__fail_argument("gpudl_image_symbols", "each is NULL");
    status = gpudl__image_enter(im, entry, "gpudl_image_symbols");
    if (status != GPUDL_OK)
        return status;
    text[0] = '\0';
    error = gpudl__image_symbols(im->image, entry, give_symbol, &walk, text, sizeof(text));
    gpudl__image_leave(im);
    return error ? gpudl__image_refuse(im, error, text) : GPUDL_OK;
}

/* ---------------------------------------------------------------------------------------------------------------------- names */

size_t gpudl_demangle(const char *name, char *out, size_t size)
{
    char *demangled = name ? gpudl__demangle(name) : NULL;
    const char *result = demangled ? demangled : name ? name : "";
    size_t length = strlen(result);

    if (out && size) {
        size_t n = length < size ? length : size - 1;
        memcpy(out, result, n);
        out[n] = '\0';
    }
    free(demangled);
    return length;
}
