/* output.c - what device code asks of its surroundings: printf comes out at a synchronisation, malloc and free keep their books.
 * */
#include "cuda.h.inc"
#include <fcntl.h>
#include <unistd.h>

static const char ptx[] = PTX_HEAD
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".extern .func free(.param .b64 p);\n"
    ".global .align 1 .b8 text[16] = {116, 32, 37, 100, 32, 37, 103, 10, 0};\n"         /* "t %d %g\n" */
    ".visible .entry say()\n{\n.local .align 8 .b8 frame[16]; .reg .b32 %r<4>; .reg .b64 %d<6>; .reg .f64 %f<3>;\n"
    "mov.u64 %d1, frame; cvta.local.u64 %d2, %d1; mov.u32 %r1, %tid.x; st.local.u32 [%d1], %r1;\n"
    "cvt.rn.f64.u32 %f1, %r1; mul.f64 %f2, %f1, 0d3FE0000000000000; st.local.f64 [%d1+8], %f2;\n"
    "mov.u64 %d3, text; cvta.global.u64 %d4, %d3;\n"
    "{ .param .b64 p0; .param .b64 p1; .param .b32 q; st.param.b64 [p0], %d4; st.param.b64 [p1], %d2;\n"
    "call.uni (q), vprintf, (p0, p1); ld.param.b32 %r2, [q]; }\nret;\n}\n"
    /* take(out, size): *out = how many of the 32 lanes got memory; all of it is given back */
    ".visible .entry take(.param .u64 out, .param .u64 size)\n{\n.reg .pred %q; .reg .b32 %r<4>; .reg .b64 %d<6>;\n"
    "ld.param.u64 %d1, [out]; ld.param.u64 %d2, [size];\n"
    "{ .param .b64 p0; .param .b64 q; st.param.b64 [p0], %d2; call.uni (q), malloc, (p0); ld.param.b64 %d3, [q]; }\n"
    "setp.eq.u64 %q, %d3, 0; @%q bra NONE;\nst.u32 [%d3], 5; atom.global.add.u32 %r1, [%d1], 1;\n"
    "NONE: bar.sync 0;\n{ .param .b64 p0; st.param.b64 [p0], %d3; call.uni free, (p0); }\nret;\n}\n";

static void printf_comes_out_at_a_synchronisation(void **state)
{
    char name[] = "/tmp/softcuda-out-XXXXXX", got[200] = "";
    int fd = mkstemp(name), saved;
    CUmodule m;
    CUfunction f;
    ssize_t n;

    (void)state;
    start();
    f = function_of(&m, ptx, "say");
    fflush(stdout);
    saved = dup(1);
    dup2(fd, 1);
    CU(LaunchKernel, f, 1, 1, 1, 3, 1, 1, 0, NULL, NULL, NULL);
    CU(CtxSynchronize);
    dup2(saved, 1);
    close(saved);
    n = pread(fd, got, sizeof(got) - 1, 0);
    close(fd);
    unlink(name);
    assert_true(n > 0);
    assert_string_equal(got, "t 0 0\nt 1 0.5\nt 2 1\n");
    stop();
}

static void device_memory_is_given_out_up_to_the_limit(void **state)
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    uint64_t size = 1 << 20;
    uint32_t got;
    void *params[] = { &p, &size };

    (void)state;
    start();
    CU(CtxSetLimit, CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20);
    f = function_of(&m, ptx, "take");
    CU(MemAlloc_v2, &p, 4);
    for (int i = 0; i < 3; i++) {                       /* 8 of 32 lanes, each time */
        CU(MemsetD32_v2, p, 0, 1);
        CU(LaunchKernel, f, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
        CU(MemcpyDtoH_v2, &got, p, 4);
        assert_int_equal(got, 8);
    }
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printf_comes_out_at_a_synchronisation),
        cmocka_unit_test(device_memory_is_given_out_up_to_the_limit),
    };

    return cmocka_run_group_tests_name("api.output", tests, NULL, NULL);
}
