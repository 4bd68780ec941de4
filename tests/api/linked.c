/* linked.c - a program that is linked against softcuda asks for libcuda.so.1 and nothing else, so that it runs with either driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/abi.h"
#include "softcuda/api/functions.h"

static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry poke(.param .u64 p)\n{\n.reg .b32 %r; .reg .b64 %d;\n"
    "ld.param.u64 %d, [p]; mov.u32 %r, 1; st.global.u32 [%d], %r; ret;\n}\n";

/* This program's own dynamic section: the main program comes first. */
static int visit(struct dl_phdr_info *info, size_t size, void *dynamic)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            *(const ElfW(Dyn) **)dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return 1;
}

static void it_asks_for_libcuda(void **state)
{
    const ElfW(Dyn) *dynamic = NULL;
    const char *names = NULL;
    bool cuda = false;

    (void)state;
    dl_iterate_phdr(visit, &dynamic);
    assert_non_null(dynamic);
    for (const ElfW(Dyn) *d = dynamic; d->d_tag; d++)
        if (d->d_tag == DT_STRTAB)
            names = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = dynamic; d->d_tag; d++)
        if (d->d_tag == DT_NEEDED) {
            cuda |= !strcmp(names + d->d_un.d_val, "libcuda.so.1");
            assert_null(strstr(names + d->d_un.d_val, "softcuda"));
        }
    assert_true(cuda);
}

static void its_calls_reach_the_driver(void **state)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    uint32_t got = 0;
    void *params[] = { &p };

    (void)state;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuCtxCreate_v2(&c, 0, 0), CUDA_SUCCESS);
    assert_int_equal(cuModuleLoadData(&m, ptx), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetFunction(&f, m, "poke"), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc_v2(&p, 4), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH_v2(&got, p, 4), CUDA_SUCCESS);
    assert_int_equal(got, 1);
    assert_int_equal(cuCtxDestroy_v2(c), CUDA_SUCCESS);
}

static void what_is_opened_is_what_is_linked(void **state)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

    (void)state;
    assert_non_null(library);
    assert_ptr_equal(dlsym(library, "cuInit"), dlsym(RTLD_DEFAULT, "cuInit"));
    if (!dlsym(library, "softcuda_version"))
        skip();
    assert_int_equal(!dlsym(library, "cuLibraryLoadData"), getenv("SOFTCUDA_DRIVER_VERSION") != NULL);
    assert_int_equal(!dlsym(RTLD_DEFAULT, "cuGraphAddNode"), getenv("SOFTCUDA_DRIVER_VERSION") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_asks_for_libcuda),
        cmocka_unit_test(its_calls_reach_the_driver),
        cmocka_unit_test(what_is_opened_is_what_is_linked),
    };

    if (cuInit(0))
        return 77;
    return cmocka_run_group_tests_name("api.linked", tests, NULL, NULL);
}
