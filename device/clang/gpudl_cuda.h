/* gpudl_cuda.h - CUDA C++ for clang where there is no toolkit: included before the first line of every .cu file, see
 * docs/CLANG.md.
 *
 * clang's own __clang_cuda_*.h say what the names of CUDA mean in terms of __nv_* functions, which are NVIDIA's libdevice
 * elsewhere. Here they are gpudl/arithmetic.h and what follows it. What clang leaves to the toolkit (types, atomics, launch
 * bounds, cache hints) is in the other files of gpudl/. Only device code is compiled, so all of this is for the device alone. */
#ifndef GPUDL_CUDA_H
#define GPUDL_CUDA_H
#pragma clang system_header
#if !defined(__CUDA__) || !defined(__clang__) || !defined(__CUDA_ARCH__)
#error "gpudl's CUDA header is for the device side of clang: compile with -x cuda --cuda-device-only"
#endif
#if __clang_major__ < 18
#error "gpudl's CUDA header needs clang 18 or later: install clang-19"
#endif
#if __CUDA_ARCH__ < 700
#error "gpudl's CUDA header needs sm_70 or later"
#endif

#include "gpudl/language.h"
#include <__clang_cuda_math_forward_declares.h>
#define __CUDACC__ 1 /* libstdc++ leaves __float128 out where it is set */
#include <assert.h>
#include <cmath>
#include <cstdlib>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <__clang_cuda_builtin_vars.h>

#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 12050
#include "gpudl/types.h"
#include "gpudl/arithmetic.h"
#include "gpudl/simd.h"
#include "gpudl/real.h"
#include "gpudl/polynomials.h"
#include "gpudl/exponential.h"
#include "gpudl/trigonometry.h"
#include "gpudl/errors.h"
#include "gpudl/special.h"
#include "gpudl/bessel.h"
#undef CUDA_VERSION
#define CUDA_VERSION 9010 /* for this one it has the SIMD functions as functions, for later ones as Kepler's instructions */
#include <__clang_cuda_device_functions.h>
#undef CUDA_VERSION
#define CUDA_VERSION 12050
#include <__clang_cuda_math.h>
#include "gpudl/overloads.h"
#include "gpudl/system.h"
#include "gpudl/address.h"
#include <__clang_cuda_cmath.h>
/* Of these clang's have faults: atomicAdd of float2 and float4 may be optimised away, the reductions take the mask for the
 * value. They are left under other names, and gpudl/atomics.h and gpudl/warp.h have them. */
#define atomicAdd gpudl_not_used_atomicAdd
#define atomicAdd_block gpudl_not_used_atomicAdd_block
#define atomicAdd_system gpudl_not_used_atomicAdd_system
#define __reduce_add_sync gpudl_not_used_reduce_add_sync
#define __reduce_min_sync gpudl_not_used_reduce_min_sync
#define __reduce_max_sync gpudl_not_used_reduce_max_sync
#define __reduce_and_sync gpudl_not_used_reduce_and_sync
#define __reduce_or_sync gpudl_not_used_reduce_or_sync
#define __reduce_xor_sync gpudl_not_used_reduce_xor_sync
#define cuuint32_t unsigned
#include <__clang_cuda_intrinsics.h>
#undef cuuint32_t
#undef atomicAdd
#undef atomicAdd_block
#undef atomicAdd_system
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#include <__clang_cuda_complex_builtins.h>
#include "gpudl/warp.h"
#include "gpudl/atomics.h"
#include "gpudl/memory.h"
#include "gpudl/refused.h"
#pragma pop_macro("CUDA_VERSION")
#include <new>
#endif
