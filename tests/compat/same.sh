#!/usr/bin/env bash
# same.sh WHAT: gpudl's CUDA runtime names agree with NVIDIA's headers, where there is a toolkit that has the library calls (12.8 to 13; newer ones may
# have changed). Expects $SOURCE, $CC, $CXX, $CUDA_INCLUDE.
#   numbers      every enumerator and constant has the same value, and every error code of NVIDIA's is there
#   signatures   every function has the same type
#   samples      the test programs compile with NVIDIA's headers as they are, and gpudl's names before NVIDIA's cuda_fp16.h and beside its cuda.h
set -euo pipefail
include=$SOURCE/include/gpudl
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
nvidia() { "$CC" -std=gnu17 -Wall -Werror -isystem "$CUDA_INCLUDE" -I"$SOURCE/include" -fsyntax-only "$@"; }

version=$(printf '#include <cuda_runtime_api.h>\nCUDART_VERSION\n' | "$CC" -E -P -isystem "$CUDA_INCLUDE" - | tail -1)
if ((version < 12080 || version > 13000)); then
    echo "the toolkit's runtime is $version: 12080 to 13000 are compared"
    exit 77
fi

numbers()
{
    {
        printf '#include <cuda_runtime_api.h>\n#include <nvrtc.h>\n#include <gpudl/cuda_runtime_errors.h>\n'
        sed -nE 's/^ +(cuda[A-Za-z0-9_]+) = (-?[0-9]+),?$/_Static_assert((int)\1 == \2, "\1");/p; s/^#define (cuda[A-Za-z]+) +(0x[0-9a-f]+|\(\(int\)-[0-9]\))$/_Static_assert(\1 == \2, "\1");/p' \
            "$include/cuda_runtime_types.h" "$include/cuda_runtime_device.h" | grep -v cudaFuncAttributeMax,
        sed -nE 's/^ +X\((NVRTC[A-Z_]+), ([0-9]+)\).*/_Static_assert(\1 == \2, "\1");/p' "$include/nvrtc_compat.h"
        cat <<'END'
#define SAME(name, number, text) _Static_assert(name == number, #name);
GPUDL_CUDART_ERRORS(SAME)
int all(enum cudaError e);
int all(enum cudaError e)
{
    switch (e) {    /* -Wswitch names the one that is missing */
#define CASE(name, number, text) case name: return 1;
        GPUDL_CUDART_ERRORS(CASE)
    }
    return 0;
}
END
    } >"$tmp/t.c"
    (($(grep -c _Static_assert "$tmp/t.c") > 250))
    nvidia "$tmp/t.c"
}

# Declarations are GPUDL_RT(result, name, (parameters)), on one line or more, up to "))".
declarations()
{
    awk '/^GPUDL_RT(_STREAM|C)?\(/ { on = 1; text = "" } on { text = text " " $0 } on && /\)\)$/ { print text; on = 0 }' "$1"
}

signatures()
{
    {
        cat <<'END'
#include <cuda_runtime_api.h>
#include <nvrtc.h>
#define GPUDL_RT(result, name, params) result (*const same_##name) params = name;
#define GPUDL_RT_STREAM(name, params) GPUDL_RT(cudaError_t, name, params)
#define GPUDL_RTC(result, name, params) GPUDL_RT(result, name, params)
#define GPUDL_RT_OR(value)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
END
        # Articles' names, and one that CUDA 13 has no more.
        declarations "$include/cuda_runtime_compat.h" |
            grep -vE 'cudaLibraryLoadFromMemory|cudaLibraryLoadFromFileAsync|cudaKernelSetAttribute,|cudaThreadSynchronize'
        declarations "$include/nvrtc_compat.h"
    } >"$tmp/t.c"
    (($(grep -c ' GPUDL_RT' "$tmp/t.c") > 100))
    nvidia "$tmp/t.c"
}

samples()
{
    nvidia "$SOURCE/tests/compat/walk.c"
    for sample in walk_cpp rtc; do
        "$CXX" -std=c++17 -Wall -Werror -isystem "$CUDA_INCLUDE" -fsyntax-only "$SOURCE/tests/compat/$sample.cpp"
    done
    printf '#include <cuda.h>\n#include <cuda_runtime.h>\n#include <nvrtc.h>\n#include <cuda_fp16.h>\n%s\n' \
        'float half_of(float x) { float2 v = make_float2(x, 0); return __half2float(__float2half(v.x / 2)); }' >"$tmp/t.cpp"
    "$CXX" -std=c++17 -Wall -Werror -I"$include/compat" -I"$SOURCE/include" -isystem "$CUDA_INCLUDE" -fsyntax-only "$tmp/t.cpp"
}

"$1"
