/* A kernel answers to its name in the image and to the one in the source; what is not found is told with the nearest names. */
#include <stdlib.h>

#include "src/loader/names/names.h"
#include "tests/loader/common.h"

static void one_spelling(void **state)
{
    static const char *const table[][2] = {
        { "ns::scale<float, 4>", "ns::scale<float,4>" },
        { " a < b < int > , 3u >", "a<b<int>,3>" },
        { "k<unsigned  int, 7ul>", "k<unsigned int,7>" },
        { "f(const float *, int)", "f(float const*,int)" },
        { "f(const  v<const int&> *)", "f(v<int const&>const*)" },
        { "x4u", "x4u" },
        { "", "" },
        { "f(const unsigned int)", "f(unsigned int const)" },
        { "const ", "const" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        char *s = strdup(table[i][0]);
        gpudl__spell_normalise(s);
        assert_string_equal(s, table[i][1]);
        free(s);
    }
}

static void pieces_of_a_name(void **state)
{
    static const struct {
        const char *name, *plain, *parameters;
        size_t family;
    } table[] = {
        { "void ns::scale<float,4>(float*)", "ns::scale<float,4>", "(float*)", 9 },
        { "saxpy(float const*,int)", "saxpy", "(float const*,int)", 5 },
        { "(anonymous namespace)::k(int)", "(anonymous namespace)::k", "(int)", 24 },
        { "void k<f(int)::{lambda(int)#1}>(void (*)(int))", "k<f(int)::{lambda(int)#1}>", "(void (*)(int))", 1 },
        { "plain", "plain", "", 5 },
        { "", "", "", 0 },
        { ")", ")", "", 1 },
        { "a>", "a>", "", 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct spelled s = gpudl__spell_split(table[i].name);
        assert_int_equal(s.plain_size, strlen(table[i].plain));
        assert_memory_equal(s.plain, table[i].plain, s.plain_size);
        assert_string_equal(s.parameters, table[i].parameters);
        assert_int_equal(s.family_size, table[i].family);
    }
}

static void distances(void **state)
{
    (void)state;
    assert_int_equal(gpudl__spell_distance("saxpy", 5, "saxpy", 5, 9), 0);
    assert_int_equal(gpudl__spell_distance("saxpy", 5, "Saxpi", 5, 9), 1); /* case is no edit */
    assert_int_equal(gpudl__spell_distance("kitten", 6, "sitting", 7, 9), 3);
    assert_int_equal(gpudl__spell_distance("", 0, "abc", 3, 9), 3);
    assert_int_equal(gpudl__spell_distance("abc", 3, "xyz", 3, 2), 2);
}

static void each_name_finds_its_kernel(void **state)
{
    static const char *const table[][2] = {
        { "axpy", "axpy" },
        { "_Z6negatePKfPf", "_Z6negatePKfPf" },
        { "negate", "_Z6negatePKfPf" },
        { "::negate", "_Z6negatePKfPf" },
        { "negate(const float *, float *)", "_Z6negatePKfPf" },
        { "ns::scale<float, 4>", "_ZN2ns5scaleIfLi4EEEvPT_" },
        { "ns::scale< double,2 >", "_ZN2ns5scaleIdLi2EEEvPT_" },
        { "ns::fill<7>", "_ZN2ns4fillILj7EEEvPj" },
        { "ns::fill<7u>", "_ZN2ns4fillILj7EEEvPj" },
        { "ns::fill", "_ZN2ns4fillILj7EEEvPj" },
        { "twice(double*)", "_Z5twicePd" },
        { "void ns::scale<float, 4>(float*)", "_ZN2ns5scaleIfLi4EEEvPT_" },
    };
    gpudl_loader *l = harness_open();
    gpudl_library *lib;
    gpudl_kernel *k;

    (void)state;
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_fatbin), NULL, &lib));
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (i > 1 && !gpudl__can_demangle())
            break;
        assert_ok(gpudl_kernel_get(lib, table[i][0], &k));
        assert_string_equal(gpudl_kernel_name(k), table[i][1]);
        gpudl_kernel_release(k);
    }
    gpudl_library_release(lib);
    harness_close(l);
}

static void what_is_not_found_is_explained(void **state)
{
    gpudl_loader *l = harness_open();
    gpudl_library *lib, *one;
    gpudl_kernel *k;

    (void)state;
    assert_ok(gpudl_library_load(l, DATA_SOURCE(names_fatbin), NULL, &lib));
    assert_fails(gpudl_kernel_get(lib, "axpi", &k), GPUDL_ERROR_NO_SUCH_KERNEL, "did you mean axpy");
    assert_fails(gpudl_kernel_get(lib, "completely_different", &k), GPUDL_ERROR_NO_SUCH_KERNEL, "among its 7");
    assert_fails(gpudl_kernel_get(lib, "", &k), GPUDL_ERROR_NO_SUCH_KERNEL, "among its 7");
    assert_fails(gpudl_kernel_get(lib, NULL, &k), GPUDL_ERROR_AMBIGUOUS_NAME, "7 kernels");
    if (gpudl__can_demangle()) {
        assert_fails(gpudl_kernel_get(lib, "scalle", &k), GPUDL_ERROR_NO_SUCH_KERNEL, "ns::scale<float,4>");
        assert_fails(gpudl_kernel_get(lib, "twice", &k), GPUDL_ERROR_AMBIGUOUS_NAME, "_Z5twicePd");
        assert_fails(gpudl_kernel_get(lib, "ns::scale", &k), GPUDL_ERROR_AMBIGUOUS_NAME, "ns::scale<double,2>");
    }
    gpudl_library_release(lib);
    assert_ok(gpudl_library_load(l, DATA_SOURCE(globals_ptx), NULL, &one));
    assert_ok(gpudl_kernel_get(one, NULL, &k));
    assert_string_equal(gpudl_kernel_name(k), "_Z4bumpPf");
    gpudl_kernel_release(k);
    gpudl_library_release(one);
    harness_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset_driver)
        TEST(one_spelling),
        TEST(pieces_of_a_name),
        TEST(distances),
        TEST(each_name_finds_its_kernel),
        TEST(what_is_not_found_is_explained),
    };

    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
