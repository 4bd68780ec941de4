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

static void each_allocation_fails_once(void **state)
{
    static const struct { const char *file; unsigned sm; } cases[] = {
        { "a_default.fatbin", 100 }, { "a_lz4.fatbin", 90 }, { "a_90.ptx", 90 }, { "k_90.cubin", 90 }, { "lie_ptx.fatbin", 100 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct bytes b = load(cases[i].file);
        struct heap heap = { 0 };
        const struct allocator failing = { allocate, release, &heap };
        const struct allocator *before = gpudl__alloc_use(&failing);

        do {
            heap.calls = 0;
            heap.fail_at++;
            use(span_of(b), cases[i].sm);
            assert_int_equal(heap.live, 0);
        } while (heap.calls >= heap.fail_at);
        gpudl__alloc_use(before);
        free(b.data);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_fails_once),
    };

    return RUN(tests);
}
