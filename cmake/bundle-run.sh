#!/usr/bin/env bash
# run.sh [NAME...]: the tests that a GPU can pass, or those named, one after the other. For machines without ctest.
set -u
root=$(cd "$(dirname "$0")" && pwd)
wanted=" $* "
passed=0 failed=0 skipped=0

run()   # name, folder, NAME=VALUE..., --, command and arguments
{
    local name=$1 folder=$2 settings=() status output
    shift 2
    [[ $wanted == "  " || $wanted == *" $name "* ]] || return 0
    while [[ $1 != -- ]]; do
        settings+=("$1")
        shift
    done
    shift
    output=$(cd "$folder" && env "${settings[@]}" "$@" 2>&1)
    status=$?
    case $status in
    0)  passed=$((passed + 1)) && echo "ok      $name" ;;
    77) skipped=$((skipped + 1)) && echo "skipped $name" ;;
    *)  failed=$((failed + 1)) && printf '%s\nFAILED  %s (status %d)\n' "$output" "$name" "$status" ;;
    esac
}

@TESTS@
[[ $skipped == 0 ]] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
