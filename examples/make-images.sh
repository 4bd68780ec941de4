#!/usr/bin/env bash
# The images that are shipped for machines without nvcc, from the sources beside them. Run it after changing one of those.
# usage: make-images.sh [NVCC]
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${1:-nvcc}

for source in */*.cu; do
    shipped=$(dirname "$source")/shipped/$(basename "$source" .cu).fatbin
    [[ -d ${shipped%/*} ]] || continue      # compiled when its program runs
    ../cmake/cuda-image.sh "$nvcc" "$source" /dev/null "$shipped"
    test -s "$shipped"
done
