#!/bin/sh -e
# Makes the images anew with the toolkit at hand and asks the same of them as of the shipped ones. Sizes and registers are those of
# CUDA 13.0: with any other toolkit, or none, this is skipped (77).
#     rebuilt.sh FOLDER TEST...      FOLDER is made anew
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
nvcc --version 2> /dev/null | grep -q 'V13\.0\.88' || exit 77
command -v ld.lld > /dev/null || exit 77
rm -rf "$folder"
cp -r "$here/data" "$folder"        # what needs an older toolkit, too, stays as it is shipped
"$here/data/make.sh" "$folder" > "$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
for test; do
    "$test" "$folder"
done
