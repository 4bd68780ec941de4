/* hello.c - one kernel in two ways: compiled in by nvcc, as CUDA programs have it, and loaded from a file by name. */
#include <gpudl/gpudl.h>

#include <stdio.h>
#include <stdlib.h>

int hello_compiled_in(void) __attribute__((weak)); /* in hello.cu; NULL where no nvcc was there to compile it */

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(1);
}
#define MUST(call) must(call, #call)

/* The static half: kernel and launch are part of the program, and so are what it can run on and that it needs CUDA's runtime. */
static void compiled_in(void)
{
    int error;

    printf("1. Compiled in by nvcc:\n");
    if (!hello_compiled_in) {
        printf("   this program was built without nvcc, so it has no such half\n");
        return;
    }
    error = hello_compiled_in();
    if (error && gpudl_loader_is_software(NULL))
        printf("   the CUDA runtime finds no GPU here (cudaError_t %d)\n", error);
    else
        MUST(error);
}

/* The dynamic half: the program knows a file and a name. Both may be new; the device may be softcuda. */
static void loaded(void)
{
    const gpudl_driver_table *cu = gpudl_loader_driver(NULL);
    gpudl_launch_config config = gpudl_launch_1d(1, 4);
    gpudl_library *library;
    gpudl_kernel *hello;

    printf("2. Loaded:\n");
    MUST(gpudl_library_load(NULL, GPUDL_FILE("hello.fatbin"), NULL, &library));
    MUST(gpudl_kernel_get(library, "hello", &hello)); /* as the source has it; the file says _Z5hellob */
    MUST(gpudl_launch(hello, &config, (_Bool)1));
    MUST(cu->CtxSynchronize()); /* what kernels print comes out when they are waited for */
    gpudl_kernel_release(hello);
    gpudl_library_release(library);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0); /* so that the host's lines and the device's are in their order, into a pipe as well */
    MUST(gpudl_loader_use_device(NULL, 0));
    compiled_in();
    loaded();
    return 0;
}
