/* From bytes to code in the driver. The driver calls almost anything a success, and hands out an empty library then: what
 * does not fit is refused here, before it is asked, and what it took is looked into after. Making the code resident is left
 * to the first launch, since that would stall whatever runs. */
#include <string.h>

#include "src/loader/error.h"
#include "src/loader/loader.h"

enum { TEXT_SIZE = 2048, LOG_SIZE = 4096 };

static gpudl_status image_status(enum image_error error)
{
    switch (error) {
    case IMAGE_EMPTY:
        return GPUDL_ERROR_IMAGE_EMPTY;
    case IMAGE_TRUNCATED:
        return GPUDL_ERROR_IMAGE_TRUNCATED;
    case IMAGE_DAMAGED:
        return GPUDL_ERROR_IMAGE_DAMAGED;
    case IMAGE_NOT_AN_IMAGE:
        return GPUDL_ERROR_NOT_AN_IMAGE;
    case IMAGE_NOT_SUPPORTED:
        return GPUDL_ERROR_UNSUPPORTED;
    case IMAGE_LIMIT:
        return GPUDL_ERROR_IMAGE_TOO_LARGE;
    case IMAGE_NO_MEMORY:
        return GPUDL_ERROR_NO_MEMORY;
    case IMAGE_OK:
        break;
    }
    return GPUDL_ERROR_IMAGE_DAMAGED;
}

static gpudl_status misfit_status(enum image_misfit why)
{
    switch (why) {
    case MISFIT_ARCH:
        return GPUDL_ERROR_ARCHITECTURE;
    case MISFIT_MACHINE_CODE_ONLY:
        return GPUDL_ERROR_MACHINE_CODE_ONLY;
    case MISFIT_PTX_TOO_NEW:
        return GPUDL_ERROR_PTX_TOO_NEW;
    case MISFIT_NOT_LINKED:
        return GPUDL_ERROR_NOT_LINKED;
    case MISFIT_EMPTY:
        return GPUDL_ERROR_NO_KERNELS;
    case MISFIT_DAMAGED:
        return GPUDL_ERROR_IMAGE_DAMAGED;
    case MISFIT_NO_MEMORY:
        return GPUDL_ERROR_NO_MEMORY;
    }
    return GPUDL_ERROR_ARCHITECTURE;
}

static gpudl_status refuse(const struct gpudl_version *v, enum image_error error, const char *text)
{
    return gpudl__fail(image_status(error), "%s: %s", v->content.name, text);
}

/* Opens the image and settles which entry it is; everything below is about that one. */
static gpudl_status choose(struct gpudl_version *v)
{
    enum image_misfit why = MISFIT_ARCH;
    enum image_error error;
    char text[TEXT_SIZE] = "";
    int entry;

    error = gpudl__image_open(v->content.bytes, v->limit, &v->image, text, sizeof(text));
    if (error)
        return refuse(v, error, text);
    entry = gpudl__image_choose(v->image, &v->loader->target, &why, text, sizeof(text));
    if (entry < 0)
        return gpudl__fail(misfit_status(why), "%s: %s", v->content.name, text);
    v->entry = (size_t)entry;
    error = gpudl__image_payload(v->image, v->entry, &v->code, text, sizeof(text));
    if (!error)
        error = gpudl__image_kernels(v->image, v->entry, &v->kernels, &v->nkernels, text, sizeof(text));
    if (!error)
        error = gpudl__image_globals(v->image, v->entry, &v->globals, &v->nglobals, text, sizeof(text));
    if (error)
        return refuse(v, error, text);
    if (*gpudl__image_notes(v->image))
        gpudl__log(v->loader, GPUDL_LOG_INFO, "%s: %s", v->content.name, gpudl__image_notes(v->image));
    if (!v->nkernels && !v->nglobals)
        return gpudl__fail(GPUDL_ERROR_NO_KERNELS,
            "%s: the code for this device has no kernels and no globals; is a kernel missing __global__, or "
            "was its template never instantiated?",
            v->content.name);
    return GPUDL_OK;
}

static bool is_ptx(const struct gpudl_version *v)
{
    return gpudl__image_entry(v->image, v->entry)->format == IMAGE_PTX;
}

static void trim(char *log)
{
    size_t n = strlen(log);

    while (n && (unsigned char)log[n - 1] <= ' ')
        log[--n] = '\0';
}

/* The codes differ from driver to driver; that PTX has an error log says more than they do. */
static gpudl_status refusal(const struct gpudl_version *v, int err, const char *log)
{
    if (err == GPUDL_CU_OUT_OF_MEMORY)
        return GPUDL_ERROR_DRIVER;
    if (err == GPUDL_CU_UNSUPPORTED_PTX_VERSION || strstr(log, "Unsupported .version"))
        return GPUDL_ERROR_PTX_TOO_NEW;
    if (err == GPUDL_CU_NO_BINARY_FOR_GPU)
        return GPUDL_ERROR_ARCHITECTURE;
    if (is_ptx(v) && (*log || !err || err == GPUDL_CU_INVALID_IMAGE || err == GPUDL_CU_INVALID_PTX))
        return GPUDL_ERROR_PTX;
    return err == GPUDL_CU_INVALID_IMAGE ? GPUDL_ERROR_IMAGE_DAMAGED : GPUDL_ERROR_DRIVER;
}

/* The driver refused the code: call returned err, or gave an empty library and err is 0. */
static gpudl_status refused(const struct gpudl_version *v, const char *call, int err, char *log)
{
    const char *what = is_ptx(v) ? "its PTX" : "its machine code";
    gpudl_status status;

    trim(log);
    status = refusal(v, err, log);
    if (err)
        return gpudl__fail_cuda(status, &v->loader->driver.table, call, err, "%s: the driver refused %s%s%s", v->content.name,
            what, *log ? ": " : "", log);
    if (*log)
        return gpudl__fail(status, "%s: %s was refused: %s", v->content.name, what, log);
    return gpudl__fail(status, "%s: the driver (%s) took the code, said nothing, and found no kernel '%s' in it", v->content.name,
        v->loader->driver_text, v->nkernels ? v->kernels[0].name : "");
}

static gpudl_status hand_over(struct gpudl_version *v)
{
    const gpudl_driver_table *cu = &v->loader->driver.table;
    int options[] = { GPUDL_JIT_ERROR_LOG_BUFFER, GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    char log[LOG_SIZE];
    void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
    int err;

    log[0] = '\0';
    err = cu->LibraryLoadData(&v->native, v->code.data, options, values, 2, NULL, NULL, 0);
    log[LOG_SIZE - 1] = '\0';
    if (err) {
        v->native = NULL;
        return refused(v, "cuLibraryLoadData", err, log);
    }
    if (!v->nkernels)
        return *log ? refused(v, "", 0, log) : GPUDL_OK;
    err = cu->LibraryGetKernel(&v->first, v->native, v->kernels[0].name);
    return err ? refused(v, "cuLibraryGetKernel", err == GPUDL_CU_NOT_FOUND ? 0 : err, log) : GPUDL_OK;
}

gpudl_status gpudl__version_load(struct gpudl_version *v)
{
    gpudl_status status = choose(v);
    struct names names = gpudl__version_names(v);

    if (status != GPUDL_OK)
        return status;
    if (!gpudl__index_update(&v->index, &names, 0))
        return gpudl__fail_memory("the names of kernels");
    return hand_over(v);
}

void gpudl__version_unload(struct gpudl_version *v)
{
    gpudl_loader *l = v->loader;
    int err = v->native ? l->driver.table.LibraryUnload(v->native) : 0;

    if (err)
        gpudl__log(l, GPUDL_LOG_WARNING, "%s: cuLibraryUnload returned %d (%s): its code stays in the driver",
            v->content.name ? v->content.name : "a library", err, gpudl__driver_error_name(&l->driver.table, err));
    v->native = NULL;
    gpudl__image_close(v->image);
    v->image = NULL;
}
