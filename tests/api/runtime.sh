#!/bin/sh
# runtime.sh NVCC FOLDER (of softcuda's libcuda.so.1) KIND: a program on NVIDIA's runtime library (cudart KIND) is told in one line why it
# cannot run, and gets an error; it does not crash.
set -eu
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
cat > "$made/hello.cu" <<'END'
#include <cstdio>
__global__ void hello(int *p) { *p = 7; }
int main()
{
    int *p = nullptr;
    cudaError_t e = cudaMalloc(&p, 4);
    if (e == cudaSuccess) {
        hello<<<1, 1>>>(p);
        e = cudaDeviceSynchronize();
    }
    printf("%s\n", e == cudaSuccess ? "runs" : "an error");
    return e == cudaSuccess ? 0 : 3;
}
END
"$1" -cudart "$3" -arch=compute_75 -o "$made/hello" "$made/hello.cu" 2>"$made/nvcc" || { cat "$made/nvcc"; exit 77; }
status=0
LD_LIBRARY_PATH="$2:$(dirname "$1")/../lib64" "$made/hello" >"$made/out" 2>"$made/said" || status=$?
cat "$made/out" "$made/said"
[ "$status" = 3 ] && grep -qx 'an error' "$made/out"
[ "$(grep -c '^softcuda: .*NVIDIA.s runtime library (libcudart).*cannot run on it$' "$made/said")" = 1 ]
[ "$(wc -l < "$made/said")" = 1 ]
