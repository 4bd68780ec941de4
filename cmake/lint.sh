#!/usr/bin/env bash
# lint.sh BUILD: what make lint checks. The text of every source: no tabs, no blanks at the end of a line, and but for texts in tests no line
# over 150 columns (130 is the aim). The format of lines changed since the last commit. clang-tidy over what BUILD compiles, tests aside.
set -uo pipefail
cd "$(dirname "$0")/.."
build=$1
status=0

mapfile -t sources < <(git ls-files '*.c' '*.h' '*.cpp' '*.hpp' '*.cu')
awk '
/\t/                { print FILENAME ":" FNR ": a tab"; bad = 1 }
/[ \t]$/            { print FILENAME ":" FNR ": blanks at the end"; bad = 1 }
length($0) > 150 && FILENAME !~ /^tests/ { print FILENAME ":" FNR ": " length($0) " columns"; bad = 1 }
END                 { exit bad }' "${sources[@]}" || status=1

changed=$(git clang-format-14 --diff --quiet)
if [[ -n $changed && $changed != "no modified files to format" && $changed != "clang-format did not modify any files" ]]; then
    printf '%s\nmake format does this.\n' "$changed"
    status=1
fi

mapfile -t compiled < <(git ls-files '*.c' | grep -v '^tests/' | grep -Fxf <(sed -n "s|^ *\"file\": \"$PWD/\(.*\)\",\?$|\1|p" "$build/compile_commands.json"))
printf '%s\n' "${compiled[@]}" | xargs -P "$(nproc)" -n 8 clang-tidy-14 --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option || status=1
exit $status
