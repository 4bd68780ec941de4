#!/bin/sh
# The corpus's PTX from its sources. usage: make.sh nvcc|clang|TOOL ARCH FOLDER; TOOL is a program that takes SOURCE ARCH and prints PTX.
# Files that a compiler cannot take are said and left out: clang has no toolkit here, so it takes those that need no more than cuda_runtime.h.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
compiler=$1 arch=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$here"                       # so that __FILE__ names no place

one()
{
    case $compiler in
    nvcc) "${NVCC:-nvcc}" -std=c++17 -w -ptx -arch="compute_$arch" -o "$folder/$1.ptx" "$1.cu" ;;
    clang) "${CLANG:-clang++}" -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch="sm_$arch" -Iclang -O2 -S -Wno-unknown-cuda-version \
               -o "$folder/$1.ptx" "$1.cu" ;;
    *) "$compiler" "$1.cu" "$arch" >"$folder/$1.ptx" ;;
    esac
}

case $compiler in
clang) names="k01_saxpy k02_sgemm k03_reduce k04_hist k05_scan k07_nbody k09_templ k11_stencil k14_func k15_dynshared k16_local" ;;
*) names=$(ls k*.cu | sed 's/\.cu$//') ;;
esac
for name in $names; do
    one "$name"
done
