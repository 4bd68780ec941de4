#!/bin/sh
# CUDA C++ to PTX with clang and the project's header. usage: compile.sh TREE ARCH PTX SOURCE OUTPUT [OPTION...]
# TREE: share/gpudl/clang; ARCH: 75, 90; PTX: 78. CLANG names the compiler.
set -eu
tree=$1 arch=$2 ptx=$3 source=$4 output=$5
shift 5
exec "${CLANG:-clang++-19}" -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-path=/nonexistent --offload-arch="sm_$arch" \
    -Xclang -target-feature -Xclang "+ptx$ptx" -DGPUDL_PTX="$ptx" -ffp-contract=fast-honor-pragmas -O3 -std=c++17 -S -o "$output" \
    -I"$tree/include" -include "$tree/gpudl_cuda.h" "$@" "$source"
