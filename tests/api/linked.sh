#!/bin/sh
# linked.sh PROGRAM: runs it; where the dynamic linker finds no libcuda.so.1, that is skipped.
"$1"
status=$?
[ $status != 127 ] || exit 77
exit $status
