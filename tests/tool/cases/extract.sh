# One entry, decompressed, in a file of its own, which is what it was.
cp "$IMAGES"/{p.fatbin,k_90.cubin,k_90.ptx,lie_cubin.fatbin,k_lto.fatbin,multi.fatbin,h.o} .
extract() { "$GPUDL" extract "$@" 2>&1; echo "status $?"; }
extract lie_cubin.fatbin --entry 0 -o k.cubin && cmp k.cubin k_90.cubin && echo same
extract p.fatbin --entry 1 -o p.cubin && "$GPUDL" inspect p.cubin | tail -n 7
extract multi.fatbin --entry=4 -o k.ptx && "$GPUDL" check k.ptx --arch sm_120
extract h.o --entry 0 -o h.o && "$GPUDL" check h.o --arch sm_90 # onto itself
extract k_90.ptx --entry 0 -o same.ptx && cmp same.ptx k_90.ptx && echo same
extract multi.fatbin --entry 5 -o x; test ! -e x || echo 'x is there'
extract k_lto.fatbin --entry 0 -o x; test ! -e x || echo 'x is there'
extract multi.fatbin --entry 0 -o /nowhere/x
ln -s /dev/full full
extract multi.fatbin --entry 0 -o full; test -L full && echo 'a device is left alone'
extract missing.fatbin --entry 0 -o x; test ! -e x || echo 'x is there'
