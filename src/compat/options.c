/* options.c - from CUDA's options of a load to gpudl's. */
#include "src/compat/internal.h"

#include <string.h>

/* CUDA passes numbers as pointers. */
static unsigned number(void *value)
{
    return (unsigned)(uintptr_t)value;
}

static cudaError_t jit_option(struct rt_options *o, enum cudaJitOption which, void **value)
{
    gpudl_load_options *load = &o->load;

    switch (which) {
    case cudaJitMaxRegisters:
        load->max_registers = number(*value);
        break;
    case cudaJitWallTime:
        o->wall_time = value;
        break;
    case cudaJitInfoLogBuffer:
        o->info.text = *value;
        break;
    case cudaJitInfoLogBufferSizeBytes:
        o->info.size = value;
        break;
    case cudaJitErrorLogBuffer:
        o->error.text = *value;
        break;
    case cudaJitErrorLogBufferSizeBytes:
        o->error.size = value;
        break;
    case cudaJitOptimizationLevel:
        if (number(*value) > 4)
            return gpudl__rt_fail(cudaErrorInvalidValue, "cudaJitOptimizationLevel is %u: 0 to 4 are there", number(*value));
        load->optimization = GPUDL_OPTIMIZATION(number(*value));
        break;
    case cudaJitGenerateDebugInfo:
        load->flags |= number(*value) ? GPUDL_LOAD_DEBUG : 0;
        break;
    case cudaJitGenerateLineInfo:
        load->flags |= number(*value) ? GPUDL_LOAD_LINE_INFO : 0;
        break;
    case cudaJitCacheMode:
        load->cache_mode = number(*value);
        break;
    case cudaJitFallbackStrategy: /* gpudl chooses the entry; the log is as long as it is */
    case cudaJitLogVerbose:
        break;
    default:
        return gpudl__rt_fail(
            cudaErrorNotSupported, "option %d of cudaJitOption is not supported by gpudl: leave it out", (int)which);
    }
    return cudaSuccess;
}

static cudaError_t library_option(struct rt_options *o, enum cudaLibraryOption which, void *value)
{
    if (which == cudaLibraryBinaryIsPreserved) {
        o->load.flags |= number(value) ? GPUDL_LOAD_PRESERVED : 0;
        return cudaSuccess;
    }
    if (which == cudaLibraryHostUniversalFunctionAndDataTable && value) {
        memcpy(&o->table, value, sizeof(o->table));
        o->load.host_table = &o->table;
        return cudaSuccess;
    }
    return gpudl__rt_fail(cudaErrorInvalidValue, "option %d of cudaLibraryOption is not known, or has no value", (int)which);
}

cudaError_t gpudl__rt_options(struct rt_options *out, enum cudaJitOption *jit, void **jit_values, unsigned njit,
    enum cudaLibraryOption *options, void **values, unsigned noptions)
{
    cudaError_t err = cudaSuccess;

    *out = (struct rt_options){ .load = GPUDL_LOAD_OPTIONS_INIT };
    if ((njit && (!jit || !jit_values)) || (noptions && !options))
        return gpudl__rt_fail(
            cudaErrorInvalidValue, "options of a load are counted, and not there: pass both arrays, or 0 of them");
    for (unsigned i = 0; i < njit && !err; i++)
        err = jit_option(out, jit[i], &jit_values[i]);
    for (unsigned i = 0; i < noptions && !err; i++)
        err = library_option(out, options[i], values ? values[i] : NULL);
    return err;
}

void gpudl__rt_log(const struct rt_log *log, const char *text)
{
    size_t room = log->size ? number(*log->size) : 0, n = strlen(text);

    if (!log->text || !room)
        return;
    n = n < room ? n : room - 1;
    memcpy(log->text, text, n);
    log->text[n] = 0;
    *log->size = (void *)(uintptr_t)n;
}
