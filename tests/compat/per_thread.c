/* Compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM: a NULL stream is the thread's own, which does not wait for other streams, as the legacy one does: with
 * that this program would never end. */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include <cuda_runtime.h>
#include <stdio.h>
#include <unistd.h>

#define CHECK(call) \
    do { \
        cudaError_t err_ = (call); \
        if (err_ != cudaSuccess) \
            return fprintf(stderr, "%s: %s: %s\n", #call, cudaGetErrorName(err_), gpudl_cudart_error_text()), 1; \
    } while (0)

static int gate[2];

static void wait_at_the_gate(void *unused)
{
    char byte;

    (void)unused;
    if (read(gate[0], &byte, 1) != 1)
        perror("the gate");
}

int main(int argc, char **argv)
{
    int n = 1, devices;
    float a = 2, x = 3, y = 0;
    void *dx, *dy, *args[] = { &n, &a, &dx, &dy };
    dim3 one = { 1, 1, 1 };
    cudaLibrary_t library;
    cudaKernel_t saxpy;
    cudaStream_t held;

    if (argc != 2 || cudaGetDeviceCount(&devices) != cudaSuccess || !devices)
        return printf("no device\n"), 77;
    alarm(60);
    CHECK(cudaLibraryLoadFromFile(&library, argv[1], NULL, NULL, 0, NULL, NULL, 0));
    CHECK(cudaLibraryGetKernel(&saxpy, library, "saxpy"));
    CHECK(cudaMalloc(&dx, 4));
    CHECK(cudaMalloc(&dy, 4));
    CHECK(cudaMemset(dy, 0, 4));
    CHECK(cudaLaunchKernel((const void *)saxpy, one, one, args, 0, NULL)); /* resident before anything waits */
    CHECK(cudaStreamCreate(&held));
    if (pipe(gate) != 0)
        return perror("pipe"), 1;
    CHECK(cudaLaunchHostFunc(held, wait_at_the_gate, NULL));
    CHECK(cudaMemcpy(dx, &x, 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dy, 0, 4));
    CHECK(cudaLaunchKernel((const void *)saxpy, one, one, args, 0, NULL));
    CHECK(cudaMemcpy(&y, dy, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(NULL));
    if (y != 6 || cudaStreamQuery(held) != cudaErrorNotReady)
        return fprintf(stderr, "y is %g, where 6 was expected, or the held stream is ready\n", (double)y), 1;
    if (write(gate[1], "a", 1) != 1)
        return perror("write"), 1;
    CHECK(cudaStreamSynchronize(held));
    CHECK(cudaStreamDestroy(held));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
    CHECK(cudaLibraryUnload(library));
    return 0;
}
