/* A program as a reader of an article on dynamic loading writes it, in C: it includes <cuda_runtime.h> and knows nothing of gpudl. It compiles with
 * NVIDIA's headers as it is.  walk saxpy.fatbin globals.fatbin */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call) \
    do { \
        cudaError_t err = (call); \
        if (err != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, cudaGetErrorName(err), cudaGetErrorString(err)); \
            exit(1); \
        } \
    } while (0)
#define EXPECT(that) \
    do { \
        if (!(that)) { \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #that); \
            exit(1); \
        } \
    } while (0)

enum { N = 1000 };

static void check_saxpy(const float *x, const float *y, float a)
{
    for (int i = 0; i < N; i++)
        EXPECT(y[i] == a * x[i] + 1);
}

/* Loads, launches with an array of arguments, and looks at the result. */
static void saxpy(cudaLibrary_t library, cudaStream_t stream)
{
    static float x[N], y[N];
    float *dx, *dy, a = 3;
    int n = N;
    void *args[] = { &n, &a, &dx, &dy };
    dim3 grid = { (N + 255) / 256, 1, 1 }, block = { 256, 1, 1 };
    cudaKernel_t kernel;
    cudaLaunchConfig_t config;

    for (int i = 0; i < N; i++)
        x[i] = (float)i, y[i] = 1;
    CHECK(cudaLibraryGetKernel(&kernel, library, "saxpy"));
    CHECK(cudaMalloc((void **)&dx, sizeof(x)));
    CHECK(cudaMalloc((void **)&dy, sizeof(y)));
    CHECK(cudaMemcpyAsync(dx, x, sizeof(x), cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(dy, y, sizeof(y), cudaMemcpyHostToDevice, stream));
    CHECK(cudaLaunchKernel((const void *)kernel, grid, block, args, 0, stream));
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(y, dy, sizeof(y), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    check_saxpy(x, y, a);

    for (int i = 0; i < N; i++)
        y[i] = 1;
    CHECK(cudaMemcpy(dy, y, sizeof(y), cudaMemcpyDefault));
    memset(&config, 0, sizeof(config));
    config.gridDim = grid;
    config.blockDim = block;
    config.stream = stream;
    CHECK(cudaLaunchKernelExC(&config, (const void *)kernel, args));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(y, dy, sizeof(y), cudaMemcpyDeviceToHost));
    check_saxpy(x, y, a);
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
}

static void *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *bytes;
    long size;

    EXPECT(f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) > 0);
    rewind(f);
    bytes = calloc(1, (size_t)size + 1);
    EXPECT(bytes && fread(bytes, 1, (size_t)size, f) == (size_t)size);
    fclose(f);
    return bytes;
}

static void from_memory(const char *path, cudaStream_t stream)
{
    char info[1024] = "", error[1024] = "";
    enum cudaJitOption options[] = { cudaJitInfoLogBuffer, cudaJitInfoLogBufferSizeBytes, cudaJitErrorLogBuffer,
        cudaJitErrorLogBufferSizeBytes, cudaJitOptimizationLevel };
    void *values[] = { info, (void *)sizeof(info), error, (void *)sizeof(error), (void *)3 };
    cudaLibrary_t library;
    void *bytes = read_file(path);
    cudaKernel_t kernels[4];
    unsigned count = 0;

    CHECK(cudaLibraryLoadData(&library, bytes, options, values, 5, NULL, NULL, 0));
    free(bytes);
    CHECK(cudaLibraryGetKernelCount(&count, library));
    EXPECT(count == 1);
    CHECK(cudaLibraryEnumerateKernels(kernels, count, library));
    saxpy(library, stream);
    CHECK(cudaLibraryUnload(library));
}

static void globals(const char *path)
{
    cudaLibrary_t library;
    void *address;
    size_t bytes;
    int value = 0, seven = 7;

    CHECK(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    CHECK(cudaLibraryGetGlobal(&address, &bytes, library, "counter"));
    EXPECT(bytes >= sizeof(int));
    CHECK(cudaMemcpy(address, &seven, sizeof(seven), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(&value, address, sizeof(value), cudaMemcpyDeviceToHost));
    EXPECT(value == 7);
    CHECK(cudaLibraryUnload(library));
}

int main(int argc, char **argv)
{
    struct cudaDeviceProp properties;
    cudaLibrary_t library;
    cudaStream_t stream;
    int runtime, driver, devices, device;

    EXPECT(argc == 3);
    if (cudaGetDeviceCount(&devices) != cudaSuccess || !devices)
        return printf("no device\n"), 77;
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDriverGetVersion(&driver));
    EXPECT(runtime >= 12080);
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    EXPECT(device == 0);
    CHECK(cudaGetDeviceProperties(&properties, device));
    EXPECT(properties.name[0] && properties.warpSize == 32 && properties.major >= 7 && properties.totalGlobalMem > 0);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaLibraryLoadFromFile(&library, argv[1], NULL, NULL, 0, NULL, NULL, 0));
    saxpy(library, stream);
    CHECK(cudaLibraryUnload(library));
    from_memory(argv[1], stream);
    globals(argv[2]);
    CHECK(cudaStreamDestroy(stream));
    printf("%s, driver %d, runtime %d: as it should be\n", properties.name, driver, runtime);
    return 0;
}
