/* plugin.c - a plugin that knows nothing of others and brings a gpudl of its own, linked statically and hidden. */
#include "plugin.h"

static gpudl_loader *loader;
static gpudl_library *library;
static gpudl_kernel *mix;
static gpudl_version *lent;

/* A plugin does not end its host: it says what is wrong. A function of the driver's leaves no text, but a number. */
#define TRY(call) \
    do { \
        if ((call) != GPUDL_OK) \
            return gpudl_error_text(); \
    } while (0)
#define TRY_DRIVER(call) \
    do { \
        if ((call) != 0) \
            return #call; \
    } while (0)

static const char *launch(gpudl_kernel *kernel, unsigned *x)
{
    const gpudl_driver_table *cu = gpudl_loader_driver(loader);
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    CUdeviceptr memory;

    TRY_DRIVER(cu->MemAlloc(&memory, sizeof(*x)));
    TRY_DRIVER(cu->MemcpyHtoD(memory, x, sizeof(*x)));
    TRY(gpudl_launch(kernel, &config, memory));
    TRY_DRIVER(cu->MemcpyDtoH(x, memory, sizeof(*x)));
    TRY_DRIVER(cu->MemFree(memory));
    return NULL;
}

static const char *start(int share, const char *image)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;

    options.share = share ? 0 : GPUDL_SHARE_NOTHING;
    TRY(gpudl_loader_open(&options, &loader));
    TRY(gpudl_loader_use_device(loader, 0));
    if (!image)
        return NULL;
    TRY(gpudl_library_load(loader, GPUDL_FILE(image), NULL, &library));
    TRY(gpudl_kernel_get(library, "mix", &mix));
    return NULL;
}

static const char *run(unsigned *x)
{
    return launch(mix, x);
}

static const char *count(gpudl_loader_stats *out)
{
    out->size_of_struct = sizeof(*out);
    TRY(gpudl_loader_statistics(loader, out));
    return NULL;
}

static const char *lend(CUkernel *out)
{
    TRY(gpudl_kernel_native(mix, out, &lent)); /* the pin keeps the code loaded, whatever becomes of the library here */
    return NULL;
}

static void take_back(void)
{
    gpudl_version_unpin(lent);
}

static const char *run_lent(CUkernel native, unsigned *x)
{
    gpudl_kernel *theirs;
    const char *error;

    TRY(gpudl_kernel_adopt(loader, native, NULL, &theirs));
    error = launch(theirs, x);
    gpudl_kernel_release(theirs); /* the handle; the code is its owner's */
    return error;
}

static void stop(void)
{
    gpudl_kernel_release(mix);
    gpudl_library_release(library);
    gpudl_loader_close(loader);
    mix = NULL, library = NULL;
}

__attribute__((visibility("default"))) const struct plugin *the_plugin(void);
const struct plugin *the_plugin(void)
{
    static const struct plugin calls = { start, run, count, lend, take_back, run_lent, stop };

    return &calls;
}
