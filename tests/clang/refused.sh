#!/bin/sh
# Each header and word that is refused says its name and the way out, with the place of the program that uses it. usage: refused.sh TREE HEADERS FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$1 headers=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
failed=0

# The refused lines are one program, as clang goes on after each: wanted has what is to be said of line N.
line=1
refused() # source line, the beginning of the message
{
    line=$((line + 1))
    printf '%s\n' "$1" >>"$folder/k.cu"
    printf '%s %s not supported by gpudl'"'"'s clang back end; compile this file with NVRTC\n' "$line" "$2" >>"$folder/wanted"
}
echo '__global__ void k() {}' >"$folder/k.cu"
for header in $(sed -n 's/^refused //p' "$headers"); do
    refused "#include <$header>" "\"<$header> is"
done
[ "$line" -gt 50 ]
refused '__device__ __managed__ int x;' '__managed__ is'
refused '__global__ void t(cudaTextureObject_t t) {}' "'cudaTextureObject_t' is unavailable: textures are"
refused '__global__ void s(cudaSurfaceObject_t s) {}' "'cudaSurfaceObject_t' is unavailable: surfaces are"
refused '__global__ void __cluster_dims__(2, 1, 1) c() {}' '__cluster_dims__ is'
if "$here/compile.sh" "$tree" 75 78 "$folder/k.cu" "$folder/k.ptx" -fsyntax-only -ferror-limit=0 2>"$folder/said"; then
    echo "all of it was taken" >&2
    exit 1
fi
# An error stands in the header or in the line itself; where it is in the header, the line before says from where it was included.
while read -r n message; do
    if ! grep -B 1 -F "$message" "$folder/said" | grep -q "k\.cu:$n[:.]"; then
        echo "line $n does not say: $message" >&2
        failed=1
    fi
done <"$folder/wanted"
[ "$(grep -c 'error:' "$folder/said")" -eq "$((line - 1))" ] || failed=1

# Those that the header stands for are taken, also where another folder has NVIDIA's
mkdir -p "$folder/other"
printf '#error "another cuda_runtime.h"\n' >"$folder/other/cuda_runtime.h"
sed -n 's/^stands //p' "$headers" | tr ' ' '\n' | sed 's/.*/#include <&>/' >"$folder/all.cu"
printf '__global__ void k(float4 *p) { p->x = threadIdx.x; }\n' >>"$folder/all.cu"
"$here/compile.sh" "$tree" 75 78 "$folder/all.cu" "$folder/all.ptx" "-I$folder/other" -Wall -Werror || failed=1
exit $failed
