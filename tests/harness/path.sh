#!/bin/sh
# path.sh RERUN FAILALLOC NULLDRV PROGRAM ARGUMENT...: rerun in a tree whose path has blanks and a colon in it.
set -eu
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/a b:c/bin" "$tree/a b:c/lib"
cp "$1" "$tree/a b:c/bin/rerun"
cp "$2" "$3" "$tree/a b:c/lib"
shift 3
"$tree/a b:c/bin/rerun" allocation "$@"
