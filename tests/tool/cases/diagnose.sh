# The classic mistakes: each is told, with the words that a person needs. On a GPU some words are another driver's.
export SOFTCUDA_DEVICES=2
"$BIN/diagnose" >said 2>faults
status=$?
if ((status == 77)); then
    cat "${0%.sh}.out"
    exit 77
fi
echo "status $status"

says() # mistake, words of which one must be in what is said of it
{
    local mistake=$1
    shift
    awk -v m="$mistake" '/^[a-z]/ { on = $0 == m } on' said >of
    for words; do
        grep -qEi -e "$words" of || { echo "$mistake: no '$words' in:"; cat of; return; }
    done
    echo "$mistake: told"
}

says wrong-architecture 'GPUDL_ERROR_(ARCHITECTURE|MACHINE_CODE_ONLY): for_sm_110: ' 'machine code for sm_110' 'this device ' 'add -gencode'
says wrong-architecture-elsewhere GPUDL_ERROR_ARCHITECTURE: 'this device is sm_90: add -gencode arch=compute_90'
says ptx-too-new GPUDL_ERROR_PTX_TOO_NEW: 'version 99.0' 'reads up to [0-9]' 'update the driver, or compile with'
says path-as-bytes GPUDL_ERROR_NOT_AN_IMAGE: "a path, 'kernels/store.fatbin'" 'give it as a file'
says truncated-file 'GPUDL_ERROR_IMAGE_TRUNCATED: /tmp/' 'outside the file .2816 bytes' 'as a whole'
says argument-of-wrong-size GPUDL_ERROR_LAUNCH_ARGUMENTS: 'argument 1 .* is double .8 bytes.' 'takes f32 .4 bytes.' '2.0f a float'
says arguments-in-wrong-order GPUDL_ERROR_LAUNCH_ARGUMENTS: 'argument 1 .* is unsigned int' 'takes f32' 'store.u64, f32, u32'
says argument-missing GPUDL_ERROR_LAUNCH_ARGUMENTS: '2 arguments were given, and the kernel takes 3'
says context-reset GPUDL_ERROR_LAUNCH: "kernel 'store', grid 1 x 1 x 1" 'cuLaunchKernel returned 709' 'gpudl_loader_use_device.. again' 'the same kernel runs'
if [[ $GPUDL_DRIVER == softcuda ]]; then
    says memory-of-another-device 'on device 1.*cuLaunchKernel returned 700' 'CONTEXT IS POISONED' 'kernel store: illegal address' 'of device 0, which this context has no access to'
    says runtime-too-old 'GPUDL_ERROR_DRIVER_TOO_OLD: .*libsoftcuda' 'has no cuGetProcAddress' 'older than CUDA 11.3' 'needs 11.3'
    says null-pointer 'returned 700' 'CONTEXT IS POISONED' 'start it again' 'kernel store: illegal address 0x0 .4 bytes., block .0,0,0., thread .0,0,0.' 'a null pointer'
else
    says memory-of-another-device 'skipped: this machine has one device|CONTEXT IS POISONED'
    says runtime-too-old 'GPUDL_ERROR_DRIVER_TOO_OLD:|skipped:'
    says null-pointer 'returned 700' 'CONTEXT IS POISONED' 'start it again' "suspect: 'store' of memory, by this thread"
fi
