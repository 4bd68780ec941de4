#include <gpudl/gpudl.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1024 };
    static float x[N], y[N];
    gpudl_library *library;
    gpudl_kernel *saxpy;
    CUdeviceptr dx, dy;
    gpudl_launch_config config = gpudl_launch_1d(N / 256, 256);
    void *params[] = { &(int){ N }, &(float){ 2 }, &dx, &dy };
    const gpudl_driver_table *cuda = gpudl_loader_driver(NULL); /* NVIDIA's, or softcuda */
    for (int i = 0; i < N; i++)
        x[i] = (float)i, y[i] = 1;
    if (!cuda || gpudl_loader_use_device(NULL, 0) ||
        gpudl_library_load(NULL, GPUDL_FILE("saxpy.fatbin"), NULL, &library) || gpudl_kernel_get(library, "saxpy", &saxpy))
        return fprintf(stderr, "%s\n", gpudl_error_text()), 1;
    if (cuda->MemAlloc(&dx, sizeof(x)) || cuda->MemAlloc(&dy, sizeof(y)) || cuda->MemcpyHtoD(dx, x, sizeof(x)) ||
        cuda->MemcpyHtoD(dy, y, sizeof(y)) || gpudl_kernel_launch_params(saxpy, &config, params) ||
        cuda->MemcpyDtoH(y, dy, sizeof(y)))
        return fprintf(stderr, "the device failed. %s\n", gpudl_error_text()), 1;
    printf("y = %g %g %g ... %g\n", y[0], y[1], y[2], y[N - 1]);
    cuda->MemFree(dx), cuda->MemFree(dy), gpudl_kernel_release(saxpy), gpudl_library_release(library);
}
