#!/usr/bin/env bash
# check.sh CASE: what is installed and packed is found and used by projects that know nothing of the source tree. Expects the source tree in $SOURCE, the
# build tree in $BUILD; keeps its files in $WORK, where the case install leaves tree/ for the others. Kernels run on $GPUDL_DRIVER. 77: skipped, with the
# reason.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
case=$1
tree=$WORK/tree
mine=$WORK/$case.$GPUDL_DRIVER
export GPUDL_QUIET=1
unset DESTDIR LD_LIBRARY_PATH GPUDL_COMPILER PKG_CONFIG_PATH CMAKE_PREFIX_PATH
rm -rf "$mine"
mkdir -p "$mine"

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "$*"; exit 1; }
equals() { [[ $2 == "$3" ]] || fail "$1: '$2', and not '$3'"; }
has() { "$tree/bin/gpudl" doctor --json | grep -q "\"kind\": *\"$1\""; }    # a compiler
any_compiler() { has nvrtc || has nvcc || has clang; }

# project, the prefix that gpudl is in, further words for cmake: configured and built in $mine/build
build()
{
    local project=$1 prefix=$2
    shift 2
    cmake -S "$here/$project" -B "$mine/build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$prefix" "$@" >"$mine/log" 2>&1 &&
        cmake --build "$mine/build" >>"$mine/log" 2>&1 || { cat "$mine/log"; exit 1; }
}
kernels() { build kernels "$tree" "-DKERNELS=$1" "${@:2}"; }    # words of gpudl_add_kernels(), with ; between them
copy_project() { cp -r "$here/kernels" "$mine/kernels" && here=$mine; }    # to be changed
made() { echo "$mine/build/app.kernels/$1"; }
app() { "$mine/build/app" "$@"; }
swaps() { equals "what the program prints" "$("$@")" "6, then 42"; }
takes() { "$tree/bin/gpudl" inspect "$1" | grep -q "$2" || fail "$1 has no $2: $("$tree/bin/gpudl" inspect "$1")"; }

# Nothing of the machine that it was built on is in an installed tree, which finds its libraries wherever it is.
relocatable()
{
    local file path
    if grep -rlF -e "$SOURCE/" -e "$BUILD/" "$1"; then
        fail "these hold a path of the machine that they were built on"
    fi
    while read -r file; do
        path=$( (readelf -d "$file" 2>/dev/null || true) | sed -n 's/.*\(RPATH\|RUNPATH\).*\[\(.*\)\]/\2/p')
        [[ -z $path || $path =~ ^\$ORIGIN[^:]*$ ]] || fail "$file looks for its libraries in $path"
    done < <(find "$1/bin" "$1/lib" -type f)
}

if [[ $GPUDL_DRIVER == nvidia ]] && ! "$tree/bin/gpudl" device >/dev/null 2>&1; then
    skip "there is no GPU"
fi

case $case in
install)
    rm -rf "$tree" "$WORK/before"
    cmake --install "$BUILD" --prefix "$WORK/before" --strip >"$mine/log" || { cat "$mine/log"; exit 1; }
    mv "$WORK/before" "$tree"
    relocatable "$tree"
    if grep -rlF "$WORK/before" "$tree"; then
        fail "these hold the prefix that they were installed in"
    fi
    ;;
shared)
    build swap "$tree"
    swaps "$mine/build/swap"
    # The program is installed beside its kernels, and both are found from there.
    cmake --install "$mine/build" --prefix "$mine/there" >/dev/null
    LD_LIBRARY_PATH=$tree/lib swaps "$mine/there/bin/swap" "$mine"/there/share/swap/{one,two}.fatbin
    ;;
static)
    build swap "$tree" -DGPUDL=gpudl::gpudl_static "-DCMAKE_BUILD_RPATH=$tree/lib"
    readelf -d "$mine/build/swap" | grep -q 'NEEDED.*libgpudl' && fail "it wants the shared library"
    swaps "$mine/build/swap"
    ;;
components)
    printf 'cmake_minimum_required(VERSION 3.21)\nproject(p C)\nfind_package(gpudl REQUIRED COMPONENTS %s)\n' nonsense >"$mine/CMakeLists.txt"
    cmake -S "$mine" -B "$mine/build" -G Ninja "-DCMAKE_PREFIX_PATH=$tree" >"$mine/log" 2>&1 && fail "a component that is not there is found"
    tr -s ' \n' ' ' <"$mine/log" | grep -q "components shared and static" || fail "it is not said which there are: $(cat "$mine/log")"
    ;;
pkgconfig)
    command -v pkg-config >/dev/null || skip "there is no pkg-config"
    any_compiler || skip "there is no compiler of CUDA C++"
    export PKG_CONFIG_PATH=$tree/lib/pkgconfig
    for name in one two; do
        "$tree/bin/gpudl" compile "$here/swap/$name.cu" -o "$mine/$name.ptx" --format ptx --arch compute_80
    done
    files=('-DONE_FILE="one.ptx"' '-DTWO_FILE="two.ptx"')
    cd "$mine"
    # shellcheck disable=SC2046 # words
    cc "$here/swap/main.c" "${files[@]}" $(pkg-config --cflags --libs gpudl) -o shared "-Wl,-rpath,$tree/lib"
    swaps ./shared
    # shellcheck disable=SC2046
    cc "$here/swap/main.c" "${files[@]}" $(pkg-config --cflags gpudl) "$(pkg-config --variable=libdir gpudl)/libgpudl.a" \
        $(pkg-config --static --libs gpudl | sed 's/-lgpudl//') -o static "-Wl,-rpath,$tree/lib"
    readelf -d static | grep -q 'NEEDED.*libgpudl' && fail "it wants the shared library"
    swaps ./static
    ;;
fatbin)
    has nvrtc || has nvcc || skip "there is neither NVRTC nor nvcc"
    kernels "SOURCES;scale.cu;plain.cu;ARCHITECTURES;80;90-real;DEFINES;OFFSET=2"
    equals "what scale makes of 1" "$(app "$(made scale.fatbin)")" 5
    equals "what plain makes of 1" "$(app "$(made plain.fatbin)")" 2
    for arch in sm_80 compute_80 sm_90; do
        takes "$(made scale.fatbin)" $arch
    done
    equals "GPUDL_KERNEL_FILES" "$(cat "$mine/build/files")" "$(made scale.fatbin)"$'\n'"$(made plain.fatbin)"
    ;;
ptx)
    any_compiler || skip "there is no compiler of CUDA C++"
    kernels "SOURCES;scale.cu;ARCHITECTURES;80;90;FORMAT;ptx"
    grep -q '^\.target sm_80' "$(made scale.compute_80.ptx)"
    grep -q '^\.target sm_90' "$(made scale.compute_90.ptx)"
    equals "what scale makes of 1" "$(app "$(made scale.compute_80.ptx)")" 3
    ;;
cubin)
    has nvrtc || has nvcc || skip "there is neither NVRTC nor nvcc"
    kernels "SOURCES;scale.cu;ARCHITECTURES;80;FORMAT;cubin"
    takes "$(made scale.cubin)" sm_80
    ;;
ltoir)
    has nvrtc || has nvcc || skip "there is neither NVRTC nor nvcc"
    kernels "SOURCES;outer.cu;inner.cu;ARCHITECTURES;80;FORMAT;ltoir"
    "$tree/bin/gpudl" doctor | grep -q '^  nvjitlink: CUDA' || skip "what was made cannot be linked: there is no nvJitLink"
    "$tree/bin/gpudl" link "$(made outer.ltoir)" "$(made inner.ltoir)" -o "$mine/linked.ptx" --format ptx --arch compute_80
    equals "what scale makes of 1" "$(app "$mine/linked.ptx")" 42
    ;;
nvcc | clang)
    has "$case" || skip "there is no $case"
    kernels "SOURCES;scale.cu;ARCHITECTURES;80;COMPILER;$case;FLAGS;-lineinfo"
    equals "what scale makes of 1" "$(app "$(made scale.fatbin)")" 3
    ;;
none)       # as where there is no compiler when it is configured
    copy_project
    kernels "SOURCES;scale.cu;ARCHITECTURES;80;DEFINES;OFFSET=2;EMBED" -DGPUDL_KERNELS_COMPILER=none
    head -n 1 "$(made scale.fatbin)" | grep -q '^//gpudl: CUDA C++' || fail "it is not the source"
    grep -q 'define FACTOR 3' "$(made scale.fatbin)" || fail "the header is not in it"
    grep -F -e "$here" -e "$mine" "$(made scale.fatbin)" && fail "a path is in it"
    sed -i 's/FACTOR 3/FACTOR 5/' "$mine/kernels/factor.h"
    cmake --build "$mine/build" >/dev/null
    grep -q 'define FACTOR 5' "$(made scale.fatbin)" || fail "a header that changes does not matter"
    any_compiler || skip "there is no compiler of CUDA C++ to compile it now"
    equals "what scale makes of 1, embedded" "$(app)" 7
    equals "what scale makes of 1, of a file" "$(app "$(made scale.fatbin)")" 7
    kernels "SOURCES;outer.cu;inner.cu;MERGE;COMPILER;none"
    equals "what both make of 1" "$(app "$(made app.fatbin)")" 42
    ;;
embed)
    any_compiler || skip "there is no compiler of CUDA C++"
    kernels "SOURCES;scale.cu;ARCHITECTURES;80-virtual;EMBED"
    rm "$(made scale.fatbin)"
    equals "what scale makes of 1" "$(app)" 3
    ;;
rebuild)
    any_compiler || skip "there is no compiler of CUDA C++"
    copy_project
    kernels "SOURCES;scale.cu;FORMAT;ptx;EMBED"
    ninja -C "$mine/build" | grep -q 'no work to do' || fail "it is made again though nothing has changed"
    equals "what scale makes of 1" "$(app)" 3
    sed -i 's/FACTOR 3/FACTOR 7/' "$mine/kernels/factor.h"
    cmake --build "$mine/build" >/dev/null
    equals "what scale makes of 1 after the header has changed" "$(app)" 7
    ;;
sign)
    any_compiler || skip "there is no compiler of CUDA C++"
    "$tree/bin/gpudl" keygen -p "$mine/key.pub" -s "$mine/key" --no-password >/dev/null
    kernels "SOURCES;scale.cu;FORMAT;ptx;INSTALL;share/k;SIGN;$mine/key"
    cmake --install "$mine/build" --prefix "$mine/there" >/dev/null
    "$tree/bin/gpudl" verify "$mine/there/share/k/scale.ptx" --key "$mine/key.pub" >/dev/null || fail "the signature beside it is another's"
    ;;
merge)
    any_compiler || skip "there is no compiler of CUDA C++"
    kernels "SOURCES;outer.cu;inner.cu;FORMAT;ptx;MERGE;NAME;both"
    equals "what both make of 1" "$(app "$(made both.ptx)")" 42
    has nvrtc || has nvcc || skip "no machine code is merged: there is neither NVRTC nor nvcc"
    "$tree/bin/gpudl" doctor | grep -q '^  nvjitlink: CUDA' || skip "no machine code is merged: there is no nvJitLink"
    kernels "SOURCES;outer.cu;inner.cu;ARCHITECTURES;80;MERGE;NAME;both"
    takes "$(made both.fatbin)" sm_80
    equals "what both make of 1, in a fatbin" "$(app "$(made both.fatbin)")" 42
    ;;
objects)
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    [[ -x $nvcc ]] || skip "there is no nvcc, so CMake has no CUDA"
    kernels "OBJECTS;objects" -DCUDA_OBJECTS=ON "-DCMAKE_CUDA_COMPILER=$nvcc" -DCMAKE_CUDA_COMPILER_FORCED=ON
    equals "what scale makes of 1" "$(app "$(made scale.ptx)")" 7
    equals "what plain makes of 1" "$(app "$(made plain.ptx)")" 2
    ;;
refused)    # what cannot be made is said when it is configured
    try() # text, words of gpudl_add_kernels()
    {
        cmake -S "$here/kernels" -B "$mine/build" -G Ninja "-DCMAKE_PREFIX_PATH=$tree" "-DKERNELS=$2" >"$mine/log" 2>&1 && fail "$2 is taken"
        tr -s ' \n' ' ' <"$mine/log" | grep -qF -- "$1" || fail "of '$2' it is not said: $1; but: $(cat "$mine/log")"
    }
    try "give SOURCES or OBJECTS" "EMBED"
    try "FORMAT is 'elf'" "SOURCES;scale.cu;FORMAT;elf"
    try "ARCHITECTURES has 'ada'" "SOURCES;scale.cu;ARCHITECTURES;ada;COMPILER;nvrtc"
    try "needs NVRTC or nvcc" "SOURCES;scale.cu;ARCHITECTURES;80;FORMAT;cubin;COMPILER;clang"
    try "a cubin is for one architecture" "SOURCES;scale.cu;FORMAT;cubin;COMPILER;nvrtc"
    try "still to be linked" "SOURCES;scale.cu;FORMAT;ltoir;MERGE"
    try "'WHAT' is not understood" "WHAT;SOURCES;scale.cu;FORMAT;elf"
    ;;
make)
    [[ $BUILD == "$SOURCE/build" ]] || skip "make installs from build/, and the tests are those of $BUILD"
    make -s -C "$SOURCE" -o all install "DESTDIR=$mine/staged" PREFIX=/opt/gpudl >"$mine/log" 2>&1 || { cat "$mine/log"; exit 1; }
    relocatable "$mine/staged/opt/gpudl"
    mapfile -t tops < <(find "$mine/staged" -mindepth 1 -maxdepth 3 -printf '%P\n' | sort)
    equals "what is in DESTDIR" "${tops[*]}" "opt opt/gpudl opt/gpudl/bin opt/gpudl/include opt/gpudl/lib opt/gpudl/share"
    build swap "$mine/staged/opt/gpudl"
    swaps "$mine/build/swap"
    ;;
tgz)
    cpack --config "$BUILD/CPackConfig.cmake" -G TGZ -B "$mine/packages" >"$mine/log" 2>&1 || { cat "$mine/log"; exit 1; }
    (cd "$mine/packages" && sha256sum --quiet -c ./*.sha256)
    tar xzf "$mine"/packages/gpudl-*.tar.gz -C "$mine"
    tree=$(echo "$mine"/gpudl-*/)
    relocatable "${tree%/}"
    build swap "${tree%/}"
    swaps "$mine/build/swap"
    ;;
deb)
    command -v dpkg-deb >/dev/null || skip "there is no dpkg-deb"
    cpack --config "$BUILD/CPackConfig.cmake" -G DEB -B "$mine/packages" -D CPACK_DEBIAN_COMPRESSION_TYPE=none >"$mine/log" 2>&1 || { cat "$mine/log"; exit 1; }
    cd "$mine/packages"
    run=$(echo gpudl_*.deb) dev=$(echo gpudl-dev_*.deb)
    for deb in "$run" "$dev"; do
        dpkg-deb -x "$deb" "$mine/staged"
        dpkg-deb -I "$deb" >>"$mine/log"
    done
    if command -v dpkg-shlibdeps >/dev/null; then
        dpkg-deb -f "$run" Depends | grep -q 'libc6.*liblz4-1' || fail "$run depends on: $(dpkg-deb -f "$run" Depends)"
    fi
    dpkg-deb -f "$dev" Depends | grep -q '^gpudl (= ' || fail "$dev depends on: $(dpkg-deb -f "$dev" Depends)"
    dpkg-deb -c "$run" >run.list
    dpkg-deb -c "$dev" >dev.list
    for file in bin/gpudl bin/gpudl-trial lib/libgpudl.so.0 lib/libsoftcuda.so lib/softcuda/libcuda.so.1 share/man/man1/gpudl.1.gz share/doc/gpudl/copyright \
        share/gpudl/clang/gpudl_cuda.h; do
        grep -q " ./usr/$file\( \|$\)" run.list || fail "$run has no $file: $(cat run.list)"
    done
    for file in include/gpudl/gpudl.h lib/libgpudl.so lib/libgpudl.a lib/pkgconfig/gpudl.pc lib/cmake/gpudl/gpudl-config.cmake share/doc/gpudl-dev/copyright; do
        grep -q " ./usr/$file\( \|$\)" dev.list || fail "$dev has no $file: $(cat dev.list)"
        grep -q " ./usr/$file\( \|$\)" run.list && fail "$run has $file"
    done
    grep -v ' root/root ' run.list dev.list && fail "these are not root's"
    relocatable "$mine/staged/usr"
    build swap "$mine/staged/usr"
    swaps "$mine/build/swap"
    ;;
*)
    fail "check.sh knows no case '$case'"
    ;;
esac
