/* Every allocation fails once: the failure is told as one, nothing stays behind, and what needs no memory goes on. */
#include "src/util/alloc.h"
#include "tests/image/help.h"

struct heap {
    size_t calls, fail_at, live;
};

static void *allocate(void *user, size_t bytes)
{
    struct heap *h = user;
    void *block = ++h->calls == h->fail_at ? NULL : malloc(bytes);

    h->live += block != NULL;
    return block;
}

static void release(void *user, void *block)
{
    ((struct heap *)user)->live--;
    free(block);
}

/* A text for a person comes with every failure. */
static void assert_no_memory(enum image_error error, const char *text)
{
    assert_int_equal(error, IMAGE_NO_MEMORY);
    assert_string_equal(text + (strncmp(text, "entry ", 6) == 0 ? 9 : 0), "out of memory");
}

static void use(struct span bytes, unsigned sm)
{
    const struct image_target target = { .sm = sm, .ptx_version = 90, .machine_code = true };
    const struct image_kernel *k;
    const struct image_global *g;
    enum image_misfit why = MISFIT_ARCH;
    enum image_error error;
    char text[256] = "";
    struct image *im = NULL;
    struct span payload;
    size_t n;

    error = gpudl__image_open(bytes, 0, &im, text, sizeof(text));
    if (error) {
        assert_no_memory(error, text);
        assert_null(im);
        return;
    }
    if (gpudl__image_choose(im, &target, &why, text, sizeof(text)) < 0)
        assert_int_equal(why, MISFIT_NO_MEMORY);
    for (size_t i = 0; i < gpudl__image_count(im); i++) {
        error = gpudl__image_payload(im, i, &payload, text, sizeof(text));
        if (error)
            assert_no_memory(error, text);
        error = gpudl__image_kernels(im, i, &k, &n, text, sizeof(text));
        if (error)
            assert_no_memory(error, text);
        error = gpudl__image_globals(im, i, &g, &n, text, sizeof(text));
        if (error)
            assert_no_memory(error, text);
        assert_int_equal(gpudl__image_globals(im, i, &g, &n, text, sizeof(text)), IMAGE_OK);    /* there is memory again */
    }
    gpudl__image_close(im);
}

static void assert_done(enum image_error error, const char *text)
{
    if (error)
        assert_no_memory(error, text);
}

/* As a tool does: damage is never made up where memory is short. */
static void look(struct span bytes, unsigned sm)
{
    const struct image_target target = { .sm = sm, .ptx_version = 90, .machine_code = true };
    const struct image_details *d;
    struct image_provenance p;
    struct image_words words;
    struct image *im = NULL;
    char text[256] = "";
    enum image_error error;
    size_t seen = 0;

    error = gpudl__image_inspect(bytes, NULL, &im, text, sizeof(text));
    if (error) {
        assert_no_memory(error, text);
        assert_null(im);
        return;
    }
    for (size_t i = 0; i < gpudl__image_count(im); i++) {
        assert_done(gpudl__image_details(im, i, &d, text, sizeof(text)), text);
        assert_done(gpudl__image_provenance(im, i, &p, text, sizeof(text)), text);
        if (gpudl__image_entry(im, i)->format == IMAGE_CUBIN)
            assert_done(gpudl__image_symbols(im, i, next_symbol, &seen, text, sizeof(text)), text);
        gpudl__image_judge(im, i, &target, &words);
        assert_int_equal(gpudl__image_details(im, i, &d, text, sizeof(text)), IMAGE_OK);        /* there is memory again */
        gpudl__image_forget(im, i);
        assert_int_equal(gpudl__image_entry(im, i)->error, IMAGE_OK);
    }
    gpudl__image_explain(im, SIZE_MAX, &target, &words);
    assert_string_equal(gpudl__image_damage(im, NULL), "");
    gpudl__image_close(im);
}

static void fail_each(const char *file, void (*what)(struct span, unsigned), unsigned sm)
{
    struct bytes b = load(file);
    struct heap heap = { 0 };
    const struct allocator failing = { allocate, release, &heap };
    const struct allocator *before = gpudl__alloc_use(&failing);

    do {
        heap.calls = 0;
        heap.fail_at++;
        what(span_of(b), sm);
        assert_int_equal(heap.live, 0);
    } while (heap.calls >= heap.fail_at);
    gpudl__alloc_use(before);
    free(b.data);
}

static void each_allocation_fails_once(void **state)
{
    static const struct { const char *file; unsigned sm; } cases[] = {
        { "a_default.fatbin", 100 }, { "a_lz4.fatbin", 90 }, { "a_90.ptx", 90 }, { "k_90.cubin", 90 }, { "lie_ptx.fatbin", 100 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        fail_each(cases[i].file, use, cases[i].sm);
}

static void each_allocation_of_a_tool_fails_once(void **state)
{
    static const char *const files[] = { "libk.a", "hr.exe", "a_lz4.fatbin", "d_90.cubin", "launch.ptx", "k_debug.fatbin" };

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        fail_each(files[i], look, 90);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_fails_once),
        cmocka_unit_test(each_allocation_of_a_tool_fails_once),
    };

    return RUN(tests);
}
