/* launch.c - gpudl run, the second step: load, copy in, launch, wait, copy out. */
#include "tools/gpudl/run.h"

#include <stdlib.h>
#include <string.h>

/* The parameters of a kernel as a list of sizes, since a person compares it with the source. */
static int complain_of_parameters(const struct run_plan *plan, gpudl_kernel *kernel, size_t nparams)
{
    gpudl_param_info info = { .size_of_struct = sizeof(info) };

    command_failed(
        &command_run, "parameters of %s: %zu; arguments given: %zu", gpudl_kernel_name(kernel), nparams, plan->narguments);
    for (size_t i = 0; i < nparams || i < plan->narguments; i++) {
        fprintf(stderr, "  %zu:", i);
        if (i < nparams && gpudl_kernel_param(kernel, i, &info) == GPUDL_OK)
            fprintf(stderr, " %zu bytes", info.size);
        else
            fprintf(stderr, " no parameter");
        if (i < plan->narguments)
            fprintf(stderr, ", given %s\n", plan->arguments[i].text);
        else
            fprintf(stderr, ", nothing given\n");
    }
    return STATUS_FAILED;
}

static int check_parameters(const struct run_plan *plan, gpudl_kernel *kernel)
{
    gpudl_param_info info = { .size_of_struct = sizeof(info) };
    size_t nparams;

    if (gpudl_kernel_param_count(kernel, &nparams) != GPUDL_OK)
        return command_library_failed(&command_run);
    if (nparams != plan->narguments)
        return complain_of_parameters(plan, kernel, nparams);
    for (size_t i = 0; i < nparams; i++) {
        const struct argument *a = &plan->arguments[i];

        if (gpudl_kernel_param(kernel, i, &info) != GPUDL_OK)
            return command_library_failed(&command_run);
        if (info.size != argument_bytes(a))
            return command_failed(&command_run, "argument %zu, '%s', has %zu bytes%s, but parameter %zu of %s has %zu", i,
                a->text, argument_bytes(a), a->is_buffer ? " (a pointer)" : "", i, gpudl_kernel_name(kernel), info.size);
    }
    return STATUS_OK;
}

static size_t array_bytes(const struct array *array)
{
    return array->count * array->type->size;
}

static int copy_in(const gpudl_driver_table *driver, struct argument *a)
{
    size_t bytes = array_bytes(&a->array);
    int code = driver->MemAlloc(&a->address, bytes ? bytes : 1);

    if (code) {
        a->address = 0;
        return command_driver_failed(&command_run, driver, "no device memory for a buffer", code);
    }
    code = bytes ? driver->MemcpyHtoD(a->address, a->array.data, bytes) : 0;
    return code ? command_driver_failed(&command_run, driver, "a buffer cannot be copied to the device", code) : STATUS_OK;
}

static int launch(const struct run_plan *plan, const gpudl_driver_table *driver, gpudl_kernel *kernel)
{
    const unsigned *grid = plan->grid, *block = plan->block;
    gpudl_launch_config config = gpudl_launch_3d(grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    void **params = calloc(plan->narguments + 1, sizeof(*params));
    gpudl_status launched;
    int code;

    if (!params)
        return command_failed(&command_run, "out of memory");
    for (size_t i = 0; i < plan->narguments; i++)
        params[i] = plan->arguments[i].is_buffer ? (void *)&plan->arguments[i].address : &plan->arguments[i].scalar;
    config.shared_bytes = plan->shared_bytes;
    launched = gpudl_kernel_launch_params(kernel, &config, params);
    free(params);
    if (launched != GPUDL_OK)
        return command_library_failed(&command_run);
    code = driver->CtxSynchronize();
    return code ? command_driver_failed(&command_run, driver, "the kernel failed", code) : STATUS_OK;
}

static void print_array(size_t index, const struct array *array, size_t count)
{
    printf("arg%zu =", index);
    for (size_t i = 0; i < count; i++) {
        putchar(' ');
        element_print(array->type, (const char *)array->data + i * array->type->size, stdout);
    }
    putchar('\n');
}

static int put_out(const struct run_plan *plan, const gpudl_driver_table *driver, const struct run_output *output)
{
    const struct argument *a = &plan->arguments[output->index];
    size_t bytes = array_bytes(&a->array);
    int code = bytes ? driver->MemcpyDtoH(a->array.data, a->address, bytes) : 0;
    char why[256];

    if (code)
        return command_driver_failed(&command_run, driver, "a buffer cannot be copied from the device", code);
    if (!output->path)
        print_array(output->index, &a->array, output->count ? output->count : a->array.count);
    else if (npy_write(output->path, &a->array, why, sizeof(why)))
        return command_failed(&command_run, "%s: %s", output->path, why);
    return STATUS_OK;
}

static int run_kernel(struct run_plan *plan, const gpudl_driver_table *driver, gpudl_kernel *kernel)
{
    int status = check_parameters(plan, kernel);

    for (size_t i = 0; i < plan->narguments && status == STATUS_OK; i++)
        if (plan->arguments[i].is_buffer)
            status = copy_in(driver, &plan->arguments[i]);
    if (status == STATUS_OK)
        status = launch(plan, driver, kernel);
    for (size_t i = 0; i < plan->noutputs && status == STATUS_OK; i++)
        status = put_out(plan, driver, &plan->outputs[i]);
    for (size_t i = 0; i < plan->narguments; i++)
        if (plan->arguments[i].address)
            driver->MemFree(plan->arguments[i].address);
    return status;
}

/* A kernel that is written with its template arguments is one to be made. */
static void instantiate(struct run_plan *plan)
{
    if (plan->kernel && strchr(plan->kernel, '<'))
        compiling_take(&plan->compiling, "--name", plan->kernel);
}

static void print_stats(gpudl_loader *loader)
{
    char text[1024];

    if (loader && gpudl_loader_stats_json(loader, text, sizeof(text)))
        fprintf(stderr, "%s\n", text);
}

int run_plan_execute(struct run_plan *plan)
{
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_compile_options compile;
    gpudl_loader *loader = NULL;
    gpudl_library *library = NULL;
    gpudl_kernel *kernel = NULL;
    int status;

    instantiate(plan);
    compile = compiling_options(&plan->compiling, NULL, GPUDL_FORMAT_AUTO);
    load.compile = &compile;
    if (gpudl_loader_open(NULL, &loader) == GPUDL_OK && gpudl_loader_use_device(loader, plan->device) == GPUDL_OK &&
        gpudl_library_load(loader, GPUDL_FILE(plan->file), &load, &library) == GPUDL_OK &&
        gpudl_kernel_get(library, plan->kernel, &kernel) == GPUDL_OK)
        status = run_kernel(plan, gpudl_loader_driver(loader), kernel);
    else
        status = command_library_failed(&command_run);
    if (plan->stats)
        print_stats(loader);
    gpudl_kernel_release(kernel);
    gpudl_library_release(library);
    gpudl_loader_close(loader);
    return status;
}
