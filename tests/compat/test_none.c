/* Where there is no driver: what programs ask first is answered, and the rest says why not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cuda_runtime.h>

static void versions_are_told_and_say_that_libraries_do_not_work(void **state)
{
    int driver = -1, runtime = -1;

    (void)state;
    assert_int_equal(cudaDriverGetVersion(&driver), cudaSuccess);
    assert_int_equal(driver, 0);
    assert_int_equal(cudaRuntimeGetVersion(&runtime), cudaSuccess);
    assert_true(runtime < 12080);
}

static void calls_fail_with_the_reason(void **state)
{
    int devices = -1;
    void *p = &devices;
    cudaLibrary_t library;
    struct cudaDeviceProp properties;

    (void)state;
    assert_int_equal(cudaGetDeviceCount(&devices), cudaErrorInsufficientDriver);
    assert_int_equal(devices, 0);
    assert_non_null(strstr(gpudl_cudart_error_text(), "/nowhere/libcuda.so"));
    assert_int_equal(cudaMalloc(&p, 4), cudaErrorInsufficientDriver);
    assert_ptr_equal(p, &devices);
    assert_int_equal(cudaLibraryLoadFromFile(&library, "k.cubin", NULL, NULL, 0, NULL, NULL, 0), cudaErrorInsufficientDriver);
    assert_int_equal(cudaGetDeviceProperties(&properties, 0), cudaErrorInsufficientDriver);
    assert_int_equal(cudaSetDevice(0), cudaErrorInsufficientDriver);
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorInsufficientDriver);
    assert_int_equal(cudaGetLastError(), cudaErrorInsufficientDriver);
    assert_string_equal(cudaGetErrorName(cudaErrorInsufficientDriver), "cudaErrorInsufficientDriver");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_told_and_say_that_libraries_do_not_work),
        cmocka_unit_test(calls_fail_with_the_reason),
    };

    setenv("GPUDL_DRIVER", "/nowhere/libcuda.so", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
