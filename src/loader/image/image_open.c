/* Images: opening, and what lies where. */
#include <stdio.h>
#include <string.h>

#include "src/image/details.h"
#include "src/loader/error.h"
#include "src/loader/image/image_api.h"
#include "src/loader/options.h"
#include "src/util/alloc.h"

gpudl_status gpudl__image_refuse(const gpudl_image *im, enum image_error error, const char *text)
{
    return gpudl__fail(gpudl__image_status(error), "%s: %s%s", im->content.name, text, gpudl__image_advice(error));
}

static gpudl_status look_into(gpudl_image *im, const gpudl_image_options *options)
{
    const struct image_limits limits = { options->max_entry_bytes, options->max_total_bytes, options->max_entries };
    char text[IMAGE_TEXT_SIZE];
    enum image_error error;

    text[0] = '\0';
    error = gpudl__image_inspect(im->content.bytes, &limits, &im->image, text, sizeof(text));
    return error ? gpudl__image_refuse(im, error, text) : GPUDL_OK;
}

static gpudl_status create(const gpudl_source *source, const gpudl_image_options *options, gpudl_image **out)
{
    gpudl_image *im = gpudl__alloc_zero(sizeof(*im));
    gpudl_status status;

    if (!im)
        return gpudl__fail_memory("an image");
    status = gpudl__content_map(source, &im->content);
    if (status == GPUDL_OK)
        status = look_into(im, options);
    if (status != GPUDL_OK) {
        gpudl__content_release(&im->content);
        gpudl__free(im);
        return status;
    }
    pthread_mutex_init(&im->lock, NULL);
    *out = im;
    return GPUDL_OK;
}

gpudl_status gpudl_image_open(const gpudl_source *source, const gpudl_image_options *given, gpudl_image **out)
{
    gpudl_image_options options = GPUDL_IMAGE_OPTIONS_INIT;
    gpudl_status status = GPUDL_OK;

    if (!out)
        return gpudl__fail_argument("gpudl_image_open", "out is NULL");
    if (given)
        status = gpudl__options_import(&options, sizeof(options), given, "gpudl_image_options");
    if (status == GPUDL_OK && options.reserved)
        status = gpudl__fail_argument("gpudl_image_options", "reserved is 0");
    return status == GPUDL_OK ? create(source, &options, out) : status;
}

void gpudl_image_close(gpudl_image *im)
{
    if (!im)
        return;
    gpudl__image_close(im->image);
    gpudl__content_release(&im->content);
    pthread_mutex_destroy(&im->lock);
    gpudl__free(im);
}

static const char *format_name(enum image_format format)
{
    switch (format) {
    case IMAGE_FATBIN:
        return "fatbin";
    case IMAGE_CUBIN:
        return "cubin";
    case IMAGE_PTX:
        return "ptx";
    case IMAGE_LTOIR:
        return "ltoir";
    case IMAGE_OPTIXIR:
        return "optixir";
    case IMAGE_HOST_ELF:
        return "elf";
    case IMAGE_ARCHIVE:
        return "archive";
    case IMAGE_UNKNOWN:
        break;
    }
    return "unknown";
}

gpudl_status gpudl_image_describe(gpudl_image *im, gpudl_image_info *out)
{
    gpudl_image_info info = { .size_of_struct = sizeof(info) };
    enum image_error damage = IMAGE_OK;
    gpudl_status status;

    if (!im)
        return gpudl__fail_argument("gpudl_image_describe", "the image is NULL");
    status = gpudl__result_check(out, "gpudl_image_info");
    if (status != GPUDL_OK)
        return status;
    pthread_mutex_lock(&im->lock);
    info.format = format_name(gpudl__image_format(im->image));
    info.bytes = im->content.bytes.size;
    info.containers = gpudl__image_container_count(im->image);
    info.entries = gpudl__image_count(im->image);
    info.damage_text = gpudl__image_damage(im->image, &damage);
    info.damage = gpudl__image_status(damage);
    info.notes = gpudl__image_notes(im->image);
    pthread_mutex_unlock(&im->lock);
    gpudl__result_export(out, &info, sizeof(info));
    return GPUDL_OK;
}

gpudl_status gpudl__image_enter(gpudl_image *im, size_t entry, const char *function)
{
    if (!im)
        return gpudl__fail_argument(function, "the image is NULL");
    pthread_mutex_lock(&im->lock);
    if (entry < gpudl__image_count(im->image))
        return GPUDL_OK;
    pthread_mutex_unlock(&im->lock);
    return gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: has %zu entries, and they count from 0: there is no %zu", im->content.name,
        gpudl__image_count(im->image), entry);
}

void gpudl__image_leave(gpudl_image *im)
{
    pthread_mutex_unlock(&im->lock);
}

static const char *kind_name(const struct image_entry *e)
{
    const char *name = gpudl__image_kind_name(e->kind);

    switch (e->format) {
    case IMAGE_CUBIN:
        return "elf";
    case IMAGE_PTX:
        return "ptx";
    case IMAGE_LTOIR:
        return "ltoir";
    case IMAGE_OPTIXIR:
        return "optixir";
    default:
        return name ? name : "unknown";
    }
}

static const char *compression_name(enum image_compression how)
{
    switch (how) {
    case IMAGE_STORED:
        return "none";
    case IMAGE_LZ4:
        return "lz4";
    case IMAGE_ZSTD:
        return "zstd";
    case IMAGE_SCRAMBLED:
        return "scrambled";
    case IMAGE_OTHER_COMPRESSION:
        break;
    }
    return "unknown";
}

static void arch_name(enum image_format format, unsigned sm, char suffix, char *out, size_t size)
{
    const char *prefix = format == IMAGE_PTX ? "compute_" : format == IMAGE_LTOIR ? "lto_" : "sm_";

    if (sm)
        snprintf(out, size, "%s%u%.1s", prefix, sm, &suffix);
}

/* A cubin cannot say 'f': its header is believed. */
static char payload_suffix(const struct image_entry *e)
{
    return e->format == IMAGE_CUBIN && e->suffix == 'f' && !e->payload_suffix ? 'f' : e->payload_suffix;
}

static gpudl_status entry_status(const struct image_entry *e)
{
    if (e->error)
        return gpudl__image_status(e->error);
    return e->compression == IMAGE_SCRAMBLED ? GPUDL_ERROR_UNSUPPORTED : GPUDL_OK;
}

static void fill_place(const struct image *im, const struct image_entry *e, gpudl_entry_info *info)
{
    const struct image_container *c = gpudl__image_container(im, e->container);

    info->container = e->container;
    info->offset = e->offset;
    info->member = c->member;
    info->section = c->section;
}

static gpudl_entry_info describe_entry(const struct image_entry *e)
{
    gpudl_entry_info info = {
        .kind = kind_name(e),
        .compression = compression_name(e->compression),
        .bytes = e->raw_size,
        .stored_bytes = e->stored_size,
        .identifier = e->identifier,
        .ptx_version = e->format == IMAGE_PTX ? e->ptx_version : 0,
        .toolkit = e->toolkit,
        .relocatable = e->relocatable,
        .debug = e->debug,
        .is_64bit = e->is_64bit,
        .status = entry_status(e),
    };

    arch_name(e->format, e->sm, e->suffix, info.arch, sizeof(info.arch));
    arch_name(e->format, e->payload_sm, payload_suffix(e), info.payload_arch, sizeof(info.payload_arch));
    return info;
}

gpudl_status gpudl_image_entry(gpudl_image *im, size_t entry, gpudl_entry_info *out)
{
    gpudl_status status = gpudl__result_check(out, "gpudl_entry_info");
    struct image_provenance provenance = { 0 };
    gpudl_entry_info info;

    if (status == GPUDL_OK)
        status = gpudl__image_enter(im, entry, "gpudl_image_entry");
    if (status != GPUDL_OK)
        return status;
    info = describe_entry(gpudl__image_entry(im->image, entry));
    fill_place(im->image, gpudl__image_entry(im->image, entry), &info);
    if (!gpudl__image_provenance(im->image, entry, &provenance, NULL, 0))
        info.options = provenance.options;
    gpudl__image_leave(im);
    gpudl__result_export(out, &info, sizeof(info));
    return GPUDL_OK;
}
