#!/usr/bin/env bash
# run.sh [NAME...]: the tests that a GPU can pass, or those named, one after the other; for machines without ctest.
# run.sh --only NAME: that test alone, with its own output and status; what ctest calls.
set -u
root=$(cd "$(dirname "$0")" && pwd)
only=
[[ ${1:-} != --only ]] || only=$2
wanted=" $* "
export GPUDL_CACHE_DIR=$root/test-cache
export LD_LIBRARY_PATH=$root/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}     # for plugins, which do not lie in lib
passed=0 failed=0 skipped=0

one()   # folder, NAME=VALUE..., --, command and arguments
{
    local settings=()
    cd "$1" || return 1
    shift
    while [[ $1 != -- ]]; do
        settings+=("$1")
        shift
    done
    shift
    env "${settings[@]}" "$@"
}

run()   # name, gpu or -, what one() takes
{
    local name=$1 label=$2 output status
    shift 2
    if [[ $only == "$name" ]]; then
        one "$@"
        exit
    fi
    [[ -z $only && ($wanted == *" $name "* || $wanted$label == "  gpu") ]] || return 0
    output=$(one "$@" 2>&1)
    status=$?
    case $status in
    0)  passed=$((passed + 1)) && echo "ok      $name" ;;
    77) skipped=$((skipped + 1)) && echo "skipped $name" ;;
    *)  failed=$((failed + 1)) && printf '%s\nFAILED  %s (status %d)\n' "$output" "$name" "$status" ;;
    esac
}

@TESTS@
[[ -z $only ]] || { echo "no test $only"; exit 1; }
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed == 0 ]]
