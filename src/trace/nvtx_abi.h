/* nvtx_abi.h - as much of NVTX 3 as is used, declared again, since gpudl is built without a toolkit. A test compares it with nvToolsExt.h where
 * that is there. */
#ifndef GPUDL_TRACE_NVTX_ABI_H
#define GPUDL_TRACE_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>

enum { NVTX_TABLE_CALLBACKS = 1, NVTX_TABLE_VERSION = 3, NVTX_ABI_VERSION = 3 };
enum { NVTX_CORE2 = 5, NVTX_MODULES = 7, NVTX_FUNCTIONS = 16 };
enum { NVTX_PUSH = 4, NVTX_POP = 5, NVTX_CREATE_DOMAIN = 12 };  /* of CORE2 */
enum { NVTX_ASCII = 1 };

/* An entry of a module's table points to where the profiler writes its function. */
struct nvtx_callbacks {
    size_t size;
    int (*get_table)(int module, void ****table, unsigned *size);
};

struct nvtx_version {
    size_t size;
    uint32_t version, reserved;
    void (*set_profilers)(uint32_t);
};

struct nvtx_attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
};

typedef const void *nvtx_export_table(uint32_t number);

#endif
