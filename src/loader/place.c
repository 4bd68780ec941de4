/* From bytes to code in the driver. The driver calls almost anything a success, and hands out an empty library then: what
 * does not fit is refused here, before it is asked, and what it took is looked into after. Making the code resident is left
 * to the first launch, since that would stall whatever runs. */
#include <stdio.h>
#include <string.h>

#include "src/loader/context.h"
#include "src/loader/error.h"
#include "src/loader/image/image_api.h"
#include "src/loader/launch/hold.h"
#include "src/loader/loader.h"
#include "src/loader/mixed.h"
#include "src/loader/source/registered.h"

enum { TEXT_SIZE = 2048, LOG_SIZE = 4096 };

static gpudl_status refuse(const struct version *v, enum image_error error, const char *text)
{
    return gpudl__fail(gpudl__image_status(error), "%s: %s%s", v->content.name, text, gpudl__image_advice(error));
}

/* For all devices, which are alike. */
static gpudl_status choose_entry(struct version *v)
{
    enum image_misfit why = MISFIT_ARCH;
    char text[TEXT_SIZE] = "";
    enum image_error error;
    int entry = gpudl__image_choose(v->image, &v->loader->target, &why, text, sizeof(text));

    if (entry < 0)
        return gpudl__fail(gpudl__misfit_status(why), "%s: %s", v->content.name, text);
    v->entry = (size_t)entry;
    error = gpudl__image_payload(v->image, v->entry, &v->code, text, sizeof(text));
    return error ? refuse(v, error, text) : GPUDL_OK;
}

/* Opens the image and settles which entry it is; everything below is about that one. */
static gpudl_status choose(struct version *v)
{
    enum image_error error;
    char text[TEXT_SIZE];
    gpudl_status status;

    text[0] = '\0';
    error = gpudl__image_open(v->content.bytes, v->settings.limit, &v->image, text, sizeof(text));
    if (error)
        return refuse(v, error, text);
    status = v->loader->driver.mixed ? gpudl__mixed_choose(v) : choose_entry(v);
    if (status == GPUDL_OK)
        status = gpudl__version_admit(v, &v->content);
    if (status != GPUDL_OK)
        return status;
    error = gpudl__image_kernels(v->image, v->entry, &v->kernels, &v->nkernels, text, sizeof(text));
    if (!error)
        error = gpudl__image_globals(v->image, v->entry, &v->globals, &v->nglobals, text, sizeof(text));
    if (error)
        return refuse(v, error, text);
    if (!v->nkernels && !v->nglobals)
        return gpudl__fail(GPUDL_ERROR_NO_KERNELS,
            "%s: the code for this device has no kernels and no globals; is a kernel missing __global__, or "
            "was its template never instantiated?",
            v->content.name);
    return GPUDL_OK;
}

static bool is_ptx(const struct version *v)
{
    return gpudl__image_entry(v->image, v->entry)->format == IMAGE_PTX;
}

static void trim(char *log)
{
    size_t n = strlen(log);

    while (n && (unsigned char)log[n - 1] <= ' ')
        log[--n] = '\0';
}

/* What the driver writes: of what it refuses, and remarks. */
struct load_log {
    char errors[LOG_SIZE], remarks[LOG_SIZE];
};

static void end_log(struct load_log *log)
{
    log->errors[LOG_SIZE - 1] = log->remarks[LOG_SIZE - 1] = '\0';
    trim(log->errors);
    trim(log->remarks);
}

/* Said by NVIDIA's PTX compiler, and by softcuda. */
static bool says_too_new(const char *log)
{
    return strstr(log, "Unsupported .version") || strstr(log, "newer than this driver reads");
}

/* The codes differ from driver to driver; that PTX has an error log says more than they do. */
static gpudl_status refusal(const struct version *v, int err, const char *log)
{
    if (err == GPUDL_CU_OUT_OF_MEMORY)
        return GPUDL_ERROR_DRIVER;
    if (err == GPUDL_CU_UNSUPPORTED_PTX_VERSION || says_too_new(log))
        return GPUDL_ERROR_PTX_TOO_NEW;
    if (err == GPUDL_CU_NO_BINARY_FOR_GPU)
        return GPUDL_ERROR_ARCHITECTURE;
    if (is_ptx(v) && (*log || !err || err == GPUDL_CU_INVALID_IMAGE || err == GPUDL_CU_INVALID_PTX))
        return GPUDL_ERROR_PTX;
    return err == GPUDL_CU_INVALID_IMAGE ? GPUDL_ERROR_IMAGE_DAMAGED : GPUDL_ERROR_DRIVER;
}

/* The driver refused the code: call returned err, or gave an empty library and err is 0. */
static gpudl_status refused(const struct version *v, const char *call, int err, const struct load_log *log)
{
    const char *what = is_ptx(v) ? "its PTX" : "its machine code";
    const char *words = *log->errors ? log->errors : log->remarks;
    gpudl_status status = refusal(v, err, log->errors);

    if (err)
        return gpudl__fail_cuda(status, &v->loader->driver.table, call, err, "%s: the driver refused %s%s%s", v->content.name,
            what, *words ? ": " : "", words);
    if (*words)
        return gpudl__fail(status, "%s: %s was refused: %s", v->content.name, what, words);
    return gpudl__fail(status,
        "%s: the driver (%s) took the code, said nothing, and found no kernel '%s' in it: build the file again, and look at it "
        "with `gpudl inspect`",
        v->content.name, v->loader->driver_text, v->nkernels ? v->kernels[0].name : "");
}

/* A courtesy: without memory there is no log. */
static void keep_log(struct version *v, const struct load_log *log)
{
    char text[2 * LOG_SIZE];

    if (!*log->errors && !*log->remarks)
        return;
    snprintf(text, sizeof(text), "%s%s%s", log->errors, *log->errors && *log->remarks ? "\n" : "", log->remarks);
    v->log = gpudl__alloc_string(text);
}

void gpudl__version_tell(const struct version *v)
{
    if (v->image && *gpudl__image_notes(v->image))
        gpudl__log(v->loader, GPUDL_LOG_INFO, "%s: %s", v->content.name, gpudl__image_notes(v->image));
    if (v->log)
        gpudl__log(v->loader, GPUDL_LOG_INFO, "%s: the driver says: %s", v->content.name, v->log);
}

static int load_code(struct version *v, struct load_log *log)
{
    int options[4 + SETTINGS_JIT_MOST] = { GPUDL_JIT_ERROR_LOG_BUFFER, GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        GPUDL_JIT_INFO_LOG_BUFFER, GPUDL_JIT_INFO_LOG_BUFFER_SIZE_BYTES };
    void *values[4 + SETTINGS_JIT_MOST] = { log->errors, (void *)(uintptr_t)LOG_SIZE, log->remarks, (void *)(uintptr_t)LOG_SIZE };
    int library_options[SETTINGS_LIBRARY_MOST];
    void *library_values[SETTINGS_LIBRARY_MOST];
    unsigned n = 4 + gpudl__settings_jit(&v->settings, options + 4, values + 4);
    unsigned nlibrary = gpudl__settings_library(&v->settings, library_options, library_values);
    struct relaxed r = gpudl__relax(v->loader);
    int err;

    log->errors[0] = log->remarks[0] = '\0';
    err = v->loader->driver.table.LibraryLoadData(
        &v->native, v->code.data, options, values, n, library_options, library_values, nlibrary);
    gpudl__unrelax(v->loader, r);
    end_log(log);
    if (err)
        v->native = NULL;
    return err;
}

static gpudl_status hand_over(struct version *v)
{
    const gpudl_driver_table *cu = &v->loader->driver.table;
    struct load_log log;
    int err = load_code(v, &log);

    if (err == GPUDL_CU_OUT_OF_MEMORY && gpudl__park_unload_all(v->loader))
        err = load_code(v, &log);
    if (err)
        return refused(v, "cuLibraryLoadData", err, &log);
    if (!v->nkernels && *log.errors)
        return refused(v, "", 0, &log);
    if (v->nkernels)
        err = cu->LibraryGetKernel(&v->first, v->native, v->kernels[0].name);
    if (err)
        return refused(v, "cuLibraryGetKernel", err == GPUDL_CU_NOT_FOUND ? 0 : err, &log);
    keep_log(v, &log);
    return GPUDL_OK;
}

int gpudl__version_kernel(const struct version *v, size_t index, CUkernel *out)
{
    if (v->handles)
        *out = v->handles[index];
    return v->handles ? 0 : v->loader->driver.table.LibraryGetKernel(out, v->native, v->kernels[index].name);
}

gpudl_status gpudl__version_load(struct version *v)
{
    gpudl_status status = GPUDL_OK;
    struct names names;

    if (v->content.registered)
        return gpudl__registered_load(v);

    if (!v->loader->driver.software)
        status = gpudl__settings_check(&v->settings, v->loader->driver.sm);
    if (status == GPUDL_OK)
        status = choose(v);
    if (status != GPUDL_OK)
        return status;
    names = gpudl__version_names(v);
    if (!gpudl__index_update(&v->index, &names, 0))
        return gpudl__fail_memory("the names of kernels");
    return hand_over(v);
}

gpudl_status gpudl__version_image(struct version *v)
{
    enum image_error error = IMAGE_OK;
    char text[TEXT_SIZE];
    struct image *image;
    struct span code;

    if (v->image || !v->taken)
        return GPUDL_OK;
    error = gpudl__image_open(v->content.bytes, v->settings.limit, &image, text, sizeof(text));
    if (error)
        return refuse(v, error, text);
    error = gpudl__image_payload(image, v->entry, &code, text, sizeof(text));
    if (error) {
        gpudl__image_close(image);
        return refuse(v, error, text);
    }
    v->image = image;
    v->code = code;
    return GPUDL_OK;
}

static int unload_code(struct version *v)
{
    struct relaxed r = gpudl__relax(v->loader);
    int err;

    gpudl__launches_hold();
    err = v->loader->driver.table.LibraryUnload(v->native);
    gpudl__launches_let_go();
    gpudl__unrelax(v->loader, r);
    return err;
}

/* A driver that keeps the code may go on reading the copy that it was promised: that stays as well then. */
bool gpudl__version_unload(struct version *v)
{
    gpudl_loader *l = v->loader;
    bool own = !v->left && !(v->record && record_is_shared(v->record));
    bool last = v->record && gpudl__record_release(l->commons, v->record);
    int err = v->native && !v->lent && (own || last) ? unload_code(v) : 0;

    if (err)
        gpudl__log(l, GPUDL_LOG_WARNING, "%s: cuLibraryUnload returned %d (%s): its code stays in the driver",
            v->content.name ? v->content.name : "a library", err, gpudl__driver_error_name(&l->driver.table, err));
    v->native = NULL;
    gpudl__registered_unload(v);
    if (err && (v->settings.flags & GPUDL_LOAD_PRESERVED)) {
        v->content.bytes = (struct span){ 0 };
        v->content.lender = NULL;
    } else
        gpudl__image_close(v->image);
    v->image = NULL;
    if (last)
        gpudl__record_free(v->record);
    v->record = NULL;
    return own || last;
}
