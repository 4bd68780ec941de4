#!/bin/sh
# Compares what image/ finds in files with what cuobjdump prints of them, kernel by kernel. Run by hand, as it needs NVIDIA's tool
# (the package nvidia-cuda-cuobjdump on PyPI has it) and libraries with device code:
#     tests/image/agree_cuobjdump.sh build/bin/agree_image path/to/cuobjdump LIBRARY...
# Allowed for: cuobjdump adds the 1024 bytes of shared memory that the driver reserves from sm_90 on, and leaves relocatable code out
# where the file holds it linked, too.
agree=$1 cuobjdump=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
for file; do
    "$agree" "$file" 2> "$work/told" | LC_ALL=C sort > "$work/ours"
    "$cuobjdump" -res-usage "$file" 2> /dev/null | awk '
        /^arch = / { arch = $3; sub(/^sm_/, "", arch) }
        /^ Function / { name = $2; sub(/:$/, "", name) }
        /^  REG:/ {
            for (i = 1; i <= NF; i++) { split($i, f, ":"); v[f[1]] = f[2] }
            print arch "\t" name "\t" v["REG"] "\t" v["STACK"] "\t" v["SHARED"] "\t" v["CONSTANT[0]"]
        }' | LC_ALL=C sort > "$work/theirs"
    tail -n 1 "$work/told" | sed "s|^|$(basename "$file"): |"
    awk -F '\t' -v file="$(basename "$file")" '
        function key(l, f) { split(l, f, "\t"); return f[1] "\t" f[2] }
        function same(a, b,   x, y) {
            split(a, x, "\t"); split(b, y, "\t")
            return x[7] || x[3] == y[3] && (x[4] == y[4] || x[4] == "-" || y[4] == "UNKNOWN") \
                && (x[5] == y[5] || x[5] + 1024 == y[5] || x[5] == "-") && (x[6] == y[6] || x[6] == "-")
        }
        function unlinked(l,   f) { split(l, f, "\t"); return f[5] == "-" }
        NR == FNR { n[key($0)]++; ours[key($0), n[key($0)]] = $0; next }
        {
            # A library may hold a kernel twice for one architecture, linked and not: any of ours will do.
            k = key($0); total++; fits = 0; left = 0
            for (i = 1; i <= n[k]; i++) {
                if ((k, i) in used) continue
                if (!same(ours[k, i], $0)) left = i
                else if (!fits || !unlinked(ours[k, i])) fits = i
            }
            if (fits || left) used[k, fits ? fits : left] = 1
            if (!fits && !left) { missing++; if (missing < 4) print "  only cuobjdump: " $0 }
            else if (!fits) { different++; if (different < 6) print "  ours:   " ours[k, left] "\n  theirs: " $0 }
        }
        END {
            for (k in n) for (i = 1; i <= n[k]; i++) if (!((k, i) in used) && !unlinked(ours[k, i]))
                if (++extra < 4) print "  only ours: " ours[k, i]
            printf "%s: cuobjdump lists %d kernels; %d missing, %d only ours, %d different\n", file, total, missing, extra, different
            exit missing || extra || different
        }' "$work/ours" "$work/theirs" || status=1
done
exit $status
