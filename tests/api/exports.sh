#!/bin/sh
# exports.sh LIBRARY...: each exports the driver's functions and softcuda's own few, and nothing else: no LLVM, no C++.
set -eu
for library; do
    others=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -Ev '^(cu[A-Z][A-Za-z0-9_]*|softcuda_[a-z_]+)$' || true)
    [ -z "$others" ] || { printf '%s exports what it should not: %s\n' "$library" "$others" | head; exit 1; }
    [ "$(nm -D --defined-only "$library" | wc -l)" -ge 637 ] || { echo "$library exports too little"; exit 1; }
done
