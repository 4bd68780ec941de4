# What fails after the command line was understood: status 1, nothing on stdout, and what to do on stderr.
fails() { "$GPUDL" "$@" >unwanted 2>said; echo "status $?"; cat unwanted; }
says() { grep -q -e "$1" said || { echo "stderr lacks '$1':"; cat said; }; }
fails run missing.ptx --grid 1 --block 1;                                   says missing.ptx
fails run . --grid 1 --block 1;                                             says folder
fails run "$KERNELS" saxpi --grid 1 --block 1;                              says saxpy
fails run "$KERNELS" --grid 1 --block 1;                                    says saxpy
fails run "$KERNELS" saxpy --grid 1 --block 1 i32:1;                        says 'parameters of saxpy: 4; arguments given: 1'
fails run "$KERNELS" saxpy --grid 1 --block 1 i64:1 f32:1 'f32[1]' 'f32[1]';    says "'i64:1', has 8 bytes, but parameter 0 of saxpy has 4"
fails run "$KERNELS" saxpy --grid 1 --block 1 i32:1 f32:1 f32:1 'f32[1]';       says "'f32:1', has 4 bytes, but parameter 2 of saxpy has 8"
fails run "$KERNELS" nothing --grid 1 --block 2000 'f32[1]';                says .
fails run "$KERNELS" nothing --grid 1 --block 1 --device 1000 'f32[1]';     says 1000
GPUDL_DRIVER=/nowhere/libcuda.so fails device;                              says /nowhere/libcuda.so
"$GPUDL" help >/dev/full 2>said; echo "status $?";                          says 'standard output'
