/* link.c - several PTX texts as one program. */
#include "cuda.h.inc"

/* twice(x), which another text has, and a local variable of a name that the other has as well */
#define PTX_CALLER PTX_HEAD \
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n" \
    ".extern .global .align 4 .u32 seven;\n.global .align 4 .u32 mine = 100;\n" \
    ".visible .entry call(.param .u64 p)\n{\n.reg .b32 %r<6>; .reg .b64 %d;\n" \
    "ld.param.u64 %d, [p]; ld.global.u32 %r1, [seven]; ld.global.u32 %r2, [mine];\n{\n" \
    ".param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r3, [b];\n}\n" \
    "add.u32 %r4, %r3, %r2; st.global.u32 [%d], %r4; ret;\n}\n"

#define PTX_CALLED PTX_HEAD \
    "// mine; \"mine\"\n.global .align 4 .u32 mine = 1000; .visible .global .align 4 .u32 seven = 7;\n" \
    ".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<4>;\n" \
    "ld.param.b32 %r1, [x]; add.u32 %r1, %r1, %r1; ld.global.u32 %r2, [mine]; add.u32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret;\n}\n"

static CUresult add(CUlinkState s, const char *text)
{
    return CALL(LinkAddData)(s, CU_JIT_INPUT_PTX, (void *)(uintptr_t)text, strlen(text) + 1, "text", 0, NULL, NULL);
}

static void what_one_declares_another_defines(void **state)
{
    CUlinkState s;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *cubin, *params[] = { &p };
    size_t size;
    uint32_t got;

    (void)state;
    start();
    for (int order = 0; order < 2; order++) {
        CU(LinkCreate, 0, NULL, NULL, &s);
        assert_int_equal(add(s, order ? PTX_CALLED : PTX_CALLER), CUDA_SUCCESS);
        assert_int_equal(add(s, order ? PTX_CALLER : PTX_CALLED), CUDA_SUCCESS);
        CU(LinkComplete, s, &cubin, &size);
        assert_true(size > 100);
        CU(ModuleLoadData, &m, cubin);
        CU(LinkDestroy, s);
        CU(ModuleGetFunction, &f, m, "call");
        CU(MemAlloc_v2, &p, 4);
        CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
        CU(MemcpyDtoH_v2, &got, p, 4);
        assert_int_equal(got, 2 * 7 + 1000 + 100);
        CU(ModuleUnload, m);
        CU(MemFree_v2, p);
    }
    stop();
}

static void what_cannot_be_joined_is_said(void **state)
{
    static char log[512];
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)sizeof(log) }, *cubin;
    CUlinkState s;
    size_t size;

    (void)state;
    start();
    CU(LinkCreate, 2, options, values, &s);
    assert_int_equal(add(s, PTX_HEAD PTX_POKE), CUDA_SUCCESS);
    assert_int_equal(add(s, PTX_HEAD PTX_POKE), CUDA_SUCCESS);
    assert_int_equal(CALL(LinkComplete)(s, &cubin, &size), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "'poke' is defined more than once"));
    CU(LinkDestroy, s);
    assert_int_equal(CALL(LinkComplete)(s, &cubin, &size), CUDA_ERROR_INVALID_HANDLE);
    values[1] = (void *)sizeof(log);
    CU(LinkCreate, 2, options, values, &s);
    assert_int_equal(add(s, PTX_CALLER), CUDA_SUCCESS);
    assert_int_not_equal(CALL(LinkComplete)(s, &cubin, &size), CUDA_SUCCESS);     /* both are nowhere */
    assert_true(strstr(log, "seven") || strstr(log, "twice"));
    CU(LinkDestroy, s);
    CU(LinkCreate, 0, NULL, NULL, &s);
    assert_int_not_equal(add(s, "no image"), CUDA_SUCCESS);
    CU(LinkDestroy, s);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_declares_another_defines),
        cmocka_unit_test(what_cannot_be_joined_is_said),
    };

    return cmocka_run_group_tests_name("api.link", tests, NULL, NULL);
}
