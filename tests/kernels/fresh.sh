#!/bin/sh
# The committed PTX is what make.sh makes of the sources. Skipped where nvcc is of another release than the one that made it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
release=$("${NVCC:-nvcc}" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')

if ! grep -q "V$release" "$here/ptx/saxpy.ptx"; then
    echo "skipped: nvcc $release did not make the committed PTX"
    exit 77
fi
rm -rf "$WORK"
"$here/make.sh" "$WORK/tests" "$WORK/bench"
diff -r "$here/ptx" "$WORK/tests"
diff -r "$here/../../bench/ptx" "$WORK/bench"
rm -rf "$WORK"
