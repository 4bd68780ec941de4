#!/usr/bin/env bash
# exports.sh LIBRARY: libgpudl_cudart exports every function that the headers declare, those that heed a NULL stream for both of its meanings, and nothing
# else. Expects $SOURCE.
set -euo pipefail
include=$SOURCE/include/gpudl
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C

{
    sed -nE 's/^GPUDL_RTC?\([^,]+, ([A-Za-z0-9_]+),.*/gpudl_\1/p; s/^GPUDL_RT_STREAM\(([A-Za-z0-9_]+),.*/gpudl_\1\ngpudl_\1_ptsz/p' \
        "$include/cuda_runtime_compat.h" "$include/nvrtc_compat.h"
    sed -nE 's/^GPUDL_CUDART_API .*[ *](gpudl_cudart_[a-z_]+)\(.*/\1/p' "$include/cuda_runtime_compat.h"
} | sort >"$tmp/declared"
nm -D --defined-only "$1" | awk '$2 == "T" { sub("@.*", "", $3); print $3 }' | sort >"$tmp/exported"
(($(wc -l <"$tmp/declared") > 130))
diff -u "$tmp/declared" "$tmp/exported"
