/* What is no image is named, with what to do about it. */
#include "tests/image/help.h"

static void refuse(const void *bytes, size_t size, enum image_error error, const char *part)
{
    assert_refused(bytes_of(bytes, size), error, part);
}

#define REFUSE(bytes, error, part) refuse(bytes, sizeof(bytes) - 1, error, part)

static void nothing(void **state)
{
    (void)state;
    REFUSE("", IMAGE_EMPTY, "0 bytes");
    REFUSE("  \n", IMAGE_EMPTY, "blanks");
    REFUSE("\0", IMAGE_NOT_AN_IMAGE, "first bytes 00");
}

static void device_code_that_must_be_linked_or_compiled(void **state)
{
    (void)state;
    assert_refused(load("k.ltoir"), IMAGE_NOT_SUPPORTED, "LTO-IR for sm_90");
    assert_refused(load("k.optixir"), IMAGE_NOT_SUPPORTED, "OptiX IR");
    REFUSE("BC\xC0\xDE....", IMAGE_NOT_SUPPORTED, "LLVM bitcode");
    REFUSE("\x10\xFF\x10\xAD....", IMAGE_NOT_SUPPORTED, "LLVM offload bundle");
}

static void host_files(void **state)
{
    (void)state;
    assert_refused(load("h.o"), IMAGE_NOT_SUPPORTED, "an object (.o) for the host (ELF, x86-64)");
    REFUSE("!<arch>\n/               0", IMAGE_NOT_SUPPORTED, "archive");
    REFUSE("!<thin>\n/               0", IMAGE_NOT_SUPPORTED, "thin archive");
    REFUSE("MZ\x90\0\3\0\0\0", IMAGE_NOT_SUPPORTED, "PE file of Windows");
    REFUSE("\xCF\xFA\xED\xFE\7\0\0\1", IMAGE_NOT_SUPPORTED, "Mach-O");
    REFUSE("\xB1\x43\x62\x46\1\0\0\0", IMAGE_NOT_SUPPORTED, "wrapper");
    REFUSE("\x01\x5A\xE5\x1E\0\0\0\0", IMAGE_NOT_SUPPORTED, "before CUDA 4");
}

static void text_that_is_not_ptx(void **state)
{
    (void)state;
    assert_text_refused("/opt/kernels/saxpy.fatbin", IMAGE_NOT_AN_IMAGE, "a path, '/opt/kernels/saxpy.fatbin'");
    assert_text_refused("saxpy.cubin\n", IMAGE_NOT_AN_IMAGE, "a path, 'saxpy.cubin'");
    REFUSE("./k.ptx\0", IMAGE_NOT_AN_IMAGE, "a path, './k.ptx'");
    assert_refused(load("k.cu"), IMAGE_NOT_AN_IMAGE, "CUDA C++ source");
    assert_text_refused("// a comment\n#include <cstdio>\n", IMAGE_NOT_AN_IMAGE, "CUDA C++ source");
    assert_text_refused(".target sm_90\n.entry k() {}\n", IMAGE_DAMAGED, "begins with a line such as .version 9.0");
    assert_text_refused("\xEF\xBB\xBF.version 9.0\n.target sm_90\n", IMAGE_NOT_AN_IMAGE, "byte order mark");
    assert_text_refused("hello\n", IMAGE_NOT_AN_IMAGE, "it begins 'hello'");
    assert_text_refused("version https://git-lfs.github.com/spec/v1\n", IMAGE_NOT_AN_IMAGE, "git lfs pull");
    assert_text_refused("<!DOCTYPE html>\n", IMAGE_NOT_AN_IMAGE, "web page");
}

static void packed_files(void **state)
{
    (void)state;
    REFUSE("\x1F\x8B\x08\0\0\0", IMAGE_NOT_AN_IMAGE, "gzip");
    REFUSE("\x28\xB5\x2F\xFD\x60\0", IMAGE_NOT_AN_IMAGE, "zstd");
    REFUSE("PK\3\4..", IMAGE_NOT_AN_IMAGE, "zip");
}

static void anything_else_shows_its_first_bytes(void **state)
{
    (void)state;
    REFUSE("\x01\x02\x03\x04\x05", IMAGE_NOT_AN_IMAGE, "first bytes 01 02 03 04 05 (");
}

static void refusal_fits_any_buffer(void **state)
{
    char text[8];
    struct image *im = NULL;
    struct span bytes = { (const unsigned char *)"hello", 5 };

    (void)state;
    for (size_t n = 0; n <= sizeof(text); n++) {
        memset(text, 'x', sizeof(text));
        assert_int_equal(gpudl__image_open(bytes, 0, &im, text, n), IMAGE_NOT_AN_IMAGE);
        if (n)
            assert_int_equal(strlen(text), n - 1);
        if (n < sizeof(text))
            assert_int_equal(text[n], 'x');
    }
    assert_int_equal(gpudl__image_open(bytes, 0, &im, NULL, 0), IMAGE_NOT_AN_IMAGE);
    assert_null(im);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(device_code_that_must_be_linked_or_compiled),
        cmocka_unit_test(host_files),
        cmocka_unit_test(text_that_is_not_ptx),
        cmocka_unit_test(packed_files),
        cmocka_unit_test(anything_else_shows_its_first_bytes),
        cmocka_unit_test(refusal_fits_any_buffer),
    };

    return RUN(tests);
}
