/* refused.h - names of CUDA that mean something else than a missing header or a typing error: textures and host calls. */
#pragma once
#pragma clang system_header
#define GPUDL_REFUSED(what) \
    __attribute__((unavailable(what " not supported by gpudl's clang back end; compile this file with NVRTC")))
typedef unsigned long long cudaTextureObject_t GPUDL_REFUSED("textures are");
typedef unsigned long long cudaSurfaceObject_t GPUDL_REFUSED("surfaces are");
#undef GPUDL_REFUSED
#define __cluster_dims__(...) \
    _Pragma( \
        "GCC error \"__cluster_dims__ is not supported by gpudl's clang back end; compile this file with NVRTC\"")
#define __maxnreg__(n) /* only a hint; the loader may be told as well */

struct CUstream_st;
typedef struct CUstream_st *cudaStream_t;
/* clang looks it up where it sees <<<>>>; host code is read but not compiled */
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
