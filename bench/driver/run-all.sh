#!/usr/bin/env bash
# driver-all.sh [JSON]: every experiment on the driver that GPUDL_DRIVER names, in the folder of this script; tables on stdout, in JSON all
# together. --quick before JSON: one sample each.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
quick=()
[[ ${1:-} != --quick ]] || { quick=(--quick); shift; }
json=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

for name in residency idle second_context alive capture handles reset graph_calls; do
    "$here/driver_$name" "${quick[@]}" --json "$work/$name" || { echo "$name: status $?" >&2; status=1; }
    echo
done
if [[ -n $json ]]; then
    {
        separator='{"experiments": ['
        for file in "$work"/*; do
            [[ $(tail -n 1 "$file") == "]}" ]] || continue      # it broke off
            printf '%s\n' "$separator"
            cat "$file"
            separator=,
        done
        echo "]}"
    } >"$json" || status=1
fi
exit "$status"
