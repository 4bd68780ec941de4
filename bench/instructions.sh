#!/bin/sh
# gpudl's own instructions for one launch, over the null driver: those of gpudl_kernel_launch_params and what it calls, less the driver's.
# usage: instructions.sh BUILD_FOLDER; needs valgrind.
set -eu
build=$1
out=$(mktemp)
trap 'rm -f "$out"' EXIT

GPUDL_DRIVER="$build/lib/libnulldrv.so" GPUDL_QUIET=1 valgrind --tool=callgrind --callgrind-out-file="$out" --compress-strings=no \
    --toggle-collect=gpudl_kernel_launch_params "$build/bin/bench_launch" --rounds 1 --only "1 thread" >/dev/null 2>&1
# Costs follow the line that names their object file; a "calls=" line and the one after it are a call's.
awk '
/^ob=/ { object = $0; next }
/^cfn=/ { callee = $0; next }
/^calls=/ { split(substr($0, 7), c, " "); if (callee ~ /=gpudl_kernel_launch_params$/) n += c[1]; called = 1; next }
/^[-+*0-9]/ && NF == 2 { if (!called) own[object ~ /libgpudl/ ? "gpudl" : "others"] += $2; called = 0 }
END {
    if (!n) { print "no launch was seen"; exit 1 }
    printf "%.1f instructions of gpudl a launch, %.1f of the null driver below it (%d launches)\n", own["gpudl"] / n, own["others"] / n, n
}' "$out"
