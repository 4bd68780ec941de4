# Relocatable code of several files as one image, on softcuda: it runs, and what cannot be linked is said.
head() { printf '.version 7.0\n.target sm_75\n.address_size 64\n'; }
{ head; echo '.extern .func (.param .b32 r) twice(.param .b32 x);
.visible .entry k(.param .u64 p) { .reg .b32 %r<3>; .reg .b64 %d; ld.param.u64 %d, [p];
{ .param .b32 a; .param .b32 b; st.param.b32 [a], 21; call.uni (b), twice, (a); ld.param.b32 %r1, [b]; }
st.global.u32 [%d], %r1; ret; }'; } >caller.ptx
{ head; echo '.visible .func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }'; } >callee.ptx
link() { "$GPUDL" link "$@" 2>&1 | sed 's/(softcuda[^)]*))/(softcuda)/; s/by softcuda.*/by softcuda/'; echo "status ${PIPESTATUS[0]}"; }
link caller.ptx callee.ptx -o all.ptx --verbose | sed 's/[0-9]* bytes/N bytes/'
"$GPUDL" run all.ptx --grid 1 --block 1 'i32[1]' --print 0
link all.ptx -o again.ptx; cmp all.ptx again.ptx >/dev/null || "$GPUDL" run again.ptx --grid 1 --block 1 'i32[1]' --print 0
link caller.ptx -o x; test ! -e x || echo 'x is there'
link callee.ptx callee.ptx -o x
link caller.ptx missing.ptx -o x
cp "$IMAGES"/{k_90.cubin,k.ltoir} .
link caller.ptx k_90.cubin -o x
GPUDL_LINKER=/nowhere/libnvJitLink.so link k.ltoir -o x
link caller.ptx callee.ptx -o /nowhere/x
link caller.ptx callee.ptx --format fatbin -o all.fatbin; "$GPUDL" run all.fatbin --grid 1 --block 1 'i32[1]' --print 0
# A load of one file alone.
"$GPUDL" run caller.ptx --grid 1 --block 1 'i32[1]' 2>&1 | sed 's/(softcuda[^)]*))/(softcuda)/'
