# A command line that is written wrongly: status 2, nothing on stdout, and what is wrong on stderr.
wrong() { "$GPUDL" "$@" 2>&1 >unwanted; echo "status $?"; cat unwanted; }
wrong
wrong nonsense
wrong help nonsense
wrong device 3
wrong doctor --nonsense
wrong explain cuda 7 8
wrong explain opencl 7
wrong explain --markdown 7
wrong inspect
wrong inspect a b
wrong inspect a --json=1
wrong check a
wrong check a --arch sm_90 --device 0
wrong check a --device x
wrong check a --device 0 --cuda 12.4
wrong check a --arch sm_90 --cuda 12
wrong check --arch
wrong compile
wrong compile k.cu
wrong compile k.cu -o
wrong compile k.cu -o k --format exe
wrong compile k.cu -o k --format ptx --arch sm_80,sm_90
wrong compile k.cu -o k --no-cache=1
wrong trace
wrong trace -o
wrong trace --tables ls
wrong cache
wrong cache burn
wrong cache stats now
wrong cache warm
wrong cache trim --bytes 12Q
wrong cache warm list --jobs 0
wrong link
wrong link a
wrong link a -o b --format elf
wrong link a -o b --max-registers x
wrong extract a --entry 0
wrong extract a -o b
wrong extract a --entry x -o b
wrong keygen -p a.pub
wrong keygen -s a.key
wrong keygen -p a -s a
wrong keygen x -p a.pub -s a.key
wrong sign -s a.key
wrong sign a
wrong sign a b -s a.key
wrong verify a
wrong verify --key a.pub
wrong verify a b --key a.pub
wrong manifest
wrong completion
wrong completion tcsh
run() { wrong run k.ptx "$@"; }
wrong run
run saxpy
run --grid 1
run --grid
run --grid 0 --block 1
run --grid 1,1,1,1 --block 1
run --grid 1x --block 1
run --grid -1 --block 1
run --grid 4294967296 --block 1
run --sharde 4
run --grid 1 --block 1 i8:128
run --grid 1 --block 1 u8:-1
run --grid 1 --block 1 i32:
run --grid 1 --block 1 i32:1.5
run --grid 1 --block 1 f32:1e39
run --grid 1 --block 1 f16:65520
run --grid 1 --block 1 i32:1 name
run --grid 1 --block 1 'f32[]'
run --grid 1 --block 1 'f32[4'
run --grid 1 --block 1 'f32[4]x'
run --grid 1 --block 1 'f32[4]=x'
run --grid 1 --block 1 'f32[-4]'
run --grid 1 --block 1 'f32[1]' --print 1
run --grid 1 --block 1 'f32[1]' --print 0:2
run --grid 1 --block 1 'f32[1]' --print 0:0
run --grid 1 --block 1 i32:1 --print 0
run --grid 1 --block 1 'f32[1]' --save 0
run --grid 1 --block 1 'f32[1]' --save 0=
