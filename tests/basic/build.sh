#!/usr/bin/env bash
# build.sh CMAKE SOURCE BUILD LAUNCHER FULL NULLDRIVER: cmake -DGPUDL_FEATURES=basic gives a library that has the symbols of the full one (FULL),
# needs and holds no libsodium, and a command that says what it is.
set -euo pipefail
cmake=$1 source=$2 build=$3 launcher=$4 full=$5 driver=$6

"$cmake" -S "$source" -B "$build" -G Ninja -DGPUDL_FEATURES=basic -DGPUDL_SOFTCUDA=OFF -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_COMPILER_LAUNCHER="$launcher" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
"$cmake" --build "$build" --target gpudl gpudl_command >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }

exports()
{
    nm -D --defined-only --with-symbol-versions "$1" | awk '{ print $3 }' | sort
}
diff <(exports "$full") <(exports "$build/lib/libgpudl.so") || { echo "the symbols are not those of the full build"; exit 1; }
if grep -q '^SODIUM_' "$build/CMakeCache.txt"; then
    echo "libsodium was looked for"
    exit 1
fi
if nm "$build/lib/libgpudl.so" | grep -E ' (crypto_|sodium_)'; then
    echo "it holds libsodium"
    exit 1
fi
said=$(GPUDL_DRIVER=$driver "$build/bin/gpudl" doctor || true)
grep -q '^this is a basic build: ' <<<"$said" || { printf '%s\nthe command does not say what it is\n' "$said"; exit 1; }
