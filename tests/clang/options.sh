#!/bin/sh
# The header compiles for every architecture, standard and option that docs/CLANG.md names. usage: options.sh TREE FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$1 folder=$2
mkdir -p "$folder"

try()
{
    source=$1 arch=$2 ptx=$3
    shift 3
    "$here/compile.sh" "$tree" "$arch" "$ptx" "$here/$source.cu" "$folder/x.ptx" -Wall -Wno-unused-function -Werror "$@"
}
has() { grep -q -e "$1" "$folder/x.ptx" || { echo "no $1 with $2" >&2; exit 1; }; }

for arch in 70 75 80 86 89 90 90a; do
    try warps "$arch" 80
    has "\.target sm_$arch\$" "$arch"
done
if "${CLANG:-clang++-19}" --print-supported-cpus --target=nvptx64-nvidia-cuda 2>&1 | grep -q 'sm_100$'; then
    try warps 100 86
fi
for std in c++17 c++20 c++23; do
    try language 80 80 -std=$std
done
printf '#include <cuda_runtime.h>\n__global__ void k(float *x) { *x = sinf(*x) / x[1] + sqrtf(x[2]) * x[3] + x[4]; }\n' >"$folder/k.cu"
"$here/compile.sh" "$tree" 75 78 "$folder/k.cu" "$folder/x.ptx"
has 'div\.rn\.f32' 'no option'
has 'sqrt\.rn\.f32' 'no option'
has 'fma\.rn\.f32' 'no option'
"$here/compile.sh" "$tree" 75 78 "$folder/k.cu" "$folder/x.ptx" -fgpu-flush-denormals-to-zero -DGPUDL_FTZ -fgpu-approx-transcendentals \
    -mllvm -nvptx-prec-divf32=0 -DGPUDL_SQRT_APPROX
has 'div\.approx\.ftz\.f32' 'fast math'
has 'sqrt\.approx\.ftz\.f32' 'fast math'
has 'sin\.approx\.ftz\.f32' 'fast math'
printf '__global__ void k(float *x) { *x = x[1] * x[2] + x[3]; }\n' >"$folder/k.cu"
"$here/compile.sh" "$tree" 75 78 "$folder/k.cu" "$folder/x.ptx" -ffp-contract=off
has 'mul\.rn\.f32' 'no contraction'
try warps 75 78 -O0
try language 75 78 -g -O0
# What a device or driver cannot do is said
printf 'struct alignas(16) s { long a, b; };\n__global__ void k(s *x) { atomicExch(x, s{ 1, 2 }); }\n' >"$folder/k.cu"
! "$here/compile.sh" "$tree" 90 78 "$folder/k.cu" "$folder/x.ptx" 2>"$folder/said"
grep -q '16 bytes need sm_90 and a driver that takes PTX 8.3' "$folder/said"
# Host code may stand in the same file: it is read and not compiled
printf '#include <cstdio>\n__global__ void k(int *x) { *x = 1; }\nint main() { k<<<1, 32>>>(nullptr); printf("host"); return 0; }\n' >"$folder/k.cu"
"$here/compile.sh" "$tree" 75 78 "$folder/k.cu" "$folder/x.ptx"
has 'entry _Z1kPi' 'host code'
