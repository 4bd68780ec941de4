/* Fatbins that are written here: what goes in comes out, and the fields are those that NVIDIA's fatbinary writes. */
#include "tests/image/help.h"
#include "src/image/fatbin_write.h"
#include "src/util/alloc.h"

static struct image *open_written(struct span bytes)
{
    const struct image_limits limits = { 0, 0, 0 };
    struct image *im;
    char text[512];

    if (gpudl__image_inspect(bytes, &limits, &im, text, sizeof(text)))
        fail_msg("%s", text);
    assert_string_equal(gpudl__image_damage(im, NULL), "");
    return im;
}

/* Every entry that is plain code, as parts for the writer; they lend from the image. */
static size_t parts_of(struct image *im, struct fatbin_part *parts, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < gpudl__image_count(im) && n < most; i++) {
        const struct image_entry *e = gpudl__image_entry(im, i);
        struct span bytes;
        if (e->format != IMAGE_CUBIN && e->format != IMAGE_PTX)
            continue;
        assert_int_equal(gpudl__image_payload(im, i, &bytes, NULL, 0), IMAGE_OK);
        parts[n++] = (struct fatbin_part){ e->format, bytes, e->sm, e->suffix, e->identifier };
    }
    return n;
}

static void what_goes_in_comes_out(void **state)
{
    static const char *const names[] = { "multi.fatbin", "a_all.fatbin", "a_100.fatbin", "p.fatbin", "a_118.fatbin" };

    (void)state;
    for (size_t f = 0; f < sizeof(names) / sizeof(*names); f++) {
        struct bytes file = load(names[f]);
        struct image *from = open_written((struct span){ file.data, file.size }), *to;
        struct fatbin_part parts[64];
        size_t n = parts_of(from, parts, 64);
        struct span written, bytes;

        assert_true(n > 0);
        assert_int_equal(gpudl__fatbin_write(parts, n, &written), IMAGE_OK);
        to = open_written(written);
        assert_int_equal(gpudl__image_count(to), n);
        for (size_t i = 0; i < n; i++) {
            const struct image_entry *e = gpudl__image_entry(to, i);
            assert_int_equal(gpudl__image_payload(to, i, &bytes, NULL, 0), IMAGE_OK);
            assert_int_equal(bytes.size, parts[i].bytes.size);
            assert_memory_equal(bytes.data, parts[i].bytes.data, bytes.size);
            assert_int_equal(e->format, parts[i].format);
            assert_int_equal(e->sm, parts[i].sm);
            assert_int_equal(e->suffix, parts[i].suffix);
            assert_int_equal(e->compression, e->format == IMAGE_PTX ? IMAGE_LZ4 : IMAGE_STORED);
            if (parts[i].identifier)
                assert_string_equal(e->identifier, parts[i].identifier);
            else
                assert_null(e->identifier);
        }
        gpudl__image_close(to);
        gpudl__image_close(from);
        gpudl__free((void *)(uintptr_t)written.data);
        free(file.data);
    }
}

/* Of a cubin that is not compressed, every byte is that of the original. */
static void entries_of_machine_code_are_nvidias_to_the_byte(void **state)
{
    static const char *const names[] = { "a_none.fatbin", "a_default.fatbin", "a_100.fatbin", "multi.fatbin" };
    size_t compared = 0;

    (void)state;
    for (size_t f = 0; f < sizeof(names) / sizeof(*names); f++) {
        struct bytes file = load(names[f]);
        struct span bytes = { file.data, file.size };
        struct image *im = open_written(bytes);

        for (size_t i = 0; i < gpudl__image_count(im); i++) {
            const struct image_entry *e = gpudl__image_entry(im, i);
            struct fatbin_part part = { e->format, { NULL, 0 }, e->sm, e->suffix, e->identifier };
            struct span written;

            if (e->format != IMAGE_CUBIN || e->compression != IMAGE_STORED)
                continue;
            assert_int_equal(gpudl__image_payload(im, i, &part.bytes, NULL, 0), IMAGE_OK);
            assert_int_equal(gpudl__fatbin_write(&part, 1, &written), IMAGE_OK);
            assert_true(span_holds(bytes, e->offset, written.size - 16));
            if (memcmp(bytes.data + e->offset, written.data + 16, written.size - 16) != 0)
                for (size_t at = 0; at < written.size - 16; at++)
                    if (bytes.data[e->offset + at] != written.data[16 + at])
                        fail_msg("%s, entry %zu: byte 0x%zx is 0x%02x, not 0x%02x", names[f], i, at, written.data[16 + at],
                            bytes.data[e->offset + at]);
            compared++;
            gpudl__free((void *)(uintptr_t)written.data);
        }
        gpudl__image_close(im);
        free(file.data);
    }
    assert_true(compared >= 4);
}

static void lto_ir_is_stored_as_it_is(void **state)
{
    struct bytes file = load("nvrtc_90.ltoir");
    struct fatbin_part part = { IMAGE_LTOIR, { file.data, file.size }, 90, 0, NULL };
    struct span written, bytes;
    struct image *im;

    (void)state;
    assert_int_equal(gpudl__fatbin_write(&part, 1, &written), IMAGE_OK);
    im = open_written(written);
    assert_int_equal(gpudl__image_entry(im, 0)->format, IMAGE_LTOIR);
    assert_int_equal(gpudl__image_payload(im, 0, &bytes, NULL, 0), IMAGE_OK);
    assert_memory_equal(bytes.data, file.data, file.size);
    gpudl__image_close(im);
    gpudl__free((void *)(uintptr_t)written.data);
    free(file.data);
}

static void other_formats_are_refused_and_none_make_an_empty_one(void **state)
{
    struct fatbin_part part = { IMAGE_OPTIXIR, { (const unsigned char *)"x", 1 }, 90, 0, NULL };
    struct span written;

    (void)state;
    assert_int_equal(gpudl__fatbin_write(&part, 1, &written), IMAGE_NOT_SUPPORTED);
    assert_int_equal(gpudl__fatbin_write(NULL, 0, &written), IMAGE_OK);
    assert_int_equal(written.size, 16);
    gpudl__free((void *)(uintptr_t)written.data);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(entries_of_machine_code_are_nvidias_to_the_byte),
        cmocka_unit_test(lto_ir_is_stored_as_it_is),
        cmocka_unit_test(other_formats_are_refused_and_none_make_an_empty_one),
    };

    data_folder = argc > 1 ? argv[1] : ".";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
