#!/bin/sh
# The corpus's PTX from its sources. usage: make.sh nvcc|clang|TOOL ARCH FOLDER; TOOL is a program that takes SOURCE ARCH and prints PTX.
# clang has no toolkit, but the project's header in TREE (share/gpudl/clang), so it takes those that need no more.
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
    clang) ../clang/compile.sh "$TREE" "$arch" 78 "$1.cu" "$folder/$1.ptx" -w ;;
    *) "$compiler" "$1.cu" "$arch" >"$folder/$1.ptx" ;;
    esac
}

case $compiler in
clang) names="k01_saxpy k02_sgemm k03_reduce k04_hist k05_scan k06_bs k07_nbody k08_printf k09_templ k11_stencil k12_rng k14_func k16_local k17_switch
    k18_asm k19_warp k20_atom" ;;
*) names=$(ls k*.cu | sed 's/\.cu$//') ;;
esac
for name in $names; do
    one "$name"
done
