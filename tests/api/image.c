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

static void what_is_unknown_is_named_with_its_file_and_line(void **state)
{
    static const char ptx[] = PTX_HEAD ".visible .entry k()\n{\nret;\nbogus.u32 1;\n}\n";
    char name[] = "/tmp/softcuda-test-XXXXXX", log[1024], wanted[128];
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)sizeof(log) };
    int fd = mkstemp(name);
    CUlibrary l;

    (void)state;
    start();
    assert_true(write(fd, ptx, sizeof(ptx) - 1) > 0);
    close(fd);
    CU(LibraryLoadFromFile, &l, name, options, values, 2, NULL, NULL, 0);
    unlink(name);
    snprintf(wanted, sizeof(wanted), "%s: line 7: ", name);
    assert_non_null(strstr(log, wanted));
    assert_non_null(strstr(log, "bogus.u32"));
    CU(LibraryUnload, l);
    stop();
}

/* PTX that stores a number, for a target. */
struct entry { unsigned target, number; };

static size_t put_entry(unsigned char *to, const struct entry *e)
{
    char text[512];
    size_t n = (size_t)snprintf(text, sizeof(text), ".version 8.6\n.target sm_%u\n.address_size 64\n.visible .entry which(.param .u64 p)\n"
                                "{\n.reg .b32 %%r; .reg .b64 %%d;\nld.param.u64 %%d, [p]; mov.u32 %%r, %u; st.global.u32 [%%d], %%r; ret;\n}\n",
                                e->target, e->number) + 1;
    size_t padded = (n + 7) & ~(size_t)7;

    memset(to, 0, 64 + padded);
    memcpy(to, (uint16_t[]){ 1, 0x0101 }, 4);
    memcpy(to + 4, (uint32_t[]){ 64 }, 4);
    memcpy(to + 8, (uint64_t[]){ padded }, 8);
    memcpy(to + 0x18, (uint16_t[]){ 6, 8 }, 4);
    memcpy(to + 0x1c, (uint32_t[]){ e->target }, 4);
    memcpy(to + 0x28, (uint64_t[]){ 0x11 }, 8);
    memcpy(to + 64, text, n);
    return 64 + padded;
}

static unsigned number_of(const struct entry *entries, size_t n)
{
    unsigned char image[4096] = { 0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0 };
    uint64_t size = 0;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *params[] = { &p };
    unsigned got = 0;

    for (size_t i = 0; i < n; i++)
        size += put_entry(image + 16 + size, &entries[i]);
    memcpy(image + 8, &size, 8);
    CU(ModuleLoadData, &m, image);
    CU(ModuleGetFunction, &f, m, "which");
    CU(MemAlloc_v2, &p, 4);
    CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    CU(MemcpyDtoH_v2, &got, p, 4);
    CU(MemFree_v2, p);
    CU(ModuleUnload, m);
    return got;
}

/* The device is one of 7.5. A GPU would refuse the last. */
static void the_ptx_that_suits_the_device_best_is_taken_and_any_other_if_there_is_none(void **state)
{
    static const struct entry all[] = { { 90, 1 }, { 60, 2 }, { 75, 3 }, { 70, 4 }, { 100, 5 } };
    static const struct entry below[] = { { 90, 1 }, { 60, 2 }, { 70, 4 } };
    static const struct entry above[] = { { 100, 5 }, { 90, 1 } };

    (void)state;
    start();
    assert_int_equal(number_of(all, 5), 3);
    assert_int_equal(number_of(below, 3), 4);
    assert_int_equal(number_of(above, 2), 1);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_refuse_what_cannot_run),
        cmocka_unit_test(libraries_of_what_cannot_run_are_empty),
        cmocka_unit_test(a_short_log_is_cut),
        cmocka_unit_test(files_load_like_memory),
        cmocka_unit_test(what_is_unknown_is_named_with_its_file_and_line),
        cmocka_unit_test(the_ptx_that_suits_the_device_best_is_taken_and_any_other_if_there_is_none),
    };

    return cmocka_run_group_tests_name("api.image", tests, NULL, NULL);
}
