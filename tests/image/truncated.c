/* Images cut off at every length: each is refused, with a reason, or is whole. */
#include "tests/image/help.h"

static void read_everything(struct opened *o)
{
    const struct image_kernel *k;
    const struct image_global *g;
    struct span payload;
    size_t n;

    for (size_t i = 0; i < gpudl__image_count(o->image); i++) {
        if (gpudl__image_payload(o->image, i, &payload, o->text, sizeof(o->text)) != IMAGE_OK)
            continue;
        gpudl__image_kernels(o->image, i, &k, &n, o->text, sizeof(o->text));
        gpudl__image_globals(o->image, i, &g, &n, o->text, sizeof(o->text));
    }
}

/* Cut to n bytes, for every n below the whole length. */
static void cut_everywhere(const char *file, bool (*expected)(enum image_error error, size_t n))
{
    struct bytes whole = load(file);

    for (size_t n = 0; n < whole.size; n++) {
        struct opened o = open_bytes(bytes_of(whole.data, n));

        if (!expected(o.error, n))
            fail_msg("%s cut to %zu bytes gives error %d: %s", file, n, (int)o.error, o.text);
        if (!o.error)
            read_everything(&o);
        close_opened(&o);
    }
    free(whole.data);
}

static bool refused_as_truncated(enum image_error error, size_t n)
{
    return error == (n == 0 ? IMAGE_EMPTY : n == 1 ? IMAGE_NOT_AN_IMAGE : IMAGE_TRUNCATED);
}

static void cubins_and_fatbins_are_refused(void **state)
{
    static const char *const files[] = { "k_75.cubin", "k_90.cubin", "a_80.cubin", "d_90.cubin", "a_size.fatbin", "a_lz4.fatbin",
        "a_none.fatbin",
        "k_lto.fatbin", "reloc.fatbin", "empty.fatbin" };

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        cut_everywhere(files[i], refused_as_truncated);
}

static bool anything(enum image_error error, size_t n)
{
    (void)error;
    (void)n;
    return true;
}

static void everything_else_is_survived(void **state)
{
    static const char *const files[] = { "k.ltoir", "k.optixir", "h.o", "a_90.ptx", "names.ptx" };

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        cut_everywhere(files[i], anything);
}

/* A text can be whole at any statement's end; within a kernel it never is. */
static void ptx_cut_within_a_kernel_lists_nothing(void **state)
{
    struct bytes whole = load("a_90.ptx");
    size_t entry = (size_t)((char *)memmem(whole.data, whole.size, ".entry saxpy", 12) - (char *)whole.data);
    size_t end = (size_t)((char *)memmem(whole.data + entry, whole.size - entry, "\n}", 2) - (char *)whole.data);
    const struct image_kernel *k;
    size_t n;

    (void)state;
    for (size_t cut = entry + 6; cut <= end; cut++) {
        struct opened o = open_bytes(bytes_of(whole.data, cut));

        assert_int_equal(o.error, IMAGE_OK);
        assert_int_equal(gpudl__image_kernels(o.image, 0, &k, &n, o.text, sizeof(o.text)), IMAGE_TRUNCATED);
        assert_contains(o.text, "the text is cut off");
        close_opened(&o);
    }
    free(whole.data);
}

/* Lengths inside of a compressed payload, with the container's own sizes put right: the payload is what is wrong then. */
static void compressed_payloads_cut_off(void **state)
{
    static const char *const files[] = { "a_size.fatbin", "a_lz4.fatbin" };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct bytes whole = load(files[i]);
        uint32_t packed = span_u32(span_of(whole), 0x20);

        for (uint32_t n = 1; n < packed; n++) {
            struct opened o;

            put32(whole, 0x20, n);
            o = open_bytes(bytes_of(whole.data, whole.size));
            read_everything(&o);
            assert_int_equal(gpudl__image_entry(o.image, 0)->error, IMAGE_DAMAGED);
            close_opened(&o);
        }
        free(whole.data);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubins_and_fatbins_are_refused),
        cmocka_unit_test(everything_else_is_survived),
        cmocka_unit_test(ptx_cut_within_a_kernel_lists_nothing),
        cmocka_unit_test(compressed_payloads_cut_off),
    };

    return RUN(tests);
}
