# bash completion of gpudl; made by `gpudl completion bash`

_gpudl_reply()
{
    local line
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@" -- "$word")
}

_gpudl()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=
    COMPREPLY=()
    # --name=value is three words to bash
    if [[ $word == = ]]; then word=
    elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
    if ((COMP_CWORD == 1)); then
        _gpudl_reply -W '--help --version run compile link inspect check extract trace cache device doctor explain keygen sign verify manifest completion help'
        return
    fi
    case ${COMP_WORDS[1]} in
    run)
        case $before in
        --grid|--block|--shared|--device|--print|--save|-D|--std|--option|--name) return ;;
        -I) _gpudl_reply -d; return ;;
        --fmad) _gpudl_reply -W 'true false'; return ;;
        --compiler) _gpudl_reply -f -W 'nvrtc nvcc clang'; return ;;
        esac
        options='--help --grid --block --shared --device --print --save --stats -I -D --fmad --std --option --name --compiler --process --no-cache'
        [[ $word == -* ]] || { _gpudl_reply -f; return; }
        ;;
    compile)
        case $before in
        --arch|-D|--std|--option|--name) return ;;
        -o) _gpudl_reply -f; return ;;
        --format) _gpudl_reply -W 'cubin ptx fatbin ltoir source'; return ;;
        --depfile) _gpudl_reply -f; return ;;
        -I) _gpudl_reply -d; return ;;
        --fmad) _gpudl_reply -W 'true false'; return ;;
        --compiler) _gpudl_reply -f -W 'nvrtc nvcc clang'; return ;;
        esac
        options='--help -o --arch --format --relocatable --depfile -I -D --fmad --std --option --name --compiler --process --no-cache'
        [[ $word == -* ]] || { _gpudl_reply -f; return; }
        ;;
    link)
        case $before in
        --arch|--max-registers|-D|--std|--option|--name) return ;;
        -o) _gpudl_reply -f; return ;;
        --format) _gpudl_reply -W 'cubin ptx fatbin'; return ;;
        --linker) _gpudl_reply -f -W 'nvjitlink driver'; return ;;
        -I) _gpudl_reply -d; return ;;
        --fmad) _gpudl_reply -W 'true false'; return ;;
        --compiler) _gpudl_reply -f -W 'nvrtc nvcc clang'; return ;;
        esac
        options='--help -o --arch --format --linker --max-registers --lineinfo --verbose -I -D --fmad --std --option --name --compiler --process --no-cache'
        [[ $word == -* ]] || { _gpudl_reply -f; return; }
        ;;
    inspect)
        case $before in
        esac
        options='--help --json --symbols'
        [[ $word == -* ]] || { _gpudl_reply -f; return; }
        ;;
    check)
        case $before in
        --arch|--cuda|--device) return ;;
        esac
        options='--help --arch --cuda --softcuda --device'
        [[ $word == -* ]] || { _gpudl_reply -f; return; }
        ;;
    extract)
        case $before in
        --entry) return ;;
        -o) _gpudl_reply -f; return ;;
        esac
        options='--help --entry -o'
        [[ $word == -* ]] || { _gpudl_reply -f; return; }
        ;;
    trace)
        case $before in
        -o) _gpudl_reply -f; return ;;
        esac
        options='--help -o'
        [[ $word == -* ]] || { _gpudl_reply -c -f; return; }
        ;;
    cache)
        case $before in
        --bytes|--jobs) return ;;
        esac
        options='--help --bytes --jobs'
        [[ $word == -* ]] || { _gpudl_reply -f -W 'stats list trim clear warm'; return; }
        ;;
    device)
        case $before in
        esac
        options='--help'
        [[ $word == -* ]] || { :; return; }
        ;;
    doctor)
        case $before in
        esac
        options='--help --json'
        [[ $word == -* ]] || { :; return; }
        ;;
    explain)
        case $before in
        esac
        options='--help --json --markdown'
        [[ $word == -* ]] || { _gpudl_reply -W 'gpudl cuda'; return; }
        ;;
    keygen)
        case $before in
        -p) _gpudl_reply -f; return ;;
        -s) _gpudl_reply -f; return ;;
        esac
        options='--help -p -s --no-password --force'
        [[ $word == -* ]] || { _gpudl_reply -W 'p s'; return; }
        ;;
    sign)
        case $before in
        -t|-c) return ;;
        -s) _gpudl_reply -f; return ;;
        -o) _gpudl_reply -f; return ;;
        esac
        options='--help -s -o -t -c --legacy'
        [[ $word == -* ]] || { _gpudl_reply -f; return; }
        ;;
    verify)
        case $before in
        --key) _gpudl_reply -f; return ;;
        --key-ring) _gpudl_reply -d; return ;;
        --sig) _gpudl_reply -f; return ;;
        esac
        options='--help --key --key-ring --sig'
        [[ $word == -* ]] || { _gpudl_reply -f; return; }
        ;;
    manifest)
        case $before in
        esac
        options='--help'
        [[ $word == -* ]] || { _gpudl_reply -f; return; }
        ;;
    completion)
        case $before in
        esac
        options='--help'
        [[ $word == -* ]] || { _gpudl_reply -W 'bash zsh fish'; return; }
        ;;
    help)
        case $before in
        esac
        options='--help'
        [[ $word == -* ]] || { _gpudl_reply -W 'run compile link inspect check extract trace cache device doctor explain keygen sign verify manifest completion help'; return; }
        ;;
    *) return ;;
    esac
    _gpudl_reply -W "$options"
}

complete -F _gpudl gpudl
