#!/bin/sh -e
# Makes the images of this folder anew from the sources beside them, into the folder named or, without one, this one. Needs the
# toolkit of CUDA 13.0 (other ones give other sizes); the tests themselves need no toolkit.
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
work=/tmp/gpudl-images          # a fixed place, as debug information holds it
exec 9> "$work.lock"            # one at a time
flock 9
rm -rf "$work" && mkdir "$work" && cd "$work"
cp "$here"/*.cu "$here"/launch.ptx "$here"/k_32.ptx .

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


# One compressed cubin for each target that CUDA 13.0 knows.
targets=
for arch in 75 80 86 87 88 89 90 90a 100 100a 100f 103 103a 103f 110 110a 110f 120 120a 120f 121 121a 121f; do
    nvcc -arch=compute_$arch -code=sm_$arch -cubin k.cu -o each_$arch
    targets="$targets --image3=kind=elf,sm=$arch,file=each_$arch"
done
fatbinary -64 -compress-all --compress-mode=size --create=k_all.fatbin $targets
nvcc -arch=sm_100 -Xfatbin -compress-all --compress-mode=size -fatbin a.cu -o a_100.fatbin
nvcc -arch=compute_90 -code=compute_90 -fatbin a.cu -o a_ptx.fatbin
nvcc -arch=sm_90 -fatbin -Xfatbin -compress-all a.cu -o a_all.fatbin
fatbinary -64 --create=dup.fatbin --image3=kind=elf,sm=90,file=k_90.cubin --image3=kind=elf,sm=90,file=k_90.cubin
ptxas -arch=sm_90 launch.ptx -o launch.cubin

# Host files. A link leaves an extra fatbin with a cubin that is empty.
nvcc -arch=sm_90 -cudart shared h.cu -o h.exe
nvcc -arch=sm_90 -cudart shared -rdc=true h.cu -o hr.exe
g++ -fuse-ld=lld h.o -o h_lld.exe -L"$(dirname "$(command -v nvcc)")/../lib64" -lcudart
nvcc -arch=sm_90 -cudart shared -shared -Xcompiler -fPIC h.cu -o libh.so
strip h.exe hr.exe h_lld.exe libh.so
ar rcs libh.a h.o hr.o
ar rcs libk.a k_75.cubin k_90.cubin k_90.ptx names.ptx
ar rcsT thin.a h.o

# What NVRTC gives.
cat > nvrtc.c <<'END'
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
static void save(const char *name, nvrtcProgram p, nvrtcResult (*size)(nvrtcProgram, size_t *),
    nvrtcResult (*get)(nvrtcProgram, char *))
{
    size_t n = 0;
    FILE *f = fopen(name, "wb");
    size(p, &n);
    char *data = malloc(n + 1);
    get(p, data);
    fwrite(data, 1, n, f);
    fclose(f);
}
static nvrtcProgram compile(const char *a, const char *b)
{
    const char *options[] = { a, b };
    nvrtcProgram p;
    nvrtcCreateProgram(&p, "extern \"C\" __global__ void k(int *p) { *p = 1; }", "k.cu", 0, 0, 0);
    if (nvrtcCompileProgram(p, b ? 2 : 1, options)) exit(1);
    return p;
}
int main(void)
{
    save("nvrtc_100a.cubin", compile("-arch=sm_100a", 0), nvrtcGetCUBINSize, nvrtcGetCUBIN);
    save("nvrtc_90.ptx", compile("-arch=compute_90", 0), nvrtcGetPTXSize, nvrtcGetPTX);
    save("nvrtc_90.ltoir", compile("-arch=compute_90", "-dlto"), nvrtcGetLTOIRSize, nvrtcGetLTOIR);
    save("nvrtc_90.optixir", compile("-arch=compute_90", "-optix-ir"), nvrtcGetOptiXIRSize, nvrtcGetOptiXIR);
    return 0;
}
END
cuda=$(dirname "$(command -v nvcc)")/..
if gcc -I"$cuda/include" nvrtc.c -o nvrtc -L"$cuda/lib64" -lnvrtc; then
    LD_LIBRARY_PATH="$cuda/lib64" ./nvrtc
fi

# Two files are of an older toolkit, whose place OLD_CUDA names (11.8; its ptxas knows PTX up to 7.8 and 32-bit code).
if [ -n "$OLD_CUDA" ]; then
    nvcc -arch=compute_80 -ptx a.cu -o a_80.ptx
    sed -i 's/^\.version 9.0/.version 7.8/' a_80.ptx
    "$OLD_CUDA/ptxas" -arch=sm_80 a_80.ptx -o a_118.cubin
    set -- --image3=kind=elf,sm=80,file=a_118.cubin --image3=kind=ptx,sm=80,file=a_80.ptx
    "$OLD_CUDA/fatbinary" -64 --create=a_118.fatbin "$@"
    "$OLD_CUDA/fatbinary" -64 --compress-all --create=a_118_lz4.fatbin "$@"
    "$OLD_CUDA/ptxas" -m32 -arch=sm_35 k_32.ptx -o k_32.cubin
    "$OLD_CUDA/fatbinary" -32 --create=k_32.fatbin --image3=kind=elf,sm=35,file=k_32.cubin --image3=kind=ptx,sm=35,file=k_32.ptx
    rm a_118.cubin a_80.ptx k_32.cubin
fi

rm hr.o
mkdir -p "$out"
cp ./*.cubin ./*.fatbin ./*.ptx ./*.ltoir ./*.optixir ./*.o ./*.exe ./*.so ./*.a "$out"
