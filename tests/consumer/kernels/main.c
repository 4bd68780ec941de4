/* What the kernel scale makes of 1: of the image in this program, or in the file that is given. */
#include <gpudl/gpudl.h>
#include <stdio.h>

#ifdef EMBEDDED
GPUDL_EMBEDDED_DECLARE(scale);
#endif

int main(int argc, char **argv)
{
    const gpudl_driver_table *cuda = gpudl_loader_driver(NULL);
    gpudl_source source = gpudl_source_file(argc > 1 ? argv[1] : "");
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_library *library;
    gpudl_kernel *kernel;
    CUdeviceptr at;
    float value = 1;

#ifdef EMBEDDED
    if (argc < 2)
        source = GPUDL_EMBEDDED(scale);
#endif
    if (!cuda || gpudl_loader_use_device(NULL, 0) || gpudl_library_load(NULL, &source, NULL, &library) ||
        gpudl_kernel_get(library, "scale", &kernel) || cuda->MemAlloc(&at, sizeof(value)) ||
        cuda->MemcpyHtoD(at, &value, sizeof(value)) || gpudl_kernel_launch_params(kernel, &config, (void *[]){ &at }) ||
        cuda->MemcpyDtoH(&value, at, sizeof(value)))
        return fprintf(stderr, "%s\n", gpudl_error_text()), 1;
    printf("%g\n", value);
    cuda->MemFree(at), gpudl_kernel_release(kernel), gpudl_library_release(library);
}
