/* What was checked is what is loaded, whatever happens to the file meanwhile. */
#include "tests/loader/trust.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Called with each descriptor that the library closes, just before it does. */
static void (*on_close)(void);
int __real_close(int fd);
__attribute__((visibility("default"))) int __wrap_close(int fd);
int __wrap_close(int fd)
{
    void (*hook)(void) = on_close;

    on_close = NULL;
    if (hook)
        hook();
    return __real_close(fd);
}

static void put_globals(void)
{
    write_file("new", data_globals_cubin, DATA_SIZE(globals_cubin));
    assert_int_equal(rename(path_of("new"), path_of("k.cubin")), 0);
}

static void put_names(void)
{
    write_file("new", data_names_cubin, DATA_SIZE(names_cubin));
    assert_int_equal(rename(path_of("new"), path_of("k.cubin")), 0);
}

/* Does it have the kernels of names.cubin, or those of the other? */
static bool is_names(gpudl_library *lib)
{
    return strstr(gpudl_library_kernel_name(lib, 0), "axpy") || gpudl_library_kernel_count(lib) > 2;
}

static void a_file_that_is_swapped_after_it_was_read_does_not_matter(void **state)
{
    gpudl_trust_options trust = by_signature(alices);
    gpudl_loader *l = open_under(&trust);
    gpudl_library *lib;

    (void)state;
    put_names();
    write_text("k.cubin.minisig", sign(GPUDL_FILE(path_of("k.cubin")), alice_secret));
    on_close = put_globals;
    assert_ok(gpudl_library_load(l, GPUDL_FILE(path_of("k.cubin")), NULL, &lib));
    assert_null(on_close);
    assert_true(is_names(lib));
    gpudl_library_release(lib);
    on_close = put_names;
    assert_fails(load(l, GPUDL_FILE(path_of("k.cubin"))), GPUDL_ERROR_SIGNATURE, "did not sign");
    assert_null(on_close);
    harness_close(l);
}

static atomic_bool stop;

/* Writes into the file in place, and puts others into its place. */
static void *swap(void *path)
{
    for (unsigned i = 0; !atomic_load(&stop); i++) {
        const unsigned char *bytes = i % 2 ? data_names_cubin : data_globals_cubin;
        size_t size = i % 2 ? DATA_SIZE(names_cubin) : DATA_SIZE(globals_cubin);
        int fd;

        if (i % 3 == 0) {
            char other[300];
            snprintf(other, sizeof(other), "%s.new", (const char *)path);
            fd = open(other, O_RDWR | O_CREAT | O_TRUNC, 0644);
            if (fd >= 0 && write(fd, bytes, size) == (ssize_t)size)
                rename(other, path);
        } else {
            fd = open(path, O_RDWR);
            if (fd >= 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size && i % 3 == 1 && ftruncate(fd, (off_t)size))
                break;
        }
        if (fd >= 0)
            __real_close(fd);
    }
    return NULL;
}

static void a_writer_never_gets_in(void **state)
{
    gpudl_trust_options trust = by_signature(alices);
    gpudl_loader *l = open_under(&trust);
    gpudl_library *lib;
    pthread_t thread;

    (void)state;
    put_names();
    write_text("k.cubin.minisig", sign(GPUDL_FILE(path_of("k.cubin")), alice_secret));
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&thread, NULL, swap, (void *)path_of("k.cubin")), 0);
    for (int i = 0; i < 3000; i++) {
        if (gpudl_library_load(l, GPUDL_FILE(path_of("k.cubin")), NULL, &lib) != GPUDL_OK)
            continue;
        if (!is_names(lib))
            fail_msg("another file was loaded in round %d", i);
        gpudl_library_release(lib);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    put_names();
    assert_ok(load(l, GPUDL_FILE(path_of("k.cubin"))));
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRUST_TEST(a_file_that_is_swapped_after_it_was_read_does_not_matter),
        TRUST_TEST(a_writer_never_gets_in),
    };

    return cmocka_run_group_tests_name("trust: swapped files", tests, make_keys, NULL);
}
