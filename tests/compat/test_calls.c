/* What the CUDA runtime's names answer where a call goes wrong, what gpudl adds to them, and what is kept between calls. On softcuda and on a GPU. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cuda_runtime.h>
#include <gpudl/gpudl.h>

static const char *saxpy_path, *globals_path;

#define assert_cuda(call) \
    do { \
        cudaError_t err_ = (call); \
        if (err_ != cudaSuccess) \
            fail_msg("%s: %s: %s", #call, cudaGetErrorName(err_), gpudl_cudart_error_text()); \
    } while (0)

/* It fails with that, which becomes the last error, and the text holds the words. */
#define assert_error(call, expected, words) \
    do { \
        cudaError_t err_ = (call); \
        if (err_ != (expected)) \
            fail_msg( \
                "%s: %s, not %s: %s", #call, cudaGetErrorName(err_), cudaGetErrorName(expected), gpudl_cudart_error_text()); \
        assert_int_equal(cudaGetLastError(), expected); \
        if (!strstr(gpudl_cudart_error_text(), (words))) \
            fail_msg("no '%s' in: %s", (words), gpudl_cudart_error_text()); \
    } while (0)

static cudaLibrary_t load(const char *path)
{
    cudaLibrary_t library = NULL;

    assert_cuda(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    assert_non_null(library);
    return library;
}

static cudaKernel_t kernel_of(cudaLibrary_t library, const char *name)
{
    cudaKernel_t kernel = NULL;

    assert_cuda(cudaLibraryGetKernel(&kernel, library, name));
    return kernel;
}

/* ------------------------------------------------------------------------------------------------------------------- errors */

static cudaError_t load_bytes(const void *bytes)
{
    cudaLibrary_t library = (cudaLibrary_t)(uintptr_t)1;
    cudaError_t err = cudaLibraryLoadData(&library, bytes, NULL, NULL, 0, NULL, NULL, 0);

    if (err)
        assert_ptr_equal(library, (void *)(uintptr_t)1);
    return err;
}

static void wrong_images_have_the_runtimes_codes(void **state)
{
    static const unsigned char zeros[64], fatbin[64] = { 0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 48 };
    cudaLibrary_t library;

    (void)state;
    assert_error(load_bytes("/usr/share/kernels/saxpy.cubin"), cudaErrorInvalidKernelImage, "");
    assert_error(load_bytes("__global__ void k() {}"), cudaErrorInvalidKernelImage, "");
    assert_error(load_bytes(zeros), cudaErrorInvalidImage, "");
    assert_error(load_bytes(fatbin), cudaErrorInvalidKernelImage, "");
    assert_error(load_bytes(".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k() { nonsense; }\n"),
        cudaErrorInvalidPtx, "nonsense");
    assert_error(load_bytes(".version 99.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n"),
        cudaErrorUnsupportedPtxVersion, "");
    assert_error(cudaLibraryLoadFromFile(&library, "/nowhere/k.cubin", NULL, NULL, 0, NULL, NULL, 0), cudaErrorFileNotFound,
        "/nowhere/k.cubin");
    assert_error(cudaLibraryLoadFromFile(NULL, saxpy_path, NULL, NULL, 0, NULL, NULL, 0), cudaErrorInvalidValue, "NULL");
    assert_error(load_bytes(NULL), cudaErrorInvalidValue, "NULL");
}

static void the_error_log_has_the_reason(void **state)
{
    char log[32] = "untouched";
    enum cudaJitOption options[] = { cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes, cudaJitWallTime };
    void *values[] = { log, (void *)sizeof(log), NULL };
    cudaLibrary_t library;

    (void)state;
    assert_error(
        cudaLibraryLoadFromFile(&library, "/nowhere/k.cubin", options, values, 3, NULL, NULL, 0), cudaErrorFileNotFound, "");
    assert_int_equal(strlen(log), sizeof(log) - 1);
    assert_int_equal((uintptr_t)values[1], sizeof(log) - 1);
    assert_memory_equal(log, gpudl_cudart_error_text(), sizeof(log) - 1);
}

static void options_that_gpudl_has_not_are_refused(void **state)
{
    enum cudaJitOption options[] = { cudaJitMinCtaPerSm };
    void *values[] = { (void *)2 };
    cudaLibrary_t library;

    (void)state;
    assert_error(
        cudaLibraryLoadFromFile(&library, saxpy_path, options, values, 1, NULL, NULL, 0), cudaErrorNotSupported, "option 31");
    assert_error(cudaLibraryLoadFromFile(&library, saxpy_path, NULL, NULL, 1, NULL, NULL, 0), cudaErrorInvalidValue, "options");
}

static void the_last_error_stays_until_it_is_taken(void **state)
{
    cudaLibrary_t library = load(saxpy_path);
    cudaKernel_t kernel;

    (void)state;
    assert_int_equal(cudaLibraryGetKernel(&kernel, library, "saxpi"), cudaErrorSymbolNotFound);
    assert_non_null(strstr(gpudl_cudart_error_text(), "saxpy"));
    assert_cuda(cudaDeviceSynchronize());
    assert_int_equal(cudaPeekAtLastError(), cudaErrorSymbolNotFound);
    assert_int_equal(cudaGetLastError(), cudaErrorSymbolNotFound);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_cuda(cudaLibraryUnload(library));
}

static void *last_error_of_another_thread(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)cudaPeekAtLastError();
}

static void the_last_error_is_a_threads_own(void **state)
{
    pthread_t thread;
    void *other;

    (void)state;
    assert_int_equal(cudaSetDevice(1000), cudaErrorInvalidDevice);
    assert_int_equal(pthread_create(&thread, NULL, last_error_of_another_thread, NULL), 0);
    pthread_join(thread, &other);
    assert_int_equal((uintptr_t)other, cudaSuccess);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
}

static void every_code_has_its_name_and_a_text(void **state)
{
    static const struct {
        cudaError_t code;
        const char *name;
    } all[] = {
#define ROW(name, number, text) { name, #name },
        GPUDL_CUDART_ERRORS(ROW)
#undef ROW
    };

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        assert_string_equal(cudaGetErrorName(all[i].code), all[i].name);
        assert_true(strlen(cudaGetErrorString(all[i].code)) > 3);
        if (strcmp(cudaGetErrorString(all[i].code), all[i].name) == 0)
            fail_msg("%s has no text", all[i].name);
    }
    assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
    assert_string_equal(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}

/* ------------------------------------------------------------------------------------------------------- libraries and kernels */

static void a_name_gives_one_handle_and_two_libraries_two(void **state)
{
    cudaLibrary_t a = load(saxpy_path), b = load(saxpy_path);
    cudaKernel_t listed = NULL;

    (void)state;
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(kernel_of(a, "saxpy"), kernel_of(a, "saxpy"));
    assert_ptr_not_equal(kernel_of(a, "saxpy"), kernel_of(b, "saxpy"));
    assert_cuda(cudaLibraryEnumerateKernels(&listed, 1, a));
    assert_ptr_equal(listed, kernel_of(a, "saxpy"));
    assert_cuda(cudaLibraryUnload(a));
    assert_non_null(kernel_of(b, "saxpy"));
    assert_cuda(cudaLibraryUnload(b));
}

static void what_was_unloaded_is_told(void **state)
{
    cudaLibrary_t library = load(saxpy_path);
    cudaKernel_t kernel = kernel_of(library, "saxpy");
    dim3 one = { 1, 1, 1 };
    unsigned count;

    (void)state;
    assert_cuda(cudaLibraryUnload(library));
    assert_error(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle, "unloaded");
    assert_error(cudaLibraryGetKernelCount(&count, library), cudaErrorInvalidResourceHandle, "unloaded");
    assert_error(cudaLaunchKernel((const void *)kernel, one, one, NULL, 0, NULL), cudaErrorInvalidDeviceFunction, "no kernel");
    assert_error(cudaLibraryUnload(NULL), cudaErrorInvalidResourceHandle, "");
}

static void many_loads_leave_nothing_that_is_found(void **state)
{
    enum { ROUNDS = 300 };
    static cudaLibrary_t libraries[ROUNDS];
    static cudaKernel_t kernels[ROUNDS];
    struct cudaFuncAttributes attributes;

    (void)state;
    for (int i = 0; i < ROUNDS; i++)
        kernels[i] = kernel_of(libraries[i] = load(saxpy_path), "saxpy");
    for (int i = 0; i < ROUNDS; i += 2)
        assert_cuda(cudaLibraryUnload(libraries[i]));
    for (int i = 0; i < ROUNDS; i++)
        assert_int_equal(
            cudaFuncGetAttributes(&attributes, (const void *)kernels[i]), i % 2 ? cudaSuccess : cudaErrorInvalidDeviceFunction);
    for (int i = 1; i < ROUNDS; i += 2)
        assert_cuda(cudaLibraryUnload(libraries[i]));
}

static void a_host_function_is_no_kernel(void **state)
{
    dim3 one = { 1, 1, 1 };
    cudaKernel_t kernel;

    (void)state;
    assert_error(cudaLaunchKernel((const void *)(uintptr_t)puts, one, one, NULL, 0, NULL), cudaErrorInvalidDeviceFunction,
        "cudaGetKernel");
    assert_error(cudaLaunchKernel(NULL, one, one, NULL, 0, NULL), cudaErrorInvalidDeviceFunction, "no kernel");
    assert_error(cudaGetKernel(&kernel, (const void *)(uintptr_t)puts), cudaErrorInvalidDeviceFunction, "CUDA runtime");
}

static void names_of_articles_work(void **state)
{
    FILE *f = fopen(saxpy_path, "rb");
    static unsigned char bytes[1 << 20];
    size_t n;
    cudaLibrary_t library;
    cudaStream_t stream;
    cudaKernel_t kernel, again;

    (void)state;
    assert_non_null(f);
    n = fread(bytes, 1, sizeof(bytes), f);
    fclose(f);
    assert_cuda(cudaLibraryLoadFromMemory(&library, bytes, n));
    kernel = kernel_of(library, "saxpy");
    assert_cuda(cudaKernelSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096));
    assert_error(cudaKernelSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30), cudaErrorInvalidValue, "");
    assert_cuda(cudaGetKernel(&again, (const void *)kernel));
    assert_ptr_equal(again, kernel);
    assert_cuda(cudaLibraryUnload(library));
    assert_error(cudaLibraryLoadFromMemory(&library, bytes, n / 2), cudaErrorInvalidKernelImage, "");
    assert_cuda(cudaStreamCreate(&stream));
    assert_cuda(cudaLibraryLoadFromFileAsync(&library, saxpy_path, stream));
    assert_non_null(kernel_of(library, "saxpy"));
    assert_cuda(cudaLibraryUnload(library));
    assert_cuda(cudaStreamDestroy(stream));
}

static void handles_are_gpudls_own(void **state)
{
    cudaLibrary_t library = load(saxpy_path);
    const char *name = NULL;

    (void)state;
    assert_int_equal(gpudl_library_kernel_count(library), 1);
    assert_cuda(cudaFuncGetName(&name, (const void *)kernel_of(library, "saxpy")));
    assert_string_equal(name, gpudl_kernel_name(kernel_of(library, "saxpy")));
    assert_cuda(cudaLibraryUnload(library));
}

static void a_managed_global_is_the_hosts_too(void **state)
{
    cudaLibrary_t library = load(globals_path);
    size_t bytes = 0;
    void *p = NULL;

    (void)state;
    assert_cuda(cudaLibraryGetManaged(&p, &bytes, library, "both"));
    assert_int_equal(bytes, sizeof(int));
    assert_non_null(p);
    assert_error(cudaLibraryGetGlobal(&p, &bytes, library, "nothing"), cudaErrorSymbolNotFound, "nothing");
    assert_cuda(cudaLibraryUnload(library));
}

/* ------------------------------------------------------------------------------------------------------ launches and memory */

static void an_impossible_grid_is_an_invalid_configuration(void **state)
{
    cudaLibrary_t library = load(saxpy_path);
    cudaKernel_t kernel = kernel_of(library, "saxpy");
    dim3 one = { 1, 1, 1 }, none = { 0, 1, 1 }, large = { 4096, 1, 1 };
    int n = 0;
    float a = 0;
    void *p = NULL, *args[] = { &n, &a, &p, &p };

    (void)state;
    assert_error(cudaLaunchKernel((const void *)kernel, none, one, args, 0, NULL), cudaErrorInvalidConfiguration, "(0, 1, 1)");
    assert_error(
        cudaLaunchKernel((const void *)kernel, one, large, args, 0, NULL), cudaErrorInvalidConfiguration, "(4096, 1, 1)");
    assert_cuda(cudaLaunchKernel((const void *)kernel, one, one, args, 0, NULL));
    assert_cuda(cudaDeviceSynchronize());
    assert_cuda(cudaLibraryUnload(library));
}

static void copies_go_in_every_direction(void **state)
{
    int out[4] = { 0 }, in[4] = { 1, 2, 3, 4 };
    void *a, *b, *host, *none = (void *)(uintptr_t)1;
    struct cudaPointerAttributes what;

    (void)state;
    assert_cuda(cudaMalloc(&a, sizeof(in)));
    assert_cuda(cudaMalloc(&b, sizeof(in)));
    assert_cuda(cudaMallocHost(&host, sizeof(in)));
    assert_cuda(cudaMemcpy(a, in, sizeof(in), cudaMemcpyHostToDevice));
    assert_cuda(cudaMemcpy(b, a, sizeof(in), cudaMemcpyDeviceToDevice));
    assert_cuda(cudaMemcpy(host, b, sizeof(in), cudaMemcpyDefault));
    assert_cuda(cudaMemcpy(out, host, sizeof(in), cudaMemcpyHostToHost));
    assert_memory_equal(in, out, sizeof(in));
    assert_cuda(cudaMemset(a, 0, sizeof(in)));
    assert_cuda(cudaMemcpy2D(a, 8, in, 4, 4, 2, cudaMemcpyHostToDevice));
    assert_cuda(cudaMemcpy(out, a, sizeof(out), cudaMemcpyDeviceToHost));
    assert_true(out[0] == 1 && out[1] == 0 && out[2] == 2 && out[3] == 0);
    assert_error(cudaMemcpy2D(a, 2, in, 4, 4, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue, "pitches");
    assert_error(cudaMemcpy(a, in, 4, (enum cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection, "9");
    assert_cuda(cudaPointerGetAttributes(&what, a));
    assert_int_equal(what.type, cudaMemoryTypeDevice);
    assert_int_equal(what.device, 0);
    assert_cuda(cudaPointerGetAttributes(&what, host));
    assert_int_equal(what.type, cudaMemoryTypeHost);
    assert_cuda(cudaPointerGetAttributes(&what, in));
    assert_int_equal(what.type, cudaMemoryTypeUnregistered);
    assert_cuda(cudaMalloc(&none, 0));
    assert_null(none);
    assert_cuda(cudaFree(NULL));
    assert_cuda(cudaFree(a));
    assert_cuda(cudaFree(b));
    assert_cuda(cudaFreeHost(host));
    assert_error(cudaMemcpyToSymbol(in, out, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol, "cudaLibraryGetGlobal");
}

static void devices_tell_of_themselves(void **state)
{
    struct cudaDeviceProp properties;
    int major = 0, least = -99, greatest = -99, current = -1;
    char bus[32] = "";
    size_t free_bytes = 0, total = 0, stack = 0;

    (void)state;
    assert_cuda(cudaSetDevice(0));
    assert_cuda(cudaGetDevice(&current));
    assert_int_equal(current, 0);
    assert_cuda(cudaGetDeviceProperties(&properties, 0));
    assert_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    assert_int_equal(properties.major, major);
    assert_true(
        properties.multiProcessorCount > 0 && properties.maxThreadsDim[0] >= 256 && properties.sharedMemPerBlock >= 48 * 1024);
    assert_cuda(cudaMemGetInfo(&free_bytes, &total));
    assert_true(free_bytes <= total && total <= properties.totalGlobalMem);
    assert_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    assert_true(greatest <= least && least <= 0);
    assert_cuda(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
    assert_true(strlen(bus) >= 7);
    assert_cuda(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    assert_true(stack > 0);
    assert_error(cudaGetDeviceProperties(&properties, -1), cudaErrorInvalidDevice, "-1");
    assert_error(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0), cudaErrorInvalidValue, "NULL");
}

static void managed_memory_is_the_hosts_too(void **state)
{
    struct cudaPointerAttributes what;
    int *p = NULL;

    (void)state;
    assert_cuda(cudaMallocManaged((void **)&p, 64, cudaMemAttachGlobal));
    p[3] = 5;
    assert_cuda(cudaMemset(p, 1, 8));
    assert_cuda(cudaDeviceSynchronize());
    assert_int_equal(p[0], 0x01010101);
    assert_int_equal(p[3], 5);
    assert_cuda(cudaPointerGetAttributes(&what, p));
    assert_int_equal(what.type, cudaMemoryTypeManaged);
    assert_cuda(cudaFree(p));
}

static void memory_in_stream_order(void **state)
{
    cudaStream_t stream;
    int out = 0;
    void *p = NULL;
    cudaError_t err;

    (void)state;
    assert_cuda(cudaStreamCreate(&stream));
    err = cudaMallocAsync(&p, 4, stream);
    if (err == cudaErrorNotSupported) {
        assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
    } else {
        assert_cuda(err);
        assert_cuda(cudaMemsetAsync(p, 1, 4, stream));
        assert_cuda(cudaMemcpyAsync(&out, p, 4, cudaMemcpyDeviceToHost, stream));
        assert_cuda(cudaFreeAsync(p, stream));
        assert_cuda(cudaStreamSynchronize(stream));
        assert_int_equal(out, 0x01010101);
    }
    assert_cuda(cudaStreamDestroy(stream));
}

static void kernels_live_through_a_reset(void **state)
{
    cudaLibrary_t library = load(saxpy_path);
    cudaKernel_t kernel = kernel_of(library, "saxpy");
    dim3 one = { 1, 1, 1 };
    int n = 1;
    float a = 2, x = 3, y = 0;
    void *dx, *dy, *args[] = { &n, &a, &dx, &dy };

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_cuda(cudaMalloc(&dx, 4));
        assert_cuda(cudaMalloc(&dy, 4));
        assert_cuda(cudaMemcpy(dx, &x, 4, cudaMemcpyHostToDevice));
        assert_cuda(cudaMemset(dy, 0, 4));
        assert_cuda(cudaLaunchKernel((const void *)kernel, one, one, args, 0, NULL));
        assert_cuda(cudaMemcpy(&y, dy, 4, cudaMemcpyDeviceToHost));
        assert_true(y == 6);
        assert_cuda(cudaDeviceReset());
    }
    assert_cuda(cudaLibraryUnload(library));
}

static void globals_begin_anew_after_a_reset(void **state)
{
    cudaLibrary_t library = load(globals_path);
    int value = 7;
    void *p;

    (void)state;
    assert_cuda(cudaLibraryGetGlobal(&p, NULL, library, "counter"));
    assert_cuda(cudaMemcpy(p, &value, sizeof(value), cudaMemcpyHostToDevice));
    assert_cuda(cudaDeviceReset());
    assert_cuda(cudaLibraryGetGlobal(&p, NULL, library, "counter"));
    assert_cuda(cudaMemcpy(&value, p, sizeof(value), cudaMemcpyDeviceToHost));
    assert_int_equal(value, 5);
    assert_cuda(cudaLibraryUnload(library));
}

static void *load_and_unload(void *path)
{
    cudaLibrary_t library = load(path);

    assert_cuda(cudaLibraryUnload(library));
    return NULL;
}

static void threads_load_at_once(void **state)
{
    pthread_t threads[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_and_unload, (void *)(uintptr_t)saxpy_path), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void versions_say_that_libraries_work(void **state)
{
    int runtime = 0, driver = 0;

    (void)state;
    assert_cuda(cudaRuntimeGetVersion(&runtime));
    assert_cuda(cudaDriverGetVersion(&driver));
    assert_true(runtime >= 12080);
    assert_int_equal(driver, gpudl_loader_driver(NULL)->version);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_images_have_the_runtimes_codes),
        cmocka_unit_test(the_error_log_has_the_reason),
        cmocka_unit_test(options_that_gpudl_has_not_are_refused),
        cmocka_unit_test(the_last_error_stays_until_it_is_taken),
        cmocka_unit_test(the_last_error_is_a_threads_own),
        cmocka_unit_test(every_code_has_its_name_and_a_text),
        cmocka_unit_test(a_name_gives_one_handle_and_two_libraries_two),
        cmocka_unit_test(what_was_unloaded_is_told),
        cmocka_unit_test(many_loads_leave_nothing_that_is_found),
        cmocka_unit_test(a_host_function_is_no_kernel),
        cmocka_unit_test(names_of_articles_work),
        cmocka_unit_test(handles_are_gpudls_own),
        cmocka_unit_test(a_managed_global_is_the_hosts_too),
        cmocka_unit_test(an_impossible_grid_is_an_invalid_configuration),
        cmocka_unit_test(copies_go_in_every_direction),
        cmocka_unit_test(devices_tell_of_themselves),
        cmocka_unit_test(managed_memory_is_the_hosts_too),
        cmocka_unit_test(memory_in_stream_order),
        cmocka_unit_test(threads_load_at_once),
        cmocka_unit_test(versions_say_that_libraries_work),
        cmocka_unit_test(kernels_live_through_a_reset),
        cmocka_unit_test(globals_begin_anew_after_a_reset),
    };
    int devices;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || !devices)
        return printf("no device: %s\n", gpudl_cudart_error_text()), 77;
    if (argc != 3)
        return fprintf(stderr, "usage: %s saxpy.fatbin globals.fatbin\n", argv[0]), 2;
    saxpy_path = argv[1];
    globals_path = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
