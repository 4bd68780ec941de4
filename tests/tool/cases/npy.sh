# A buffer goes to a NumPy file and comes back.
nothing() { "$GPUDL" run "$KERNELS" nothing --grid 1 --block 1 "$@"; }
nothing 'f32[2,3]=iota' --save 0=a.npy
od -A d -c a.npy
nothing @a.npy --print 0 --save 0=b.npy
cmp a.npy b.npy && echo same
nothing 'f32[6]=@a.npy' --print 0
nothing 'u8[3]=7' --save 0=c.npy && nothing @c.npy --print 0
nothing 'f16[2]=0.5' --save 0=d.npy && nothing @d.npy --print 0

header() { printf '\x93NUMPY%b%b%s' "$1" "$2" "$3"; }
bytes() { printf '\x01\x00\x00\x00\x02\x00\x00\x00'; }
dict="{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}"
# Version 2.0, other spacing, other order, other quotes.
{ header '\x02\x00' '\x38\x00\x00\x00' "$dict"$'\n'; bytes; } >v2.npy
nothing @v2.npy --print 0
dict='{"shape":(2,1),"fortran_order":True,"descr":"<i4"}'
{ header '\x01\x00' '\x32\x00' "$dict"; bytes; } >column.npy
nothing @column.npy --print 0

refused() { nothing "@$1" 2>&1; echo "status $?"; }
refused missing.npy
refused .
head -c 100 a.npy >short.npy; refused short.npy
head -c 140 a.npy >cut.npy; refused cut.npy
{ cat a.npy; echo; } >long.npy; refused long.npy
printf 'hello, this is text\n' >text.npy; refused text.npy
: >empty.npy; refused empty.npy
sed 's/<f4/>f4/' a.npy >big.npy; refused big.npy
sed 's/False/True /' a.npy >fortran.npy; refused fortran.npy
sed 's/(2, 3)/(2,\x00 3/' a.npy >nul.npy; refused nul.npy
{ header '\x01\x00' '\x60\x00' "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904)}    "; } >huge.npy; refused huge.npy
nothing 'f64[6]=@a.npy' 2>&1; echo "status $?"
nothing 'f32[1]' --save 0=/nowhere/x.npy 2>&1; echo "status $?"
