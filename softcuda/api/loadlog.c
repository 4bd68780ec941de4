/* loadlog.c - the JIT options of a load that softcuda heeds: its logs and its time. All others are hints for a compiler of
 * machine code. */
#include <stdio.h>
#include <string.h>

#include "softcuda/api/objects.h"

CUresult sc_load_log_init(struct load_log *log, unsigned n, const CUjit_option *options, void **values)
{
    memset(log, 0, sizeof(*log));
    log->start = sc_now();
    if (n && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < n; i++) {
        switch ((int)options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:             log->info = values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER:            log->error = values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            log->info_size = (unsigned)(uintptr_t)values[i];
            log->info_slot = &values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            log->error_size = (unsigned)(uintptr_t)values[i];
            log->error_slot = &values[i];
            break;
        case CU_JIT_WALL_TIME:                   log->time_slot = &values[i]; break;
        default:
            if ((int)options[i] < 0 || (int)options[i] >= CU_JIT_NUM_OPTIONS)
                return CUDA_ERROR_INVALID_VALUE;
        }
    }
    if (log->error && log->error_size)
        log->error[0] = '\0';
    if (log->info && log->info_size)
        log->info[0] = '\0';
    return CUDA_SUCCESS;
}

void sc_load_log_error(struct load_log *log, const char *text)
{
    if (log->error && log->error_size)
        snprintf(log->error, log->error_size, "%s%s%s", log->file ? log->file : "", log->file ? ": " : "", text);
}

static void return_length(void **slot, const char *text, size_t size)
{
    if (slot)
        *slot = (void *)(uintptr_t)(text && size ? strlen(text) : 0);
}

void sc_load_log_finish(struct load_log *log)
{
    float ms = (float)((double)(sc_now() - log->start) * 1e-6);

    return_length(log->error_slot, log->error, log->error_size);
    return_length(log->info_slot, log->info, log->info_size);
    if (log->time_slot)
        memcpy(log->time_slot, &ms, sizeof(ms));
}
