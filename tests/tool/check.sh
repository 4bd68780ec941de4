#!/usr/bin/env bash
# check.sh CASE: runs cases/CASE.sh in an empty folder, and compares what it prints with cases/CASE.out.
# A case finds the programs in $BIN, the command among them in $GPUDL, the examples' images in $SHARE, its own kernels in $KERNELS, and
# other images in $IMAGES, which lie beside $IMAGE_MAKER.
# Exits with 77 where the driver that $GPUDL_DRIVER names is not there.
set -uo pipefail
export GPUDL=$BIN/gpudl IMAGES=${IMAGE_MAKER%/*}
if [[ $GPUDL_DRIVER == nvidia ]] && ! "$GPUDL" device; then
    exit 77
fi
cases=$(cd "$(dirname "$0")/cases" && pwd)
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

cd "$here" || exit 1
bash "$cases/$1.sh" >"$here/.stdout"
status=$?
if ! diff -u "$cases/$1.out" "$here/.stdout"; then
    echo "$1: the output is not what $1.out says"
    exit 1
fi
exit $status
