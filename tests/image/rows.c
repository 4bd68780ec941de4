/* Whatever the tools can be made to write, one row a way to call them: the answers were read off the sources, the tools' own
 * output (ptxas -v) and their listings. */
#include "tests/image/help.h"

static void each_target(void **state)
{
    static const struct { unsigned sm; char suffix; size_t size; } rows[] = {
        { 75, 0, 2856 }, { 80, 0, 2984 }, { 86, 0, 2984 }, { 87, 0, 3368 }, { 88, 0, 2984 }, { 89, 0, 2984 }, { 90, 0, 3440 },
        { 90, 'a', 3440 }, { 100, 0, 5000 }, { 100, 'a', 5000 }, { 100, 'f', 5000 }, { 103, 0, 5000 }, { 103, 'a', 5000 },
        { 103, 'f', 5000 }, { 110, 0, 5312 }, { 110, 'a', 5312 }, { 110, 'f', 5312 }, { 120, 0, 5000 }, { 120, 'a', 5000 },
        { 120, 'f', 5000 }, { 121, 0, 5000 }, { 121, 'a', 5000 }, { 121, 'f', 5000 },
    };
    struct opened o = inspect_file("k_all.fatbin");
    char expected[96];

    (void)state;
    assert_int_equal(gpudl__image_count(o.image), sizeof(rows) / sizeof(rows[0]));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct image_entry *e = gpudl__image_entry(o.image, i);

        assert_entry(&o, i, IMAGE_CUBIN, rows[i].sm, rows[i].suffix, IMAGE_ZSTD, rows[i].size);
        assert_kernel(&o, i, "k 0+8 =8");
        snprintf(expected, sizeof(expected), "k regs=%u shared=0 stack=0 base=0x%x", rows[i].sm == 75 ? 4u : 8u,
            rows[i].sm < 90 ? 0x160u : rows[i].sm < 100 ? 0x210u : 0x380u);
        assert_resources(&o, i, expected);
        assert_int_equal(e->payload_sm, rows[i].sm);
        assert_int_equal(e->payload_suffix, rows[i].suffix == 'a' ? 'a' : 0);       /* a cubin does not say 'f' */
        assert_int_equal(e->abi, 8);
        assert_int_equal(e->toolkit, 130);
        assert_int_equal(e->virtual_sm, rows[i].sm);
    }
    assert_string_equal(gpudl__image_notes(o.image), "");
    close_opened(&o);
}

static void assert_variable(struct opened *o, size_t entry, const char *name, bool initialised, enum image_binding binding)
{
    const struct image_global *g;
    size_t n;

    assert_int_equal(gpudl__image_globals(o->image, entry, &g, &n, o->text, sizeof(o->text)), IMAGE_OK);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(g[i].name, name) != 0)
            continue;
        assert_int_equal(g[i].initialised, initialised);
        assert_int_equal(g[i].binding, binding);
        return;
    }
    fail_msg("no global %s", name);
}

static void resources_and_variables(void **state)
{
    static const struct { const char *file; unsigned base; unsigned toolkit, abi; } rows[] = {
        { "a_80.cubin", 0x160, 130, 8 }, { "a_default.fatbin", 0x210, 130, 8 }, { "a_none.fatbin", 0x210, 130, 8 },
        { "a_speed.fatbin", 0x210, 130, 8 }, { "a_size.fatbin", 0x210, 130, 8 }, { "a_all.fatbin", 0x210, 130, 8 },
        { "a_lz4.fatbin", 0x210, 130, 8 }, { "a_100.fatbin", 0x380, 130, 8 }, { "a_118.fatbin", 0x160, 118, 7 },
        { "a_118_lz4.fatbin", 0x160, 118, 7 },
    };
    char expected[128];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct opened o = inspect_file(rows[i].file);

        assert_kernel(&o, 0, "saxpy 0+4 4+4 8+8 16+8 =24");
        snprintf(expected, sizeof(expected), "saxpy regs=12 shared=0 stack=0 base=0x%x", rows[i].base);
        assert_resources(&o, 0, expected);
        snprintf(expected, sizeof(expected), "shk regs=12 shared=1024 stack=0 base=0x%x maxntid=256x1x1 threads=256 maxreg=128 "
            "barriers=1", rows[i].base);
        assert_resources(&o, 0, expected);
        assert_global(&o, 0, "lut", 32, true, false);
        assert_variable(&o, 0, "counter", false, IMAGE_BIND_LOCAL);
        assert_variable(&o, 0, "table", true, IMAGE_BIND_LOCAL);
        assert_variable(&o, 0, "mval", true, IMAGE_BIND_LOCAL);
        assert_int_equal(gpudl__image_entry(o.image, 0)->toolkit, rows[i].toolkit);
        assert_int_equal(gpudl__image_entry(o.image, 0)->abi, rows[i].abi);
        assert_string_equal(gpudl__image_notes(o.image), "");
        assert_string_equal(gpudl__image_damage(o.image, NULL), "");
        close_opened(&o);
    }
}

static void bases_of_parameters(void **state)
{
    static const struct { size_t entry; const char *expected; } rows[] = {
        { 0, "p1 regs=8 shared=0 stack=0 base=0x160" }, { 0, "p2 regs=8 shared=0 stack=0 base=0x1a80" },
        { 0, "p6 regs=4 shared=0 stack=0 base=0x160" }, { 1, "p4 regs=8 shared=0 stack=0 base=0x210" },
        { 2, "p2 regs=8 shared=0 stack=0 base=0x380" },
    };
    struct opened o = inspect_file("p.fatbin");

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_resources(&o, rows[i].entry, rows[i].expected);
    close_opened(&o);
}

/* A cubin of sm_100 tells what is a pointer, PTX also types and alignments. */
static void types_of_parameters(void **state)
{
    static const struct { const char *type; uint32_t align; } ptx[] = {
        { "u8", 1 }, { "u16", 2 }, { "u32", 4 }, { "u64", 8 }, { "b8", 16 }, { "b8", 64 }, { "b8", 1 }, { "u64", 8 }, { "f64",
            8 },
        { "u8", 1 },
    };
    struct opened o = inspect_file("p.fatbin");
    const struct image_kernel *k = find_kernel(&o, 3, "p1");

    (void)state;
    for (size_t i = 0; i < 10; i++) {
        assert_string_equal(gpudl__image_type_name(k->params[i].type), ptx[i].type);
        assert_int_equal(k->params[i].align, ptx[i].align);
        assert_int_equal(k->params[i].pointee_space, i == 7 ? IMAGE_GENERIC : IMAGE_NO_SPACE);
        assert_int_equal(k->params[i].pointee_align, i == 7 ? 1 : 0);
    }
    k = find_kernel(&o, 2, "p1");
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(k->params[i].pointee_space, i == 7 ? IMAGE_GENERIC : IMAGE_NO_SPACE);
        assert_int_equal(k->params[i].align, 0);
        assert_int_equal(k->params[i].type, IMAGE_NO_TYPE);
    }
    close_opened(&o);
}

static void ptx_alone(void **state)
{
    struct opened o = inspect_file("a_ptx.fatbin");
    struct image_provenance p;

    (void)state;
    assert_int_equal(gpudl__image_count(o.image), 1);
    assert_entry(&o, 0, IMAGE_PTX, 90, 0, IMAGE_ZSTD, 2100);
    assert_resources(&o, 0, "shk shared=1024 maxntid=256x1x1 threads=256 minblocks=2");
    assert_variable(&o, 0, "counter", false, IMAGE_BIND_LOCAL);
    assert_variable(&o, 0, "lut", true, IMAGE_BIND_LOCAL);
    assert_int_equal(gpudl__image_provenance(o.image, 0, &p, o.text, sizeof(o.text)), IMAGE_OK);
    assert_string_equal(p.ptx_targets, "sm_90");
    assert_null(p.options);
    assert_int_equal(p.format_version[0], 9);
    assert_int_equal(p.format_version[1], 0);
    close_opened(&o);
}

static const struct image_details *details_of(struct opened *o, size_t entry)
{
    const struct image_details *d;

    if (gpudl__image_details(o->image, entry, &d, o->text, sizeof(o->text)) != IMAGE_OK)
        fail_msg("%s", o->text);
    return d;
}

static void relocatable_code_and_what_it_asks_for(void **state)
{
    struct opened o = inspect_file("d_rdc.fatbin");
    const struct image_details *d = details_of(&o, 0);
    struct image_provenance p;

    (void)state;
    assert_true(gpudl__image_entry(o.image, 0)->relocatable);
    assert_resources(&o, 0, "_Z2tkIfEvPT_ regs=8 shared=0 base=0x210 weak");
    assert_resources(&o, 0, "ka regs=24 shared=0 base=0x210 barriers=1");
    assert_true(d->needs_linking);
    assert_int_equal(d->nexterns, 1);
    assert_string_equal(d->externs[0], "vprintf");
    assert_int_equal(d->nfunctions, 2);
    assert_string_equal(d->functions[1], "_Z6helperiPi");
    assert_int_equal(d->constant_bytes, 16);
    assert_variable(&o, 0, "kc", true, IMAGE_BIND_GLOBAL);

    d = details_of(&o, 1);
    assert_false(d->needs_linking);     /* the driver knows vprintf */
    assert_int_equal(d->nexterns, 1);
    assert_int_equal(d->nfunctions, 2);
    assert_int_equal(gpudl__image_provenance(o.image, 1, &p, o.text, sizeof(o.text)), IMAGE_OK);
    assert_string_equal(p.options, "--compile-only  ");
    close_opened(&o);
}

static void stack_and_system_calls(void **state)
{
    struct opened o = inspect_file("d_90.cubin");
    const struct image_details *d = details_of(&o, 0);

    (void)state;
    assert_resources(&o, 0, "ka regs=16 shared=0 stack=40 base=0x210 barriers=1");
    assert_resources(&o, 0, "kp regs=24 shared=0 stack=8 base=0x210");
    assert_false(d->needs_linking);
    assert_int_equal(d->nexterns, 1);
    assert_string_equal(d->externs[0], "vprintf");
    close_opened(&o);
}

static void options_that_it_was_compiled_with(void **state)
{
    struct opened o = inspect_file("k_debug.fatbin");
    struct image_provenance p;

    (void)state;
    assert_int_equal(gpudl__image_provenance(o.image, 1, &p, o.text, sizeof(o.text)), IMAGE_OK);
    assert_string_equal(p.options, " -g --dont-merge-basicblocks --return-at-end ");
    assert_string_equal(p.ptx_targets, "sm_90, debug");
    close_opened(&o);

    o = inspect_file("k_lineinfo.fatbin");
    assert_resources(&o, 0, "k regs=8 shared=0 stack=0 base=0x210 maxreg=32");
    assert_int_equal(gpudl__image_provenance(o.image, 1, &p, o.text, sizeof(o.text)), IMAGE_OK);
    assert_string_equal(p.options, " -maxrregcount=32 --generate-line-info ");
    close_opened(&o);

    o = inspect_file("multi.fatbin");       /* from sm_100 on the header keeps a copy of .nv.compat */
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(gpudl__image_provenance(o.image, i, &p, o.text, sizeof(o.text)), IMAGE_OK);
        assert_int_equal(p.extension.size, i < 2 ? 0 : 36);
    }
    close_opened(&o);
}

static void clusters_and_launch_bounds(void **state)
{
    static const char *const rows[] = {
        "cl regs=16 shared=400 stack=0 base=0x210 cluster=2x1x1 explicit",
        "clnos regs=8 shared=0 stack=0 base=0x210 maxntid=128x1x1 threads=128 cluster=4x2x1 explicit",
        "clmax regs=8 shared=0 stack=0 base=0x210 maxntid=128x1x1 threads=128 rank=8",
    }, *const launch[] = {
        "m1 regs=4 shared=0 stack=0 base=0x210 maxntid=8x4x2 threads=64 maxreg=32",
        "m2 regs=4 shared=0 stack=0 base=0x210 reqntid=16x2x1 threads=32",
        "m3 regs=4 shared=0 stack=0 base=0x210 reqntid=64x1x1 threads=64 cluster=2x1x1 blocks-are-clusters",
        "m4 regs=4 shared=0 stack=0 base=0x210 rank=16",
    }, *const ptx[] = {
        "m1 shared=0 maxntid=8x4x2 threads=64 maxreg=32", "m2 shared=0 reqntid=16x2x1 threads=32",
        "m3 shared=0 reqntid=64x1x1 threads=64 cluster=2x1x1 blocks-are-clusters", "m4 shared=0 rank=16",
    };
    struct opened o = inspect_file("c_90.cubin");

    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_resources(&o, 0, rows[i]);
    close_opened(&o);
    o = inspect_file("launch.cubin");
    for (size_t i = 0; i < 4; i++)
        assert_resources(&o, 0, launch[i]);
    close_opened(&o);
    o = inspect_file("launch.ptx");
    for (size_t i = 0; i < 4; i++)
        assert_resources(&o, 0, ptx[i]);
    close_opened(&o);
}

static void containers_of_the_nvvm_compiler(void **state)
{
    static const struct { const char *file; enum image_format format; size_t size; } rows[] = {
        { "k.ltoir", IMAGE_LTOIR, 1976 }, { "k.optixir", IMAGE_OPTIXIR, 2056 }, { "nvrtc_90.ltoir", IMAGE_LTOIR, 1972 },
        { "nvrtc_90.optixir", IMAGE_OPTIXIR, 2040 }, { "k_lto_plain.fatbin", IMAGE_LTOIR, 1976 },
    };
    struct image_provenance p;
    struct opened o;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        o = inspect_file(rows[i].file);
        assert_entry(&o, 0, rows[i].format, 90, 0, IMAGE_STORED, rows[i].size);
        assert_int_equal(gpudl__image_provenance(o.image, 0, &p, o.text, sizeof(o.text)), IMAGE_OK);
        assert_true(p.nvvm.known);
        assert_int_equal(p.nvvm.container[0], 1);
        assert_int_equal(p.nvvm.container[1], 65);
        assert_int_equal(p.nvvm.ir[0], 2);
        assert_int_equal(p.nvvm.ir[1], 98);
        assert_int_equal(p.nvvm.generation[0], 7);
        assert_int_equal(p.nvvm.sm, 90);
        close_opened(&o);
    }
    o = inspect_file("k_lto.fatbin");
    assert_entry(&o, 0, IMAGE_LTOIR, 90, 0, IMAGE_SCRAMBLED, 1976);
    assert_int_equal(gpudl__image_provenance(o.image, 0, &p, o.text, sizeof(o.text)), IMAGE_OK);
    assert_string_equal(p.options, "-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1 ");
    assert_int_equal(p.format_version[1], 65);
    assert_false(p.nvvm.known);
    close_opened(&o);
}

static void duplicates_are_both_listed(void **state)
{
    struct opened o = inspect_file("dup.fatbin");

    (void)state;
    assert_int_equal(gpudl__image_count(o.image), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_entry(&o, i, IMAGE_CUBIN, 90, 0, IMAGE_STORED, 3440);
        assert_kernel(&o, i, "k 0+8 =8");
    }
    close_opened(&o);
}

static void code_of_32_bits_is_named(void **state)
{
    struct opened o = inspect_file("k_32.fatbin");
    const struct image_entry *e = gpudl__image_entry(o.image, 0);
    const struct image_kernel *k;
    size_t n;

    (void)state;
    assert_int_equal(e->payload_sm, 35);
    assert_false(e->is_64bit);
    assert_int_equal(e->flags & 1, 0);
    assert_int_equal(gpudl__image_kernels(o.image, 0, &k, &n, o.text, sizeof(o.text)), IMAGE_NOT_SUPPORTED);
    assert_contains(o.text, "32-bit machine code for sm_35");
    assert_false(gpudl__image_entry(o.image, 1)->is_64bit);
    assert_kernel(&o, 1, "k 0+4 =4");
    assert_string_equal(gpudl__image_damage(o.image, NULL), "");
    close_opened(&o);
}

static void what_nvrtc_gives(void **state)
{
    struct opened o = inspect_file("nvrtc_100a.cubin");

    (void)state;
    assert_entry(&o, 0, IMAGE_CUBIN, 100, 'a', IMAGE_STORED, 5000);
    assert_resources(&o, 0, "k regs=8 shared=0 stack=0 base=0x380");
    close_opened(&o);
    o = inspect_file("nvrtc_90.ptx");
    assert_entry(&o, 0, IMAGE_PTX, 90, 0, IMAGE_STORED, 425);      /* with a NUL */
    assert_kernel(&o, 0, "k 0+8 =8");
    close_opened(&o);
}

static void bindings(void **state)
{
    static const struct { const char *file, *weak, *local; } rows[] = {
        { "names.cubin", "w regs=4 shared=0 stack=0 base=0x210 weak", "$k regs=4 shared=0 stack=0 base=0x210 local" },
        { "names.ptx", "w shared=0 weak", "$k shared=0 local" },
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct opened o = inspect_file(rows[i].file);

        assert_resources(&o, 0, rows[i].weak);
        assert_resources(&o, 0, rows[i].local);
        close_opened(&o);
    }
}

struct seen {
    size_t n, kernels, codes;
};

static bool see_section(void *user, const struct image_section *s)
{
    struct seen *seen = user;

    assert_int_equal(s->index, seen->n);
    seen->codes += strncmp(s->name, ".text.", 6) == 0;
    return ++seen->n < 28;
}

static bool see_symbol(void *user, const struct image_symbol *s)
{
    struct seen *seen = user;

    assert_int_equal(s->index, seen->n);
    seen->kernels += s->other == 0x10 && s->section;
    if (strcmp(s->name, "vprintf") == 0)
        assert_int_equal(s->section, 0);
    seen->n++;
    return true;
}

static void sections_and_symbols(void **state)
{
    struct opened o = inspect_file("d_90.cubin");
    struct seen seen = { 0 };

    (void)state;
    assert_int_equal(gpudl__image_sections(o.image, 0, see_section, &seen, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(seen.n, 28);       /* the callback ended it; there are 30 */
    assert_int_equal(seen.codes, 3);
    seen = (struct seen){ 0 };
    assert_int_equal(gpudl__image_symbols(o.image, 0, see_symbol, &seen, o.text, sizeof(o.text)), IMAGE_OK);
    assert_int_equal(seen.n, 26);
    assert_int_equal(seen.kernels, 3);
    close_opened(&o);
    o = inspect_file("a_90.ptx");
    assert_int_equal(gpudl__image_sections(o.image, 0, see_section, &seen, o.text, sizeof(o.text)), IMAGE_NOT_SUPPORTED);
    assert_contains(o.text, "PTX has no sections");
    close_opened(&o);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_target),
        cmocka_unit_test(resources_and_variables),
        cmocka_unit_test(bases_of_parameters),
        cmocka_unit_test(types_of_parameters),
        cmocka_unit_test(ptx_alone),
        cmocka_unit_test(relocatable_code_and_what_it_asks_for),
        cmocka_unit_test(stack_and_system_calls),
        cmocka_unit_test(options_that_it_was_compiled_with),
        cmocka_unit_test(clusters_and_launch_bounds),
        cmocka_unit_test(containers_of_the_nvvm_compiler),
        cmocka_unit_test(duplicates_are_both_listed),
        cmocka_unit_test(code_of_32_bits_is_named),
        cmocka_unit_test(what_nvrtc_gives),
        cmocka_unit_test(bindings),
        cmocka_unit_test(sections_and_symbols),
    };

    return RUN(tests);
}
