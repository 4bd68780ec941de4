#!/usr/bin/env bash
# driver-all.sh [--quick] [JSON [NAME...]]: the experiments, or those named, on the driver that GPUDL_DRIVER names: tables on
# stdout, and in JSON all together. They lie beside this script. --quick: one sample of each figure.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
quick=()
[[ ${1:-} != --quick ]] || { quick=(--quick); shift; }
json=${1:-}
names=("${@:2}")
[[ ${#names[@]} -gt 0 ]] || names=(residency idle second_context alive capture handles reset graph_calls starvation)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0 separator='{"experiments": ['

for name in "${names[@]}"; do
    "$here/driver_$name" "${quick[@]}" --json "$work/one" || { echo "driver_$name: status $?" >&2; status=1; }
    echo
    if [[ $(tail -n 1 "$work/one") == "]}" ]]; then     # else it broke off
        { printf '%s\n' "$separator"; cat "$work/one"; } >>"$work/all"
        separator=,
    fi
    rm -f "$work/one"
done
if [[ -n $json ]]; then
    [[ $separator == , ]] || printf '%s' "$separator" >"$work/all"
    { cat "$work/all"; echo "]}"; } >"$json" || status=1
fi
exit "$status"
