#!/usr/bin/env bash
# compilers.sh SOURCE COMPILER...: gpudl.hpp in each of the compilers that are there, as C++17 and 20, with and without exceptions, under more warnings
# than the build has; and including it makes nothing.
set -euo pipefail
source=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
warnings="-Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wpointer-arith -Wnon-virtual-dtor"

printf '#include <gpudl/gpudl.hpp>\n' >"$tmp/only.cpp"
printf '#include <gpudl/gpudl.hpp>\n#include "tests/hpp/use.inc"\n' >"$tmp/use.cpp"

for compiler in "$@"; do
    command -v "$compiler" >/dev/null || continue
    # shellcheck disable=SC2086
    {
        "$compiler" -I"$source" -I"$source/include" -fsyntax-only -std=c++17 $warnings -fno-exceptions -fno-rtti "$tmp/use.cpp"
        "$compiler" -I"$source" -I"$source/include" -fsyntax-only -std=c++20 $warnings "$tmp/use.cpp"
    }
    "$compiler" -I"$source/include" -c -std=c++17 -o "$tmp/only.o" "$tmp/only.cpp"
    if nm --defined-only "$tmp/only.o" | grep gpudl; then
        echo "$compiler: including gpudl.hpp makes these"
        exit 1
    fi
    echo "$compiler: good"
done
