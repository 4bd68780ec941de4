#!/bin/sh
# NVIDIA's assembler takes what was made. usage: ptxas.sh PTXAS ARCH FOLDER
set -eu
for ptx in "$3"/*.ptx; do
    "$1" -arch "sm_$2" -o /dev/null "$ptx"
done
