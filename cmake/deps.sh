#!/usr/bin/env bash
# What gpudl is built with, from packages.txt beside this file.
#   deps.sh install    say what is missing and why, and install it with apt
#   deps.sh ensure     nothing if all is there; else install it where that is allowed (root, or GPUDL_DEPS=yes), or say how
# Optional packages are named, never installed.
set -euo pipefail
list=$(dirname "$0")/packages.txt

# A header is looked for with the preprocessor alone: some want others before them to compile.
is_there()  # name of a header or of a command, or a path
{
    case $1 in
    /*)  [[ -e $1 ]] ;;
    *.h) command -v gcc >/dev/null && echo "#include <$1>" | gcc -E -x c -o /dev/null - 2>/dev/null ;;
    *)   command -v "$1" >/dev/null ;;
    esac
}

missing()   # " kind kind ": prints "package|why" lines
{
    local package kind sign why
    while IFS='|' read -r package kind sign why; do
        [[ $package == \#* || -z $package ]] && continue
        package=$(echo $package) kind=$(echo $kind) sign=$(echo $sign) why=$(echo $why)
        [[ $1 == *" $kind "* ]] && ! is_there "$sign" && echo "$package|$why"
    done <"$list"
    return 0
}

show() { sed 's/^\([^|]*\)|\(.*\)/  \1\t\2/' <<<"$1" | expand -t 20 >&2; }

install()   # lines of missing()
{
    local packages sudo=()
    packages=$(cut -d'|' -f1 <<<"$1")
    if ! command -v apt-get >/dev/null; then
        echo "gpudl: no apt-get here; install what is named above with this system's own packages" >&2
        exit 1
    fi
    [[ $(id -u) == 0 ]] || sudo=(sudo)
    "${sudo[@]}" apt-get update -q >&2
    # shellcheck disable=SC2086 # one word a package
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages >&2
}

needed=$(missing ' build test ')
case ${1:-} in
install)
    optional=$(missing ' optional ')
    if [[ -n $optional ]]; then
        echo "Not needed, and left to you:" >&2
        show "$optional"
    fi
    if [[ -z $needed ]]; then
        echo "Everything that gpudl is built with is here." >&2
        exit 0
    fi
    echo "To be installed with apt:" >&2
    show "$needed"
    install "$needed"
    ;;
ensure)
    [[ -z $needed ]] && exit 0
    echo "gpudl is built with these packages, which are missing:" >&2
    show "$needed"
    if [[ $(id -u) == 0 || ${GPUDL_DEPS:-} == yes ]]; then
        install "$needed"
    else
        echo "Install them with:" >&2
        echo "  sudo apt-get install --no-install-recommends $(cut -d'|' -f1 <<<"$needed" | tr '\n' ' ')" >&2
        exit 1
    fi
    ;;
*)
    echo "usage: deps.sh install|ensure" >&2
    exit 2
    ;;
esac
