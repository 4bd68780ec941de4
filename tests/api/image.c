/* image.c - images that cannot run: modules say so by their code, libraries by having no kernels, both by the log. */
#include "cuda.h.inc"
#include <elf.h>
#include <unistd.h>

struct bad { const char *what; const void *image; CUresult code; const char *log; };

static unsigned char cubin[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8, [16] = 2, [18] = 190 };
static unsigned char empty_fatbin[16] = { 0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0 };

static const struct bad bad[] = {
    { "machine code", cubin, CUDA_ERROR_NO_BINARY_FOR_GPU, "softcuda runs PTX only" },
    { "empty fatbin", empty_fatbin, CUDA_ERROR_NO_BINARY_FOR_GPU, "" },
    { "nothing", "", CUDA_ERROR_INVALID_IMAGE, "" },
    { "a path", "/tmp/kernel.ptx", CUDA_ERROR_INVALID_IMAGE, "" },
    { "unknown instruction", PTX_HEAD ".visible .entry k()\n{\nbogus.u32 1;\nret;\n}\n", CUDA_ERROR_INVALID_PTX, "line 6: " },
    { "new version", ".version 99.0\n.target sm_75\n.address_size 64\n", CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "99.0" },
    { "undefined variable",
        PTX_HEAD ".extern .global .u32 x;\n.visible .entry k()\n{\n.reg .b32 %r; ld.global.u32 %r, [x]; ret;\n}\n",
        CUDA_ERROR_INVALID_PTX, "'x'" },
};

static void check_log(const struct bad *b, const char *log, const void *size)
{
    if (b->log && !strstr(log, b->log))
        fail_msg("%s: the log says: %s", b->what, log);
    assert_int_equal((uintptr_t)size, strlen(log));
}

static void modules_refuse_what_cannot_run(void **state)
{
    char log[1024];
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    CUmodule m;

    (void)state;
    start();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        void *values[] = { log, (void *)sizeof(log) };
        CUresult r = CALL(ModuleLoadDataEx)(&m, bad[i].image, 2, options, values);

        if (r != bad[i].code)
            fail_msg("%s: %d instead of %d: %s", bad[i].what, r, bad[i].code, log);
        check_log(&bad[i], log, values[1]);
        assert_true(log[0]);
    }
    stop();
}

static void libraries_of_what_cannot_run_are_empty(void **state)
{
    char log[1024];
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    unsigned n = 7;
    CUlibrary l;
    CUkernel k;

    (void)state;
    start();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        void *values[] = { log, (void *)sizeof(log) };

        CU(LibraryLoadData, &l, bad[i].image, options, values, 2, NULL, NULL, 0);
        check_log(&bad[i], log, values[1]);
        assert_int_equal(AS(LibraryGetKernelCount, 12040, 0)(&n, l), 0);
        assert_int_equal(n, 0);
        assert_int_equal(CALL(LibraryGetKernel)(&k, l, "k"), CUDA_ERROR_NOT_FOUND);
        CU(LibraryUnload, l);
    }
    stop();
}

static void a_short_log_is_cut(void **state)
{
    char log[9] = "12345678";
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)(uintptr_t)4 };
    CUmodule m;

    (void)state;
    start();
    assert_int_equal(CALL(ModuleLoadDataEx)(&m, "nonsense", 2, options, values), CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(log[3], 0);
    assert_string_equal(log + 4, "5678");
    stop();
}

static void files_load_like_memory(void **state)
{
    char name[] = "/tmp/softcuda-test-XXXXXX";
    int fd = mkstemp(name);
    CUmodule m;
    CUfunction f;
    CUlibrary l;
    CUkernel k;

    (void)state;
    start();
    assert_true(write(fd, PTX_HEAD PTX_ADD, sizeof(PTX_HEAD PTX_ADD) - 1) > 0);
    close(fd);
    CU(ModuleLoad, &m, name);
    CU(ModuleGetFunction, &f, m, "add");
    CU(ModuleUnload, m);
    CU(LibraryLoadFromFile, &l, name, NULL, NULL, 0, NULL, NULL, 0);
    CU(LibraryGetKernel, &k, l, "add");
    CU(LibraryUnload, l);
    unlink(name);
    assert_int_equal(CALL(ModuleLoad)(&m, name), CUDA_ERROR_FILE_NOT_FOUND);
    assert_int_equal(CALL(LibraryLoadFromFile)(&l, name, NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_FILE_NOT_FOUND);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_refuse_what_cannot_run),
        cmocka_unit_test(libraries_of_what_cannot_run_are_empty),
        cmocka_unit_test(a_short_log_is_cut),
        cmocka_unit_test(files_load_like_memory),
    };

    return cmocka_run_group_tests_name("api.image", tests, NULL, NULL);
}
