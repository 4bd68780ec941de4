# complete.sh: what bash's completion answers for command lines; expects the source tree as the current folder.
set -u
source completions/gpudl.bash
failed=0

# complete LAST-WORD-INCLUDED...: what follows, a blank between each two
complete_words()
{
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _gpudl
    echo "${COMPREPLY[*]}"
}
check()     # what is expected, then the command line
{
    local expected=$1
    shift
    local found
    found=$(complete_words "$@")
    [[ $found == "$expected" ]] || { echo "'$*' is completed by '$found', not by '$expected'"; failed=1; }
}

check "compile completion" gpudl comp
check "--help --version" gpudl --
check "--grid" gpudl run --gr
check "" gpudl run --grid ""
check "bash zsh fish" gpudl completion ""
check "stats" gpudl cache st
check "gpudl" gpudl explain g
check "manifest" gpudl help man
check "nvrtc nvcc" gpudl run --compiler nv
check "true" gpudl run --fmad = t
check "cubin" gpudl compile --format cu
check "tests/tool/kernels.ptx" gpudl check tests/tool/kernels.p
check "tests/tool" gpudl compile k.cu -I tests/too
check "--key --key-ring" gpudl verify --key
exit $failed
