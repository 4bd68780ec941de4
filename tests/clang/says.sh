#!/bin/sh
# printf, assert and __trap of kernels that were compiled with the header, by the command. usage: says.sh GPUDL PTX FOLDER
set -eu
gpudl=$1 ptx=$2 folder=$3
mkdir -p "$folder"

"$gpudl" run "$ptx" says --grid 1 --block 1 i32:6 f64:2.5 u64:0 >"$folder/out"
grep -q '^6 7 2.500 text c 1099511627776 ff$' "$folder/out" || { cat "$folder/out"; exit 1; }
for kernel in asserts traps; do
    "$gpudl" run "$ptx" "$kernel" --grid 1 --block 1 i32:2
    if "$gpudl" run "$ptx" "$kernel" --grid 1 --block 1 i32:3 >"$folder/out" 2>&1; then
        echo "$kernel: nothing happened" >&2
        exit 1
    fi
done
if "$gpudl" run "$ptx" asserts --grid 1 --block 1 i32:3 >"$folder/out" 2>&1 || ! grep -q 'memory\.cu.*i != 3' "$folder/out"; then
    cat "$folder/out"
    exit 1
fi
