/* on_cuda.c - the machine is a device behind the CUDA driver API: GPUDL_DRIVER names the driver, NVIDIA's or softcuda's or the path of one. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpudl/gpudl.h"
#include "tests/fuzzptx/program.h"

const bool machine_may_hang = true;     /* and a driver does not live on behind a fork: each process opens its own */

static const gpudl_driver_table *cu;

static bool open_device(char why[256])
{
    static gpudl_loader *loader;
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;

    if (cu)
        return true;
    if (gpudl_loader_open(&options, &loader) != GPUDL_OK || gpudl_loader_use_device(loader, 0) != GPUDL_OK) {
        snprintf(why, 256, "no device");
        return false;
    }
    cu = gpudl_loader_driver(loader);
    return true;
}

bool machine_begin(char why[256])
{
    pid_t child = fork();
    int status = 0;

    if (child == 0)
        _exit(!open_device(why));
    waitpid(child, &status, 0);
    snprintf(why, 256, "no device");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int check(int code, const char *what, char why[256])
{
    const char *name = NULL;

    if (code) {
        cu->GetErrorName(code, &name);
        snprintf(why, 256, "%s: %s (%d)", what, name ? name : "unknown error", code);
    }
    return code;
}

static int load(const char *text, CUmodule *module, char why[256])
{
    char log[200] = "";
    int options[] = { GPUDL_JIT_ERROR_LOG_BUFFER, GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
    int code = check(cu->ModuleLoadDataEx(module, text, 2, options, values), "load", why);

    if (code)
        snprintf(why, 256, "load: %.200s (%d)", log, code);
    return code;
}

static int launch(const struct program *p, CUfunction k, uint8_t *memory, char why[256])
{
    size_t size = memory_size(p);
    const uint32_t *n = p->grid, *b = p->block;
    struct arguments a;
    CUdeviceptr at;
    int code;

    if (check(cu->MemAlloc(&at, size), "allocate", why))
        return -1;
    a = memory_arguments(p, at);
    {
        void *list[] = { &a.in, &a.own, &a.rows, &a.sums, &a.last, &a.n, &a.w, &a.x, &a.zero, &a.big };
        code = check(cu->MemcpyHtoD(at, memory, size), "copy", why) ||
               check(cu->LaunchKernel(k, n[0], n[1], n[2], b[0], b[1], b[2], p->dynamic_shared, NULL, list, NULL), "launch", why) ||
               check(cu->CtxSynchronize(), "run", why) || check(cu->MemcpyDtoH(memory, at, size), "copy back", why);
    }
    cu->MemFree(at);
    return code;
}

int machine_run(const struct program *p, const char *text, uint8_t *memory, char why[256])
{
    CUmodule module;
    CUfunction k;
    int failed = -1;

    if (!open_device(why) || load(text, &module, why))
        return -1;
    if (!check(cu->ModuleGetFunction(&k, module, "k"), "find", why))
        failed = launch(p, k, memory, why);
    cu->ModuleUnload(module);
    return failed;
}
