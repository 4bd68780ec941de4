#!/usr/bin/env bash
# check.sh EXPECTED PROGRAM [ARGUMENT...]: runs an example, prints what it prints, and compares that with EXPECTED: its lines are extended
# regular expressions for whole lines, and are met in that order; lines that no expression is for may stand between. The rest is what every
# example owes: status 0, nothing on stderr, and nothing left unreleased (GPUDL_LEAKS would name it there).
# Exits with 77 where the driver that $GPUDL_DRIVER names is not there ($GPUDL is the command), or where the program says that it cannot be run.
set -uo pipefail
expected=$1
shift
if [[ $GPUDL_DRIVER == nvidia ]] && ! "$GPUDL" device; then
    exit 77
fi
said=$(mktemp)
trap 'rm -f "$said"' EXIT

printed=$(GPUDL_LEAKS=1 GPUDL_QUIET=1 "$@" 2>"$said")
status=$?
printf '%s\n' "$printed"
cat "$said"
[[ $status == 0 ]] || exit $status
[[ ! -s $said ]] || { echo "There is something on stderr."; exit 1; }

mapfile -t lines <<<"$printed"
i=0
while IFS= read -r line; do
    while [[ $i -lt ${#lines[@]} && ! ${lines[i]} =~ ^($line)$ ]]; do
        i=$((i + 1))
    done
    [[ $i -lt ${#lines[@]} ]] || { echo "No line, or none in its place, is as expected: $line"; exit 1; }
    i=$((i + 1))
done <"$expected"
