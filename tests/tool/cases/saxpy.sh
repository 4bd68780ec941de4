# The line of the manual page.
"$GPUDL" run "$KERNELS" saxpy --grid 4 --block 256 i32:1024 f32:2 'f32[1024]=iota' 'f32[1024]=1' --print 3:4
# Options anywhere, with = as well; several prints, in their order.
"$GPUDL" run --print=3 --block=4 "$KERNELS" saxpy --print=2:2 i32:3 f32:-0.5 'f32[4]=8' 'f32[4]=iota' --grid=1
