/* test_corpus.c - runs the corpus on a driver.
 *
 * usage: test_corpus FOLDER ARCH [FILE]: FOLDER holds FILE.ptx, made for compute capability ARCH. CORPUS_DRIVER names the driver's
 * library; without it, softcuda. Files that the folder does not have are skipped; it must have one at least. */
#include "tests/corpus/corpus.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BUFFERS 64

static struct {
    CUdeviceptr at[MOST_BUFFERS];
    unsigned n;
} buffers;
static char said[300];
static uint32_t seed;

void *corpus_symbol(struct corpus *c, const char *name)
{
    void *f = dlsym(c->driver, name);

    if (!f) {
        fprintf(stderr, "the driver has no %s\n", name);
        exit(1);
    }
    return f;
}

void corpus_call(struct corpus *c, int result, const char *what)
{
    corpus_expect(c, !result, what, result);
}

void corpus_expect(struct corpus *c, bool right, const char *what, long index)
{
    if (right || c->wrong)
        return;
    snprintf(said, sizeof(said), "%s at %ld", what, index);
    c->wrong = said;
}

bool corpus_near(double got, double want, double relative)
{
    return fabs(got - want) <= relative * fabs(want) || (isnan(got) && isnan(want));
}

float corpus_random(float low, float high)
{
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * (float)(seed >> 8) * 0x1p-24f;
}

CUdeviceptr corpus_up(struct corpus *c, const void *from, size_t size)
{
    CUdeviceptr p = 0;

    if (buffers.n == MOST_BUFFERS)
        abort();
    CALL(c, cuMemAlloc_v2, &p, size);
    buffers.at[buffers.n++] = p;
    if (from)
        CALL(c, cuMemcpyHtoD_v2, p, from, size);
    else
        CALL(c, cuMemsetD8_v2, p, 0, size);
    return p;
}

void corpus_down(struct corpus *c, void *to, CUdeviceptr from, size_t size)
{
    CALL(c, cuMemcpyDtoH_v2, to, from, size);
}

void corpus_free(struct corpus *c)
{
    while (buffers.n)
        CALL(c, cuMemFree_v2, buffers.at[--buffers.n]);
}

CUdeviceptr corpus_global(struct corpus *c, const char *name)
{
    CUdeviceptr p = 0;

    CALL(c, cuModuleGetGlobal_v2, &p, NULL, c->module, name);
    return p;
}

static CUfunction function_of(struct corpus *c, const char *kernel)
{
    CUfunction f = NULL;

    CALL(c, cuModuleGetFunction, &f, c->module, kernel);
    return f;
}

static void launch(struct corpus *c, const char *kernel, const unsigned shape[4], unsigned shared, bool together, void **args)
{
    CUfunction f = function_of(c, kernel);

    if (c->wrong)
        return;
    if (together)
        CALL(c, cuLaunchCooperativeKernel, f, shape[0], shape[1], 1, shape[2], shape[3], 1, shared, NULL, args);
    else
        CALL(c, cuLaunchKernel, f, shape[0], shape[1], 1, shape[2], shape[3], 1, shared, NULL, args, NULL);
    if (!c->wrong)
        corpus_call(c, ((__typeof__(&cuCtxSynchronize))corpus_symbol(c, "cuCtxSynchronize"))(), kernel);
}

void corpus_run(struct corpus *c, const char *kernel, unsigned grid, unsigned block, unsigned shared, void **args)
{
    launch(c, kernel, (unsigned[]){ grid, 1, block, 1 }, shared, false, args);
}

void corpus_run_2d(struct corpus *c, const char *kernel, unsigned gx, unsigned gy, unsigned bx, unsigned by, void **args)
{
    launch(c, kernel, (unsigned[]){ gx, gy, bx, by }, 0, false, args);
}

void corpus_run_shape(struct corpus *c, const char *kernel, const unsigned shape[4], unsigned shared, void **args)
{
    launch(c, kernel, shape, shared, false, args);
}

void corpus_run_together(struct corpus *c, const char *kernel, unsigned grid, unsigned block, void **args)
{
    launch(c, kernel, (unsigned[]){ grid, 1, block, 1 }, 0, true, args);
}

/* 1: it passed, 0: it failed, -1: it is not in the folder. */
static int check_file(struct corpus *c, const struct corpus_file *f, const char *folder)
{
    char path[4096], log[4096] = "";
    int options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
    static char text[4 << 20];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s.ptx", folder, f->name);
    if (!(file = fopen(path, "r")))
        return -1;
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    c->wrong = NULL;
    seed = 1;
    buffers.n = 0;
    CALL(c, cuModuleLoadDataEx, &c->module, text, 2, options, values);
    if (!c->wrong) {
        f->check(c);
        CALL(c, cuModuleUnload, c->module);
    }
    corpus_free(c);
    printf("%s %s%s%s %s\n", c->wrong ? "FAILED" : "passed", f->name, c->wrong ? ": " : "", c->wrong ? c->wrong : "", log);
    return !c->wrong;
}

static void open_device(struct corpus *c)
{
    CUcontext context;

    CALL(c, cuInit, 0);
    CALL(c, cuDevicePrimaryCtxRetain, &context, 0);
    CALL(c, cuCtxSetCurrent, context);
    CALL(c, cuCtxSetLimit, CU_LIMIT_STACK_SIZE, 16384);
}

int main(int argc, char **argv)
{
    const char *path = getenv("CORPUS_DRIVER") ? getenv("CORPUS_DRIVER") : "libsoftcuda.so";
    struct corpus c = { .driver = dlopen(path, RTLD_NOW) };
    int passed = 0, failed = 0, r;

    if (argc < 3 || !c.driver) {
        fprintf(stderr, "%s\n", c.driver ? "usage: test_corpus FOLDER ARCH [FILE]" : dlerror());
        return 2;
    }
    c.arch = (unsigned)atoi(argv[2]);
    open_device(&c);
    for (const struct corpus_file *const *table = corpus_tables; *table; table++)
        for (const struct corpus_file *f = *table; f->name; f++) {
            if (argc > 3 && strcmp(argv[3], f->name))
                continue;
            r = check_file(&c, f, argv[1]);
            passed += r == 1;
            failed += r == 0;
        }
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
