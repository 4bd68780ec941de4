# Which code would run where, or why none would.
cp "$IMAGES"/{multi.fatbin,k_90.cubin,k_90a.cubin,d_90.cubin,d_rdc.fatbin,k_debug.fatbin,empty.fatbin,h.o,k.ltoir,a_90.ptx} .
check() { "$GPUDL" check "$@"; echo "status $?"; }
for arch in sm_80 sm_90 sm_100 sm_103 sm_120 sm_75 9.0; do check multi.fatbin --arch $arch; done
check k_90.cubin --arch sm_100
check k_90a.cubin --arch sm_90
check k_90a.cubin --arch sm_100
check k_90.cubin --arch sm_90 --softcuda
check a_90.ptx --arch sm_90
check a_90.ptx --arch sm_80
check a_90.ptx --arch sm_90 --cuda 12.4
check a_90.ptx --arch=sm_90 --cuda=13.0 --softcuda
check d_90.cubin --arch sm_90
check d_rdc.fatbin --arch sm_90
check k_debug.fatbin --arch sm_90
check empty.fatbin --arch sm_90
check k.ltoir --arch sm_90
check h.o --arch sm_90
check h.o --arch sm_80
head -c 12000 multi.fatbin >cut.fatbin
check cut.fatbin --arch sm_80
for file in missing.fatbin . ; do check "$file" --arch sm_90 2>said; wc -l <said; done
# A device needs its driver.
GPUDL_DRIVER=/nowhere/libcuda.so check k_90.cubin --device 0 2>said; grep -c /nowhere said
