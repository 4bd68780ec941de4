/* What is in images as the tools of CUDA 13.0 make them: the answers were read off the sources and the tools' own output. */
#include "tests/image/help.h"

static void small_cubins_are_read(void **state)
{
    static const struct { const char *file; unsigned sm; char suffix; } cases[] = {
        { "k_75.cubin", 75, 0 }, { "k_90.cubin", 90, 0 }, { "k_90a.cubin", 90, 'a' }, { "k_100a.cubin", 100, 'a' },
        { "k_110.cubin", 110, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct opened o = open_file(cases[i].file);

        assert_int_equal(gpudl__image_format(o.image), IMAGE_CUBIN);
        assert_int_equal(gpudl__image_count(o.image), 1);
        assert_entry(&o, 0, IMAGE_CUBIN, cases[i].sm, cases[i].suffix, IMAGE_STORED, o.bytes.size);
        assert_false(gpudl__image_entry(o.image, 0)->relocatable);
        assert_int_equal(count_kernels(&o, 0), 1);
        assert_int_equal(count_globals(&o, 0), 0);
        assert_kernel(&o, 0, "k 0+8 =8");
        assert_string_equal(gpudl__image_notes(o.image), "");
        close_opened(&o);
    }
}

static void assert_contents_of_a(struct opened *o, size_t entry)
{
    assert_int_equal(count_kernels(o, entry), 2);
    assert_kernel(o, entry, "saxpy 0+4 4+4 8+8 16+8 =24");
    assert_kernel(o, entry, "shk 0+8 =8");
    assert_int_equal(count_globals(o, entry), 4);
    assert_global(o, entry, "counter", 4, false, false);
    assert_global(o, entry, "table", 64, false, false);
    assert_global(o, entry, "mval", 4, false, true);
    assert_global(o, entry, "lut", 32, true, false);
}

static void kernels_and_globals_are_the_same_in_every_packing(void **state)
{
    static const struct { const char *file; enum image_compression cubin, ptx; unsigned ptx_raw; } cases[] = {
        { "a_default.fatbin", IMAGE_STORED, IMAGE_ZSTD, 2100 }, { "a_none.fatbin", IMAGE_STORED, IMAGE_STORED, 2104 },
        { "a_speed.fatbin", IMAGE_STORED, IMAGE_LZ4, 2100 },    { "a_size.fatbin", IMAGE_ZSTD, IMAGE_ZSTD, 2100 },
        { "a_lz4.fatbin", IMAGE_LZ4, IMAGE_LZ4, 2100 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct opened o = open_file(cases[i].file);

        assert_int_equal(gpudl__image_format(o.image), IMAGE_FATBIN);
        assert_int_equal(gpudl__image_count(o.image), 2);
        assert_entry(&o, 0, IMAGE_CUBIN, 90, 0, cases[i].cubin, 7064);
        assert_entry(&o, 1, IMAGE_PTX, 90, 0, cases[i].ptx, cases[i].ptx_raw);
        assert_int_equal(gpudl__image_entry(o.image, 1)->ptx_version, 90);
        assert_contents_of_a(&o, 0);
        assert_contents_of_a(&o, 1);
        assert_string_equal(gpudl__image_notes(o.image), "");
        close_opened(&o);
    }
}

static void ptx_and_cubin_files_hold_the_same(void **state)
{
    struct opened o = open_file("a_80.cubin");

    (void)state;
    assert_contents_of_a(&o, 0);
    close_opened(&o);
    o = open_file("a_90.ptx");
    assert_int_equal(gpudl__image_format(o.image), IMAGE_PTX);
    assert_entry(&o, 0, IMAGE_PTX, 90, 0, IMAGE_STORED, o.bytes.size);
    assert_int_equal(gpudl__image_entry(o.image, 0)->ptx_version, 90);
    assert_contents_of_a(&o, 0);
    close_opened(&o);
}

/* An over-aligned struct sits elsewhere on each architecture, and above 4,352 bytes the records change their form. */
static void parameters_of_each_architecture(void **state)
{
    static const struct { size_t entry; const char *p1; } cases[] = {
        { 0, "p1 0+1 2+2 4+4 8+8 16+16 32+64 96+7 104+8 112+8 120+1 =121" },
        { 1, "p1 0+1 2+2 4+4 8+8 16+16 48+64 112+7 120+8 128+8 136+1 =137" },
        { 2, "p1 0+1 2+2 4+4 8+8 16+16 64+64 128+7 136+8 144+8 152+1 =153" },
        { 3, "p1 0+1 2+2 4+4 8+8 16+16 64+64 128+7 136+8 144+8 152+1 =153" },
    };
    struct opened o = open_file("p.fatbin");

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(count_kernels(&o, cases[i].entry), 5);
        assert_kernel(&o, cases[i].entry, cases[i].p1);
        assert_kernel(&o, cases[i].entry, "p2 0+5000 5000+8 =5008");
        assert_kernel(&o, cases[i].entry, "p4 0+32760 =32760");
        assert_kernel(&o, cases[i].entry, "p5 0+1 8+8 =16");
        assert_kernel(&o, cases[i].entry, "p6 =0");
    }
    close_opened(&o);
}

static void entries_keep_their_order_and_suffixes(void **state)
{
    struct opened o = open_file("multi.fatbin");

    (void)state;
    assert_int_equal(gpudl__image_count(o.image), 5);
    assert_entry(&o, 0, IMAGE_CUBIN, 80, 0, IMAGE_STORED, 2984);
    assert_entry(&o, 1, IMAGE_CUBIN, 90, 'a', IMAGE_STORED, 3440);
    assert_entry(&o, 2, IMAGE_CUBIN, 100, 'f', IMAGE_STORED, 5000);
    assert_entry(&o, 3, IMAGE_CUBIN, 120, 0, IMAGE_STORED, 5000);
    assert_entry(&o, 4, IMAGE_PTX, 120, 0, IMAGE_ZSTD, 266);
    assert_int_equal(gpudl__image_entry(o.image, 0)->offset, 16);
    for (size_t i = 0; i < 5; i++)
        assert_kernel(&o, i, "k 0+8 =8");
    assert_string_equal(gpudl__image_notes(o.image), "");
    close_opened(&o);
}

static void device_functions_and_strings_are_not_listed(void **state)
{
    struct opened o = open_file("d_90.cubin");

    (void)state;
    assert_int_equal(count_kernels(&o, 0), 3);
    assert_kernel(&o, 0, "ka 0+8 =8");
    assert_kernel(&o, 0, "kp 0+8 =8");
    assert_kernel(&o, 0, "_Z2tkIfEvPT_ 0+8 =8");
    assert_int_equal(count_globals(&o, 0), 2);
    assert_global(&o, 0, "svar", 4, false, false);
    assert_global(&o, 0, "kc", 16, true, false);
    close_opened(&o);
}

static void relocatable_code_is_told(void **state)
{
    struct opened o = open_file("d_rdc.fatbin");
    struct span payload;

    (void)state;
    assert_int_equal(gpudl__image_payload(o.image, 0, &payload, o.text, sizeof(o.text)), IMAGE_OK);
    assert_true(gpudl__image_entry(o.image, 0)->relocatable);
    assert_int_equal(gpudl__image_entry(o.image, 0)->payload_sm, 90);
    assert_int_equal(count_kernels(&o, 0), 3);
    assert_kernel(&o, 0, "_Z2tkIfEvPT_ 0+8 =8");
    assert_int_equal(count_globals(&o, 0), 2);
    assert_global(&o, 0, "kc", 16, true, false);
    close_opened(&o);

    o = open_file("reloc.fatbin");
    assert_int_equal(gpudl__image_entry(o.image, 0)->kind, 0x40);
    assert_true(gpudl__image_entry(o.image, 0)->relocatable);
    assert_contains(gpudl__image_entry(o.image, 0)->identifier, "_h_cu__Z2hkPi");
    assert_kernel(&o, 0, "_Z2hkPi 0+8 =8");
    close_opened(&o);
}

static void debug_flag_and_identifier(void **state)
{
    struct opened o = open_file("k_debug.fatbin");

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(gpudl__image_entry(o.image, i)->debug);
        assert_string_equal(gpudl__image_entry(o.image, i)->identifier, "k.cu");
        assert_kernel(&o, i, "k 0+8 =8");
    }
    close_opened(&o);
    o = open_file("k_lineinfo.fatbin");
    assert_false(gpudl__image_entry(o.image, 0)->debug);
    assert_string_equal(gpudl__image_entry(o.image, 1)->identifier, "k.cu");
    close_opened(&o);
}

static void clusters_change_nothing_about_parameters(void **state)
{
    struct opened o = open_file("c_90.cubin");

    (void)state;
    assert_int_equal(count_kernels(&o, 0), 3);
    assert_kernel(&o, 0, "cl 0+8 =8");
    assert_kernel(&o, 0, "clnos 0+8 =8");
    assert_kernel(&o, 0, "clmax 0+8 =8");
    close_opened(&o);
}

static void local_and_weak_kernels_with_odd_names(void **state)
{
    static const char *const files[] = { "names.cubin", "names.ptx" };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct opened o = open_file(files[i]);

        assert_int_equal(count_kernels(&o, 0), 2);
        assert_kernel(&o, 0, "$k =0");
        assert_kernel(&o, 0, "w =0");
        close_opened(&o);
    }
}

static void empty_fatbin_is_an_image(void **state)
{
    struct opened o = open_file("empty.fatbin");

    (void)state;
    assert_int_equal(gpudl__image_count(o.image), 0);
    close_opened(&o);
}

static void lies_about_the_architecture_are_noted(void **state)
{
    struct opened o = open_file("lie_cubin.fatbin");
    struct span payload;

    (void)state;
    assert_int_equal(gpudl__image_entry(o.image, 0)->payload_sm, 90);
    assert_int_equal(gpudl__image_entry(o.image, 0)->payload_suffix, 0);
    assert_string_equal(gpudl__image_notes(o.image), "entry 0 says sm_90a, its cubin is for sm_90");
    close_opened(&o);

    o = open_file("lie_ptx.fatbin");
    assert_string_equal(gpudl__image_notes(o.image), "");
    assert_int_equal(gpudl__image_payload(o.image, 0, &payload, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(gpudl__image_entry(o.image, 0)->payload_sm, 90);
    assert_string_equal(gpudl__image_notes(o.image), "entry 0 says sm_100, its PTX is for sm_90");
    close_opened(&o);
}

static void lto_ir_in_a_fatbin_is_listed(void **state)
{
    struct opened o = open_file("k_lto.fatbin");
    const struct image_kernel *k;
    struct span payload;
    size_t n;

    (void)state;
    assert_entry(&o, 0, IMAGE_LTOIR, 90, 0, IMAGE_SCRAMBLED, 1976);
    assert_int_equal(gpudl__image_payload(o.image, 0, &payload, o.text, sizeof(o.text)), IMAGE_NOT_SUPPORTED);
    assert_string_equal(o.text, "entry 0: LTO-IR for sm_90, scrambled, contents not readable");
    close_opened(&o);
    o = open_file("k_lto_plain.fatbin");
    assert_entry(&o, 0, IMAGE_LTOIR, 90, 0, IMAGE_STORED, 1976);
    assert_int_equal(gpudl__image_kernels(o.image, 0, &k, &n, o.text, sizeof(o.text)), IMAGE_NOT_SUPPORTED);
    assert_contains(o.text, "nvJitLink");
    close_opened(&o);
}

static void several_fatbins_are_one_image(void **state)
{
    struct bytes more = load("a_none.fatbin");
    struct opened o;

    (void)state;
    o = open_bytes(join(join(load("multi.fatbin"), "\0\0\0\0\0\0\0\0", 8), more.data, more.size));
    free(more.data);
    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(gpudl__image_count(o.image), 7);
    assert_kernel(&o, 0, "k 0+8 =8");
    assert_contents_of_a(&o, 5);
    assert_contents_of_a(&o, 6);
    close_opened(&o);
}

/* A cubin of CUDA 12: another ABI, other places for the architecture and its suffix. */
static void older_abi_is_read(void **state)
{
    static const struct { uint32_t flags; char suffix; } cases[] = { { 0x5a055a, 0 }, { 0x5a0d5a, 'a' } };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct bytes b = load("k_90.cubin");
        struct opened o;

        b.data[7] = 0x33;
        b.data[8] = 7;
        put32(b, 0x14, 124);
        put32(b, 0x30, cases[i].flags);
        o = open_bytes(b);
        assert_int_equal(o.error, IMAGE_OK);
        assert_entry(&o, 0, IMAGE_CUBIN, 90, cases[i].suffix, IMAGE_STORED, b.size);
        assert_kernel(&o, 0, "k 0+8 =8");
        close_opened(&o);
    }
}

static void payload_of_ptx_ends_in_nul(void **state)
{
    static const struct { const char *file; size_t entry; } cases[] = {
        { "a_90.ptx", 0 }, { "a_default.fatbin", 1 }, { "a_none.fatbin", 1 }, { "a_speed.fatbin", 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct opened o = open_file(cases[i].file);
        struct span payload;

        assert_int_equal(gpudl__image_payload(o.image, cases[i].entry, &payload, o.text, sizeof(o.text)), IMAGE_OK);
        assert_int_equal(payload.data[payload.size], 0);
        assert_int_equal(strlen((const char *)payload.data), payload.size);
        close_opened(&o);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_cubins_are_read),
        cmocka_unit_test(kernels_and_globals_are_the_same_in_every_packing),
        cmocka_unit_test(ptx_and_cubin_files_hold_the_same),
        cmocka_unit_test(parameters_of_each_architecture),
        cmocka_unit_test(entries_keep_their_order_and_suffixes),
        cmocka_unit_test(device_functions_and_strings_are_not_listed),
        cmocka_unit_test(relocatable_code_is_told),
        cmocka_unit_test(debug_flag_and_identifier),
        cmocka_unit_test(clusters_change_nothing_about_parameters),
        cmocka_unit_test(local_and_weak_kernels_with_odd_names),
        cmocka_unit_test(empty_fatbin_is_an_image),
        cmocka_unit_test(lies_about_the_architecture_are_noted),
        cmocka_unit_test(lto_ir_in_a_fatbin_is_listed),
        cmocka_unit_test(several_fatbins_are_one_image),
        cmocka_unit_test(older_abi_is_read),
        cmocka_unit_test(payload_of_ptx_ends_in_nul),
    };

    return RUN(tests);
}
