# --format source, and what build systems are told.
cp "$FAKE_NVCC" fake-nvcc
export GPUDL_COMPILER=$PWD/fake-nvcc GPUDL_CACHE_DIR=$PWD/cache
mkdir include
printf '#pragma once\n#include "b.h"\nint a;\n' >include/a.h
printf '#ifndef B\n#define B\n#include "a.h"\nint b; /*\n#include "a.h"\n*/ char c = '"'\"'"';\n#endif\n' >include/b.h
printf '#include "include/a.h"\n#  include <a.h> // again\n#include <cuda_fp16.h>\nint k = N;' >'k $#.cu'
deps() { sed "s,$PWD/,," deps; }
"$GPUDL" compile 'k $#.cu' -o 'k $#.ptx' -I include --arch compute_75 --depfile deps; echo "status $?"; deps
"$GPUDL" compile 'k $#.cu' -o k.fatbin -Iinclude -D N=4 -D 'F(x)=x' -D M --format source --depfile deps; echo "status $?"; cat k.fatbin; deps
"$GPUDL" inspect k.fatbin 2>said; echo "status $?"; cat said
mkdir out; "$GPUDL" compile 'k $#.cu' -o out --format source; echo "status $?"; ls out
printf '#include "self.cu"\n' >self.cu
"$GPUDL" compile self.cu -o self --format source 2>said; echo "status $?"; cat said; ls self 2>/dev/null
"$GPUDL" compile missing.cu -o missing --format source 2>said; echo "status $?"; cat said
for words in '--arch sm_80' --relocatable '--option -w' '--std c++17' '--name k'; do
    "$GPUDL" compile self.cu -o self --format source $words 2>said; echo "status $?"; head -n 1 said
done
"$GPUDL" compile self.cu self.cu -o out --depfile deps 2>said; echo "status $?"; head -n 1 said
