/* devmem.c - device memory: alignment, no overlap, everything comes back. And device printf's layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/run/devmem.h"
#include "softcuda/run/services.h"
#include "softcuda/run/warp.h"

#define TOTAL ((uint64_t)256 << 20)

static unsigned char *bytes(uint64_t address)
{
    return (unsigned char *)(uintptr_t)address;
}

static void memory_is_aligned_and_found_again(void **state)
{
    struct sc_devmem *m = sc_devmem_create(TOTAL);
    struct sc_devmem_info info;
    int owner;
    uint64_t p = sc_devmem_alloc(m, 1000, &owner, 5);

    (void)state;
    assert_int_equal(p % SC_DEVMEM_ALIGN, 0);
    memset(bytes(p), 1, 1000);
    assert_true(sc_devmem_find(m, p + 999, &info));
    assert_true(info.start == p && info.size == 1000 && info.owner == &owner && info.kind == 5);
    assert_false(sc_devmem_find(m, p + 1000, &info));
    assert_false(sc_devmem_free(m, p + 256, 5));
    assert_false(sc_devmem_free(m, p, 6));
    assert_true(sc_devmem_free(m, p, 5));
    assert_false(sc_devmem_free(m, p, 5));
    sc_devmem_destroy(m);
}

static void more_than_there_is_fails(void **state)
{
    struct sc_devmem *m = sc_devmem_create(TOTAL);
    uint64_t p;

    (void)state;
    assert_true(sc_devmem_alloc(m, 0, NULL, 0) == 0);
    assert_true(sc_devmem_alloc(m, TOTAL + 1, NULL, 0) == 0);
    assert_true(sc_devmem_alloc(m, UINT64_MAX - 10, NULL, 0) == 0);
    p = sc_devmem_alloc(m, TOTAL, NULL, 0);
    assert_true(p != 0);
    assert_true(sc_devmem_alloc(m, 1, NULL, 0) == 0);
    assert_true(sc_devmem_free(m, p, 0));
    sc_devmem_destroy(m);
}

struct held { uint64_t p; size_t size; unsigned char mark; };

static void check(const struct held *h)
{
    for (size_t i = 0; i < h->size; i += 97)
        assert_int_equal(bytes(h->p)[i], h->mark);
}

static void random_use_neither_overlaps_nor_leaks(void **state)
{
    static struct held held[300];
    struct sc_devmem *m = sc_devmem_create(TOTAL);
    uint64_t left, total;
    unsigned seed = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct held *h = &held[(unsigned)rand_r(&seed) % 300];

        if (h->p) {
            check(h);
            assert_true(sc_devmem_free(m, h->p, 1));
            h->p = 0;
        } else {
            h->size = 1 + (unsigned)rand_r(&seed) % (rand_r(&seed) % 50 ? 3000 : 3000000);
            h->mark = (unsigned char)(1 + round % 255);
            h->p = sc_devmem_alloc(m, h->size, NULL, 1);
            if (h->p)
                memset(bytes(h->p), h->mark, h->size);
        }
    }
    sc_devmem_free_owned(m, NULL);
    sc_devmem_sizes(m, &left, &total);
    assert_true(left == total && total == TOTAL);
    assert_true(sc_devmem_alloc(m, TOTAL, NULL, 1) != 0);
    sc_devmem_destroy(m);
}

static void printf_reads_packed_arguments(void **state)
{
    struct sc_services s;
    struct sc_warp w;
    struct { int32_t i; double d; const char *text; int64_t big; uint8_t c; } packed = { -7, 2.5, "hi", -5000000000, 'x' };
    const char *format = "%d|%5.2f|%s|%lld|%c|100%%\n";
    const void *packed_address = &packed;
    unsigned char a0[256], a1[256], ret[128];
    void *args[] = { a0, a1 };
    int32_t count;

    (void)state;
    memset(&w, 0, sizeof(w));
    sc_services_init(&s, NULL, NULL);
    w.heap = (uintptr_t)&s;
    for (int b = 0; b < 8; b++) {                   /* lane 3 */
        a0[b / 4 * 128 + 3 * 4 + b % 4] = ((unsigned char *)&format)[b];
        a1[b / 4 * 128 + 3 * 4 + b % 4] = ((unsigned char *)&packed_address)[b];
    }
    sc_rt_extern("vprintf")(&w, 1u << 3, args, ret);
    memcpy(&count, ret + 12, 4);
    assert_int_equal(count, 5);
    assert_int_equal(s.length, strlen("-7| 2.50|hi|-5000000000|x|100%\n"));
    assert_memory_equal(s.text, "-7| 2.50|hi|-5000000000|x|100%\n", s.length);
    s.length = 0;
    sc_services_finish(&s);
    assert_null(sc_rt_extern("vprint"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_and_found_again),
        cmocka_unit_test(more_than_there_is_fails),
        cmocka_unit_test(random_use_neither_overlaps_nor_leaks),
        cmocka_unit_test(printf_reads_packed_arguments),
    };

    return cmocka_run_group_tests_name("run.devmem", tests, NULL, NULL);
}
