#!/bin/sh
# nvcc.sh NVCC PARSER SOURCE...: what nvcc makes of every source, for an old and a new machine, is parsed.
set -e
nvcc=$1 parser=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for arch in 75 100; do
    for source; do
        "$nvcc" -ptx -w -lineinfo -std=c++17 -arch=compute_$arch -o "$dir/$(basename "$source" .cu).$arch.ptx" "$source"
    done
done
"$parser" "$dir"/*.ptx
