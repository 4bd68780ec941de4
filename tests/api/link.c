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

static char said[8192];

static CUlinkState begin(void)
{
    static CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    static void *values[2];
    CUlinkState s;

    values[0] = said;
    values[1] = (void *)sizeof(said);
    CU(LinkCreate, 2, options, values, &s);
    return s;
}

static CUresult add_as(CUlinkState s, CUjitInputType type, const void *data, size_t size, const char *name)
{
    return CALL(LinkAddData)(s, type, (void *)(uintptr_t)data, size, name, 0, NULL, NULL);
}

static CUresult add_named(CUlinkState s, const char *text, const char *name)
{
    return add_as(s, CU_JIT_INPUT_PTX, text, strlen(text) + 1, name);
}

static CUmodule complete(CUlinkState s)
{
    void *cubin;
    CUmodule m;

    if (CALL(LinkComplete)(s, &cubin, NULL))
        fail_msg("%s", said);
    CU(ModuleLoadData, &m, cubin);
    CU(LinkDestroy, s);
    return m;
}

static void fails(CUlinkState s, const char *words)
{
    void *cubin;

    assert_int_equal(CALL(LinkComplete)(s, &cubin, NULL), CUDA_ERROR_INVALID_PTX);
    assert_string_equal(said, words);
    CU(LinkDestroy, s);
}

static void what_cannot_be_joined_is_said(void **state)
{
    void *cubin;
    CUlinkState s;
    size_t size;

    (void)state;
    start();
    s = begin();
    assert_int_equal(add_named(s, PTX_HEAD PTX_POKE, "one"), CUDA_SUCCESS);
    assert_int_equal(add_named(s, PTX_HEAD PTX_POKE, "two"), CUDA_SUCCESS);
    fails(s, "'poke' is defined more than once: in 'one' and in 'two'");
    assert_int_equal(CALL(LinkComplete)(s, &cubin, &size), CUDA_ERROR_INVALID_HANDLE);
    s = begin();
    assert_int_equal(add_named(s, PTX_CALLER, "caller"), CUDA_SUCCESS);
    fails(s, "undefined reference to 'twice' in 'caller'\nundefined reference to 'seven' in 'caller'");
    s = begin();
    assert_int_equal(CALL(LinkComplete)(s, &cubin, &size), CUDA_ERROR_INVALID_VALUE); /* nothing was added */
    CU(LinkDestroy, s);
    stop();
}

/* A text's own faults are told when it is added, by its own name and lines. */
static void a_bad_text_is_refused_by_itself(void **state)
{
    CUlinkState s;

    (void)state;
    start();
    s = begin();
    assert_int_equal(add_named(s, PTX_HEAD "\n.entry k() { bogus.u32; }\n", "k.ptx"), CUDA_ERROR_INVALID_PTX);
    assert_string_equal(said, "'k.ptx', line 5: unknown instruction 'bogus.u32'");
    assert_int_not_equal(add_named(s, "no image", "k.ptx"), CUDA_SUCCESS);
    assert_int_equal(strncmp(said, "'k.ptx': ", 9), 0);
    assert_int_equal(add_named(s, PTX_CALLED, "called"), CUDA_SUCCESS); /* the state is as it was */
    CU(ModuleUnload, complete(s));
    stop();
}

static void what_is_not_ptx_is_refused_by_its_kind(void **state)
{
    static unsigned char cubin[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1, [18] = 190 };
    static const unsigned char lto[64] = { 0xed, 0x43, 0x4e, 0x7f, 1, 65, 2, 98, 3, 2, 7, 0, 0x18, 0, 1, 0 };
    CUlinkState s;

    (void)state;
    start();
    s = begin();
    assert_int_not_equal(add_as(s, CU_JIT_INPUT_CUBIN, cubin, sizeof(cubin), "k.cubin"), CUDA_SUCCESS);
    assert_int_equal(strncmp(said, "'k.cubin': ", 11), 0);
    assert_int_equal(add_as(s, CU_JIT_INPUT_NVVM, lto, sizeof(lto), "k.ltoir"), CUDA_ERROR_INVALID_IMAGE);
    assert_non_null(strstr(said, "'k.ltoir': is LTO-IR, and softcuda links PTX only"));
    assert_int_equal(add_as(s, CU_JIT_INPUT_CUBIN, PTX_CALLED, sizeof(PTX_CALLED), "k.ptx"), CUDA_ERROR_INVALID_IMAGE);
    assert_string_equal(said, "'k.ptx': was added as a cubin, and is none");
    assert_int_equal(add_as(s, CU_JIT_INPUT_FATBINARY, PTX_CALLED, sizeof(PTX_CALLED), "k.ptx"), CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(add_as(s, (CUjitInputType)6, PTX_CALLED, sizeof(PTX_CALLED), "k.ptx"), CUDA_ERROR_INVALID_VALUE);
    CU(LinkDestroy, s);
    stop();
}

static void what_was_linked_can_be_linked_again(void **state)
{
    CUlinkState s, again;
    size_t size;
    void *cubin;

    (void)state;
    start();
    s = begin();
    assert_int_equal(add_named(s, PTX_CALLED, "called"), CUDA_SUCCESS);
    CU(LinkComplete, s, &cubin, &size);
    again = begin();
    assert_int_equal(add_as(again, CU_JIT_INPUT_CUBIN, cubin, size, "linked"), CUDA_SUCCESS);
    CU(LinkDestroy, s);
    assert_int_equal(add_named(again, PTX_CALLER, "caller"), CUDA_SUCCESS);
    CU(ModuleUnload, complete(again));
    stop();
}

/* The last field of a line of the archive's index, as ar writes it. */
static size_t put_member(char *to, const char *name, const void *bytes, size_t size)
{
    int n = sprintf(to, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "644", size);

    memcpy(to + n, bytes, size);
    to[n + (int)size] = '\n';
    return (size_t)n + size + size % 2;
}

static void of_a_library_what_is_needed_is_taken(void **state)
{
    static const char unused[] = PTX_HEAD ".extern .func nowhere();\n.visible .func g()\n{\ncall.uni nowhere, ();\nret;\n}\n";
    static char archive[8192];
    size_t n = (size_t)sprintf(archive, "!<arch>\n");
    CUlinkState s;

    (void)state;
    n += put_member(archive + n, "unused.ptx/", unused, sizeof(unused) - 1);
    n += put_member(archive + n, "called.ptx/", PTX_CALLED, sizeof(PTX_CALLED) - 1);
    start();
    s = begin();
    assert_int_equal(add_as(s, CU_JIT_INPUT_LIBRARY, archive, n, "lib.a"), CUDA_SUCCESS);
    assert_int_equal(add_named(s, PTX_CALLER, "caller"), CUDA_SUCCESS);
    CU(ModuleUnload, complete(s));
    stop();
}

/* module i: out[i] = step(in), where step is its own, and add_up calls its predecessor's */
enum { MODULES = 100 };

static void write_module(char *text, size_t size, int i)
{
    int n = snprintf(text, size,
        PTX_HEAD
        ".global .align 4 .u32 own = %d;\n"
        ".func (.param .b32 r) step(.param .b32 x)\n{\n.reg .b32 %%r<4>;\n"
        "ld.param.b32 %%r1, [x]; ld.global.u32 %%r2, [own]; mad.lo.u32 %%r3, %%r1, 3, %%r2; st.param.b32 [r], %%r3; ret;\n}\n"
        ".visible .func (.param .b32 r) chain%d(.param .b32 x)\n{\n.reg .b32 %%r<4>;\nld.param.b32 %%r1, [x];\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %%r1; call.uni (b), step, (a); ld.param.b32 %%r2, [b]; }\n"
        "st.param.b32 [r], %%r2; ret;\n}\n",
        i, i);

    if (i)
        n += snprintf(text + n, size - (size_t)n, ".extern .func (.param .b32 r) chain%d(.param .b32 x);\n", i - 1);
    n += snprintf(text + n, size - (size_t)n,
        ".visible .entry kernel%d(.param .u64 out)\n{\n.reg .b32 %%r<6>; .reg .b64 %%d<3>;\nld.param.u64 %%d1, [out]; mov.u32 %%r1, %%tid.x;\n"
        "mov.u32 %%r2, %%r1;\n",
        i);
    if (i)
        n += snprintf(text + n, size - (size_t)n,
            "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %%r2; call.uni (b), chain%d, (a); ld.param.b32 %%r2, [b]; }\n",
            i - 1);
    snprintf(text + n, size - (size_t)n,
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %%r2; call.uni (b), chain%d, (a); ld.param.b32 %%r2, [b]; }\n"
        "mul.wide.u32 %%d2, %%r1, 4; add.u64 %%d2, %%d1, %%d2; st.global.u32 [%%d2], %%r2; ret;\n}\n",
        i);
}

static void a_hundred_modules_are_one(void **state)
{
    static char texts[MODULES][2048];
    uint32_t got[32];
    void *params[1];
    CUdeviceptr out;
    char name[32];
    CUfunction f;
    CUlinkState s;
    CUmodule m;

    (void)state;
    start();
    s = begin();
    for (int i = 0; i < MODULES; i++) {
        snprintf(name, sizeof(name), "module%d", i);
        write_module(texts[i], sizeof(texts[i]), i);
        if (add_named(s, texts[i], name))
            fail_msg("%s", said);
    }
    m = complete(s);
    CU(MemAlloc_v2, &out, sizeof(got));
    params[0] = &out;
    for (uint32_t i = 0; i < MODULES; i += 9) {
        snprintf(name, sizeof(name), "kernel%u", i);
        CU(ModuleGetFunction, &f, m, name);
        CU(LaunchKernel, f, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
        CU(MemcpyDtoH_v2, got, out, sizeof(got));
        for (uint32_t t = 0; t < 32; t++)
            assert_int_equal(got[t], i ? 3 * (3 * t + i - 1) + i : 3 * t);
    }
    CU(MemFree_v2, out);
    CU(ModuleUnload, m);
    stop();
}

/* Constants, dynamic shared memory, a table of functions of another module. */
#define PTX_USER \
    PTX_HEAD \
    ".extern .const .align 4 .b8 factors[8];\n.extern .shared .align 4 .b8 room[];\n.extern .global .align 8 .b8 table[16];\n" \
    ".visible .entry use(.param .u64 p)\n{\n.reg .b32 %r<8>; .reg .b64 %d<4>;\nld.param.u64 %d1, [p]; mov.u32 %r1, room;\n" \
    "ld.const.u32 %r2, [factors+4]; st.shared.u32 [%r1+60], %r2; bar.sync 0; ld.shared.u32 %r3, [room+60];\n" \
    "ld.global.u64 %d2, [table+8];\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;\n" \
    "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %d2, (a), proto; ld.param.b32 %r4, [b]; }\n" \
    "st.global.u32 [%d1], %r4; ret;\n}\n"
#define PTX_TABLE \
    PTX_HEAD \
    ".visible .func (.param .b32 r) add5(.param .b32 x);\n.visible .func (.param .b32 r) times5(.param .b32 x);\n" \
    ".visible .const .align 4 .u32 factors[2] = {10, 20};\n.visible .global .align 8 .u64 table[2] = {add5, times5};\n" \
    ".visible .func (.param .b32 r) add5(.param .b32 x)\n{\n.reg .b32 %r; ld.param.b32 %r, [x]; add.u32 %r, %r, 5; " \
    "st.param.b32 [r], %r; ret;\n}\n" \
    ".visible .func (.param .b32 r) times5(.param .b32 x)\n{\n.reg .b32 %r; ld.param.b32 %r, [x]; mul.lo.u32 %r, %r, 5; " \
    "st.param.b32 [r], %r; ret;\n}\n"

static void pointers_constants_and_shared_memory_go_across(void **state)
{
    CUdeviceptr p, factors;
    void *params[] = { &p };
    CUfunction f;
    CUlinkState s;
    CUmodule m;
    uint32_t got, seven = 7;
    size_t size;

    (void)state;
    start();
    for (int order = 0; order < 2; order++) {
        s = begin();
        assert_int_equal(add_named(s, order ? PTX_TABLE : PTX_USER, "one"), CUDA_SUCCESS);
        assert_int_equal(add_named(s, order ? PTX_USER : PTX_TABLE, "two"), CUDA_SUCCESS);
        m = complete(s);
        CU(ModuleGetFunction, &f, m, "use");
        CU(MemAlloc_v2, &p, 4);
        CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 64, NULL, params, NULL);
        CU(MemcpyDtoH_v2, &got, p, 4);
        assert_int_equal(got, 100);
        CU(ModuleGetGlobal_v2, &factors, &size, m, "factors");
        assert_int_equal(size, 8);
        CU(MemcpyHtoD_v2, factors + 4, &seven, 4);
        CU(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 64, NULL, params, NULL);
        CU(MemcpyDtoH_v2, &got, p, 4);
        assert_int_equal(got, 35);
        CU(MemFree_v2, p);
        CU(ModuleUnload, m);
    }
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_declares_another_defines),
        cmocka_unit_test(what_cannot_be_joined_is_said),
        cmocka_unit_test(a_bad_text_is_refused_by_itself),
        cmocka_unit_test(what_is_not_ptx_is_refused_by_its_kind),
        cmocka_unit_test(what_was_linked_can_be_linked_again),
        cmocka_unit_test(of_a_library_what_is_needed_is_taken),
        cmocka_unit_test(a_hundred_modules_are_one),
        cmocka_unit_test(pointers_constants_and_shared_memory_go_across),
    };

    return cmocka_run_group_tests_name("api.link", tests, NULL, NULL);
}
