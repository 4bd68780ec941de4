/* Every kind of thing that is not an image is told apart, says what to do, and leaves nothing behind. */
#include "tests/loader/common.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char folder[] = "/tmp/gpudl-sources-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(path_of(name), "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static int make_folder(void **state)
{
    nulldrv_reset();
    *state = harness_open();
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[300];

    harness_close(*state);
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

/* No source that is refused writes to out. */
static gpudl_status load(void **state, const gpudl_source *source)
{
    gpudl_library *untouched = (gpudl_library *)state, *lib = untouched;
    gpudl_status status = gpudl_library_load(*state, source, NULL, &lib);

    if (status == GPUDL_OK)
        gpudl_library_release(lib);
    else
        assert_ptr_equal(lib, untouched);
    return status;
}

static void loads_a_file(void **state)
{
    write_file("k.fatbin", data_names_fatbin, DATA_SIZE(names_fatbin));
    assert_ok(load(state, GPUDL_FILE(path_of("k.fatbin"))));
    write_file("ptx.cubin", data_names_ptx, DATA_SIZE(names_ptx)); /* bytes decide, not the name */
    assert_ok(load(state, GPUDL_FILE(path_of("ptx.cubin"))));
}

static void tells_missing_files(void **state)
{
    assert_fails(load(state, GPUDL_FILE(path_of("none"))), GPUDL_ERROR_FILE_MISSING, "none");
    assert_fails(load(state, GPUDL_FILE("")), GPUDL_ERROR_FILE_MISSING, "No such file");
    write_file("plain", "x", 1);
    assert_fails(load(state, GPUDL_FILE(path_of("plain/below"))), GPUDL_ERROR_FILE_MISSING, "plain/below");
    assert_fails(load(state, GPUDL_FILE(NULL)), GPUDL_ERROR_ARGUMENT, "NULL");
}

static void tells_unreadable_files(void **state)
{
    if (geteuid() == 0)
        skip(); /* root reads everything */
    write_file("secret", data_names_ptx, DATA_SIZE(names_ptx));
    chmod(path_of("secret"), 0);
    assert_fails(load(state, GPUDL_FILE(path_of("secret"))), GPUDL_ERROR_FILE_UNREADABLE, "Permission denied");
}

static void tells_what_is_no_regular_file(void **state)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int s = socket(AF_UNIX, SOCK_STREAM, 0);

    assert_fails(load(state, GPUDL_FILE(folder)), GPUDL_ERROR_FILE_IS_FOLDER, "folder");
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    assert_fails(load(state, GPUDL_FILE(path_of("pipe"))), GPUDL_ERROR_FILE_UNREADABLE, "pipe");
    assert_fails(load(state, GPUDL_FILE("/dev/zero")), GPUDL_ERROR_FILE_UNREADABLE, "character device");
    strcpy(address.sun_path, path_of("socket"));
    assert_int_equal(bind(s, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_fails(load(state, GPUDL_FILE(path_of("socket"))), GPUDL_ERROR_FILE_UNREADABLE, "regular file");
    close(s);
}

static void tells_empty_and_huge_files(void **state)
{
    write_file("empty", "", 0);
    assert_fails(load(state, GPUDL_FILE(path_of("empty"))), GPUDL_ERROR_IMAGE_EMPTY, "empty");
    assert_fails(load(state, GPUDL_MEMORY("", 0)), GPUDL_ERROR_IMAGE_EMPTY, "0 bytes");
    write_file("huge", "", 0);
    assert_int_equal(truncate(path_of("huge"), (off_t)3 << 30), 0);
    assert_fails(load(state, GPUDL_FILE(path_of("huge"))), GPUDL_ERROR_IMAGE_TOO_LARGE, "2 GiB");
}

static void says_that_there_is_nothing_to_see_in_cuda_source(void **state)
{
    gpudl_image *none;

    (void)state;
    write_file("k.cu", "__global__ void k() {}", 22);
    assert_fails(gpudl_image_open(GPUDL_FILE(path_of("k.cu")), NULL, &none), GPUDL_ERROR_UNSUPPORTED, "gpudl compile");
    assert_fails(gpudl_image_open(GPUDL_TEXT("mine.cu", "__global__ void k() {}"), NULL, &none), GPUDL_ERROR_UNSUPPORTED, "mine.cu");
}

static void refuses_what_is_no_source(void **state)
{
    gpudl_source strange = gpudl_source_memory("x", 1);

    assert_fails(load(state, NULL), GPUDL_ERROR_ARGUMENT, "NULL");
    assert_fails(load(state, GPUDL_MEMORY(NULL, 5)), GPUDL_ERROR_ARGUMENT, "NULL");
    strange.kind = (gpudl_source_kind)77;
    assert_fails(load(state, &strange), GPUDL_ERROR_ARGUMENT, "77");
    strange.size = 0;
    assert_fails(load(state, &strange), GPUDL_ERROR_ARGUMENT, "sizeof");
}

static void keeps_nothing_of_the_callers(void **state)
{
    unsigned char *bytes = malloc(DATA_SIZE(names_ptx));
    gpudl_library *lib;
    gpudl_kernel *k;

    memcpy(bytes, data_names_ptx, DATA_SIZE(names_ptx));
    assert_ok(gpudl_library_load(*state, GPUDL_MEMORY(bytes, DATA_SIZE(names_ptx)), NULL, &lib));
    memset(bytes, 0xff, DATA_SIZE(names_ptx));
    free(bytes);
    assert_ok(gpudl_kernel_get(lib, "negate", &k));
    assert_string_equal(gpudl_kernel_name(k), "_Z6negatePKfPf");
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
        TEST(loads_a_file),
        TEST(tells_missing_files),
        TEST(tells_unreadable_files),
        TEST(tells_what_is_no_regular_file),
        TEST(tells_empty_and_huge_files),
        TEST(says_that_there_is_nothing_to_see_in_cuda_source),
        TEST(refuses_what_is_no_source),
        TEST(keeps_nothing_of_the_callers),
    };

    return cmocka_run_group_tests_name("sources", tests, NULL, NULL);
}
