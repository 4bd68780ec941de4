/* An NVIDIA GPU and softcuda give the same bits where no approximate instruction is used, else agree within the case's
 * tolerance. Both drivers are open in this one process. test_gpu_vs_softcuda [FILE]: the cases of one .cu file, or all. Exits
 * with 77 where there is no GPU. */
#include "tests/kernels/kernel_test.h"

#include <string.h>

#define SKIPPED 77

static bool run_both(const struct kt_device devices[2], const struct kt_case *c, const struct kt_shape *shape)
{
    char error[1024], name[256];
    struct kt k;
    bool ok;

    kt_build(c, shape, &k);
    ok = kt_run(&devices[0], c, &k, error, sizeof(error)) && kt_run(&devices[1], c, &k, error, sizeof(error)) &&
        kt_matches_each_other(&k, error, sizeof(error));
    if (!ok)
        printf("FAILED %s: %s\n", kt_name(c, &k, name, sizeof(name)), error);
    kt_finish(&k);
    return ok;
}

int main(int argc, char **argv)
{
    struct kt_device devices[2];
    unsigned passed = 0, failed = 0;
    const struct kt_case *c;

    if (kt_device_open("nvidia", 0, &devices[0]) != GPUDL_OK) {
        printf("skipped: %s\n", gpudl_error_text());
        return SKIPPED;
    }
    if (kt_device_open("softcuda", 1, &devices[1]) != GPUDL_OK) {
        printf("FAILED to open softcuda: %s\n", gpudl_error_text());
        return 1;
    }
    for (size_t i = 0; (c = kt_case_at(i)); i++)
        for (size_t s = 0; s < c->nshapes && (argc < 2 || strcmp(argv[1], c->file) == 0); s++)
            if (run_both(devices, c, &c->shapes[s]))
                passed++;
            else
                failed++;
    kt_device_close(&devices[1]);
    kt_device_close(&devices[0]);
    printf("%u passed, %u failed\n", passed, failed);
    return failed || passed == 0;
}
