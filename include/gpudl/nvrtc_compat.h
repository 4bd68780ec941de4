/* gpudl's NVRTC names: programs written against nvrtc.h, over whichever compiler is on the machine: NVRTC itself, nvcc or clang
 * (<gpudl/compile.h>). Link libgpudl_cudart, as for <gpudl/cuda_runtime_compat.h>. Symbols have gpudl_ before them, so NVIDIA's NVRTC may be in
 * the same process, and often is: opened by gpudl. docs/CUDA-NAMES.md says what differs.
 *
 * A program must not be used by two threads at once; different ones may. */
#ifndef GPUDL_NVRTC_COMPAT_H
#define GPUDL_NVRTC_COMPAT_H

#ifdef __NVRTC_H__
#error "NVIDIA's nvrtc.h is included already: a source file has either that or gpudl's names"
#endif
#define __NVRTC_H__

#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number) */
#define GPUDL_NVRTC_RESULTS(X) \
    X(NVRTC_SUCCESS, 0) \
    X(NVRTC_ERROR_OUT_OF_MEMORY, 1) \
    X(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, 2) \
    X(NVRTC_ERROR_INVALID_INPUT, 3) \
    X(NVRTC_ERROR_INVALID_PROGRAM, 4) \
    X(NVRTC_ERROR_INVALID_OPTION, 5) \
    X(NVRTC_ERROR_COMPILATION, 6) \
    X(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7) \
    X(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, 8) \
    X(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, 9) \
    X(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, 10) \
    X(NVRTC_ERROR_INTERNAL_ERROR, 11) \
    X(NVRTC_ERROR_TIME_FILE_WRITE_FAILED, 12) \
    X(NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED, 13) \
    X(NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED, 14) \
    X(NVRTC_ERROR_PCH_CREATE, 15) \
    X(NVRTC_ERROR_CANCELLED, 16) \
    X(NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED, 17)

typedef enum nvrtcResult {
#define GPUDL_NVRTC_ENUM(name, number) name = number,
    GPUDL_NVRTC_RESULTS(GPUDL_NVRTC_ENUM)
#undef GPUDL_NVRTC_ENUM
        gpudl_nvrtcResultMax = 0x7fffffff
} nvrtcResult;

typedef struct gpudl_nvrtc_program *nvrtcProgram;

#define GPUDL_RTC(result, name, params) __attribute__((visibility("default"))) result name params __asm__("gpudl_" #name);

/* Declarations in the dress of macros, which clang-format takes for multiplications. */
/* clang-format off */
GPUDL_RTC(const char *, nvrtcGetErrorString, (nvrtcResult result))
/* 12.8: the version whose names these are; which compiler works is in the log of a failure and in gpudl_compilers(). */
GPUDL_RTC(nvrtcResult, nvrtcVersion, (int *major, int *minor))
/* Architectures that all compilers of the last years make code for. */
GPUDL_RTC(nvrtcResult, nvrtcGetNumSupportedArchs, (int *n))
GPUDL_RTC(nvrtcResult, nvrtcGetSupportedArchs, (int *architectures))

GPUDL_RTC(nvrtcResult, nvrtcCreateProgram,
    (nvrtcProgram *out, const char *source, const char *name, int nheaders, const char *const *headers,
        const char *const *header_names))
GPUDL_RTC(nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram *program))
GPUDL_RTC(nvrtcResult, nvrtcAddNameExpression, (nvrtcProgram program, const char *const expression))
GPUDL_RTC(nvrtcResult, nvrtcCompileProgram, (nvrtcProgram program, int noptions, const char *const *options))
/* Sizes count the NUL at the end of PTX and log. */
GPUDL_RTC(nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram program, size_t *bytes))
GPUDL_RTC(nvrtcResult, nvrtcGetPTX, (nvrtcProgram program, char *out))
/* Machine code is made when it is asked for, where an sm_ architecture was given; 0 bytes where a compute_ one was. */
GPUDL_RTC(nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram program, size_t *bytes))
GPUDL_RTC(nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram program, char *out))
GPUDL_RTC(nvrtcResult, nvrtcGetLTOIRSize, (nvrtcProgram program, size_t *bytes))
GPUDL_RTC(nvrtcResult, nvrtcGetLTOIR, (nvrtcProgram program, char *out))
GPUDL_RTC(nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram program, size_t *bytes))
GPUDL_RTC(nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram program, char *out))
GPUDL_RTC(nvrtcResult, nvrtcGetLoweredName, (nvrtcProgram program, const char *const expression, const char **name))
/* clang-format on */

#undef GPUDL_RTC
#ifdef __cplusplus
}
#endif
#endif
