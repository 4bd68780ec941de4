# fish completion of gpudl; made by `gpudl completion fish`

function __gpudl_is
    set -l words (commandline -opc)
    if test (count $words) -lt 2
        test "$argv[1]" = none
    else
        test "$words[2]" = "$argv[1]"
    end
end

complete -c gpudl -f
complete -c gpudl -n '__gpudl_is none' -l help -d 'say what there is'
complete -c gpudl -n '__gpudl_is none' -l version -d 'say which version this is'
complete -c gpudl -n '__gpudl_is none' -a run -d 'load FILE, launch one kernel of it and show what came out'
complete -c gpudl -n '__gpudl_is none' -a compile -d 'compile CUDA C++ to machine code, PTX or a fatbin'
complete -c gpudl -n '__gpudl_is none' -a link -d 'join relocatable code of several FILEs to one image that can be loaded'
complete -c gpudl -n '__gpudl_is none' -a inspect -d 'say what CUDA code is in FILE: entries, kernels, parameters, globals'
complete -c gpudl -n '__gpudl_is none' -a check -d 'say which code of FILE would run on a device, or why none would and what to do'
complete -c gpudl -n '__gpudl_is none' -a extract -d 'write one entry of FILE, decompressed, to a file'
complete -c gpudl -n '__gpudl_is none' -a trace -d 'run a program and show what it loaded, launched and copied'
complete -c gpudl -n '__gpudl_is none' -a cache -d 'look at compiled code on disk, remove some of it, or compile ahead'
complete -c gpudl -n '__gpudl_is none' -a device -d 'say which driver answers, and list its devices'
complete -c gpudl -n '__gpudl_is none' -a doctor -d 'say what there is to run kernels on, what is missing, and what the environment changes'
complete -c gpudl -n '__gpudl_is none' -a explain -d 'say what an error'\''s code means, how it comes about and what to do'
complete -c gpudl -n '__gpudl_is none' -a keygen -d 'make a key pair to sign with, and print its public key'
complete -c gpudl -n '__gpudl_is none' -a sign -d 'sign FILE, so that it is known whose it is and that nobody changed it'
complete -c gpudl -n '__gpudl_is none' -a verify -d 'say whether FILE is as the owner of a key signed it'
complete -c gpudl -n '__gpudl_is none' -a manifest -d 'print the SHA-256 of files, as sha256sum does'
complete -c gpudl -n '__gpudl_is none' -a completion -d 'print what completes gpudl'\''s command lines in a shell'
complete -c gpudl -n '__gpudl_is none' -a help -d 'say what the commands are, or how one is used'

complete -c gpudl -n '__gpudl_is run' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is run' -l grid -d 'blocks to launch' -r -f
complete -c gpudl -n '__gpudl_is run' -l block -d 'threads of a block' -r -f
complete -c gpudl -n '__gpudl_is run' -l shared -d 'dynamic shared memory of a block (0)' -r -f
complete -c gpudl -n '__gpudl_is run' -l device -d 'the device, counted from 0 (0)' -r -f
complete -c gpudl -n '__gpudl_is run' -l print -d 'print argument N after the launch, or its first COUNT elements' -r -f
complete -c gpudl -n '__gpudl_is run' -l save -d 'write argument N to a NumPy file after the launch' -r -f
complete -c gpudl -n '__gpudl_is run' -l stats -d 'print what the loader did, as JSON, on stderr'
complete -c gpudl -n '__gpudl_is run' -s I -d 'CUDA C++: look for headers in DIR' -r -f -a '(__fish_complete_directories)'
complete -c gpudl -n '__gpudl_is run' -s D -d 'CUDA C++: define a macro' -r -f
complete -c gpudl -n '__gpudl_is run' -l fmad -d 'CUDA C++: may a multiplication and an addition become one operation (true)' -r -f -a 'true false'
complete -c gpudl -n '__gpudl_is run' -l std -d 'CUDA C++: the language'\''s version, such as c++20' -r -f
complete -c gpudl -n '__gpudl_is run' -l option -d 'CUDA C++: pass WORD on to the compiler' -r -f
complete -c gpudl -n '__gpudl_is run' -l name -d 'CUDA C++: instantiate it, such as '\''scale<float, 4>'\''' -r -f
complete -c gpudl -n '__gpudl_is run' -l compiler -d 'CUDA C++: nvrtc, nvcc, clang, or the path of one' -r -F -a 'nvrtc nvcc clang'
complete -c gpudl -n '__gpudl_is run' -l process -d 'CUDA C++: run NVRTC in a process of its own'
complete -c gpudl -n '__gpudl_is run' -l no-cache -d 'CUDA C++: take nothing from disk, keep nothing'
complete -c gpudl -n '__gpudl_is run' -F

complete -c gpudl -n '__gpudl_is compile' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is compile' -s o -d 'the file to write; with several FILEs, or where it ends in '\''/'\'', a folder' -r -F
complete -c gpudl -n '__gpudl_is compile' -l arch -d 'sm_90, sm_90a, compute_90, ...; several make a fatbin (the default device'\''s)' -r -f
complete -c gpudl -n '__gpudl_is compile' -l format -d 'cubin, ptx, fatbin or ltoir; or source: not compiled, with its headers in it' -r -f -a 'cubin ptx fatbin ltoir source'
complete -c gpudl -n '__gpudl_is compile' -l relocatable -d 'for linking, as nvcc -rdc=true'
complete -c gpudl -n '__gpudl_is compile' -l depfile -d 'write there what OUT is made of, as make and ninja read it; with one FILE' -r -F
complete -c gpudl -n '__gpudl_is compile' -s I -d 'CUDA C++: look for headers in DIR' -r -f -a '(__fish_complete_directories)'
complete -c gpudl -n '__gpudl_is compile' -s D -d 'CUDA C++: define a macro' -r -f
complete -c gpudl -n '__gpudl_is compile' -l fmad -d 'CUDA C++: may a multiplication and an addition become one operation (true)' -r -f -a 'true false'
complete -c gpudl -n '__gpudl_is compile' -l std -d 'CUDA C++: the language'\''s version, such as c++20' -r -f
complete -c gpudl -n '__gpudl_is compile' -l option -d 'CUDA C++: pass WORD on to the compiler' -r -f
complete -c gpudl -n '__gpudl_is compile' -l name -d 'CUDA C++: instantiate it, such as '\''scale<float, 4>'\''' -r -f
complete -c gpudl -n '__gpudl_is compile' -l compiler -d 'CUDA C++: nvrtc, nvcc, clang, or the path of one' -r -F -a 'nvrtc nvcc clang'
complete -c gpudl -n '__gpudl_is compile' -l process -d 'CUDA C++: run NVRTC in a process of its own'
complete -c gpudl -n '__gpudl_is compile' -l no-cache -d 'CUDA C++: take nothing from disk, keep nothing'
complete -c gpudl -n '__gpudl_is compile' -F

complete -c gpudl -n '__gpudl_is link' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is link' -s o -d 'the file to write' -r -F
complete -c gpudl -n '__gpudl_is link' -l arch -d 'sm_90, ...; several make a fatbin; else for the device that programs get' -r -f
complete -c gpudl -n '__gpudl_is link' -l format -d 'cubin, ptx or fatbin; else what the device loads: a cubin, PTX for softcuda' -r -f -a 'cubin ptx fatbin'
complete -c gpudl -n '__gpudl_is link' -l linker -d 'nvjitlink, driver, or the path of a libnvJitLink; else GPUDL_LINKER, or what FILEs need' -r -F -a 'nvjitlink driver'
complete -c gpudl -n '__gpudl_is link' -l max-registers -d 'of a thread' -r -f
complete -c gpudl -n '__gpudl_is link' -l lineinfo -d 'with source lines'
complete -c gpudl -n '__gpudl_is link' -l verbose -d 'say on stderr who linked, and what the linker remarked'
complete -c gpudl -n '__gpudl_is link' -s I -d 'CUDA C++: look for headers in DIR' -r -f -a '(__fish_complete_directories)'
complete -c gpudl -n '__gpudl_is link' -s D -d 'CUDA C++: define a macro' -r -f
complete -c gpudl -n '__gpudl_is link' -l fmad -d 'CUDA C++: may a multiplication and an addition become one operation (true)' -r -f -a 'true false'
complete -c gpudl -n '__gpudl_is link' -l std -d 'CUDA C++: the language'\''s version, such as c++20' -r -f
complete -c gpudl -n '__gpudl_is link' -l option -d 'CUDA C++: pass WORD on to the compiler' -r -f
complete -c gpudl -n '__gpudl_is link' -l name -d 'CUDA C++: instantiate it, such as '\''scale<float, 4>'\''' -r -f
complete -c gpudl -n '__gpudl_is link' -l compiler -d 'CUDA C++: nvrtc, nvcc, clang, or the path of one' -r -F -a 'nvrtc nvcc clang'
complete -c gpudl -n '__gpudl_is link' -l process -d 'CUDA C++: run NVRTC in a process of its own'
complete -c gpudl -n '__gpudl_is link' -l no-cache -d 'CUDA C++: take nothing from disk, keep nothing'
complete -c gpudl -n '__gpudl_is link' -F

complete -c gpudl -n '__gpudl_is inspect' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is inspect' -l json -d 'for programs: all of it as one JSON object'
complete -c gpudl -n '__gpudl_is inspect' -l symbols -d 'the sections and symbols of machine code as well'
complete -c gpudl -n '__gpudl_is inspect' -F

complete -c gpudl -n '__gpudl_is check' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is check' -l arch -d 'a device of this architecture: sm_90' -r -f
complete -c gpudl -n '__gpudl_is check' -l cuda -d 'with --arch: under a driver of this CUDA version; else one that knows all that gpudl does' -r -f
complete -c gpudl -n '__gpudl_is check' -l softcuda -d 'with --arch: in softcuda, which runs PTX only'
complete -c gpudl -n '__gpudl_is check' -l device -d 'this device of this machine, counted from 0' -r -f
complete -c gpudl -n '__gpudl_is check' -F

complete -c gpudl -n '__gpudl_is extract' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is extract' -l entry -d 'the entry, counted from 0 as gpudl inspect does' -r -f
complete -c gpudl -n '__gpudl_is extract' -s o -d 'the file to write' -r -F
complete -c gpudl -n '__gpudl_is extract' -F

complete -c gpudl -n '__gpudl_is trace' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is trace' -s o -d 'write the timeline there, for https://ui.perfetto.dev or chrome://tracing' -r -F
complete -c gpudl -n '__gpudl_is trace' -F -a '(__fish_complete_subcommand)'

complete -c gpudl -n '__gpudl_is cache' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is cache' -l bytes -d 'trim: down to so many bytes, as 500000000 or 500M (1G)' -r -f
complete -c gpudl -n '__gpudl_is cache' -l jobs -d 'warm: so many at a time (one for each CPU)' -r -f
complete -c gpudl -n '__gpudl_is cache' -F -a 'stats list trim clear warm'

complete -c gpudl -n '__gpudl_is device' -l help -d 'say how it is used'

complete -c gpudl -n '__gpudl_is doctor' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is doctor' -l json -d 'for programs: all of it as one JSON object'

complete -c gpudl -n '__gpudl_is explain' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is explain' -l json -d 'an array of objects with kind, code, name, text, cause, remedy and poisons'
complete -c gpudl -n '__gpudl_is explain' -l markdown -d 'everything, as docs/ERRORS.md has it'
complete -c gpudl -n '__gpudl_is explain' -f -a 'gpudl cuda'

complete -c gpudl -n '__gpudl_is keygen' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is keygen' -s p -d 'the file for the public key, which may be known to all' -r -F
complete -c gpudl -n '__gpudl_is keygen' -s s -d 'the file for the secret key, which only you can read' -r -F
complete -c gpudl -n '__gpudl_is keygen' -l no-password -d 'who reads KEY can sign; else a password is asked for'
complete -c gpudl -n '__gpudl_is keygen' -l force -d 'replace files that are there'
complete -c gpudl -n '__gpudl_is keygen' -f -a 'p s'

complete -c gpudl -n '__gpudl_is sign' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is sign' -s s -d 'the file of the secret key' -r -F
complete -c gpudl -n '__gpudl_is sign' -s o -d 'the file for the signature; else FILE.minisig, where a load looks for it' -r -F
complete -c gpudl -n '__gpudl_is sign' -s t -d 'a comment that is signed as well; else the time and FILE'\''s name' -r -f
complete -c gpudl -n '__gpudl_is sign' -s c -d 'a comment that anybody can change' -r -f
complete -c gpudl -n '__gpudl_is sign' -l legacy -d 'sign the content, not its hash: for minisign before 0.6'
complete -c gpudl -n '__gpudl_is sign' -F

complete -c gpudl -n '__gpudl_is verify' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is verify' -l key -d 'the file of a public key to be trusted; may be given several times' -r -F
complete -c gpudl -n '__gpudl_is verify' -l key-ring -d 'trust those in its files *.pub, but for what its file '\''revoked'\'' lists' -r -f -a '(__fish_complete_directories)'
complete -c gpudl -n '__gpudl_is verify' -l sig -d 'the file of the signature; else FILE.minisig' -r -F
complete -c gpudl -n '__gpudl_is verify' -F

complete -c gpudl -n '__gpudl_is manifest' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is manifest' -F

complete -c gpudl -n '__gpudl_is completion' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is completion' -f -a 'bash zsh fish'

complete -c gpudl -n '__gpudl_is help' -l help -d 'say how it is used'
complete -c gpudl -n '__gpudl_is help' -f -a 'run compile link inspect check extract trace cache device doctor explain keygen sign verify manifest completion help'
