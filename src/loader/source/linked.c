/* Linking without loading, and which linkers there are. */
#include <stdio.h>
#include <string.h>

#include "src/image/fatbin_write.h"
#include "src/loader/source/compile.h"
#include "src/loader/error.h"
#include "src/loader/image/image_api.h"
#include "src/loader/source/link.h"
#include "src/loader/options.h"

struct gpudl_linked {
    struct link_result result;
};

enum { TARGETS_MOST = 64 };

static const char make_function[] = "gpudl_linked_make";

static gpudl_status check(const gpudl_link_options *o)
{
    if (o->format > GPUDL_LINK_FATBIN)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "gpudl_link_options.format is %u: it is GPUDL_LINK_FITTING, _CUBIN, _PTX or _FATBIN", o->format);
    if (o->format != GPUDL_LINK_FATBIN && o->arch && strchr(o->arch, ','))
        return gpudl__fail_argument("gpudl_link_options", "several architectures make a fatbin: format is GPUDL_LINK_FATBIN then");
    return o->reserved ? gpudl__fail_argument("gpudl_link_options", "reserved is 0") : GPUDL_OK;
}

static gpudl_status target_by_name(const char *arch, unsigned format, struct link_target *out)
{
    bool virtual = format == GPUDL_LINK_FATBIN && !strncmp(arch, "compute_", 8);
    unsigned sm;
    char suffix;

    if (!gpudl__image_parse_arch(arch, &sm, &suffix))
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "'%.64s' is no architecture: write it as sm_90", arch);
    *out = (struct link_target){ .sm = sm, .suffix = suffix, .ptx = format == GPUDL_LINK_PTX || virtual };
    return GPUDL_OK;
}

/* With an architecture a driver is a help, and not needed: what nvJitLink can do is done without one. */
static gpudl_status link_for_arch(gpudl_loader *given, struct link_request *r, struct link_result *out)
{
    gpudl_status status = GPUDL_ERROR_NO_LINKER, other;

    r->loader = given;
    if (!given)
        status = gpudl__link_contents(r, out);
    if (given || (status == GPUDL_ERROR_NO_LINKER && (r->loader = gpudl__loader(NULL, make_function, &other))))
        status = gpudl__link_contents(r, out);
    return status;
}

static gpudl_status link_for_device(gpudl_loader *given, struct link_request *r, unsigned format, struct link_result *out)
{
    gpudl_status status;

    r->loader = gpudl__loader(given, make_function, &status);
    if (!r->loader)
        return status;
    r->target = gpudl__link_target_of(r->loader);
    if (format)
        r->target.ptx = format == GPUDL_LINK_PTX;
    return gpudl__link_contents(r, out);
}

/* What is to be linked, and how; each image reads the sources, as what was compiled for one is not for the other. */
struct making {
    gpudl_loader *given;
    const gpudl_source *sources;
    size_t n;
    const gpudl_link_options *options;
    const gpudl_compile_options *compile;
    const struct load_settings *settings;
};

/* arch: NULL for the device. *target: what it became. */
static gpudl_status make_one(const struct making *m, const char *arch, struct link_target *target, struct link_result *out)
{
    struct link_request request = { .n = m->n, .settings = m->settings, .linker = m->options->linker, .options = m->compile };
    gpudl_status status = arch ? target_by_name(arch, m->options->format, &request.target) : GPUDL_OK;
    unsigned format = m->options->format == GPUDL_LINK_FATBIN ? GPUDL_LINK_FITTING : m->options->format;
    struct content *contents = NULL;

    if (status == GPUDL_OK)
        status = gpudl__contents_read(m->sources, m->n, &contents);
    request.contents = contents;
    if (status == GPUDL_OK)
        status = arch ? link_for_arch(m->given, &request, out) : link_for_device(m->given, &request, format, out);
    if (contents)
        gpudl__contents_release(contents, m->n);
    *target = request.target;
    return status;
}

/* The images in one; the remarks are those of the first. */
static gpudl_status join(const struct link_target *targets, const struct link_result *results, size_t n, struct link_result *out)
{
    struct fatbin_part parts[TARGETS_MOST];
    struct span bytes;

    for (size_t i = 0; i < n; i++)
        parts[i] = (struct fatbin_part){ targets[i].ptx ? IMAGE_PTX : IMAGE_CUBIN, { results[i].bytes, results[i].size }, targets[i].sm,
            targets[i].suffix, NULL };
    if (gpudl__fatbin_write(parts, n, &bytes))
        return gpudl__fail_memory("a fatbin");
    *out = (struct link_result){ .bytes = (unsigned char *)(uintptr_t)bytes.data, .size = bytes.size };
    memcpy(out->linker, results[0].linker, sizeof(out->linker));
    out->log = gpudl__alloc_string(results[0].log);
    return GPUDL_OK;
}

static gpudl_status make_fatbin(const struct making *m, struct link_result *out)
{
    struct link_result results[TARGETS_MOST] = { { .bytes = NULL } };
    struct link_target targets[TARGETS_MOST];
    const char *at = m->options->arch;
    gpudl_status status = GPUDL_OK;
    size_t n = 0;

    if (!at)
        status = make_one(m, NULL, &targets[n++], &results[0]);
    while (at && *at && status == GPUDL_OK) {
        size_t size = strcspn(at, ",");
        char arch[24];

        if (n == TARGETS_MOST) {
            status = gpudl__fail_argument("gpudl_link_options", "arch names more than 64 architectures");
            break;
        }
        snprintf(arch, sizeof(arch), "%.*s", (int)size, at);
        status = make_one(m, arch, &targets[n], &results[n]);
        n++;
        at += size + (at[size] == ',');
    }
    if (status == GPUDL_OK)
        status = n ? join(targets, results, n, out) : gpudl__fail_argument("gpudl_link_options", "arch names no architecture");
    for (size_t i = 0; i < n; i++)
        gpudl__link_release(&results[i]);
    return status;
}

static gpudl_status make(gpudl_loader *given, const gpudl_source *sources, size_t n, const gpudl_link_options *o,
    const struct load_settings *settings, gpudl_linked **out)
{
    struct making m = { given, sources, n, o, NULL, settings };
    gpudl_linked *linked = gpudl__alloc_zero(sizeof(*linked));
    gpudl_status status = linked ? GPUDL_OK : gpudl__fail_memory("linked code");
    gpudl_compile_options *compile = NULL;
    struct link_target target;

    if (status == GPUDL_OK)
        status = gpudl__compile_of_load(o->load, &compile);
    m.compile = compile;
    if (status == GPUDL_OK)
        status = o->format == GPUDL_LINK_FATBIN ? make_fatbin(&m, &linked->result) : make_one(&m, o->arch, &target, &linked->result);
    gpudl__free(compile);
    if (status == GPUDL_OK)
        *out = linked;
    else
        gpudl__free(linked);
    return status;
}

gpudl_status gpudl_linked_make(
    gpudl_loader *given, const gpudl_source *sources, size_t n, const gpudl_link_options *options, gpudl_linked **out)
{
    gpudl_link_options o = GPUDL_LINK_OPTIONS_INIT;
    struct load_settings settings;
    const struct allocator *before;
    gpudl_status status;

    if (!sources || !n || !out)
        return gpudl__fail_argument(make_function, "the sources or out is NULL, or there are no sources");
    status = gpudl__sources_check(sources, n, make_function);
    if (status == GPUDL_OK && options)
        status = gpudl__options_import(&o, sizeof(o), options, "gpudl_link_options");
    if (status == GPUDL_OK)
        status = check(&o);
    if (status == GPUDL_OK)
        status = gpudl__settings_import(o.load, &settings);
    if (status != GPUDL_OK)
        return status;
    before = gpudl__alloc_use(given ? gpudl__loader_heap(given) : NULL);
    status = make(given, sources, n, &o, &settings, out);
    gpudl__alloc_use(before);
    return status;
}

void gpudl_linked_release(gpudl_linked *linked)
{
    if (!linked)
        return;
    gpudl__link_release(&linked->result);
    gpudl__free(linked);
}

const void *gpudl_linked_bytes(gpudl_linked *linked, size_t *size)
{
    if (!linked)
        return NULL;
    if (size)
        *size = linked->result.size;
    return linked->result.bytes;
}

const char *gpudl_linked_log(gpudl_linked *linked)
{
    return linked && linked->result.log ? linked->result.log : "";
}

const char *gpudl_linked_linker(gpudl_linked *linked)
{
    return linked ? linked->result.linker : "";
}

/* --------------------------------------------------------------------------------------------------------------------- linkers */

static void describe_nvjitlink(gpudl_linker_info *info)
{
    char where[sizeof(info->text)];
    struct text t = gpudl__text_init(where, sizeof(where));

    info->name = "nvjitlink";
    info->usable = gpudl__link_describe(&info->version, info->text, sizeof(info->text), &t);
    if (!info->usable)
        memcpy(info->text, where, sizeof(where));
}

static void describe_driver(gpudl_loader *given, gpudl_linker_info *info)
{
    gpudl_status status;
    gpudl_loader *l = gpudl__loader(given, "gpudl_linker_describe", &status);

    info->name = "driver";
    info->usable = l && l->driver.table.LinkCreate && l->driver.table.LinkAddData && l->driver.table.LinkComplete;
    info->version = l ? l->driver.table.version : 0;
    snprintf(info->text, sizeof(info->text), "%s", l ? l->driver_text : gpudl_error_text());
}

gpudl_status gpudl_linker_describe(gpudl_loader *loader, size_t index, gpudl_linker_info *out)
{
    gpudl_linker_info info = { .size_of_struct = sizeof(info) };
    gpudl_status status = gpudl__result_check(out, "gpudl_linker_info");

    if (status != GPUDL_OK)
        return status;
    if (index > 1)
        return gpudl__fail_argument("gpudl_linker_describe", "there are two linkers, 0 and 1");
    if (index)
        describe_driver(loader, &info);
    else
        describe_nvjitlink(&info);
    gpudl__result_export(out, &info, sizeof(info));
    return GPUDL_OK;
}
