# What there is, what is missing, what the environment changes. What that is on this machine is its own affair.
"$GPUDL" doctor >said; echo "status $?"
for words in '^gpudl [0-9]' '^nvidia: ' '^softcuda: ' 'programs that ask for no driver get' '^this is a full build' '^CPU: ' '^compilers of CUDA C++:' '^compiled code is kept in ' '^environment that changes loading' missing; do
    grep -q "$words" said || { echo "not said: $words"; cat said; }
done
"$GPUDL" doctor --json >out.json; echo "status $?"
if command -v python3 >/dev/null; then
    python3 -c "import json; print(*json.load(open('out.json')))"
else
    echo gpudl build parts trials drivers default cpu llvm source_names compilers cache linkers environment missing
fi
CUDA_FORCE_PTX_JIT=1 SOFTCUDA_FAST=1 GPUDL_NO_SUCH=x "$GPUDL" doctor | grep -e FORCE_PTX -e FAST -e NO_SUCH
# A driver that does not work is no reason not to look at the others.
GPUDL_DRIVER=/nowhere/libcuda.so "$GPUDL" doctor >said; echo "status $?"; grep -c -e '^/nowhere/libcuda.so: not usable' -e '^softcuda: ' said
# What gpudl does in the place of an old driver is said.
SOFTCUDA_DRIVER_VERSION=11040 "$GPUDL" doctor | sed -n '/^softcuda: /,/^$/p' | grep -e emulated: -e cuFuncLoad -e cuCtxRecordEvent
env -u SOFTCUDA_DRIVER_VERSION "$GPUDL" doctor | grep -c emulated:
"$GPUDL" doctor 3; echo "status $?"
