#!/bin/sh
# Makes the images of this folder, with nvcc 13.0; what it made is kept here, as few machines have one.
set -e
cd "$(dirname "$0")"
for f in caller callee; do
    nvcc -arch=compute_75 -rdc=true -ptx $f.cu -o $f.ptx
    nvcc -arch=sm_75 -rdc=true -cubin $f.cu -o $f.cubin
    nvcc -arch=lto_75 -dlto -ltoir $f.cu -o $f.ltoir
done
nvcc -arch=sm_80 -rdc=true -cubin callee.cu -o callee_80.cubin
nvcc -gencode arch=compute_75,code=lto_75 -rdc=true -fatbin callee.cu -o callee_lto.fatbin
nvcc -arch=sm_75 -rdc=true -c callee.cu -o callee.o
ar rcsD libcallee.a callee.o
rm callee.o
