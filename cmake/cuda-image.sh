#!/usr/bin/env bash
# cuda-image.sh NVCC SOURCE SHIPPED OUTPUT: compiles SOURCE to the fatbin OUTPUT, PTX for compute_75 (which every later device and
# softcuda take) and machine code for sm_90. NVCC is a path or "none"; without one that can do it, OUTPUT is a copy of SHIPPED.
set -euo pipefail
nvcc=$1 source=$2 shipped=$3 output=$4

if [[ $nvcc != none ]]; then
    if "$nvcc" -fatbin -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 -o "$output.new" "$source"; then
        mv "$output.new" "$output"
        exit 0
    fi
    rm -f "$output.new"
    echo "$nvcc cannot compile $source; the shipped image is taken instead" >&2
fi
cp "$shipped" "$output"
