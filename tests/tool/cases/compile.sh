# CUDA C++ with a stand-in for a compiler, which is the same on every machine.
cp "$FAKE_NVCC" fake-nvcc
export GPUDL_COMPILER=$PWD/fake-nvcc GPUDL_CACHE_DIR=$PWD/cache
runs() { echo "compiler runs: $(wc -l <runs)"; }
echo 'int k;' >k.cu
echo 'SYNTAX_ERROR' >bad.cu
mkdir include; echo 'int header;' >include/h.h; echo '#include "h.h"' >h.cu
"$GPUDL" compile k.cu -o k.ptx --arch compute_75 2>said; echo "status $?"; cat said; grep -c '// int k;' k.ptx; runs
"$GPUDL" compile k.cu -o again.ptx --arch compute_75 2>said; echo "status $?"; cmp k.ptx again.ptx && runs
"$GPUDL" compile k.cu -o k.fatbin --arch compute_75,compute_90a 2>said; echo "status $?"; "$GPUDL" inspect k.fatbin | sed -n 2,4p
"$GPUDL" compile k.cu h.cu -o out -Iinclude -D N=1 --arch compute_75 2>said; echo "status $?"; ls out; grep header out/h.ptx
"$GPUDL" compile bad.cu -o bad.ptx --arch compute_75 2>said; echo "status $?"; grep error: said; ls bad.ptx 2>/dev/null
"$GPUDL" compile h.cu -o h.ptx --arch compute_75 2>said; echo "status $?"; sed -n "1s/ (nvcc.*//p" said
"$GPUDL" compile k.cu -o k.ptx --arch compute_75 --compiler tcc 2>said; echo "status $?"; cat said
"$GPUDL" run k.cu --grid 1 --block 1 2>said; echo "status $?"
"$GPUDL" run k.cu k --grid 1 --block 1 -DX=1 --std c++17 --no-cache --option -w 2>said; echo "status $?"; runs
printf '# a list\nk.cu --arch compute_75\n"k.cu" --arch compute_80 -D "A=1 2"\nbad.cu --arch compute_75\n' >list
"$GPUDL" cache warm list 2>said; echo "status $?"; grep -c error: said
"$GPUDL" cache warm list --jobs 1 2>said; echo "status $?"
"$GPUDL" cache stats | sed 's/ .*cache$/ HERE/; s/bytes: .*/bytes: SOME/'
"$GPUDL" cache list | sed 's/^[0-9a-f]* *[0-9]* *[-0-9]* [0-9:]* *//' | sort | uniq -c | sed 's/^ *//'
"$GPUDL" cache trim --bytes 1K >said; echo "status $?"
"$GPUDL" cache clear >said; "$GPUDL" cache stats | grep entries
GPUDL_CACHE_DIR=/nowhere/at/all "$GPUDL" cache list; echo "status $?"
