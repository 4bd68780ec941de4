#!/bin/sh
# Each header and word that is refused says its name and the way out, with the place of the program that uses it. usage: refused.sh TREE HEADERS FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$1 headers=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
failed=0

# source line, what the message must hold
refused()
{
    printf '\n%s\n__global__ void k() {}\n' "$1" >"$folder/k.cu"
    if "$here/compile.sh" "$tree" 75 78 "$folder/k.cu" "$folder/k.ptx" -fsyntax-only 2>"$folder/said"; then
        echo "taken: $1" >&2
        failed=1
    elif ! grep -q -F "$2 not supported by gpudl's clang back end; compile this file with NVRTC" "$folder/said" || ! grep -q 'k\.cu:2' "$folder/said"; then
        echo "said of $1:" >&2
        cat "$folder/said" >&2
        failed=1
    fi
}

n=0
for header in $(sed -n 's/^refused //p' "$headers"); do
    refused "#include <$header>" "error: \"<$header> is"
    n=$((n + 1))
done
[ "$n" -gt 50 ]
refused '__device__ __managed__ int x;' '__managed__ is'
refused '__global__ void t(cudaTextureObject_t t) {}' 'textures are'
refused '__global__ void t(cudaSurfaceObject_t s) {}' 'surfaces are'
refused '__global__ void __cluster_dims__(2, 1, 1) t() {}' '__cluster_dims__ is'

# Those that the header stands for are taken, also where another folder has NVIDIA's
mkdir -p "$folder/other"
printf '#error "another cuda_runtime.h"\n' >"$folder/other/cuda_runtime.h"
sed -n 's/^stands //p' "$headers" | tr ' ' '\n' | sed 's/.*/#include <&>/' >"$folder/all.cu"
printf '__global__ void k(float4 *p) { p->x = threadIdx.x; }\n' >>"$folder/all.cu"
"$here/compile.sh" "$tree" 75 78 "$folder/all.cu" "$folder/all.ptx" "-I$folder/other" -Wall -Werror || failed=1
exit $failed
