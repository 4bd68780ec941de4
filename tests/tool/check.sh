#!/usr/bin/env bash
# check.sh CASE: runs cases/CASE.sh in an empty folder, and compares what it prints with cases/CASE.out.
# A case finds the command in $GPUDL, the test kernels in $KERNELS, the source tree in $SOURCE and the build tree in $BUILD.
set -uo pipefail
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
