/* Launches whose arguments and limits are checked: what is accepted arrives, what is not is named before the driver is asked. */
#include "tests/loader/checked_cpp.h"
#include "tests/loader/common.h"

#define U32(n) ".param .u32 p" #n
#define U32_8(n) U32(n##0) "," U32(n##1) "," U32(n##2) "," U32(n##3) "," U32(n##4) "," U32(n##5) "," U32(n##6) "," U32(n##7)

static const char ptx[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry _Z5mixedPKfifdljb(.param .u64 a, .param .u32 b, .param .f32 c, .param .f64 d, .param .u64 e,\n"
    "    .param .u32 f, .param .u8 g) { ret; }\n"
    ".visible .entry plain(.param .u64 a, .param .f32 b, .param .b32 c, .param .u64 .ptr .global .align 4 d) { ret; }\n"
    ".visible .entry boxed(.param .u32 n, .param .align 8 .b8 s[16]) { ret; }\n"
    ".visible .entry tail(.param .u64 p, .param .u32 n) { ret; }\n"
    ".visible .entry none() { ret; }\n"
    ".visible .entry wide(" U32_8(0) "," U32_8(1) "," U32_8(2) "," U32_8(
        3) ") { ret; }\n"
           ".visible .entry wider(" U32_8(0) "," U32_8(1) "," U32_8(2) "," U32_8(3) "," U32_8(
               4) ") { ret; }\n"
                  ".visible .entry bounded() .maxntid 16, 8, 1 { ret; }\n"
                  ".visible .entry exact() .reqntid 32, 2 { ret; }\n"
                  ".visible .entry sharing() { .shared .align 4 .b8 s[1024]; ret; }\n";

struct fixture {
    gpudl_loader *loader;
    gpudl_library *library;
    gpudl_kernel *kernel; /* the last that was asked for */
};

static const gpudl_launch_config config = { sizeof(gpudl_launch_config), { 1, 1, 1 }, { 32, 1, 1 }, 0, 0, NULL, NULL, NULL };

static gpudl_kernel *get(struct fixture *f, const char *name)
{
    gpudl_kernel_release(f->kernel);
    f->kernel = NULL;
    assert_ok(gpudl_kernel_get(f->library, name, &f->kernel));
    return f->kernel;
}

static int open_with(void **state, const void *image, size_t size)
{
    static struct fixture f;

    nulldrv_reset();
    *state = &f;
    f = (struct fixture){ .loader = harness_open() };
    assert_ok(gpudl_library_load(f.loader, GPUDL_MEMORY(image, size), NULL, &f.library));
    assert_ok(gpudl_loader_use_device(f.loader, 0));
    return 0;
}

static int open_all(void **state)
{
    return open_with(state, ptx, sizeof(ptx) - 1);
}

static int open_cubin(void **state)
{
    return open_with(state, data_names_cubin, DATA_SIZE(names_cubin));
}

static int close_all(void **state)
{
    struct fixture *f = *state;

    gpudl_kernel_release(f->kernel);
    gpudl_library_release(f->library);
    gpudl_loader_driver(f->loader)->CtxSetCurrent(NULL);
    harness_close(f->loader);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------ arguments */

static struct {
    const void *x;
    int n;
    float a;
    double d;
    long l;
    unsigned u;
    _Bool b;
} seen;

static void see_mixed(void **params, void **extra)
{
    assert_null(extra);
    memcpy(&seen.x, params[0], 8);
    memcpy(&seen.n, params[1], 4);
    memcpy(&seen.a, params[2], 4);
    memcpy(&seen.d, params[3], 8);
    memcpy(&seen.l, params[4], 8);
    memcpy(&seen.u, params[5], 4);
    memcpy(&seen.b, params[6], 1);
}

static void assert_mixed(void)
{
    assert_ptr_equal(seen.x, (void *)0x1234560);
    assert_int_equal(seen.n, -3);
    assert_true(seen.a == 1.5f && seen.d == 2.5);
    assert_int_equal(seen.l, -7);
    assert_int_equal(seen.u, 9);
    assert_true(seen.b);
    memset(&seen, 0, sizeof(seen));
}

static void arguments_arrive_as_they_were_written(void **state)
{
    gpudl_kernel *k = get(*state, "mixed");
    const float *x = (const float *)0x1234560;
    const int n = -3;

    nulldrv_on_launch(see_mixed);
    assert_ok(gpudl_launch(k, &config, x, n, 1.5f, 2.5, -7L, 9u, (_Bool)1));
    assert_mixed();
    assert_ok(gpudl_launch(k, &config, (CUdeviceptr)0x1234560, (unsigned)-3, 1.5f, 2.5, -7LL, 9, (char)1));
    assert_mixed();
    assert_ok(gpudl_launch(k, &config, GPUDL_STRUCT(x), GPUDL_STRUCT(n), GPUDL_ARG(1.5f), 2.5, -7L, 9, (_Bool)1));
    assert_mixed();
    assert_ok(cpp_mixed(k));
    assert_mixed();
    assert_ok(cpp_pointers(k));
}

static void each_argument_is_evaluated_once(void **state)
{
    gpudl_kernel *k = get(*state, "plain");
    int i = 0, j = 0;

    assert_ok(gpudl_launch(k, &config, NULL, (float)i++, ++j, NULL));
    assert_int_equal(i, 1);
    assert_int_equal(j, 1);
}

static void a_checked_launch_is_one_driver_call(void **state)
{
    gpudl_kernel *k = get(*state, "none");
    unsigned long before;
    long blocks;

    assert_ok(gpudl_launch(k, &config));
    before = nulldrv_calls("*");
    blocks = harness_live_blocks();
    for (int i = 0; i < 10; i++) {
        assert_ok(gpudl_launch(k, &config));
        assert_ok(cpp_none(k));
        assert_ok(gpudl_kernel_launch_packed(k, &config, NULL, 0));
    }
    assert_int_equal(nulldrv_calls("*") - before, 30);
    assert_int_equal(harness_live_blocks(), blocks);
}

static void assert_no_launch(void)
{
    assert_int_equal(nulldrv_calls("cuLaunchKernel"), 0);
}

#define assert_text(words) assert_non_null(strstr(gpudl_error_text(), words))

static void a_wrong_count_is_told_with_the_signature(void **state)
{
    gpudl_kernel *k = get(*state, "mixed");

    assert_fails(gpudl_launch(k, &config), GPUDL_ERROR_LAUNCH_ARGUMENTS, "0 arguments were given, and the kernel takes 7");
    assert_text("mixed(float const*, int, float, double, long, unsigned int, bool)");
    assert_fails(gpudl_launch(k, &config, 1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "1 argument was given");
    k = get(*state, "plain");
    assert_fails(
        gpudl_launch(k, &config, NULL, 1.f, 2, NULL, 4), GPUDL_ERROR_LAUNCH_ARGUMENTS, "plain(u64, f32, 4 bytes, global*)");
    k = get(*state, "none");
    assert_fails(gpudl_launch(k, &config, 1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "takes 0: none()");
    assert_no_launch();
}

static void a_wrong_size_is_told(void **state)
{
    gpudl_kernel *k = get(*state, "mixed");

    assert_fails(gpudl_launch(k, &config, NULL, 3L, 1.f, 2., 3L, 4, (_Bool)1), GPUDL_ERROR_LAUNCH_ARGUMENTS,
        "argument 1 (they count from 0) is long (8 bytes), and the kernel takes int (4 bytes)");
    assert_fails(gpudl_launch(k, &config, NULL, 3, 1., 2., 3L, 4, (_Bool)1), GPUDL_ERROR_LAUNCH_ARGUMENTS,
        "argument 2 (they count from 0) is double (8 bytes), and the kernel takes float (4 bytes)");
    assert_text("2.0f a float");
    assert_fails(cpp_double_for_float(k), GPUDL_ERROR_LAUNCH_ARGUMENTS, "argument 2 (they count from 0) is double");
    assert_fails(gpudl_launch(k, &config, 0, 3, 1.f, 2., 3L, 4, (_Bool)1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "is int (4 bytes), and");
    assert_text("takes float const* (8 bytes)");
    assert_fails(gpudl_launch(k, &config, NULL, 3, 1.f, 2., 3L, 4, 1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "bool (1 byte)");
    assert_no_launch();
}

static void a_wrong_kind_is_told_where_it_is_known(void **state)
{
    gpudl_kernel *k = get(*state, "mixed");

    assert_fails(gpudl_launch(k, &config, 1., 3, 1.f, 2., 3L, 4, (_Bool)1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "argument 0");
    assert_fails(
        gpudl_launch(k, &config, NULL, 3.f, 1.f, 2., 3L, 4, (_Bool)1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "is float (4 bytes)");
    assert_fails(
        gpudl_launch(k, &config, NULL, 3, 1, 2., 3L, 4, (_Bool)1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "takes float (4 bytes)");
    assert_fails(gpudl_launch(k, &config, NULL, 3, 1.f, NULL, 3L, 4, (_Bool)1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "is a pointer (8");
    assert_fails(
        gpudl_launch(k, &config, NULL, 3, 1.f, 2., k, 4, (_Bool)1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "takes long (8 bytes)");
    k = get(*state, "plain"); /* PTX: u64 may be a pointer or not, b32 is anything, .ptr is a pointer */
    assert_ok(gpudl_launch(k, &config, k, 1.f, 2.f, (CUdeviceptr)1));
    assert_ok(gpudl_launch(k, &config, 5L, 1.f, 2, k));
    assert_fails(gpudl_launch(k, &config, 5L, 1, 2, k), GPUDL_ERROR_LAUNCH_ARGUMENTS, "takes f32 (4 bytes)");
    assert_fails(gpudl_launch(k, &config, 5., 1.f, 2, k), GPUDL_ERROR_LAUNCH_ARGUMENTS, "takes u64 (8 bytes)");
    assert_fails(gpudl_launch(k, &config, 5L, 1.f, 2, 1.), GPUDL_ERROR_LAUNCH_ARGUMENTS, "takes global* (8 bytes)");
}

static void machine_code_tells_sizes_and_cpp_names_kinds(void **state)
{
    gpudl_kernel *k = get(*state, "axpy");

    assert_ok(gpudl_launch(k, &config, 1, 2.f, k, k));
    assert_ok(gpudl_launch(k, &config, 1.f, 2, 1., 2L));
    assert_fails(gpudl_launch(k, &config, 1, 2., k, k), GPUDL_ERROR_LAUNCH_ARGUMENTS, "axpy(4 bytes, 4 bytes, 8 bytes, 8 bytes)");
    k = get(*state, "twice(float*)");
    assert_ok(gpudl_launch(k, &config, k));
    assert_ok(gpudl_launch(k, &config, (CUdeviceptr)1));
    assert_fails(gpudl_launch(k, &config, 1.), GPUDL_ERROR_LAUNCH_ARGUMENTS, "is double (8 bytes), and the kernel takes float*");
    assert_text("twice(float*)");
    k = get(*state, "ns::scale<float, 4>");
    assert_fails(gpudl_launch(k, &config, 1), GPUDL_ERROR_LAUNCH_ARGUMENTS, "ns::scale<float,4>(float*)");
}

struct box {
    double d;
    int n;
};

static void see_boxed(void **params, void **extra)
{
    const struct box *b = params[1];

    assert_null(extra);
    assert_int_equal(*(int *)params[0], 5);
    assert_true(b->d == 2.5 && b->n == 7);
}

static void structs_go_by_value(void **state)
{
    gpudl_kernel *k = get(*state, "boxed");
    struct box b = { 2.5, 7 };
    gpudl_arg nothing[2] = { GPUDL_ARG(5), { GPUDL_ARG_BYTES, 16, { NULL } } };

    nulldrv_on_launch(see_boxed);
    assert_ok(gpudl_launch(k, &config, 5, GPUDL_STRUCT(b)));
    assert_ok(gpudl_launch(k, &config, 5, GPUDL_STRUCT((struct box){ 2.5, 7 })));
    assert_ok(cpp_boxed(k));
    assert_fails(gpudl_launch(k, &config, 5, GPUDL_STRUCT(b.d)), GPUDL_ERROR_LAUNCH_ARGUMENTS, "is a block of 8 bytes, and");
    assert_text("takes 16 bytes");
    assert_fails(gpudl_kernel_launch(k, &config, nothing, 2), GPUDL_ERROR_ARGUMENT, "argument 1 is a block of bytes at NULL");
    nothing[1].type = 77;
    assert_fails(gpudl_kernel_launch(k, &config, nothing, 2), GPUDL_ERROR_LAUNCH_ARGUMENTS, "of type 77, which");
}

static void see_wide(void **params, void **extra)
{
    assert_null(extra);
    for (int i = 0; i < 32; i++)
        assert_int_equal(*(int *)params[i], i);
}

static void see_wider(void **params, void **extra)
{
    assert_null(params);
    assert_ptr_equal(extra[0], (void *)1);
    assert_ptr_equal(extra[2], (void *)2);
    assert_int_equal(*(size_t *)extra[3], 160);
    assert_null(extra[4]);
    for (int i = 0; i < 40; i++)
        assert_int_equal(((int *)extra[1])[i], i);
}

static void there_may_be_many_arguments(void **state)
{
    gpudl_kernel *k = get(*state, "wide");
    gpudl_arg args[41];

    nulldrv_on_launch(see_wide);
    assert_ok(gpudl_launch(k, &config, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
        25, 26, 27, 28, 29, 30, 31));
    k = get(*state, "wider");
    nulldrv_on_launch(see_wider);
    assert_ok(cpp_wider(k));
    for (int i = 0; i < 41; i++)
        args[i] = GPUDL_ARG(i);
    assert_ok(gpudl_kernel_launch(k, &config, args, 40));
    assert_fails(gpudl_kernel_launch(k, &config, args, 41), GPUDL_ERROR_LAUNCH_ARGUMENTS, "41 arguments were given");
    args[35] = GPUDL_ARG(1.f);
    assert_fails(gpudl_kernel_launch(k, &config, args, 40), GPUDL_ERROR_LAUNCH_ARGUMENTS, "argument 35 ");
}

static void see_tail(void **params, void **extra)
{
    assert_null(params);
    assert_int_equal(*(size_t *)extra[3], 12);
    assert_int_equal(((int *)extra[1])[2], 6);
}

static void packed_arguments_may_end_in_padding(void **state)
{
    gpudl_kernel *k = get(*state, "tail");
    struct {
        void *p;
        int n;
    } packed = { NULL, 6 };

    nulldrv_on_launch(see_tail);
    assert_int_equal(sizeof(packed), 16);
    assert_ok(gpudl_kernel_launch_packed(k, &config, &packed, sizeof(packed)));
    assert_ok(gpudl_kernel_launch_packed(k, &config, &packed, 12));
    assert_fails(gpudl_kernel_launch_packed(k, &config, &packed, 8), GPUDL_ERROR_LAUNCH_ARGUMENTS, "8 bytes of packed arguments");
    assert_text("the last parameter ends at 12");
    assert_fails(
        gpudl_kernel_launch_packed(k, &config, &packed, 17), GPUDL_ERROR_LAUNCH_ARGUMENTS, "multiple of 16: tail(u64, u32)");
    assert_fails(gpudl_kernel_launch_packed(k, &config, NULL, 12), GPUDL_ERROR_ARGUMENT, "bytes is NULL");
    assert_fails(gpudl_kernel_launch_packed(NULL, &config, &packed, 12), GPUDL_ERROR_ARGUMENT, "the kernel or the config");
    assert_fails(gpudl_kernel_launch(k, &config, NULL, 2), GPUDL_ERROR_ARGUMENT, "args is NULL");
    assert_fails(gpudl_kernel_launch(k, NULL, NULL, 0), GPUDL_ERROR_ARGUMENT, "the kernel or the config");
}

static void configs_are_taken_as_in_unchecked_launches(void **state)
{
    gpudl_launch_attribute priority = { GPUDL_LAUNCH_ATTRIBUTE_PRIORITY, 0, { { 0 } } };
    gpudl_kernel *k = get(*state, "tail");
    gpudl_launch_config c = config;
    struct fixture *f = *state;
    long pushed;

    c.nattributes = 1;
    assert_fails(gpudl_launch(k, &c, NULL, 6), GPUDL_ERROR_ARGUMENT, "attributes is NULL");
    c.attributes = (const struct CUlaunchAttribute_st *)&priority;
    assert_ok(gpudl_launch(k, &c, NULL, 6));
    assert_int_equal(nulldrv_calls("cuLaunchKernelEx"), 1);
    c.size = 3;
    assert_fails(gpudl_launch(k, &c, NULL, 6), GPUDL_ERROR_ARGUMENT, "sizeof");
    gpudl_loader_driver(f->loader)->CtxSetCurrent(NULL);
    pushed = nulldrv_alive("pushed");
    nulldrv_on_launch(see_tail);
    assert_ok(gpudl_kernel_launch_packed(k, &config, &(struct {
        void *p;
        int n;
    }){ NULL, 6 },
        16));
    nulldrv_on_launch(NULL);
    assert_ok(gpudl_launch(k, &config, NULL, 6));
    assert_int_equal(nulldrv_alive("pushed"), pushed);
    nulldrv_fail("cuLaunchKernel", 1, 719);
    assert_fails(gpudl_launch(k, &config, NULL, 6), GPUDL_ERROR_LAUNCH, "kernel 'tail', grid 1 x 1 x 1");
}

/* --------------------------------------------------------------------------------------------------------------- limits */

static gpudl_status launch_shape(gpudl_kernel *k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz)
{
    gpudl_launch_config c = gpudl_launch_3d(gx, gy, gz, bx, by, bz);

    return gpudl_launch(k, &c);
}

static void limits_are_named(void **state)
{
    gpudl_kernel *k = get(*state, "none");

    assert_ok(launch_shape(k, 0x7fffffff, 65535, 65535, 1024, 1, 1));
    assert_ok(launch_shape(k, 1, 1, 1, 1, 16, 64));
    assert_fails(launch_shape(k, 1, 1, 1, 1025, 1, 1), GPUDL_ERROR_LAUNCH_LIMIT, "block.x is 1025; it is 1 to 1024");
    assert_fails(launch_shape(k, 1, 1, 1, 1, 1, 65), GPUDL_ERROR_LAUNCH_LIMIT, "block.z is 65; it is 1 to 64");
    assert_fails(launch_shape(k, 1, 1, 1, 32, 0, 1), GPUDL_ERROR_LAUNCH_LIMIT, "block.y is 0");
    assert_fails(launch_shape(k, 0, 1, 1, 32, 1, 1), GPUDL_ERROR_LAUNCH_LIMIT, "grid.x is 0");
    assert_fails(launch_shape(k, 1, 65536, 1, 32, 1, 1), GPUDL_ERROR_LAUNCH_LIMIT, "grid.y is 65536; it is 1 to 65535");
    assert_fails(launch_shape(k, 0x80000000u, 1, 1, 32, 1, 1), GPUDL_ERROR_LAUNCH_LIMIT, "it is 1 to 2147483647");
    assert_fails(
        launch_shape(k, 1, 1, 1, 64, 32, 1), GPUDL_ERROR_LAUNCH_LIMIT, "is 2048 threads; at most 1024 are in a block on");
    assert_fails(launch_shape(k, 1, 1, 1, 65536, 65536, 1), GPUDL_ERROR_LAUNCH_LIMIT, "block.x is 65536");
    assert_int_equal(nulldrv_calls("cuLaunchKernel"), 2);
}

static void what_a_kernel_is_declared_for_is_a_limit(void **state)
{
    gpudl_kernel *k = get(*state, "bounded");

    assert_ok(launch_shape(k, 1, 1, 1, 128, 1, 1)); /* the product counts */
    assert_fails(
        launch_shape(k, 1, 1, 1, 129, 1, 1), GPUDL_ERROR_LAUNCH_LIMIT, "at most 128 are what the kernel is declared for");
    k = get(*state, "exact");
    assert_ok(launch_shape(k, 1, 1, 1, 32, 2, 1));
    assert_fails(launch_shape(k, 1, 1, 1, 64, 1, 1), GPUDL_ERROR_LAUNCH_LIMIT, "declared for 32 x 2 x 1 (.reqntid)");
    assert_fails(launch_shape(k, 1, 1, 1, 32, 1, 1), GPUDL_ERROR_LAUNCH_LIMIT, "declared for 32 x 2 x 1 (.reqntid)");
}

static void more_than_48_kb_of_shared_memory_just_works(void **state)
{
    gpudl_kernel *k = get(*state, "sharing");
    gpudl_launch_config c = config;

    c.shared_bytes = 49152 - 1024;
    assert_ok(gpudl_launch(k, &c));
    assert_int_equal(nulldrv_calls("cuKernelSetAttribute"), 0);
    c.shared_bytes = 232448 - 1024;
    assert_ok(gpudl_launch(k, &c));
    c.shared_bytes = 65536;
    assert_ok(gpudl_kernel_launch_packed(k, &c, NULL, 0));
    assert_int_equal(nulldrv_calls("cuKernelSetAttribute"), 1);
    c.shared_bytes = 232448 - 1023;
    assert_fails(gpudl_launch(k, &c), GPUDL_ERROR_LAUNCH_LIMIT,
        "231425 bytes of dynamic shared memory and 1024 that it declares; a block has at most 232448");
}

/* Asking loads the code: it is done where the launch goes, and nowhere else. */
static void each_device_is_asked_by_itself(void **state)
{
    struct fixture *f = *state;
    gpudl_launch_config c = config;
    gpudl_kernel *k;

    close_all(state);
    nulldrv_reset();
    nulldrv_set_devices(2);
    f->loader = harness_open();
    assert_ok(gpudl_library_load(f->loader, GPUDL_MEMORY(ptx, sizeof(ptx) - 1), NULL, &f->library));
    f->kernel = NULL;
    k = get(f, "sharing");
    c.shared_bytes = 100000;
    for (int device = 0; device < 2; device++)
        for (int i = 0; i < 3; i++) {
            assert_ok(gpudl_loader_use_device(f->loader, device));
            assert_ok(gpudl_launch(k, &c));
            assert_int_equal(nulldrv_calls("cuKernelSetAttribute"), device + 1);
        }
}

static void shared_memory_is_had_without_a_context_too(void **state)
{
    struct fixture *f = *state;
    gpudl_kernel *k = get(f, "sharing");
    gpudl_launch_config c = config;

    gpudl_loader_driver(f->loader)->CtxSetCurrent(NULL);
    c.shared_bytes = 100000;
    assert_ok(gpudl_launch(k, &c));
    assert_ok(gpudl_launch(k, &c));
    assert_int_equal(nulldrv_alive("pushed"), 0);
    assert_int_equal(nulldrv_calls("cuKernelSetAttribute"), 1);
}

static void a_driver_that_gives_no_more_shared_memory_is_quoted(void **state)
{
    gpudl_kernel *k = get(*state, "sharing");
    gpudl_launch_config c = config;

    c.shared_bytes = 100000;
    nulldrv_fail("cuKernelSetAttribute", 1, 999);
    assert_fails(gpudl_launch(k, &c), GPUDL_ERROR_LAUNCH, "asking for more than 48128 bytes of dynamic shared memory");
    assert_int_equal(gpudl_error_cuda(), 999);
    assert_no_launch();
    assert_ok(gpudl_launch(k, &c));
}

/* Another library of the same content shares what was read and asked for. */
static void libraries_of_one_version_share_it(void **state)
{
    struct fixture *f = *state;
    gpudl_kernel *k = get(f, "sharing"), *other;
    gpudl_launch_config c = config;
    gpudl_library *lib;
    long blocks;

    c.shared_bytes = 100000;
    assert_ok(gpudl_launch(k, &c));
    assert_ok(gpudl_library_load(f->loader, GPUDL_MEMORY(ptx, sizeof(ptx) - 1), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "sharing", &other));
    blocks = harness_live_blocks();
    assert_ok(gpudl_launch(other, &c));
    assert_int_equal(nulldrv_calls("cuKernelSetAttribute"), 1);
    assert_int_equal(harness_live_blocks(), blocks);
    gpudl_kernel_release(other);
    gpudl_library_release(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
        TEST(arguments_arrive_as_they_were_written),
        TEST(each_argument_is_evaluated_once),
        TEST(a_checked_launch_is_one_driver_call),
        TEST(a_wrong_count_is_told_with_the_signature),
        TEST(a_wrong_size_is_told),
        TEST(a_wrong_kind_is_told_where_it_is_known),
        cmocka_unit_test_setup_teardown(machine_code_tells_sizes_and_cpp_names_kinds, open_cubin, close_all),
        TEST(structs_go_by_value),
        TEST(there_may_be_many_arguments),
        TEST(packed_arguments_may_end_in_padding),
        TEST(configs_are_taken_as_in_unchecked_launches),
        TEST(limits_are_named),
        TEST(what_a_kernel_is_declared_for_is_a_limit),
        TEST(more_than_48_kb_of_shared_memory_just_works),
        TEST(each_device_is_asked_by_itself),
        TEST(shared_memory_is_had_without_a_context_too),
        TEST(a_driver_that_gives_no_more_shared_memory_is_quoted),
        TEST(libraries_of_one_version_share_it),
    };

    return cmocka_run_group_tests_name("checked", tests, NULL, NULL);
}
