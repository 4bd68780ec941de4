#!/usr/bin/env bash
# check.sh symbols|layout [--write]: what programs were compiled and linked with is what symbols.txt and layout.txt say. --write makes the lists
# anew: after an addition; docs/ABI.md says what else there may be. Expects $SOURCE, $CC, $LIBRARY.
set -euo pipefail
here=$SOURCE/tests/abi
what=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C

header()
{
    printf '#include <gpudl/gpudl.h>\n' >"$tmp/h.c"
}

# Prototypes, as the compiler sees them.
declared()
{
    header
    "$CC" -E -P -I"$SOURCE/include" "$tmp/h.c" | tr '\n' ' ' | grep -o '__attribute__((visibility("default")))[^;]*;' |
        sed -e 's/__attribute__((visibility("default"))) *//' -e 's/  */ /g' | sed 's/^\([^(]*[ *]\)\(gpudl_[a-z0-9_]*\)(/\2 \1\2(/'
}

symbols()   # "GPUDL_0.1 prototype" of all that is exported
{
    nm -D --defined-only --with-symbol-versions "$LIBRARY" | awk '$2 != "A" { sub("@@", " ", $3); print $3 }' | sort >"$tmp/exported"
    declared | sort >"$tmp/declared"
    join "$tmp/exported" "$tmp/declared" | sed 's/^[^ ]* //'
    join -v1 "$tmp/exported" "$tmp/declared" | sed 's/$/ exported, and in no header/'
    join -v2 "$tmp/exported" "$tmp/declared" | sed 's/^\([^ ]*\) .*/\1 declared, and not exported/'
}

layout()    # structs and enumerations, then constants
{
    header
    "$CC" -g -gdwarf-4 -O0 -fno-eliminate-unused-debug-types -I"$SOURCE/include" -c -o "$tmp/h.o" "$tmp/h.c"
    readelf --debug-dump=info "$tmp/h.o" 2>"$tmp/words" | awk -f "$here/layout.awk" | sort -s -t"$(printf '\t')" -k1,1 | cut -f2-
    "$CC" -E -dM -I"$SOURCE/include" "$tmp/h.c" | grep -E '^#define GPUDL_[A-Z0-9_]+ ' | grep -vE '^#define GPUDL_(API|VERSION_[A-Z]+|[A-Z]*_?H) ' |
        sed 's/  */ /g' | sort
}

$what >"$tmp/now"
if grep -E ' (exported, and in no header|declared, and not exported)$' "$tmp/now"; then
    exit 1
fi
if [[ ${2:-} == --write ]]; then
    cp "$tmp/now" "$here/$what.txt"
elif ! diff -u "$here/$what.txt" "$tmp/now"; then
    echo "this is not what tests/abi/$what.txt says. After an addition: make abi-lists. Anything else breaks programs: docs/ABI.md"
    exit 1
fi
