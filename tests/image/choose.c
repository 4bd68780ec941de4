/* Which entry a device takes, and what is said when it takes none. */
#include "tests/image/help.h"
#include "src/image/internal.h"

static int choose(struct opened *o, struct image_target target, enum image_misfit *why)
{
    o->text[0] = '\0';
    return gpudl__image_choose(o->image, &target, why, o->text, sizeof(o->text));
}

static struct image_target gpu(unsigned sm)
{
    return (struct image_target){ .sm = sm, .ptx_version = 90, .machine_code = true };
}

static const struct image_target softcuda = { .sm = 90, .any_ptx = true };

static void machine_code_runs_within_its_major(void **state)
{
    static const struct { unsigned sm; char suffix; unsigned device; enum arch_fit fit; } cases[] = {
        { 80, 0, 80, ARCH_FITS }, { 80, 0, 86, ARCH_FITS }, { 86, 0, 80, ARCH_NEEDS_NEWER },
        { 80, 0, 87, ARCH_TEGRA }, { 87, 0, 87, ARCH_FITS }, { 87, 0, 89, ARCH_TEGRA },
        { 100, 'a', 103, ARCH_SPECIFIC }, { 100, 'f', 100, ARCH_FITS }, { 100, 'f', 103, ARCH_FITS },
        { 103, 'f', 100, ARCH_NEEDS_NEWER }, { 100, 'f', 120, ARCH_OTHER_FAMILY }, { 120, 0, 121, ARCH_FITS },
        { 121, 'f', 120, ARCH_NEEDS_NEWER }, { 101, 0, 110, ARCH_RENAMED }, { 110, 'f', 110, ARCH_FITS },
        { 80, 0, 90, ARCH_OTHER_MAJOR }, { 90, 'a', 90, ARCH_FITS }, { 100, 'f', 107, ARCH_FITS },
        { 120, 'f', 121, ARCH_FITS }, { 100, 0, 110, ARCH_OTHER_MAJOR }, { 90, 0, 80, ARCH_OTHER_MAJOR },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (gpudl__arch_cubin(cases[i].sm, cases[i].suffix, cases[i].device) != cases[i].fit)
            fail_msg("sm_%u%.1s on sm_%u", cases[i].sm, &cases[i].suffix, cases[i].device);
}

static void ptx_goes_by_its_number(void **state)
{
    static const struct { unsigned sm; char suffix; unsigned device; enum arch_fit fit; } cases[] = {
        { 75, 0, 75, ARCH_FITS }, { 75, 0, 121, ARCH_FITS }, { 103, 0, 110, ARCH_FITS },
        { 101, 0, 100, ARCH_NEEDS_NEWER }, { 101, 0, 103, ARCH_FITS }, { 90, 'a', 90, ARCH_FITS },
        { 101, 'a', 110, ARCH_FITS }, { 100, 'f', 103, ARCH_FITS }, { 100, 'f', 110, ARCH_OTHER_FAMILY },
        { 101, 'f', 110, ARCH_FITS }, { 120, 'f', 121, ARCH_FITS }, { 121, 'f', 120, ARCH_NEEDS_NEWER },
        { 103, 0, 100, ARCH_NEEDS_NEWER }, { 90, 'a', 100, ARCH_SPECIFIC }, { 103, 'f', 100, ARCH_NEEDS_NEWER },
        { 20, 0, 90, ARCH_FITS },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (gpudl__arch_ptx(cases[i].sm, cases[i].suffix, cases[i].device) != cases[i].fit)
            fail_msg("compute_%u%.1s on sm_%u", cases[i].sm, &cases[i].suffix, cases[i].device);
}

/* sm_80, sm_90a, sm_100f, sm_120 and PTX for compute_120 */
static void each_device_takes_its_entry(void **state)
{
    static const struct { unsigned device; int entry; } cases[] = {
        { 75, -1 }, { 80, 0 }, { 86, 0 }, { 87, -1 }, { 89, 0 }, { 90, 1 }, { 100, 2 }, { 103, 2 }, { 107, 2 }, { 110, -1 },
        { 120, 3 }, { 121, 3 },
    };
    struct opened o = open_file("multi.fatbin");
    enum image_misfit why;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(choose(&o, gpu(cases[i].device), &why), cases[i].entry);
    assert_int_equal(choose(&o, softcuda, &why), 4);
    close_opened(&o);
}

static void misfit_lists_what_is_there_and_the_remedy(void **state)
{
    struct opened o = open_file("multi.fatbin");
    enum image_misfit why = MISFIT_DAMAGED;

    (void)state;
    assert_int_equal(choose(&o, gpu(75), &why), -1);
    assert_int_equal(why, MISFIT_ARCH);
    assert_contains(o.text, "machine code for sm_80 and sm_120 (");
    assert_contains(o.text, "machine code for sm_90a (");
    assert_contains(o.text, "PTX for compute_120 (needs a newer device)");
    assert_contains(o.text, "this device is sm_75: add -gencode arch=compute_75,code=sm_75 or PTX");
    close_opened(&o);
}

static void misfit_text_stays_in_its_buffer(void **state)
{
    struct opened o = open_file("multi.fatbin");
    struct image_target target = gpu(75);
    char small[24];

    (void)state;
    memset(small, 'x', sizeof(small));
    assert_int_equal(gpudl__image_choose(o.image, &target, NULL, small, 20), -1);
    assert_int_equal(strlen(small), 19);
    assert_string_equal(small + 16, "...");
    assert_int_equal(small[20], 'x');
    assert_int_equal(gpudl__image_choose(o.image, &target, NULL, NULL, 0), -1);
    close_opened(&o);
}

static void machine_code_before_ptx(void **state)
{
    struct opened o = open_file("a_default.fatbin");
    enum image_misfit why;

    (void)state;
    assert_int_equal(choose(&o, gpu(90), &why), 0);
    assert_int_equal(choose(&o, gpu(100), &why), 1);
    assert_int_equal(choose(&o, softcuda, &why), 1);
    close_opened(&o);
}

static void first_cubin_and_last_ptx_of_equals(void **state)
{
    struct bytes again = load("a_default.fatbin");
    struct opened o;
    enum image_misfit why;

    (void)state;
    o = open_bytes(join(load("a_default.fatbin"), again.data, again.size));
    free(again.data);
    assert_int_equal(gpudl__image_count(o.image), 4);
    assert_int_equal(choose(&o, gpu(90), &why), 0);
    assert_int_equal(choose(&o, gpu(100), &why), 3);
    close_opened(&o);
}

static void softcuda_wants_ptx(void **state)
{
    struct opened o = open_file("k_90.cubin");
    enum image_misfit why = MISFIT_ARCH;

    (void)state;
    assert_int_equal(choose(&o, softcuda, &why), -1);
    assert_int_equal(why, MISFIT_MACHINE_CODE_ONLY);
    assert_contains(o.text, "machine code for sm_90");
    assert_contains(o.text, "runs PTX only: add -gencode arch=compute_90,code=compute_90");
    close_opened(&o);
}

static void softcuda_takes_the_highest_ptx_at_or_below_it(void **state)
{
    static const struct { unsigned sm; int entry; } cases[] = { { 90, 1 }, { 100, 1 }, { 60, 0 }, { 80, 0 }, { 120, 2 } };
    static const unsigned targets[] = { 75, 90, 110 };
    struct bytes b = bytes_of("", 0);
    enum image_misfit why;
    struct opened o;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bytes one = load("lie_ptx.fatbin");

        put32(one, 0x2c, targets[i]);
        b = join(b, one.data, one.size);
        free(one.data);
    }
    o = open_bytes(b);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(choose(&o, (struct image_target){ .sm = cases[i].sm, .any_ptx = true }, &why), cases[i].entry);
    close_opened(&o);
}

static void ptx_newer_than_the_driver(void **state)
{
    struct opened o = open_file("a_90.ptx");
    enum image_misfit why;

    (void)state;
    assert_int_equal(choose(&o, (struct image_target){ .sm = 90, .ptx_version = 84, .machine_code = true }, &why), -1);
    assert_int_equal(why, MISFIT_PTX_TOO_NEW);
    assert_contains(o.text, "version 9.0");
    assert_contains(o.text, "reads up to 8.4");
    assert_contains(o.text, "CUDA 12.4 or older");
    assert_int_equal(choose(&o, (struct image_target){ .sm = 90, .ptx_version = 0, .machine_code = true }, &why), 0);
    close_opened(&o);
}

static void relocatable_code_has_to_be_linked(void **state)
{
    static const char *const files[] = { "reloc.fatbin", "k_lto.fatbin", "k_lto_plain.fatbin" };
    enum image_misfit why;
    struct opened o;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        o = open_file(files[i]);
        why = MISFIT_ARCH;
        assert_int_equal(choose(&o, gpu(90), &why), -1);
        assert_int_equal(why, MISFIT_NOT_LINKED);
        assert_contains(o.text, "must be linked first");
        close_opened(&o);
    }
    o = open_file("d_rdc.fatbin");      /* its compressed cubin turns out to be relocatable; the PTX is not */
    assert_int_equal(choose(&o, gpu(90), &why), 1);
    close_opened(&o);
}

static void no_entries(void **state)
{
    struct opened o = open_file("empty.fatbin");
    enum image_misfit why = MISFIT_ARCH;

    (void)state;
    assert_int_equal(choose(&o, gpu(90), &why), -1);
    assert_int_equal(why, MISFIT_EMPTY);
    assert_contains(o.text, "no entries");
    close_opened(&o);
}

static void code_without_kernels_is_passed_over(void **state)
{
    static const char nothing[] = ".version 9.0 .target sm_90 .address_size 64";
    struct opened o = open_bytes(bytes_of(nothing, sizeof(nothing)));
    enum image_misfit why = MISFIT_ARCH;

    (void)state;
    assert_int_equal(o.error, IMAGE_OK);
    assert_int_equal(choose(&o, gpu(90), &why), -1);
    assert_int_equal(why, MISFIT_EMPTY);
    close_opened(&o);
}

static void payload_for_another_device_is_not_taken(void **state)
{
    struct bytes b = load("lie_cubin.fatbin");
    enum image_misfit why;
    struct opened o;

    (void)state;
    put32(b, 0x2c, 80);             /* the entry says sm_80, the cubin is for sm_90 */
    put64(b, 0x38, 0x11);
    o = open_bytes(b);
    assert_int_equal(choose(&o, gpu(80), &why), -1);
    assert_int_equal(why, MISFIT_ARCH);
    assert_contains(o.text, "payload is for another architecture");
    close_opened(&o);
    o = open_file("lie_cubin.fatbin");      /* says sm_90a, is sm_90: runs */
    assert_int_equal(choose(&o, gpu(90), &why), 0);
    close_opened(&o);
}

static void damaged_entries_are_passed_over(void **state)
{
    struct bytes b = load("a_lz4.fatbin");
    enum image_misfit why = MISFIT_ARCH;
    struct opened o;

    (void)state;
    b.data[16 + 64 + 3] ^= 0xff;
    b.data[16 + 64 + 40] ^= 0xff;
    o = open_bytes(b);
    assert_int_equal(choose(&o, gpu(90), &why), 1);
    assert_contains(gpudl__image_notes(o.image), "entry 0 is damaged");
    assert_int_equal(gpudl__image_entry(o.image, 0)->error, IMAGE_DAMAGED);
    assert_int_equal(choose(&o, gpu(90), &why), 1);
    assert_int_equal(choose(&o, (struct image_target){ .sm = 90, .ptx_version = 84, .machine_code = true }, &why), -1);
    assert_int_equal(why, MISFIT_DAMAGED);
    assert_contains(o.text, "entry 0: ");
    close_opened(&o);
}

static void driver_versions_and_ptx(void **state)
{
    (void)state;
    assert_int_equal(gpudl__image_ptx_version(13000), 90);
    assert_int_equal(gpudl__image_ptx_version(12060), 85);
    assert_int_equal(gpudl__image_ptx_version(12040), 84);
    assert_int_equal(gpudl__image_ptx_version(11080), 78);
    assert_int_equal(gpudl__image_ptx_version(20000), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code_runs_within_its_major),
        cmocka_unit_test(ptx_goes_by_its_number),
        cmocka_unit_test(each_device_takes_its_entry),
        cmocka_unit_test(misfit_lists_what_is_there_and_the_remedy),
        cmocka_unit_test(misfit_text_stays_in_its_buffer),
        cmocka_unit_test(machine_code_before_ptx),
        cmocka_unit_test(first_cubin_and_last_ptx_of_equals),
        cmocka_unit_test(softcuda_wants_ptx),
        cmocka_unit_test(softcuda_takes_the_highest_ptx_at_or_below_it),
        cmocka_unit_test(ptx_newer_than_the_driver),
        cmocka_unit_test(relocatable_code_has_to_be_linked),
        cmocka_unit_test(no_entries),
        cmocka_unit_test(code_without_kernels_is_passed_over),
        cmocka_unit_test(payload_for_another_device_is_not_taken),
        cmocka_unit_test(damaged_entries_are_passed_over),
        cmocka_unit_test(driver_versions_and_ptx),
    };

    return RUN(tests);
}
