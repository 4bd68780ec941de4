#!/bin/sh
# gpudl's own instructions for one launch, over the null driver: those of gpudl_kernel_launch_params and what it calls, less the driver's.
# usage: instructions.sh BUILD_FOLDER; needs valgrind.
set -eu
build=$1
out=$(mktemp)
trap 'rm -f "$out"' EXIT

GPUDL_DRIVER="$build/lib/libnulldrv.so" GPUDL_QUIET=1 valgrind --tool=callgrind --callgrind-out-file="$out" --compress-strings=no \
    --toggle-collect=gpudl_kernel_launch_params "$build/bin/bench_launch" --rounds 1 --only "1 thread" >/dev/null 2>&1
# Under a function, each line of the file is a position and a cost of its own; a "calls=" line and the one after it are a call's.
awk '
/^fn=/ { name = substr($0, 4); next }
/^cfn=/ { callee = substr($0, 5); next }
/^calls=/ { split(substr($0, 7), c, " "); if (callee ~ /^gpudl_kernel_launch_params/) n += c[1]; called = 1; next }
/^(\+|-|\*)?[0-9*]/ && NF >= 2 { if (called) called = 0; else own[name] += $2 }
END {
    for (f in own) { if (f ~ /gpudl/) mine += own[f]; else others += own[f] }
    if (n) printf "%.1f instructions of gpudl a launch, %.1f of the null driver below it (%d launches)\n", mine / n, others / n, n
    else { print "no launch was seen"; exit 1 }
}' "$out"
