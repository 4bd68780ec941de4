# Numbers arrive in a kernel as they were written.
"$GPUDL" run "$KERNELS" numbers --grid 1 --block 1 i8:-128 i16:-32768 i32:-2147483648 i64:-9223372036854775808 \
    u8:255 u16:65535 u32:4294967295 u64:9223372036854775807 f16:1 f32:0.1 f64:0.1 'i64[9]' 'f64[2]' --print 11 --print 12
# The shape of the launch, in one, two and three dimensions, and shared memory.
"$GPUDL" run "$KERNELS" shape --grid 7 --block 3 'u32[7]' --print 0
"$GPUDL" run "$KERNELS" shape --grid 2,3 --block 4,5 --shared 1024 'u32[7]' --print 0
"$GPUDL" run "$KERNELS" shape --grid 1,2,3 --block 6,5,4 --device 0 'u32[7]' --print 0
# A kernel by the name that its source gives it.
"$GPUDL" run "$KERNELS" 'ns::scale<float, 4>' --grid 1 --block 3 'f32[4]=iota' --print 0
