#!/bin/sh -e
# Makes the images of this folder anew from the sources beside them. Needs the toolkit of CUDA 13.0 (other ones give other sizes) and
# writes into this folder; the tests themselves need no toolkit.
here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/gpudl-images          # a fixed place, as debug information holds it
rm -rf "$work" && mkdir "$work" && cd "$work"
cp "$here"/*.cu .

nvcc -arch=compute_75 -code=sm_75 -cubin k.cu -o k_75.cubin
for arch in 90 90a 100a 110; do
    nvcc -arch=compute_$arch -code=sm_$arch -cubin k.cu -o k_$arch.cubin
done
nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_100f,code=sm_100f \
    -gencode arch=compute_120,code=[sm_120,compute_120] -fatbin k.cu -o multi.fatbin
nvcc -arch=sm_90 -fatbin -G k.cu -o k_debug.fatbin
nvcc -arch=sm_90 -fatbin -lineinfo -maxrregcount 32 k.cu -o k_lineinfo.fatbin
nvcc -gencode arch=compute_90,code=lto_90 -rdc=true -fatbin k.cu -o k_lto.fatbin
nvcc -gencode arch=compute_90,code=lto_90 -rdc=true -fatbin --compress-mode=none k.cu -o k_lto_plain.fatbin
nvcc -arch=lto_90 -dlto -ltoir k.cu -o k.ltoir
nvcc -arch=sm_90 -optix-ir k.cu -o k.optixir

nvcc -arch=sm_80 -cubin a.cu -o a_80.cubin
nvcc -arch=compute_90 -ptx a.cu -o a_90.ptx
for mode in default none speed size; do
    nvcc -arch=sm_90 -fatbin --compress-mode=$mode a.cu -o a_$mode.fatbin
done
nvcc -arch=sm_90 -fatbin -Xfatbin -compress-all --compress-mode=speed a.cu -o a_lz4.fatbin

nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -gencode arch=compute_100,code=[sm_100,compute_100] \
    -Xfatbin -compress-all --compress-mode=size -fatbin p.cu -o p.fatbin
nvcc -arch=sm_90 -cubin c.cu -o c_90.cubin
nvcc -arch=sm_90 -cubin d.cu -o d_90.cubin
nvcc -arch=sm_90 -fatbin -rdc=true d.cu -o d_rdc.fatbin
nvcc -arch=sm_90 -c h.cu -o h.o
nvcc -arch=sm_90 -rdc=true -c h.cu -o hr.o

fatbinary -64 --create=empty.fatbin
fatbinary -64 --create=lie_cubin.fatbin --image3=kind=elf,sm=90a,file=k_90.cubin
nvcc -arch=compute_90 -ptx k.cu -o k_90.ptx
fatbinary -64 --create=lie_ptx.fatbin --image3=kind=ptx,sm=100,file=k_90.ptx
fatbinary -64 --create=reloc.fatbin --image2=kind=reloc,file=hr.o
printf '.version 9.0 .target sm_90 .entry $k(){ret;} .weak .entry w{ret;}' > names.ptx
ptxas -arch=sm_90 names.ptx -o names.cubin

rm hr.o
cp ./*.cubin ./*.fatbin ./*.ptx ./*.ltoir ./*.optixir ./*.o "$here"
