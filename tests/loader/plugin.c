/* A plugin with a copy of gpudl in it. */
#include <string.h>

#include "tests/loader/plugin.h"

static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry a() { ret; }\n";

static gpudl_status use(gpudl_loader *l, const char *file)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_library *lib = NULL, *other = NULL;
    gpudl_kernel *k = NULL;
    gpudl_task *task = NULL;
    gpudl_status status = gpudl_library_load_async(l, GPUDL_MEMORY(text, strlen(text)), NULL, NULL, &task);

    if (status == GPUDL_OK)
        status = gpudl_library_load(l, GPUDL_FILE(file), NULL, &lib);
    if (status == GPUDL_OK)
        status = gpudl_library_watch(lib, NULL);
    if (status == GPUDL_OK)
        status = gpudl_kernel_get(lib, "a", &k);
    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config);
    if (status == GPUDL_OK)
        status = gpudl_task_wait(task, UINT64_MAX);
    if (status == GPUDL_OK)
        status = gpudl_task_library(task, &other);
    gpudl_task_release(task);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    gpudl_library_release(other);
    return status;
}

int plugin_run(const char *driver, const char *file, int close_it)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_status status;
    gpudl_loader *l;

    options.driver = driver;
    status = gpudl_loader_open(&options, &l);
    if (status != GPUDL_OK)
        return status;
    status = use(l, file);
    if (close_it)
        gpudl_loader_close(l);
    return status;
}

int plugin_capture(const char *driver, CUstream stream)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_launch_config config = gpudl_launch_1d(1, 32);
    gpudl_library *lib = NULL;
    gpudl_kernel *k = NULL;
    gpudl_status status;
    gpudl_loader *l;

    options.driver = driver;
    config.stream = stream;
    status = gpudl_loader_open(&options, &l);
    if (status != GPUDL_OK)
        return status;
    status = gpudl_library_load(l, GPUDL_MEMORY(text, strlen(text)), NULL, &lib);
    if (status == GPUDL_OK)
        status = gpudl_kernel_get(lib, "a", &k);
    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    gpudl_loader_close(l);
    return status;
}
