/* Attributes of kernels, occupancy, nodes of graphs: what is answered without the driver, what is remembered and refused. */
#include <pthread.h>

#include "src/loader/launch/attributes.h"
#include "tests/loader/common.h"

static const char ptx[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                          ".visible .entry plain(.param .u64 a) { ret; }\n"
                          ".visible .entry sharing() { .shared .align 4 .b8 s[1024]; ret; }\n";
static const char other_ptx[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                                ".visible .entry plain(.param .u64 b) { ret; }\n";
static const char clusters_ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                                   ".visible .entry plain() .reqnctapercluster 2 { ret; }\n";

#define EXEC ((CUgraphExec)(uintptr_t)0x1000)
#define NODE ((CUgraphNode)(uintptr_t)0x2000)

struct fixture {
    gpudl_loader *loader;
    gpudl_library *library;
    gpudl_kernel *kernel;
    const gpudl_driver_table *cu;
};

static void open_image(struct fixture *f, const void *image, size_t size, const char *kernel)
{
    f->loader = harness_open();
    f->cu = gpudl_loader_driver(f->loader);
    assert_ok(gpudl_library_load(f->loader, GPUDL_MEMORY(image, size), NULL, &f->library));
    assert_ok(gpudl_kernel_get(f->library, kernel, &f->kernel));
}

static int open_all(void **state)
{
    static struct fixture f;

    nulldrv_reset();
    nulldrv_set_devices(2);
    *state = &f;
    open_image(&f, ptx, sizeof(ptx) - 1, "plain");
    return 0;
}

static int open_cubin(void **state)
{
    static struct fixture f;

    nulldrv_reset();
    *state = &f;
    open_image(&f, data_names_cubin, DATA_SIZE(names_cubin), "axpy");
    return 0;
}

static int close_all(void **state)
{
    struct fixture *f = *state;

    gpudl_kernel_release(f->kernel);
    gpudl_library_release(f->library);
    f->cu->CtxSetCurrent(NULL);
    assert_int_equal(nulldrv_alive("pushed"), 0);
    harness_close(f->loader);
    return 0;
}

static int attribute(gpudl_kernel *k, int which, int device)
{
    int value = -99;

    assert_ok(gpudl_kernel_attribute(k, which, device, &value));
    return value;
}

/* ------------------------------------------------------------------------------------------------------------------ asking */

static void machine_code_tells_its_attributes_without_the_driver(void **state)
{
    struct fixture *f = *state;
    int registers = attribute(f->kernel, GPUDL_FUNC_NUM_REGS, 0);
    unsigned long before = nulldrv_calls("*");

    assert_true(registers > 0 && registers != 77); /* the null driver's */
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_SHARED_SIZE_BYTES, 0), 0);
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_LOCAL_SIZE_BYTES, 0), 0);
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_BINARY_VERSION, 0), 90);
    assert_int_equal(nulldrv_calls("*"), before);
    assert_int_equal(nulldrv_calls("cuKernelGetAttribute"), 0);
    assert_int_equal(
        attribute(f->kernel, GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH, 0), 0); /* it declares none: the driver knows if any was set */
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_MAX_THREADS_PER_BLOCK, 0), 1024);
    assert_int_equal(nulldrv_calls("cuKernelGetAttribute"), 2);
}

static void the_driver_is_asked_for_the_rest(void **state)
{
    struct fixture *f = *state;
    int value = 5;

    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_NUM_REGS, 1), 77);
    assert_int_equal(nulldrv_calls("cuKernelGetAttribute"), 1);
    assert_int_equal(nulldrv_alive("context"), 0);
    assert_fails(
        gpudl_kernel_attribute(f->kernel, 1000, 0, &value), GPUDL_ERROR_DRIVER, "kernel 'plain': attribute 1000 on device 0");
    assert_int_equal(gpudl_error_cuda(), 1);
    assert_fails(gpudl_kernel_attribute(f->kernel, 4, 2, &value), GPUDL_ERROR_ARGUMENT, "there is no device 2");
    assert_fails(gpudl_kernel_attribute(f->kernel, 4, -1, &value), GPUDL_ERROR_ARGUMENT, "there is no device -1");
    assert_fails(gpudl_kernel_attribute(f->kernel, -1, 0, &value), GPUDL_ERROR_ARGUMENT, "negative");
    assert_fails(gpudl_kernel_attribute(NULL, 4, 0, &value), GPUDL_ERROR_ARGUMENT, "the kernel is NULL");
    assert_fails(gpudl_kernel_attribute(f->kernel, 4, 0, NULL), GPUDL_ERROR_ARGUMENT, "value is NULL");
    assert_int_equal(value, 5);
}

static void a_device_that_is_not_there_has_no_machine_code_either(void **state)
{
    struct fixture *f = *state;
    int value;

    assert_fails(gpudl_kernel_attribute(f->kernel, 4, 1, &value), GPUDL_ERROR_ARGUMENT, "there is no device 1");
}

/* ----------------------------------------------------------------------------------------------------------------- setting */

static void attributes_are_a_devices_own(void **state)
{
    enum { CARVEOUT = GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT };
    struct fixture *f = *state;

    assert_ok(gpudl_kernel_set_attribute(f->kernel, CARVEOUT, 25, 0));
    assert_ok(gpudl_kernel_set_attribute(f->kernel, CARVEOUT, 75, 1));
    assert_int_equal(attribute(f->kernel, CARVEOUT, 0), 25);
    assert_int_equal(attribute(f->kernel, CARVEOUT, 1), 75);
    assert_ok(gpudl_kernel_set_attribute(f->kernel, CARVEOUT, -1, 0));
    assert_int_equal(attribute(f->kernel, CARVEOUT, 0), -1);
    assert_ok(gpudl_kernel_set_cache_preference(f->kernel, GPUDL_CACHE_PREFER_L1, 1));
    assert_int_equal(nulldrv_cache_preference("plain", 0), GPUDL_CACHE_PREFER_NONE);
    assert_int_equal(nulldrv_cache_preference("plain", 1), GPUDL_CACHE_PREFER_L1);
    assert_int_equal(nulldrv_alive("pushed"), 0);
}

static void what_cannot_be_set_is_refused(void **state)
{
    struct fixture *f = *state;
    gpudl_kernel *k = f->kernel;

    assert_fails(
        gpudl_kernel_set_attribute(k, GPUDL_FUNC_NUM_REGS, 4, 0), GPUDL_ERROR_ARGUMENT, "attribute 4 can only be asked for");
    assert_fails(
        gpudl_kernel_set_attribute(k, GPUDL_FUNC_CLUSTER_SIZE_MUST_BE_SET, 1, 0), GPUDL_ERROR_ARGUMENT, "10 can only be");
    assert_fails(gpudl_kernel_set_attribute(k, 9, 101, 0), GPUDL_ERROR_ARGUMENT, "101 percent");
    assert_fails(gpudl_kernel_set_attribute(k, 9, -2, 0), GPUDL_ERROR_ARGUMENT, "cannot be -2");
    assert_fails(gpudl_kernel_set_attribute(k, 14, -1, 0), GPUDL_ERROR_ARGUMENT, "cannot be -1");
    assert_fails(gpudl_kernel_set_attribute(k, 14, 1, 7), GPUDL_ERROR_ARGUMENT, "there is no device 7");
    assert_fails(gpudl_kernel_set_attribute(NULL, 14, 1, 0), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_kernel_set_attribute(k, 77, 1, 0), GPUDL_ERROR_DRIVER, "setting attribute 77 to 1 on device 0");
    assert_fails(gpudl_kernel_set_cache_preference(k, 4, 0), GPUDL_ERROR_ARGUMENT, "4 is no preference");
    nulldrv_fail("cuKernelSetCacheConfig", 1, 999);
    assert_fails(gpudl_kernel_set_cache_preference(k, 1, 1), GPUDL_ERROR_DRIVER, "cache preference 1 on device 1");
    assert_int_equal(gpudl_error_cuda(), 999);
    assert_null(k->slot->attributes); /* nothing of it is remembered */
    nulldrv_set_clusters(0);
    assert_ok(gpudl_kernel_set_attribute(k, GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH, 1, 0));
    assert_fails(
        gpudl_kernel_set_attribute(k, GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH, 2, 0), GPUDL_ERROR_UNSUPPORTED, "has no clusters");
    assert_int_equal(attribute(k, GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH, 0), 1);
}

static void shared_memory_is_raised_once_and_never_lowered(void **state)
{
    enum { SHARED = GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES };
    struct fixture *f = *state;
    gpudl_launch_config config = gpudl_launch_1d(1, 32);

    assert_ok(gpudl_kernel_set_attribute(f->kernel, SHARED, 100000, 0));
    assert_int_equal(attribute(f->kernel, SHARED, 0), 232448);
    assert_ok(gpudl_kernel_set_attribute(f->kernel, SHARED, 1000, 0));
    assert_int_equal(attribute(f->kernel, SHARED, 0), 232448);
    assert_int_equal(nulldrv_calls("cuKernelSetAttribute"), 1);
    assert_fails(gpudl_kernel_set_attribute(f->kernel, SHARED, 232449, 0), GPUDL_ERROR_LAUNCH_LIMIT,
        "232449 bytes of dynamic shared memory; beside what it declares a block has at most 232448 on device 0");
    config.shared_bytes = 200000;
    assert_ok(gpudl_loader_use_device(f->loader, 0));
    assert_ok(gpudl_kernel_launch_params(f->kernel, &config, NULL));
}

static void libraries_of_one_version_see_what_is_set(void **state)
{
    struct fixture *f = *state;
    gpudl_library *lib;
    gpudl_kernel *other;

    assert_ok(gpudl_library_load(f->loader, GPUDL_MEMORY(ptx, sizeof(ptx) - 1), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, "plain", &other));
    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, 0));
    assert_int_equal(attribute(other, GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0), 1);
    assert_null(other->slot->attributes);
    gpudl_kernel_release(other);
    gpudl_library_release(lib);
}

/* ------------------------------------------------------------------------------------------------------------ carried over */

static gpudl_status turn(struct fixture *f, int other)
{
    return gpudl_library_replace(
        f->library, other ? GPUDL_MEMORY(other_ptx, sizeof(other_ptx) - 1) : GPUDL_MEMORY(ptx, sizeof(ptx) - 1), NULL);
}

static void what_was_set_is_carried_over_by_a_replace(void **state)
{
    struct fixture *f = *state;

    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 25, 1));
    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, 1));
    assert_ok(gpudl_kernel_set_cache_preference(f->kernel, GPUDL_CACHE_PREFER_SHARED, 1));
    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000, 0));
    assert_ok(turn(f, 1));
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 1), 50);
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 0), -1);
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0), 232448);
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1), 49152);
    assert_int_equal(nulldrv_cache_preference("plain", 1), GPUDL_CACHE_PREFER_SHARED); /* the newest library's */
    assert_int_equal(nulldrv_alive("pushed"), 0);
}

static void a_replace_whose_attributes_are_refused_does_not_happen(void **state)
{
    struct fixture *f = *state;

    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 25, 1));
    nulldrv_fail("cuKernelSetAttribute", 1, 999);
    assert_fails(turn(f, 1), GPUDL_ERROR_DRIVER, "kernel 'plain': carrying its attributes over on device 1");
    assert_int_equal(gpudl_library_generation(f->library), 0);
    assert_int_equal(nulldrv_alive("pushed"), 0);
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 1), 25);
    assert_ok(turn(f, 1));
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 1), 25);
}

static void set_to_77(void *user)
{
    struct fixture *f = user;

    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 77, 0));
}

static void what_is_set_while_it_is_carried_over_is_not_lost(void **state)
{
    struct fixture *f = *state;

    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 25, 0));
    nulldrv_on_attribute(set_to_77, f);
    assert_ok(turn(f, 1));
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 0), 77);
}

static void turn_to_other(void *user)
{
    assert_ok(turn(user, 1));
}

static void what_is_set_while_the_library_is_turned_is_set_again(void **state)
{
    struct fixture *f = *state;

    nulldrv_on_attribute(turn_to_other, f);
    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 25, 0));
    assert_int_equal(gpudl_library_generation(f->library), 1);
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 0), 25);
    assert_int_equal(nulldrv_calls("cuKernelSetAttribute"), 2);
}

enum { ROUNDS = 200 };

static void *set_often(void *user)
{
    struct fixture *f = user;
    gpudl_launch_attribute cooperative = gpudl_launch_cooperative();
    gpudl_launch_config config = gpudl_launch_with(gpudl_launch_1d(4, 64), &cooperative, 1);
    gpudl_status status = GPUDL_OK;

    for (int i = 0; i < ROUNDS && status == GPUDL_OK; i++) {
        status = gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, i % 100, 0);
        if (status == GPUDL_OK)
            status = gpudl_launch(f->kernel, &config, (void *)NULL);
    }
    return status == GPUDL_OK ? NULL : (void *)gpudl_status_name(status);
}

/* The last value is the current version's in the end, whatever the library was turned to meanwhile. */
static void nothing_that_is_set_during_a_replace_is_lost(void **state)
{
    struct fixture *f = *state;
    pthread_t t;
    void *failed;

    assert_int_equal(pthread_create(&t, NULL, set_often, f), 0);
    for (int i = 0; i < ROUNDS; i++)
        assert_ok(turn(f, !(i % 2)));
    assert_int_equal(pthread_join(t, &failed), 0);
    if (failed)
        fail_msg("%s", (const char *)failed);
    assert_int_equal(attribute(f->kernel, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 0), (ROUNDS - 1) % 100);
}

/* As of a kernel that is launched under a pin. */
static void a_pinned_version_is_asked_where_the_config_names_it(void **state)
{
    const gpudl_launch_attribute two = gpudl_launch_cluster(2, 1, 1);
    gpudl_launch_config config = gpudl_launch_with(gpudl_launch_1d(8, 256), &two, 1);
    struct fixture *f = *state;
    gpudl_version *old, *pin;
    CUlibrary native;
    unsigned n;

    assert_ok(gpudl_library_pin(f->library, &old));
    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, 0));
    assert_ok(turn(f, 1));
    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0, 0));
    assert_ok(gpudl_kernel_max_cluster_size(f->kernel, &config, 0, &n));
    assert_int_equal(n, 8);
    config.version = old;
    assert_ok(gpudl_kernel_max_cluster_size(f->kernel, &config, 0, &n));
    assert_int_equal(n, 16);
    config.nattributes = 0;
    assert_ok(gpudl_kernel_update_node(f->kernel, EXEC, NODE, &config, NULL, &pin));
    assert_int_equal(gpudl_version_number(pin), gpudl_version_number(old));
    assert_ok(gpudl_version_native(pin, &native));
    gpudl_version_unpin(pin);
    gpudl_version_unpin(old);
}

/* --------------------------------------------------------------------------------------------------------------- occupancy */

static void occupancy_is_the_drivers(void **state)
{
    struct fixture *f = *state;
    unsigned blocks = 0;

    assert_ok(gpudl_kernel_occupancy(f->kernel, 256, 0, 1, &blocks));
    assert_int_equal(blocks, 8);
    assert_int_equal(nulldrv_alive("pushed"), 0);
    assert_ok(gpudl_kernel_occupancy(f->kernel, 256, 100000, 1, &blocks)); /* as a checked launch would have it */
    assert_int_equal(blocks, 2);
    assert_ok(gpudl_kernel_occupancy(f->kernel, 256, 300000, 1, &blocks));
    assert_int_equal(blocks, 0);
    assert_int_equal(nulldrv_calls("cuKernelSetAttribute"), 1);
    assert_fails(gpudl_kernel_occupancy(f->kernel, 0, 0, 0, &blocks), GPUDL_ERROR_ARGUMENT, "a block of 0 threads");
    assert_fails(gpudl_kernel_occupancy(f->kernel, 32, 0, 9, &blocks), GPUDL_ERROR_ARGUMENT, "there is no device 9");
    assert_fails(gpudl_kernel_occupancy(f->kernel, 32, 0, 0, NULL), GPUDL_ERROR_ARGUMENT, "blocks is NULL");
    nulldrv_fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", 1, 719);
    assert_fails(gpudl_kernel_occupancy(f->kernel, 64, 7, 0, &blocks), GPUDL_ERROR_DRIVER,
        "kernel 'plain', blocks of 64 threads with 7 bytes of dynamic shared memory");
    nulldrv_fail("cuKernelGetFunction", 1, 719);
    assert_fails(gpudl_kernel_occupancy(f->kernel, 64, 7, 0, &blocks), GPUDL_ERROR_DRIVER, "cuKernelGetFunction");
    assert_int_equal(nulldrv_alive("pushed"), 0);
}

static size_t shared_of(void *user, unsigned threads)
{
    return *(unsigned *)user * (size_t)threads;
}

static void a_block_size_is_suggested(void **state)
{
    struct fixture *f = *state;
    unsigned block, grid, each = 256;

    assert_ok(gpudl_kernel_suggest_block(f->kernel, NULL, NULL, 0, 0, 0, &block, &grid));
    assert_int_equal(block, 1024);
    assert_int_equal(grid, 8);
    assert_ok(gpudl_kernel_suggest_block(f->kernel, NULL, NULL, 0, 128, 0, &block, NULL));
    assert_int_equal(block, 128);
    assert_ok(gpudl_kernel_suggest_block(f->kernel, shared_of, &each, 0, 0, 0, &block, &grid));
    assert_int_equal(block, 896); /* 224 KB of 227; 928 threads would want more */
    assert_fails(gpudl_kernel_suggest_block(f->kernel, NULL, NULL, 0, 0, 0, NULL, &grid), GPUDL_ERROR_ARGUMENT, "block is NULL");
    nulldrv_fail("cuOccupancyMaxPotentialBlockSize", 1, 999);
    assert_fails(
        gpudl_kernel_suggest_block(f->kernel, NULL, NULL, 0, 0, 0, &block, &grid), GPUDL_ERROR_DRIVER, "PotentialBlockSize");
}

static void clusters_are_counted_where_there_are_any(void **state)
{
    const gpudl_launch_attribute four = gpudl_launch_cluster(4, 1, 1);
    const gpudl_launch_config config = gpudl_launch_with(gpudl_launch_1d(8, 256), &four, 1);
    struct fixture *f = *state;
    unsigned n;

    assert_ok(gpudl_kernel_max_active_clusters(f->kernel, &config, 0, &n));
    assert_int_equal(n, 8);
    assert_ok(gpudl_kernel_max_cluster_size(f->kernel, &config, 0, &n));
    assert_int_equal(n, 8);
    assert_ok(gpudl_kernel_set_attribute(f->kernel, GPUDL_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, 0));
    assert_ok(gpudl_kernel_max_cluster_size(f->kernel, &config, 0, &n));
    assert_int_equal(n, 16);
    assert_fails(gpudl_kernel_max_cluster_size(f->kernel, NULL, 0, &n), GPUDL_ERROR_ARGUMENT, "NULL");
    nulldrv_fail("cuOccupancyMaxActiveClusters", 1, 801);
    assert_fails(gpudl_kernel_max_active_clusters(f->kernel, &config, 0, &n), GPUDL_ERROR_DRIVER, "MaxActiveClusters");
    nulldrv_set_clusters(0);
    assert_fails(
        gpudl_kernel_max_active_clusters(f->kernel, &config, 0, &n), GPUDL_ERROR_UNSUPPORTED, "device 0 has no clusters");
    assert_int_equal(nulldrv_alive("pushed"), 0);
}

/* What is declared is the image's; of PTX the driver is asked all the same, as it may have been set. */
static void a_declared_cluster_is_asked_of_the_driver_for_ptx(void **state)
{
    struct fixture *f = *state;
    gpudl_library *lib;
    gpudl_kernel *k;

    assert_ok(gpudl_library_load(f->loader, GPUDL_MEMORY(clusters_ptx, sizeof(clusters_ptx) - 1), NULL, &lib));
    assert_ok(gpudl_kernel_get(lib, NULL, &k));
    assert_int_equal(attribute(k, GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH, 0), 0);
    assert_int_equal(nulldrv_calls("cuKernelGetAttribute"), 1);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

/* ------------------------------------------------------------------------------------------------------------------- nodes */

static void unload_what_nobody_holds(gpudl_loader *l)
{
    assert_ok(gpudl_loader_trim(l, 0, 0));
    assert_ok(gpudl_loader_reap(l, 0, NULL));
}

static void a_node_gets_the_current_version_which_is_pinned(void **state)
{
    gpudl_launch_config config = gpudl_launch_1d(4, 32);
    struct fixture *f = *state;
    gpudl_version *pin = NULL;
    CUdeviceptr x = 0;
    void *params[] = { &x };

    config.shared_bytes = 100000;
    assert_ok(gpudl_kernel_update_node(f->kernel, EXEC, NODE, &config, params, &pin));
    assert_string_equal(nulldrv_last_node(), "plain");
    assert_int_equal(nulldrv_alive("pushed"), 0);
    gpudl_kernel_release(f->kernel);
    gpudl_library_release(f->library);
    f->kernel = NULL;
    f->library = NULL;
    unload_what_nobody_holds(f->loader);
    assert_int_equal(nulldrv_alive("library"), 1);
    gpudl_version_unpin(pin);
    unload_what_nobody_holds(f->loader);
    assert_int_equal(nulldrv_alive("library"), 0);
}

static void a_node_that_is_refused_pins_nothing(void **state)
{
    const gpudl_launch_attribute priority = gpudl_launch_priority(-1);
    gpudl_launch_config config = gpudl_launch_1d(4, 32), with = gpudl_launch_with(config, &priority, 1);
    struct fixture *f = *state;
    gpudl_version *pin = NULL;

    assert_fails(gpudl_kernel_update_node(f->kernel, NULL, NODE, &config, NULL, &pin), GPUDL_ERROR_ARGUMENT, "is NULL");
    assert_fails(gpudl_kernel_update_node(f->kernel, EXEC, NULL, &config, NULL, &pin), GPUDL_ERROR_ARGUMENT, "is NULL");
    assert_fails(gpudl_kernel_update_node(f->kernel, EXEC, NODE, &config, NULL, NULL), GPUDL_ERROR_ARGUMENT, "is NULL");
    assert_fails(gpudl_kernel_update_node(NULL, EXEC, NODE, &config, NULL, &pin), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(gpudl_kernel_update_node(f->kernel, EXEC, NODE, &with, NULL, &pin), GPUDL_ERROR_ARGUMENT, "has attributes");
    nulldrv_fail("cuGraphExecKernelNodeSetParams", 1, 1);
    assert_fails(gpudl_kernel_update_node(f->kernel, EXEC, NODE, &config, NULL, &pin), GPUDL_ERROR_LAUNCH,
        "kernel 'plain' for a node of a graph, grid 4 x 1 x 1, block 32 x 1 x 1");
    assert_int_equal(gpudl_error_cuda(), 1);
    assert_null(pin);
    assert_null(nulldrv_last_node());
    assert_int_equal(nulldrv_alive("pushed"), 0);
}

/* ----------------------------------------------------------------------------------------------------------------- failing */

static gpudl_status ask_all(gpudl_kernel *k)
{
    const gpudl_launch_attribute two = gpudl_launch_cluster(2, 1, 1);
    const gpudl_launch_config config = gpudl_launch_with(gpudl_launch_1d(8, 256), &two, 1);
    unsigned n, m;
    int value;
    gpudl_status status = gpudl_kernel_attribute(k, GPUDL_FUNC_NUM_REGS, 0, &value);

    if (status == GPUDL_OK)
        status = gpudl_kernel_attribute(k, GPUDL_FUNC_CONST_SIZE_BYTES, 0, &value);
    if (status == GPUDL_OK)
        status = gpudl_kernel_occupancy(k, 64, 100000, 0, &n);
    if (status == GPUDL_OK)
        status = gpudl_kernel_suggest_block(k, NULL, NULL, 0, 0, 0, &n, &m);
    if (status == GPUDL_OK)
        status = gpudl_kernel_max_active_clusters(k, &config, 0, &n);
    return status == GPUDL_OK ? gpudl_kernel_max_cluster_size(k, &config, 0, &n) : status;
}

static gpudl_status set_all(gpudl_kernel *k)
{
    gpudl_status status = gpudl_kernel_set_attribute(k, GPUDL_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, 10, 0);

    if (status == GPUDL_OK)
        status = gpudl_kernel_set_attribute(k, GPUDL_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, 0);
    if (status == GPUDL_OK)
        status = gpudl_kernel_set_attribute(k, GPUDL_FUNC_REQUIRED_CLUSTER_WIDTH, 2, 0);
    return status == GPUDL_OK ? gpudl_kernel_set_cache_preference(k, GPUDL_CACHE_PREFER_L1, 0) : status;
}

static gpudl_status update(gpudl_kernel *k)
{
    gpudl_launch_config config = gpudl_launch_1d(4, 32);
    gpudl_version *pin;
    gpudl_status status;

    config.shared_bytes = 50000;
    status = gpudl_kernel_update_node(k, EXEC, NODE, &config, NULL, &pin);
    if (status == GPUDL_OK)
        gpudl_version_unpin(pin);
    return status;
}

static gpudl_status with_kernel(gpudl_loader *l, void *use)
{
    gpudl_status (*const *f)(gpudl_kernel *) = use;
    gpudl_library *lib;
    gpudl_kernel *k = NULL;
    gpudl_status status = gpudl_library_load(l, DATA_SOURCE(names_cubin), NULL, &lib);

    if (status != GPUDL_OK)
        return status;
    status = gpudl_kernel_get(lib, "axpy", &k);
    if (status == GPUDL_OK)
        status = (*f)(k);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    return status;
}

static void whatever_fails_is_told_and_leaves_nothing(void **state)
{
    gpudl_status (*const uses[])(gpudl_kernel *) = { ask_all, set_all, update };

    (void)state;
    for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
        harness_fail_allocations(with_kernel, (void *)&uses[i]);
        harness_fail_driver_calls(999, with_kernel, (void *)&uses[i]);
        harness_fail_driver_calls(2, with_kernel, (void *)&uses[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
        cmocka_unit_test_setup_teardown(machine_code_tells_its_attributes_without_the_driver, open_cubin, close_all),
        cmocka_unit_test_setup_teardown(a_device_that_is_not_there_has_no_machine_code_either, open_cubin, close_all),
        TEST(the_driver_is_asked_for_the_rest),
        TEST(attributes_are_a_devices_own),
        TEST(what_cannot_be_set_is_refused),
        TEST(shared_memory_is_raised_once_and_never_lowered),
        TEST(libraries_of_one_version_see_what_is_set),
        TEST(what_was_set_is_carried_over_by_a_replace),
        TEST(a_replace_whose_attributes_are_refused_does_not_happen),
        TEST(what_is_set_while_it_is_carried_over_is_not_lost),
        TEST(what_is_set_while_the_library_is_turned_is_set_again),
        TEST(nothing_that_is_set_during_a_replace_is_lost),
        TEST(a_pinned_version_is_asked_where_the_config_names_it),
        TEST(occupancy_is_the_drivers),
        TEST(a_block_size_is_suggested),
        TEST(clusters_are_counted_where_there_are_any),
        TEST(a_declared_cluster_is_asked_of_the_driver_for_ptx),
        TEST(a_node_gets_the_current_version_which_is_pinned),
        TEST(a_node_that_is_refused_pins_nothing),
        cmocka_unit_test_setup(whatever_fails_is_told_and_leaves_nothing, reset_driver),
    };

    return cmocka_run_group_tests_name("attributes", tests, NULL, NULL);
}
