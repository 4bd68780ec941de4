/* versions.c - a driver of another version (SOFTCUDA_DRIVER_VERSION, see CMakeLists.txt) has what that one had: by cuGetProcAddress,
 * and by its symbols. Everything else that CUDA has can be looked up and says that it is not supported. */
#include "cuda.h.inc"
#include <link.h>
#include "softcuda/api/names.h"

/* softcuda/api/names.h as this program reads it. */
struct row { const char *name, *symbol, *thread; int since; bool found, alias; };
#define F(name, since, suffix)         { #name, #name #suffix, NULL, since, true, false },
#define T(name, since, suffix, thread) { #name, #name #suffix, #name #suffix #thread, since, true, false },
#define A(name, since, suffix)         { #name, #name #suffix, NULL, since, true, true },
#define O(name, since)                 { #name, #name, NULL, since, false, false },
#define N(name, since)                 { #name, NULL, NULL, since, true, false },
static const struct row rows[] = { SC_NAMES(F, T, A, O, N) };
#define NROWS (sizeof(rows) / sizeof(rows[0]))

static int our_version(void)
{
    const char *v = getenv("SOFTCUDA_DRIVER_VERSION");

    return v ? atoi(v) : 13000;
}

/* What is there from the first version that has cuGetProcAddress on. */
static CUresult look_up(const char *name, int version, int flags, void **f, CUdriverProcAddressQueryResult *why)
{
    CUresult (*five)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
    CUresult (*four)(const char *, void **, int, cuuint64_t);
    CUresult r;

    open_library();
    *(void **)&five = dlsym(library, "cuGetProcAddress_v2");
    *(void **)&four = dlsym(library, "cuGetProcAddress");
    if (five)
        return five(name, f, version, (cuuint64_t)flags, why);
    r = four(name, f, version, (cuuint64_t)flags);
    *why = *f ? CU_GET_PROC_ADDRESS_SUCCESS : r ? CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND : CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    return r;
}

static void a_newer_version_is_refused(void **state)
{
    CUdriverProcAddressQueryResult why;
    int version;
    void *f;

    (void)state;
    assert_int_equal(AS(DriverGetVersion, 2020, 0)(&version), CUDA_SUCCESS);
    assert_int_equal(version, our_version());
    assert_int_equal(look_up("cuInit", version + 10, 0, &f, &why), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(look_up("cuInit", version, 0, &f, &why), CUDA_SUCCESS);
    assert_non_null(f);
}

static void symbols_are_there_as_of_their_version(void **state)
{
    int wrong = 0;

    (void)state;
    open_library();
    for (size_t i = 0; i < NROWS; i++) {
        const char *const symbols[] = { rows[i].alias ? NULL : rows[i].symbol, rows[i].thread };

        for (int k = 0; k < 2; k++)
            if (symbols[k] && !dlsym(library, symbols[k]) != (rows[i].since > our_version())) {
                print_message("%s, of %d: %s\n", symbols[k], rows[i].since, rows[i].since > our_version() ? "there" : "not there");
                wrong++;
            }
    }
    assert_int_equal(wrong, 0);
}

/* The form that a program built for the version must get, or NULL. */
static const struct row *newest(const char *name, int version)
{
    const struct row *best = NULL;

    for (size_t i = 0; i < NROWS; i++)
        if (!strcmp(rows[i].name, name) && rows[i].found && rows[i].since <= version && (!best || rows[i].since > best->since))
            best = &rows[i];
    return best;
}

static int check_name(const char *name, int version, int flags)
{
    const struct row *r = newest(name, version);
    const char *symbol = r && r->thread && flags ? r->thread : r ? r->symbol : NULL;
    CUdriverProcAddressQueryResult why;
    void *f = &f;

    assert_int_equal(look_up(name, version, flags, &f, &why), CUDA_SUCCESS);
    if (r ? f && (!symbol || f == dlsym(library, symbol)) && why == CU_GET_PROC_ADDRESS_SUCCESS
          : !f && why == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT)
        return 0;
    print_message("%s for %d, flags %d: not %s\n", name, version, flags, symbol ? symbol : r ? "found" : "hidden");
    return 1;
}

static void names_give_the_form_of_the_version_asked_for(void **state)
{
    static const int versions[] = { 2000, 4000, 10010, 11040, 12000, 12040, 12050, 13000 };
    int wrong = 0;

    (void)state;
    for (size_t k = 0; k < sizeof(versions) / sizeof(versions[0]) && versions[k] <= our_version(); k++)
        for (size_t i = 0; i < NROWS; i++) {
            wrong += check_name(rows[i].name, versions[k], 0);
            if (versions[k] >= 10000)
                wrong += check_name(rows[i].name, versions[k], CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
        }
    assert_int_equal(wrong, 0);
}

/* Some that are known from elsewhere than the table. */
static void what_is_newer_is_not_there(void **state)
{
    static const struct { const char *name; int since; } known[] = {
        { "cuMemAllocAsync", 11020 }, { "cuMemPoolCreate", 11020 }, { "cuGraphAddMemAllocNode", 11040 }, { "cuLaunchKernelEx", 11060 },
        { "cuGraphNodeSetEnabled", 11060 }, { "cuLibraryLoadData", 12000 }, { "cuGraphInstantiateWithParams", 12000 },
        { "cuGraphAddNode", 12020 }, { "cuStreamBeginCaptureToGraph", 12030 }, { "cuKernelGetParamInfo", 12040 },
        { "cuGreenCtxCreate", 12040 }, { "cuStreamGetDevice", 12080 }, { "cuMemGetDefaultMemPool", 13000 } };
    CUdriverProcAddressQueryResult why;
    void *f;

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        bool newer = known[i].since > our_version();

        assert_int_equal(look_up(known[i].name, our_version(), 0, &f, &why), CUDA_SUCCESS);
        assert_int_equal(!f, newer);
        assert_int_equal(!dlsym(library, known[i].name), newer);
        if (newer)
            assert_int_equal(why, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    }
    assert_int_equal(!dlsym(library, "cuCtxCreate_v4"), our_version() < 12050);
    assert_int_equal(!dlsym(library, "cuGraphAddKernelNode_v2"), our_version() < 12000);
    assert_int_equal(!dlsym(library, "cuStreamGetCaptureInfo_v3_ptsz"), our_version() < 12030);
}

static void a_name_that_there_is_not_is_not_found(void **state)
{
    CUdriverProcAddressQueryResult why;
    void *f = &f;

    (void)state;
    assert_int_equal(look_up("cuNoSuchThing", our_version(), 0, &f, &why), CUDA_SUCCESS);
    assert_null(f);
    if (our_version() >= 12000)
        assert_int_equal(why, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

/* 801 of a function that softcuda does not have, which takes anything; 0 of others, whose definition takes the place of that one. */
static int answer_of(const char *symbol)
{
    int (*f)(void) = NULL;
    const ElfW(Sym) *entry;
    Dl_info info;

    *(void **)&f = dlsym(library, symbol);
    if (!f || !dladdr1(*(void **)&f, &info, (void **)&entry, RTLD_DL_SYMENT) || ELF64_ST_BIND(entry->st_info) != STB_WEAK)
        return 0;
    return f();
}

static void what_softcuda_has_not_says_so(void **state)
{
    CUdriverProcAddressQueryResult why;
    int (*f)(int, int, int);
    int n = 0, answer;

    (void)state;
    for (size_t i = 0; i < NROWS; i++)
        if (rows[i].symbol && (answer = answer_of(rows[i].symbol))) {
            assert_int_equal(answer, CUDA_ERROR_NOT_SUPPORTED);
            n++;
        }
    assert_true(n > 50);
    assert_int_equal(look_up("cuIpcGetMemHandle", 11040, 0, (void **)&f, &why), CUDA_SUCCESS);
    assert_int_equal(why, CU_GET_PROC_ADDRESS_SUCCESS);
    assert_int_equal(f(1, 2, 3), CUDA_ERROR_NOT_SUPPORTED);
    *(void **)&f = dlsym(library, "cuIpcGetMemHandle");
    assert_int_equal(f(1, 2, 3), CUDA_ERROR_NOT_SUPPORTED);
}

static void nothing_undocumented_is_imitated(void **state)
{
    CUresult (*get)(const void **, const CUuuid *);
    const void *table;
    CUuuid id = { { 1 } };

    (void)state;
    *(void **)&get = dlsym(library, "cuGetExportTable");
    assert_int_equal(get(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newer_version_is_refused),
        cmocka_unit_test(symbols_are_there_as_of_their_version),
        cmocka_unit_test(names_give_the_form_of_the_version_asked_for),
        cmocka_unit_test(what_is_newer_is_not_there),
        cmocka_unit_test(a_name_that_there_is_not_is_not_found),
        cmocka_unit_test(what_softcuda_has_not_says_so),
        cmocka_unit_test(nothing_undocumented_is_imitated),
    };

    return cmocka_run_group_tests_name("api.versions", tests, NULL, NULL);
}
