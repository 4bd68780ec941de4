#!/bin/sh
# The PTX of the test kernels, from their sources: what the tests load, so that they need no toolkit.
# usage: make.sh [FOLDER [BENCH_FOLDER]]; default: the committed files. Nothing is fused in the tests' PTX, so that bits can be compared.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tests=${1:-$here/ptx}
bench=${2:-$here/../../bench/ptx}
nvcc=${NVCC:-nvcc}

mkdir -p "$tests" "$bench"
for source in "$here"/*.cu; do
    "$nvcc" -arch=compute_75 -ptx -fmad=false -o "$tests/$(basename "$source" .cu).ptx" "$source"
done
for name in saxpy sgemm black_scholes nbody mandelbrot stencil histogram reduce scan; do
    "$nvcc" -arch=compute_75 -ptx -o "$bench/$name.ptx" "$here/$name.cu"
done
