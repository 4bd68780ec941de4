/* Why an image would run on a device or not, in codes and in words, and what would run badly. */
#include "tests/image/help.h"

static struct image_target gpu(unsigned sm)
{
    return (struct image_target){ .sm = sm, .ptx_version = 90, .machine_code = true, .cuda_version = 13000 };
}

static const struct image_target softcuda = { .sm = 90, .any_ptx = true };

static void assert_verdict(struct opened *o, size_t entry, struct image_target target, enum image_verdict v, const char *reason,
    const char *remedy)
{
    struct image_words words;
    enum image_verdict found = gpudl__image_judge(o->image, entry, &target, &words);

    if (found != v)
        fail_msg("entry %zu on sm_%u: %s instead of %s", entry, target.sm, gpudl__image_verdict_name(found),
            gpudl__image_verdict_name(v));
    assert_int_equal(gpudl__image_judge(o->image, entry, &target, NULL), v);
    assert_contains(words.reason, reason);
    if (remedy)
        assert_contains(words.remedy, remedy);
    else
        assert_string_equal(words.remedy, "");
}

#define V(name) IMAGE_VERDICT_##name

/* sm_80, sm_90a, sm_100f, sm_120 and PTX for compute_120 */
static void architectures(void **state)
{
    struct opened o = inspect_file("multi.fatbin");

    (void)state;
    assert_verdict(&o, 0, gpu(80), V(FITS), "machine code for sm_80: runs", NULL);
    assert_verdict(&o, 0, gpu(90), V(WRONG_MAJOR),
        "machine code for sm_80 runs on devices of compute capability 8.0 and later 8.x "
        "only; this one is 9.0", "add -gencode arch=compute_90,code=sm_90");
    assert_verdict(&o, 0, gpu(87), V(TEGRA), "between Tegra and other parts", "add -gencode arch=compute_87,code=sm_87");
    assert_verdict(&o, 1, gpu(100), V(ARCH_SPECIFIC), "machine code for sm_90a runs on devices of compute capability 9.0 only",
        "add -gencode arch=compute_100,code=sm_100");
    assert_verdict(&o, 2, gpu(103), V(FITS), "runs", NULL);
    assert_verdict(&o, 2, gpu(120), V(OTHER_FAMILY), "its family (10.0, 10.3 and 10.7) from 10.0 on only", "code=sm_120");
    assert_verdict(&o, 3, gpu(121), V(FITS), "runs", NULL);
    assert_verdict(&o, 4, gpu(120), V(FITS), "PTX for compute_120: runs after compilation at load", NULL);
    assert_verdict(&o, 4, gpu(75), V(PTX_TARGET_TOO_NEW),
        "PTX for compute_120 runs on devices of compute capability 12.0 and later",
        "add -gencode arch=compute_75,code=sm_75");
    assert_verdict(&o, 3, softcuda, V(MACHINE_CODE), "for GPUs only", "add -gencode arch=compute_90,code=compute_90");
    assert_verdict(&o, 4, softcuda, V(FITS), "runs", NULL);
    close_opened(&o);
}

static void minors_and_names(void **state)
{
    struct opened o = inspect_file("k_all.fatbin");

    (void)state;
    assert_verdict(&o, 2, gpu(80), V(NEEDS_NEWER_MINOR),
        "machine code for sm_86 runs on devices of compute capability 8.6 and later "
        "8.x only; this one is 8.0", "code=sm_80");
    close_opened(&o);
    o = open_bytes(load("multi.fatbin"));
    put32(o.bytes, 0x10 + 0x1c, 101);
    gpudl__image_close(o.image);
    assert_int_equal(gpudl__image_inspect(span_of(o.bytes), NULL, &o.image, o.text, sizeof(o.text)), IMAGE_OK);
    assert_verdict(&o, 0, gpu(110), V(RENAMED), "the same chip as sm_110",
        "rebuild it with -gencode arch=compute_110,code=sm_110");
    close_opened(&o);
}

static void toolkits_and_drivers(void **state)
{
    struct image_target old = { .sm = 90, .ptx_version = 84, .machine_code = true, .cuda_version = 12040 };
    struct opened o = inspect_file("a_default.fatbin");
    enum image_misfit why;

    (void)state;
    assert_verdict(&o, 0, old, V(TOOLKIT_TOO_NEW),
        "made by CUDA 13.0, the driver is 12.4 and takes machine code of CUDA 12 and older",
        "update the driver to CUDA 13.0 or later, or compile with CUDA 12");
    assert_verdict(&o, 1, old, V(PTX_TOO_NEW), "this is PTX 9.0, the driver is 12.4 and reads up to 8.4",
        "update the driver to CUDA 13.0 or later, or compile with CUDA 12.4 or older");
    assert_int_equal(gpudl__image_choose(o.image, &old, &why, o.text, sizeof(o.text)), -1);
    assert_int_equal(why, MISFIT_PTX_TOO_NEW);
    old.cuda_version = 0;
    assert_int_equal(gpudl__image_choose(o.image, &old, &why, o.text, sizeof(o.text)), 0);
    close_opened(&o);
    o = inspect_file("a_118.fatbin");
    old = (struct image_target){ .sm = 80, .ptx_version = 84, .machine_code = true, .cuda_version = 12040 };
    assert_verdict(&o, 0, old, V(FITS), "runs", NULL);
    close_opened(&o);
}

static void code_that_is_no_code_yet(void **state)
{
    struct opened o = inspect_file("d_rdc.fatbin");

    (void)state;
    assert_verdict(&o, 0, gpu(90), V(RELOCATABLE), "relocatable machine code for sm_90: must be linked first", "nvJitLink");
    close_opened(&o);
    o = inspect_file("reloc.fatbin");
    assert_verdict(&o, 0, gpu(90), V(RELOCATABLE), "relocatable PTX for compute_90: must be linked first", "nvcc -dlink");
    close_opened(&o);
    o = inspect_file("k_lto.fatbin");
    assert_verdict(&o, 0, gpu(90), V(LTO_IR), "LTO-IR for sm_90: must be linked first", "nvJitLink");
    close_opened(&o);
    o = inspect_file("k.ltoir");
    assert_verdict(&o, 0, gpu(90), V(LTO_IR), "LTO-IR for sm_90", "nvJitLink");
    close_opened(&o);
    o = inspect_file("k.optixir");
    assert_verdict(&o, 0, gpu(90), V(OPTIX_IR), "OptiX IR for sm_90: for OptiX only", "cubin or PTX");
    close_opened(&o);
    o = inspect_file("k_32.fatbin");
    assert_verdict(&o, 0, gpu(90), V(NOT_64BIT), "32-bit", "nvcc -m64");
    assert_verdict(&o, 1, gpu(90), V(NOT_64BIT), "32-bit", "nvcc -m64");
    close_opened(&o);
    o = inspect_file("h.exe");
    assert_verdict(&o, 0, gpu(90), V(NO_KERNELS), "without kernels or variables", "__global__");
    close_opened(&o);
}

static void damage_and_lies(void **state)
{
    struct bytes b = load("a_size.fatbin");
    struct opened o;

    (void)state;
    memset(b.data + 0x50 + 8, 0xff, 64);
    o = inspect_bytes(b);
    assert_verdict(&o, 0, gpu(90), V(CORRUPT), "damaged or not readable (entry 0: zstd data is damaged", "build the image again");
    assert_verdict(&o, 1, gpu(90), V(FITS), "runs", NULL);
    assert_contains(gpudl__image_damage(o.image, NULL), "entry 0: zstd data is damaged");
    close_opened(&o);

    b = load("a_size.fatbin");
    put64(b, 0x38, 0x18011);
    o = inspect_bytes(b);
    assert_verdict(&o, 0, gpu(90), V(SCRAMBLED), "scrambled", "build the image again");
    close_opened(&o);

    b = load("a_size.fatbin");
    put64(b, 0x48, 1ull << 40);
    o = inspect_bytes(b);
    assert_verdict(&o, 0, gpu(90), V(TOO_LARGE), "claims 1099511627776 bytes uncompressed", "raise the limit");
    close_opened(&o);

    b = load("lie_cubin.fatbin");
    put32(b, 0x2c, 80);
    put64(b, 0x38, 0x11);
    o = inspect_bytes(b);
    assert_verdict(&o, 0, gpu(80), V(MISMATCH), "machine code for sm_80, as its header says, but what is in it is for sm_90",
        "code=sm_80");
    close_opened(&o);
}

static void environment(void **state)
{
    struct image_target forced = gpu(90), disabled = gpu(90);
    struct opened o = inspect_file("a_default.fatbin");

    (void)state;
    forced.jit_forced = true;
    disabled.jit_disabled = true;
    assert_int_equal(gpudl__image_choose(o.image, &forced, NULL, NULL, 0), 1);
    assert_int_equal(gpudl__image_choose(o.image, &disabled, NULL, NULL, 0), 0);
    assert_verdict(&o, 0, forced, V(JIT_FORCED), "CUDA_FORCE_PTX_JIT", "unset CUDA_FORCE_PTX_JIT");
    assert_verdict(&o, 1, disabled, V(JIT_DISABLED), "CUDA_DISABLE_PTX_JIT", "unset CUDA_DISABLE_PTX_JIT");
    close_opened(&o);
}

static void what_is_taken_of_many(void **state)
{
    struct image_target target = gpu(90), far = gpu(75);
    struct opened o = inspect_file("multi.fatbin");
    struct image_words words;
    struct image_explanation x = gpudl__image_explain(o.image, SIZE_MAX, &target, &words);

    (void)state;
    assert_int_equal(x.entry, 1);
    assert_int_equal(x.verdict, V(FITS));
    assert_false(x.jit);
    assert_string_equal(words.reason, "machine code for sm_90a: runs");
    assert_string_equal(words.remedy, "");
    x = gpudl__image_explain(o.image, SIZE_MAX, &far, &words);
    assert_int_equal(x.entry, -1);
    assert_int_equal(x.nearest, 4);
    assert_int_equal(x.verdict, V(PTX_TARGET_TOO_NEW));
    assert_int_equal(x.misfit, MISFIT_ARCH);
    assert_contains(words.reason, "holds machine code for sm_80 and sm_120 (for that major architecture only), ");
    assert_string_equal(words.remedy, "this device is sm_75: add -gencode arch=compute_75,code=sm_75 or PTX");
    close_opened(&o);

    o = inspect_file("a_default.fatbin");
    target = gpu(100);
    x = gpudl__image_explain(o.image, 0, &target, NULL);
    assert_int_equal(x.entry, 1);
    assert_true(x.jit);
    close_opened(&o);

    o = inspect_file("empty.fatbin");
    x = gpudl__image_explain(o.image, SIZE_MAX, &target, &words);
    assert_int_equal(x.nearest, -1);
    assert_int_equal(x.misfit, MISFIT_EMPTY);
    assert_string_equal(words.reason, "a fatbin with no entries holds no code");
    close_opened(&o);
}

/* Each fatbin of a host file is a question of its own; the stub of device linking is not counted. */
static void host_files(void **state)
{
    struct image_target target = gpu(90), old = gpu(80);
    struct opened o = inspect_file("h.exe");
    struct image_words words;

    (void)state;
    assert_int_equal(gpudl__image_explain(o.image, 0, &target, NULL).misfit, MISFIT_EMPTY);
    assert_int_equal(gpudl__image_explain(o.image, 1, &target, NULL).entry, 1);
    assert_int_equal(gpudl__image_explain(o.image, SIZE_MAX, &target, NULL).entry, 1);
    assert_int_equal(gpudl__image_explain(o.image, SIZE_MAX, &old, &words).entry, -1);
    assert_contains(words.reason, "holds machine code for sm_90 (for that major architecture only), PTX for compute_90 (needs");
    close_opened(&o);
}

struct told {
    char text[1024];
    unsigned kinds;
};

static void note(void *user, enum image_warning what, const struct image_kernel *k, const char *text)
{
    struct told *told = user;

    told->kinds |= 1u << what;
    snprintf(told->text + strlen(told->text), sizeof(told->text) - strlen(told->text), "%s%s%s: %s\n", k ? k->name : "",
        k ? " " : "",
        gpudl__image_warning_name(what), text);
}

static struct told warnings_of(struct opened *o, size_t entry, struct image_target target)
{
    struct told told = { .kinds = 0 };

    assert_int_equal(gpudl__image_warn(o->image, entry, &target, note, &told, o->text, sizeof(o->text)), IMAGE_OK);
    return told;
}

static void what_would_run_badly(void **state)
{
    struct opened o = inspect_file("a_default.fatbin");
    struct told told = warnings_of(&o, 0, gpu(90));

    (void)state;
    assert_string_equal(told.text, "");
    told = warnings_of(&o, 1, gpu(100));
    assert_int_equal(told.kinds, 1u << IMAGE_WARNING_JIT | 1u << IMAGE_WARNING_JIT_OLDER);
    assert_contains(told.text,
        "jit-at-load: PTX is compiled by the driver at each load that its cache does not serve: add -gencode "
        "arch=compute_100,code=sm_100");
    assert_contains(told.text, "PTX for compute_90 uses nothing that came after it; this device is sm_100");
    told = warnings_of(&o, 1, softcuda);
    assert_string_equal(told.text, "");
    close_opened(&o);

    o = inspect_file("k_debug.fatbin");
    assert_contains(warnings_of(&o, 0, gpu(90)).text, "debug-code: debug code, not optimised: compile without -G");
    close_opened(&o);
    o = inspect_file("d_90.cubin");
    assert_contains(warnings_of(&o, 0, gpu(90)).text, "ka local-memory: 40 bytes of local memory a thread");
    close_opened(&o);
    o = inspect_file("lie_cubin.fatbin");
    assert_contains(warnings_of(&o, 0, gpu(90)).text,
        "header-payload-mismatch: its header says sm_90a, what is in it is for sm_90");
    close_opened(&o);
}

/* The registers of shk, which are 12, in the records of all symbols. */
static size_t registers_of_shk(struct bytes b)
{
    static const unsigned char regcount[] = { 4, 0x2f, 8, 0 };

    for (size_t at = 0; at + 12 <= b.size; at += 4)
        if (span_is(span_of(b), at, regcount, 4) && span_u32(span_of(b), at + 8) == 12)
            return at + 8;      /* whichever of the two comes first */
    fail_msg("no record of registers");
    return 0;
}

static void registers_that_leave_a_device_empty(void **state)
{
    static const struct { unsigned registers; const char *text; } rows[] = {
        { 32, NULL }, { 64, NULL },
        { 128, "128 registers a thread: 2 blocks of 256 threads fit a multiprocessor, which holds 2048" },
        { 255, "255 registers a thread: 1 block of 256 threads fits a multiprocessor, which holds 2048 threads" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bytes b = load("a_80.cubin");
        struct opened o;

        put32(b, registers_of_shk(b), rows[i].registers);
        o = inspect_bytes(b);
        if (rows[i].text)
            assert_contains(warnings_of(&o, 0, gpu(80)).text, rows[i].text);
        else
            assert_string_equal(warnings_of(&o, 0, gpu(80)).text, "");
        close_opened(&o);
    }
}

static void names_of_architectures(void **state)
{
    static const struct { const char *name; bool ok; unsigned sm; char suffix; } rows[] = {
        { "sm_90", true, 90, 0 }, { "sm_90a", true, 90, 'a' }, { "compute_100f", true, 100, 'f' }, { "90", true, 90, 0 },
        { "9.0", true, 90, 0 }, { "12.1", true, 121, 0 }, { "100a", true, 100, 'a' }, { "sm_", false, 0, 0 }, { "", false, 0, 0 },
        { "sm_90b", false, 0, 0 }, { "sm_9", false, 0, 0 }, { "hopper", false, 0, 0 }, { "sm_123456", false, 0, 0 },
        { "9.", false, 0, 0 }, { "sm_9.0", false, 0, 0 }, { "90aa", false, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned sm = 0;
        char suffix = 0;

        if (gpudl__image_parse_arch(rows[i].name, &sm, &suffix) != rows[i].ok)
            fail_msg("%s", rows[i].name);
        if (rows[i].ok) {
            assert_int_equal(sm, rows[i].sm);
            assert_int_equal(suffix, rows[i].suffix);
        }
    }
}

static void names_of_codes(void **state)
{
    (void)state;
    assert_string_equal(gpudl__image_verdict_name(V(FITS)), "ok");
    assert_string_equal(gpudl__image_verdict_name(V(NO_MEMORY)), "no-memory");
    assert_string_equal(gpudl__image_verdict_name((enum image_verdict)1000), "");
    assert_string_equal(gpudl__image_warning_name(IMAGE_WARNING_DAMAGED), "kernel-damaged");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(architectures),
        cmocka_unit_test(minors_and_names),
        cmocka_unit_test(toolkits_and_drivers),
        cmocka_unit_test(code_that_is_no_code_yet),
        cmocka_unit_test(damage_and_lies),
        cmocka_unit_test(environment),
        cmocka_unit_test(what_is_taken_of_many),
        cmocka_unit_test(host_files),
        cmocka_unit_test(what_would_run_badly),
        cmocka_unit_test(registers_that_leave_a_device_empty),
        cmocka_unit_test(names_of_architectures),
        cmocka_unit_test(names_of_codes),
    };

    return RUN(tests);
}
