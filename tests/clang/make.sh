#!/bin/sh
# The kernels of this folder as PTX. usage: make.sh TREE ARCH PTX FOLDER [OPTION...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$1 arch=$2 ptx=$3 folder=$4
shift 4
rm -rf "$folder"
mkdir -p "$folder"
for source in "$here"/*.cu; do
    name=$(basename "$source" .cu)
    "$here/compile.sh" "$tree" "$arch" "$ptx" "$source" "$folder/$name.ptx" -Wall -Wno-unused-function -Werror "$@"
done
# Nothing is left for a library to bring: what is called from outside is the driver's.
if grep -h '^\.extern \.func' "$folder"/*.ptx | grep -v -E 'vprintf|__assertfail|malloc|free'; then
    echo "these functions are in no header and not of the driver" >&2
    exit 1
fi
