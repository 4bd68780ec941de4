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
        # and which of them take a value: in --help it is one blank behind the name
        sed -n 's/^  \(--*[A-Za-z-]*\) [^ ].*/\1/p' "$TMP/long" | sort >"$TMP/help"
        sed -n 's/^\.It Fl \([A-Za-z-]*\) ..*$/-\1/p' "$page" | sort >"$TMP/page"
        same "the options with a value of gpudl $command --help and of $page" "$TMP/help" "$TMP/page"
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
troubleshooting)    # the page for people, and the catalogue that it leads to
    sed -n 's/^### \([0-9]*\) `\(GPUDL_ERROR_[A-Z_]*\)`$/ERRORS.md#\1-\L\2/p' docs/ERRORS.md | sort >"$TMP/catalogue"
    grep -o 'ERRORS\.md#[0-9]*-gpudl_error_[a-z_]*' docs/TROUBLESHOOTING.md | sort -u >"$TMP/led to"
    same "the statuses of docs/ERRORS.md and those that docs/TROUBLESHOOTING.md leads to" "$TMP/catalogue" "$TMP/led to"
    ;;
completions)    # what is installed for shells, and the tables of options
    "$GPUDL" completion bash >"$TMP/gpudl.bash"
    "$GPUDL" completion zsh >"$TMP/_gpudl"
    "$GPUDL" completion fish >"$TMP/gpudl.fish"
    for file in gpudl.bash _gpudl gpudl.fish; do
        same "gpudl completion and completions/$file (ninja completions makes it)" "$TMP/$file" "completions/$file"
    done
    # each says each option of each --help, with and without a value
    "$GPUDL" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | while read -r command; do
        "$GPUDL" "$command" --help | sed -n 's/^  \(--*[A-Za-z-]*\) .*/\1/p' | sort >"$TMP/help"
        sed -n "/^    $command)/,/^        ;;/s/^ *options='--help\(.*\)'$/\1/p" completions/gpudl.bash | tr -s ' ' '\n' | sed '/^$/d' | sort >"$TMP/bash"
        sed -n "/^    $command)/,/^        ;;/s/^ *'\*\(--*[A-Za-z-]*\)[=+]*\[.*/\1/p" completions/_gpudl | sort >"$TMP/zsh"
        sed -n -e "s/^complete -c gpudl -n '__gpudl_is $command' -l \([a-z-]*\) .*/--\1/p" \
            -e "s/^complete -c gpudl -n '__gpudl_is $command' -s \([A-Za-z]\) .*/-\1/p" completions/gpudl.fish | sed '/^--help$/d' | sort >"$TMP/fish"
        for shell in bash zsh fish; do
            same "the options of gpudl $command --help and of its completion in $shell" "$TMP/help" "$TMP/$shell"
        done
    done
    for command in compile link; do
        { "$GPUDL" $command a -o b --format none 2>&1 || true; } | sed -n 's/.* wants \(.*\), not .*/\1/p' | sed 's/,//g; s/ or / /' >"$TMP/formats"
        sed -n "/^    $command)/,/^        ;;/s/.*--format) _gpudl_reply -W '\(.*\)';.*/\1/p" completions/gpudl.bash >"$TMP/completed"
        same "the formats of gpudl $command and those that are completed" "$TMP/formats" "$TMP/completed"
    done
    bash tests/tool/complete.sh
    ! command -v zsh >/dev/null || zsh -n completions/_gpudl
    ! command -v fish >/dev/null || fish --no-execute completions/gpudl.fish
    ;;
reference)      # the manual pages of the API, and what the library exports
    pages=$BUILD/doc/man3
    [[ -e $BUILD/doc/made ]] || exit 77
    sed 's/(.*//; s/.*[ *]//' tests/abi/symbols.txt | sort -u | while read -r function; do
        page=$(sed 's,^.so man3/,,' "$pages/$function.3") || { echo "$function has no manual page"; exit 1; }
        grep -q "^\.Nm $function\( ,\)\{0,1\}$" "$pages/$page" && grep -q "^\.Fo $function$" "$pages/$page" ||
            { echo "$page does not say $function"; exit 1; }
        grep -q "id=\"$function\"" "$BUILD/doc/api/${page%.3}.md" || { echo "the reference does not say $function"; exit 1; }
    done
    for page in "$pages"/*.3; do
        target=$(sed -n 's/^\.so //p' "$page")
        [[ -z $target || -s $BUILD/doc/$target ]] || { echo "$page leads to $target, which is not there"; exit 1; }
    done
    # what gpudl(3) lists is there, and all that is there
    sed -n '/^\.Ss Pages/,$s/^\.It Xr \(.*\) 3$/\1/p' "$pages/gpudl.3" | sort >"$TMP/listed"
    (cd "$pages" && ls gpudl-*.3 | sed 's/\.3$//' | sort) >"$TMP/there"
    same "the pages that gpudl(3) lists and those made" "$TMP/listed" "$TMP/there"
    ! command -v mandoc >/dev/null || mandoc -T lint -W warning "$pages"/gpudl.3 "$pages"/gpudl-*.3 man/*.1
    ;;
*)
    echo "usage: agree.sh manual|dependencies|readme|errors|troubleshooting|completions|reference"
    exit 2
    ;;
esac
