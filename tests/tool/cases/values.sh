# What is printed reads back as the same value, with no more digits than that takes.
show() { "$GPUDL" run "$KERNELS" nothing --grid 1 --block 1 "$1" --print 0; }
for value in -128 127; do show "i8[1]=$value"; done
for value in -32768 32767; do show "i16[1]=$value"; done
for value in -2147483648 2147483647; do show "i32[1]=$value"; done
for value in -9223372036854775808 9223372036854775807; do show "i64[1]=$value"; done
show 'u8[1]=255'
show 'u16[1]=65535'
show 'u32[1]=4294967295'
show 'u64[1]=18446744073709551615'
show 'u32[2]=0xff'
for value in 0.1 16777217 1e-45 3.4028235e38 -0 inf -inf nan 0x1.8p1; do show "f32[1]=$value"; done
for value in 0.1 4.9e-324 1.7976931348623157e308 0.30000000000000004 123456789; do show "f64[1]=$value"; done
for value in 0.1 65504 6e-8 6.1e-5 0.333 -2049 inf; do show "f16[1]=$value"; done
show 'i8[6]=iota'
show 'f16[3]=iota'
show 'f32[4]=random'
show 'f32[2,3]=1'
show 'u8[4]=random'
show 'f64[0]'
