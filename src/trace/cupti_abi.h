/* cupti_abi.h - as much of CUPTI as is used, declared again, since gpudl is built without a toolkit: the leading members of its records, which
 * are where they are in all of CUDA 12 and 13. A test compares them with cupti.h where that is there. */
#ifndef GPUDL_TRACE_CUPTI_ABI_H
#define GPUDL_TRACE_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

enum {
    CUPTI_MEMCPY = 1,
    CUPTI_MEMSET = 2,
    CUPTI_CONCURRENT_KERNEL = 10,
};
enum { CUPTI_DOMAIN_DRIVER = 1, CUPTI_SITE_ENTER = 0 };
enum { CUPTI_LAUNCH_KERNEL = 307, CUPTI_LAUNCH_KERNEL_EX = 652 };
enum { CUPTI_FLUSH_FORCED = 1 };

struct cupti_kernel {           /* CUpti_ActivityKernel... */
    int kind;
    uint8_t cache, shared_config;
    uint16_t registers;
    int partitioned_requested, partitioned_executed;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3], static_shared, dynamic_shared;
    uint32_t local_a_thread, local_total, correlation;
    int64_t grid_id;
    const char *name;
};

struct cupti_memcpy {           /* CUpti_ActivityMemcpy... */
    int kind;
    uint8_t copy_kind, from, to, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
};

struct cupti_memset {           /* CUpti_ActivityMemset... */
    int kind;
    uint32_t value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
};

struct cupti_call {             /* CUpti_CallbackData */
    int site;
    const char *function;
    const void *params;
    void *result;
    const char *symbol;
    void *context;
    uint32_t context_id;
    uint64_t *user;
    uint32_t correlation;
};

typedef void cupti_callback(void *user, int domain, uint32_t call, const struct cupti_call *data);
typedef void cupti_request(uint8_t **buffer, size_t *size, size_t *records);
typedef void cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

#define CUPTI_FUNCTIONS(X) \
    X(Subscribe, (void **subscriber, cupti_callback *, void *user)) \
    X(Unsubscribe, (void *subscriber)) \
    X(EnableCallback, (uint32_t enable, void *subscriber, int domain, uint32_t call)) \
    X(ActivityRegisterCallbacks, (cupti_request *, cupti_complete *)) \
    X(ActivityEnable, (int kind)) \
    X(ActivityDisable, (int kind)) \
    X(ActivityFlushAll, (uint32_t flag)) \
    X(ActivityGetNextRecord, (uint8_t *buffer, size_t valid, void **record)) \
    X(GetTimestamp, (uint64_t *)) \
    X(GetResultString, (int result, const char **))

#endif
