/* Images: would this run there, and if not, why not and what then. */
#include <stdlib.h>
#include <string.h>

#include "src/loader/error.h"
#include "src/loader/image/image_api.h"
#include "src/loader/loader.h"
#include "src/loader/options.h"

static gpudl_status target_by_name(const gpudl_target *t, struct image_target *out)
{
    unsigned sm;
    char suffix;

    if (t->software > 1 || t->cuda_version < 0)
        return gpudl__fail_argument("gpudl_target", "software is 0 or 1, and cuda_version is as 13000");
    if (!gpudl__image_parse_arch(t->arch, &sm, &suffix))
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "'%.64s' is no architecture: write it as sm_90", t->arch);
    *out = gpudl__target_of(sm, t->cuda_version, t->software);
    return GPUDL_OK;
}

/* What a device takes differs from what device 0 takes in its architecture only. */
static gpudl_status target_of_device(const gpudl_target *t, struct image_target *out)
{
    gpudl_status status;
    gpudl_loader *l = gpudl__loader(t->loader, "gpudl_image_explain", &status);
    const gpudl_driver_table *cu;
    int major = 0, minor = 0, err;
    CUdevice device;

    if (!l)
        return status;
    if (t->device < 0 || t->device >= l->driver.devices)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "there is no device %d: %s has %d, and they count from 0", t->device,
            l->driver_text, l->driver.devices);
    cu = &l->driver.table;
    *out = l->target;
    err = cu->DeviceGet(&device, t->device);
    if (!err)
        err = cu->DeviceGetAttribute(&major, GPUDL_DEVICE_COMPUTE_CAPABILITY_MAJOR, device);
    if (!err)
        err = cu->DeviceGetAttribute(&minor, GPUDL_DEVICE_COMPUTE_CAPABILITY_MINOR, device);
    if (err)
        return gpudl__fail_cuda(GPUDL_ERROR_DRIVER, cu, "cuDeviceGetAttribute", err, "asking what device %d is", t->device);
    out->sm = (unsigned)(10 * major + minor);
    return GPUDL_OK;
}

static gpudl_status find_target(const gpudl_target *given, struct image_target *out)
{
    gpudl_target t = GPUDL_TARGET_INIT;
    gpudl_status status = GPUDL_OK;

    if (given)
        status = gpudl__options_import(&t, sizeof(t), given, "gpudl_target");
    if (status == GPUDL_OK && t.reserved)
        status = gpudl__fail_argument("gpudl_target", "reserved is 0");
    if (status != GPUDL_OK)
        return status;
    return t.arch ? target_by_name(&t, out) : target_of_device(&t, out);
}

static void fill_words(gpudl_verdict *v, const struct image_words *words)
{
    memcpy(v->reason, words->reason, sizeof(v->reason));
    memcpy(v->remedy, words->remedy, sizeof(v->remedy));
}

_Static_assert(sizeof(((struct image_words *)0)->reason) == sizeof(((gpudl_verdict *)0)->reason), "reason");
_Static_assert(sizeof(((struct image_words *)0)->remedy) == sizeof(((gpudl_verdict *)0)->remedy), "remedy");

static gpudl_verdict explain(struct image *im, size_t container, const struct image_target *target)
{
    struct image_words words = { "", "" };
    struct image_explanation e = gpudl__image_explain(im, container, target, &words);
    int entry = e.entry < 0 ? e.nearest : e.entry;
    gpudl_verdict v = {
        .size_of_struct = sizeof(v),
        .status = e.entry < 0 ? gpudl__misfit_status(e.misfit) : GPUDL_OK,
        .compiled = e.entry >= 0 && e.jit,
        .entry = entry < 0 ? GPUDL_ALL : (size_t)entry,
        .word = gpudl__image_verdict_name(e.verdict),
    };

    if (e.entry < 0)
        fill_words(&v, &words);
    return v;
}

static gpudl_status check_container(const gpudl_image *im, size_t container)
{
    size_t count = gpudl__image_container_count(im->image);

    if (container == GPUDL_ALL || container < count)
        return GPUDL_OK;
    return gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: has %zu containers, and they count from 0: there is no %zu", im->content.name,
        count, container);
}

gpudl_status gpudl_image_explain(gpudl_image *im, size_t container, const gpudl_target *given, gpudl_verdict *out)
{
    gpudl_status status = gpudl__result_check(out, "gpudl_verdict");
    struct image_target target;
    gpudl_verdict verdict;

    if (status == GPUDL_OK && !im)
        status = gpudl__fail_argument("gpudl_image_explain", "the image is NULL");
    if (status == GPUDL_OK)
        status = check_container(im, container);
    if (status == GPUDL_OK)
        status = find_target(given, &target);
    if (status != GPUDL_OK)
        return status;
    pthread_mutex_lock(&im->lock);
    verdict = explain(im->image, container, &target);
    pthread_mutex_unlock(&im->lock);
    if (verdict.status == GPUDL_ERROR_NO_MEMORY)
        return gpudl__fail_memory("an image's code");
    gpudl__result_export(out, &verdict, sizeof(verdict));
    return GPUDL_OK;
}

static gpudl_verdict judge(struct image *im, size_t entry, const struct image_target *target)
{
    struct image_words words = { "", "" };
    enum image_verdict verdict = gpudl__image_judge(im, entry, target, &words);
    gpudl_verdict v = {
        .size_of_struct = sizeof(v),
        .status = gpudl__verdict_status(verdict),
        .compiled = verdict == IMAGE_VERDICT_FITS && gpudl__image_entry(im, entry)->format == IMAGE_PTX,
        .entry = entry,
        .word = gpudl__image_verdict_name(verdict),
    };

    if (v.status != GPUDL_OK)
        fill_words(&v, &words);
    return v;
}

gpudl_status gpudl_image_judge(gpudl_image *im, size_t entry, const gpudl_target *given, gpudl_verdict *out)
{
    gpudl_status status = gpudl__result_check(out, "gpudl_verdict");
    struct image_target target;
    gpudl_verdict verdict;

    if (status == GPUDL_OK)
        status = find_target(given, &target);
    if (status == GPUDL_OK)
        status = gpudl__image_enter(im, entry, "gpudl_image_judge");
    if (status != GPUDL_OK)
        return status;
    verdict = judge(im->image, entry, &target);
    gpudl__image_leave(im);
    if (verdict.status == GPUDL_ERROR_NO_MEMORY)
        return gpudl__fail_memory("an image's code");
    gpudl__result_export(out, &verdict, sizeof(verdict));
    return GPUDL_OK;
}

struct warning_walk {
    void (*each)(void *, const char *, const char *, const char *);
    void *user;
};

static void give_warning(void *user, enum image_warning warning, const struct image_kernel *kernel, const char *text)
{
    struct warning_walk *walk = user;

    walk->each(walk->user, gpudl__image_warning_name(warning), kernel ? kernel->name : NULL, text);
}

gpudl_status gpudl_image_warnings(gpudl_image *im, size_t entry, const gpudl_target *given,
    void (*each)(void *user, const char *word, const char *kernel, const char *text), void *user)
{
    struct warning_walk walk = { each, user };
    char text[IMAGE_TEXT_SIZE];
    struct image_target target;
    enum image_error error;
    gpudl_status status;

    if (!each)
        return gpudl__fail_argument("gpudl_image_warnings", "each is NULL");
    status = find_target(given, &target);
    if (status == GPUDL_OK)
        status = gpudl__image_enter(im, entry, "gpudl_image_warnings");
    if (status != GPUDL_OK)
        return status;
    text[0] = '\0';
    error = gpudl__image_warn(im->image, entry, &target, give_warning, &walk, text, sizeof(text));
    gpudl__image_leave(im);
    return error ? gpudl__image_refuse(im, error, text) : GPUDL_OK;
}
