/* A kernel is launched, replaced while the program runs, and launched again through the same handle. */
#include <gpudl/gpudl.h>
#include <stdio.h>

static float answer(gpudl_kernel *kernel, const gpudl_driver_table *cuda)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    CUdeviceptr at;
    float value = -1;

    if (cuda->MemAlloc(&at, sizeof(value)) || gpudl_kernel_launch_params(kernel, &config, (void *[]){ &at }) ||
        cuda->MemcpyDtoH(&value, at, sizeof(value)))
        fprintf(stderr, "%s\n", gpudl_error_text());
    cuda->MemFree(at);
    return value;
}

int main(int argc, char **argv)
{
    const char *one = argc > 2 ? argv[1] : ONE_FILE, *two = argc > 2 ? argv[2] : TWO_FILE;
    const gpudl_driver_table *cuda = gpudl_loader_driver(NULL);
    gpudl_library *library;
    gpudl_kernel *kernel;
    float before, after;

    if (!cuda || gpudl_loader_use_device(NULL, 0) || gpudl_library_load(NULL, GPUDL_FILE(one), NULL, &library) ||
        gpudl_kernel_get(library, "answer", &kernel))
        return fprintf(stderr, "%s\n", gpudl_error_text()), 1;
    before = answer(kernel, cuda);
    if (gpudl_library_replace(library, GPUDL_FILE(two), NULL))
        return fprintf(stderr, "%s\n", gpudl_error_text()), 1;
    after = answer(kernel, cuda);
    printf("%g, then %g\n", before, after);
    gpudl_kernel_release(kernel), gpudl_library_release(library);
    return before != 6 || after != 42;
}
