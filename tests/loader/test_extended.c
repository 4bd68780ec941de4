/* Checked launches that are cooperative or of clusters: each limit is named before the driver is asked, and the driver is asked
 * once for what only it knows. */
#include "tests/loader/common.h"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry plain() { ret; }\n"
                          ".visible .entry pairs() .reqnctapercluster 2 { ret; }\n"
                          ".visible .entry square() .explicitcluster .reqnctapercluster 2, 2, 1 .maxntid 64 { ret; }\n"
                          ".visible .entry ranked() .maxclusterrank 4 { ret; }\n"
                          ".visible .entry counted() .reqntid 32 .reqnctapercluster 2 .blocksareclusters { ret; }\n"
                          ".visible .entry large() .reqnctapercluster 16 { ret; }\n";

struct fixture {
    gpudl_loader *loader;
    gpudl_library *library;
    gpudl_kernel *kernel; /* the last that was asked for */
};

static void open_loader(struct fixture *f)
{
    *f = (struct fixture){ .loader = harness_open() };
    assert_ok(gpudl_library_load(f->loader, GPUDL_MEMORY(ptx, sizeof(ptx) - 1), NULL, &f->library));
    assert_ok(gpudl_loader_use_device(f->loader, 0));
}

static int open_all(void **state)
{
    static struct fixture f;

    nulldrv_reset();
    *state = &f;
    open_loader(&f);
    return 0;
}

/* A device without clusters and cooperative launches. */
static int open_plain(void **state)
{
    static struct fixture f;

    nulldrv_reset();
    nulldrv_set_clusters(0);
    nulldrv_set_cooperative(0);
    *state = &f;
    open_loader(&f);
    return 0;
}

static int open_two(void **state)
{
    static struct fixture f;

    nulldrv_reset();
    nulldrv_set_devices(2);
    *state = &f;
    open_loader(&f);
    return 0;
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

static gpudl_kernel *get(struct fixture *f, const char *name)
{
    gpudl_kernel_release(f->kernel);
    f->kernel = NULL;
    assert_ok(gpudl_kernel_get(f->library, name, &f->kernel));
    return f->kernel;
}

static gpudl_status launch(gpudl_kernel *k, unsigned gx, unsigned gy, unsigned block, gpudl_launch_attribute a)
{
    gpudl_launch_config config = gpudl_launch_with(gpudl_launch_3d(gx, gy, 1, block, 1, 1), &a, 1);

    return gpudl_launch(k, &config);
}

static unsigned long launches(void)
{
    return nulldrv_calls("cuLaunchKernel") + nulldrv_calls("cuLaunchKernelEx");
}

/* ---------------------------------------------------------------------------------------------------------------- clusters */

static void a_cluster_fits_the_grid(void **state)
{
    gpudl_kernel *k = get(*state, "plain");
    unsigned long before;

    assert_ok(launch(k, 8, 6, 32, gpudl_launch_cluster(4, 2, 1)));
    before = nulldrv_calls("*");
    assert_ok(launch(k, 8, 6, 32, gpudl_launch_cluster(4, 2, 1)));
    assert_int_equal(nulldrv_calls("*"), before + 1);
    assert_fails(launch(k, 9, 6, 32, gpudl_launch_cluster(4, 2, 1)), GPUDL_ERROR_LAUNCH_LIMIT,
        "grid.x is 9; with clusters of 4 x 2 x 1 blocks it is a multiple of 4");
    assert_fails(launch(k, 8, 5, 32, gpudl_launch_cluster(4, 2, 1)), GPUDL_ERROR_LAUNCH_LIMIT, "grid.y is 5");
    assert_fails(
        launch(k, 8, 5, 32, gpudl_launch_cluster(4, 0, 1)), GPUDL_ERROR_LAUNCH_LIMIT, "a cluster of 4 x 0 x 1 blocks: each");
    assert_fails(launch(k, 8, 5, 32, gpudl_launch_cluster(0x80000000u, 2, 1)), GPUDL_ERROR_LAUNCH_LIMIT,
        "2147483648 x 2 x 1 blocks: each");
    assert_ok(launch(k, 7, 7, 32, gpudl_launch_cluster(1, 1, 1)));
    assert_ok(launch(k, 7, 7, 32, gpudl_launch_cluster(0, 0, 0))); /* none */
    assert_int_equal(launches(), 4);
}

static void more_than_eight_blocks_are_to_be_allowed(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(16, 32);
    gpudl_kernel *k = get(*state, "plain");
    unsigned long before;

    assert_fails(launch(k, 16, 1, 32, gpudl_launch_cluster(16, 1, 1)), GPUDL_ERROR_LAUNCH_LIMIT,
        "a cluster of 16 x 1 x 1 is 16 blocks; at most 8, unless");
    assert_non_null(strstr(gpudl_error_text(), "GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED"));
    assert_int_equal(launches(), 0);
    assert_ok(gpudl_kernel_set_attribute(k, GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, 0));
    assert_ok(launch(k, 16, 1, 32, gpudl_launch_cluster(16, 1, 1)));
    before = nulldrv_calls("*");
    assert_ok(launch(k, 16, 1, 32, gpudl_launch_cluster(16, 1, 1)));
    assert_int_equal(nulldrv_calls("*"), before + 1);
    assert_ok(gpudl_kernel_set_attribute(k, GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0, 0));
    assert_fails(launch(k, 16, 1, 32, gpudl_launch_cluster(16, 1, 1)), GPUDL_ERROR_LAUNCH_LIMIT, "at most 8, unless");
    nulldrv_fail("cuKernelGetAttribute", 1, 999);
    assert_fails(launch(k, 16, 1, 32, gpudl_launch_cluster(16, 1, 1)), GPUDL_ERROR_LAUNCH, "cuKernelGetAttribute");
    k = get(*state, "large");
    assert_fails(gpudl_launch(k, &config), GPUDL_ERROR_LAUNCH_LIMIT, "is 16 blocks; at most 8");
}

static void a_declared_cluster_is_a_limit_of_all_launches(void **state)
{
    gpudl_launch_config even = gpudl_launch_1d(4, 32), odd = gpudl_launch_1d(5, 32), wide = gpudl_launch_1d(4, 2048),
                        square = gpudl_launch_3d(2, 3, 1, 32, 1, 1), threads = gpudl_launch_3d(2, 2, 1, 65, 1, 1);
    gpudl_kernel *k = get(*state, "pairs");
    unsigned long before;

    assert_ok(gpudl_launch(k, &even));
    before = nulldrv_calls("*");
    assert_ok(gpudl_launch(k, &even));
    assert_ok(gpudl_kernel_launch_packed(k, &even, NULL, 0));
    assert_int_equal(nulldrv_calls("*"), before + 2);
    assert_fails(gpudl_launch(k, &odd), GPUDL_ERROR_LAUNCH_LIMIT, "grid.x is 5; with clusters of 2 x 1 x 1 blocks");
    assert_fails(gpudl_kernel_launch_packed(k, &odd, NULL, 0), GPUDL_ERROR_LAUNCH_LIMIT, "grid.x is 5");
    assert_fails(gpudl_launch(k, &wide), GPUDL_ERROR_LAUNCH_LIMIT, "block.x is 2048; it is 1 to 1024");
    assert_fails(launch(k, 4, 1, 32, gpudl_launch_cluster(4, 1, 1)), GPUDL_ERROR_LAUNCH_LIMIT,
        "a cluster of 4 x 1 x 1 blocks, and the kernel is declared for 2 x 1 x 1");
    assert_ok(launch(k, 4, 1, 32, gpudl_launch_cluster(2, 1, 1)));
    k = get(*state, "square");
    assert_fails(gpudl_launch(k, &square), GPUDL_ERROR_LAUNCH_LIMIT, "grid.y is 3; with clusters of 2 x 2 x 1");
    assert_fails(gpudl_launch(k, &threads), GPUDL_ERROR_LAUNCH_LIMIT, "at most 64 are what the kernel is declared for");
    k = get(*state, "ranked");
    assert_ok(launch(k, 8, 1, 32, gpudl_launch_cluster(4, 1, 1)));
    assert_fails(launch(k, 8, 1, 32, gpudl_launch_cluster(8, 1, 1)), GPUDL_ERROR_LAUNCH_LIMIT,
        "is 8 blocks; at most 4 are what the kernel is declared for (.maxclusterrank)");
    k = get(*state, "counted"); /* the grid is of clusters */
    assert_ok(gpudl_launch(k, &odd));
}

static void a_device_without_them_is_told(void **state)
{
    gpudl_launch_config even = gpudl_launch_1d(4, 32);
    gpudl_kernel *k = get(*state, "pairs");

    assert_fails(gpudl_launch(k, &even), GPUDL_ERROR_UNSUPPORTED,
        "a cluster of 2 x 1 x 1 blocks, and the device has no clusters of more than one (null driver");
    k = get(*state, "plain");
    assert_fails(launch(k, 4, 1, 32, gpudl_launch_cluster(1, 1, 2)), GPUDL_ERROR_UNSUPPORTED, "a cluster of 1 x 1 x 2");
    assert_fails(launch(k, 4, 1, 32, gpudl_launch_cooperative()), GPUDL_ERROR_UNSUPPORTED,
        "a cooperative launch, and the device has none");
    assert_int_equal(launches(), 0);
    assert_ok(launch(k, 4, 1, 32, gpudl_launch_cluster(1, 1, 1)));
    assert_ok(launch(k, 4, 1, 32, gpudl_launch_programmatic()));
    assert_ok(launch(k, 4, 1, 32, gpudl_launch_priority(-2)));
}

/* ------------------------------------------------------------------------------------------------------------- cooperative */

/* The null driver has 4 multiprocessors of 2048 threads. */
static void a_cooperative_grid_fits_the_device(void **state)
{
    gpudl_kernel *k = get(*state, "plain");
    unsigned long before;

    assert_ok(launch(k, 4, 2, 1024, gpudl_launch_cooperative()));
    before = nulldrv_calls("*");
    assert_ok(launch(k, 8, 1, 1024, gpudl_launch_cooperative()));
    assert_int_equal(nulldrv_calls("*"), before + 1); /* it is remembered */
    assert_fails(launch(k, 3, 3, 1024, gpudl_launch_cooperative()), GPUDL_ERROR_LAUNCH_LIMIT,
        "a cooperative grid of 9 blocks, which are on the device at once; of 1024 threads and 0 bytes of dynamic shared memory each it "
        "holds at most 8");
    assert_fails(launch(k, 0x7fffffff, 65535, 32, gpudl_launch_cooperative()), GPUDL_ERROR_LAUNCH_LIMIT, "holds at most 128");
    assert_fails(launch(k, 65, 1, 128, gpudl_launch_cooperative()), GPUDL_ERROR_LAUNCH_LIMIT, "holds at most 64");
    assert_int_equal(nulldrv_calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 3);
    assert_int_equal(launches(), 2);
}

static void shared_memory_is_had_before_blocks_are_counted(void **state)
{
    gpudl_launch_attribute cooperative = gpudl_launch_cooperative();
    gpudl_launch_config config = gpudl_launch_with(gpudl_launch_1d(8, 32), &cooperative, 1);
    gpudl_kernel *k = get(*state, "plain");

    config.shared_bytes = 100000;
    assert_ok(gpudl_launch(k, &config));
    config.grid[0] = 9;
    assert_fails(gpudl_launch(k, &config), GPUDL_ERROR_LAUNCH_LIMIT, "holds at most 8");
    config.shared_bytes = 200000;
    assert_fails(
        gpudl_launch(k, &config), GPUDL_ERROR_LAUNCH_LIMIT, "200000 bytes of dynamic shared memory each it holds at most 4");
    config.shared_bytes = 300000;
    assert_fails(gpudl_launch(k, &config), GPUDL_ERROR_LAUNCH_LIMIT, "a block has at most 232448");
}

static void what_is_remembered_is_bounded_and_goes_with_an_attribute(void **state)
{
    gpudl_kernel *k = get(*state, "plain");

    for (unsigned round = 0; round < 2; round++)
        for (unsigned block = 32; block <= 32 * 20; block += 32)
            assert_ok(launch(k, 1, 1, block, gpudl_launch_cooperative()));
    assert_int_equal(nulldrv_calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 40);
    assert_ok(launch(k, 1, 1, 32 * 20, gpudl_launch_cooperative()));
    assert_int_equal(nulldrv_calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 40);
    assert_ok(gpudl_kernel_set_attribute(k, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 100, 0));
    assert_ok(launch(k, 1, 1, 32 * 20, gpudl_launch_cooperative()));
    assert_int_equal(nulldrv_calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 41);
}

static void each_device_is_asked_by_itself(void **state)
{
    struct fixture *f = *state;
    gpudl_kernel *k = get(f, "plain");

    for (int i = 0; i < 3; i++)
        for (int device = 0; device < 2; device++) {
            assert_ok(gpudl_loader_use_device(f->loader, device));
            assert_ok(launch(k, 8, 1, 1024, gpudl_launch_cooperative()));
        }
    assert_int_equal(nulldrv_calls("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 2);
}

static void a_thread_without_a_context_is_checked_in_the_lent_one(void **state)
{
    struct fixture *f = *state;
    gpudl_kernel *k = get(f, "plain");

    gpudl_loader_driver(f->loader)->CtxSetCurrent(NULL);
    assert_fails(launch(k, 9, 1, 1024, gpudl_launch_cooperative()), GPUDL_ERROR_LAUNCH_LIMIT, "holds at most 8");
    assert_ok(launch(k, 8, 1, 1024, gpudl_launch_cooperative()));
    assert_int_equal(nulldrv_alive("pushed"), 0);
}

static void a_driver_that_cannot_be_asked_is_quoted(void **state)
{
    gpudl_kernel *k = get(*state, "plain");

    nulldrv_fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", 1, 719);
    assert_fails(
        launch(k, 8, 1, 1024, gpudl_launch_cooperative()), GPUDL_ERROR_LAUNCH, "how many blocks of a cooperative grid fit");
    nulldrv_fail("cuKernelGetFunction", 1, 719);
    assert_fails(launch(k, 8, 1, 1024, gpudl_launch_cooperative()), GPUDL_ERROR_LAUNCH, "cuKernelGetFunction");
    assert_int_equal(gpudl_error_cuda(), 719);
    assert_int_equal(launches(), 0);
    assert_ok(launch(k, 8, 1, 1024, gpudl_launch_cooperative()));
}

/* ----------------------------------------------------------------------------------------------------------------- failing */

static gpudl_status extended(gpudl_loader *l, void *user)
{
    const gpudl_launch_attribute both[] = { gpudl_launch_cluster(4, 4, 1), gpudl_launch_cooperative() };
    gpudl_launch_config config = gpudl_launch_with(gpudl_launch_3d(4, 4, 1, 128, 1, 1), both, 2);
    gpudl_library *lib;
    gpudl_kernel *k = NULL;
    gpudl_status status = gpudl_library_load(l, GPUDL_MEMORY(ptx, sizeof(ptx) - 1), NULL, &lib);

    (void)user;
    if (status != GPUDL_OK)
        return status;
    config.shared_bytes = 50000;
    status = gpudl_kernel_get(lib, "plain", &k);
    if (status == GPUDL_OK)
        status = gpudl_kernel_set_attribute(k, GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, 0);
    if (status == GPUDL_OK)
        status = gpudl_launch(k, &config);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    return status;
}

static void whatever_fails_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    harness_fail_allocations(extended, NULL);
    harness_fail_driver_calls(999, extended, NULL);
    harness_fail_driver_calls(2, extended, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
        TEST(a_cluster_fits_the_grid),
        TEST(more_than_eight_blocks_are_to_be_allowed),
        TEST(a_declared_cluster_is_a_limit_of_all_launches),
        cmocka_unit_test_setup_teardown(a_device_without_them_is_told, open_plain, close_all),
        TEST(a_cooperative_grid_fits_the_device),
        TEST(shared_memory_is_had_before_blocks_are_counted),
        TEST(what_is_remembered_is_bounded_and_goes_with_an_attribute),
        cmocka_unit_test_setup_teardown(each_device_is_asked_by_itself, open_two, close_all),
        TEST(a_thread_without_a_context_is_checked_in_the_lent_one),
        TEST(a_driver_that_cannot_be_asked_is_quoted),
        cmocka_unit_test_setup(whatever_fails_is_told_and_leaves_nothing, reset_driver),
    };

    return cmocka_run_group_tests_name("extended launches", tests, NULL, NULL);
}
