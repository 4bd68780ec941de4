#!/usr/bin/env bash
# agree.sh WHAT: places that say the same thing say the same thing. Expects the source tree in $SOURCE and the build tree in $BUILD.
set -euo pipefail
GPUDL=$BUILD/bin/gpudl
cd "$SOURCE"
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT

same()  # what, one file, the other
{
    diff -u "$2" "$3" || { echo "$1 differ"; exit 1; }
}

case $1 in
manual)     # the manual pages, the table of commands, and --help
    "$GPUDL" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | sort >"$TMP/help"
    sed -n 's/^\.It Cm \([a-z]*\)$/\1/p' man/gpudl.1 | grep -vx -e auto -e nvidia -e softcuda | sort >"$TMP/page"
    same "the commands of gpudl help and of man/gpudl.1" "$TMP/help" "$TMP/page"
    "$GPUDL" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | while read -r command; do
        "$GPUDL" "$command" --help >"$TMP/long"
        "$GPUDL" help "$command" | cmp - "$TMP/long"
        page=man/gpudl-$command.1
        [[ -e $page ]] || { ! grep -q '^  --' "$TMP/long" || { echo "$command has options, and no page"; exit 1; }; continue; }
        sed -n 's/^  \(--*[A-Za-z-]*\) .*/\1/p' "$TMP/long" | sort >"$TMP/help"
        sed -n 's/^\.It Fl \([A-Za-z-]*\)\( .*\)\{0,1\}$/-\1/p' "$page" | sort >"$TMP/page"
        same "the options of gpudl $command --help and of $page" "$TMP/help" "$TMP/page"
    done
    ;;
dependencies)   # packages.txt, which is installed, and DEPENDENCIES.md, which is read
    sed 's/ *| */|/g' cmake/packages.txt | awk -F'|' '!/^#/ && NF { print $1 "|" $2 "|" $4 }' | sort >"$TMP/installed"
    sed -n 's/^| `\([^`]*\)` | \([a-z]*\) | \(.*\) |$/\1|\2|\3/p' docs/DEPENDENCIES.md | sort >"$TMP/read"
    same "cmake/packages.txt and docs/DEPENDENCIES.md" "$TMP/installed" "$TMP/read"
    ;;
readme)     # the program that README.md prints
    awk '/^```c$/ && !done { on = 1; next } /^```$/ && on { on = 0; done = 1 } on' README.md >"$TMP/printed"
    same "README.md's program and examples/02-saxpy-from-file/saxpy.c" "$TMP/printed" examples/02-saxpy-from-file/saxpy.c
    ;;
errors)     # the lists of codes, and the page made of them
    "$GPUDL" explain --markdown >"$TMP/made"
    same "gpudl explain --markdown and docs/ERRORS.md (ninja errors_page makes it)" "$TMP/made" docs/ERRORS.md
    ;;
*)
    echo "usage: agree.sh manual|dependencies|readme|errors"
    exit 2
    ;;
esac
