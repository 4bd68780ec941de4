/* codes.h - what the driver's codes mean, for a person, whatever driver there is, and where there is none.
 *
 * X(name, number, what it leaves behind, text, how it comes about, what to do). The last two are NULL where gpudl has nothing to add:
 * codes that users of dynamic loading do not meet. By rising number. Whether a context goes on after an error is CUDA's manual's
 * word; that no other context of the device does either, after a trap or an illegal address, was seen (docs/SOFTCUDA.md). */
#ifndef GPUDL_DRIVER_CODES_H
#define GPUDL_DRIVER_CODES_H

#define DRIVER_CODES(X) \
    X(CUDA_SUCCESS, 0, 0, "success", \
      "The call did what it was asked for.", "Nothing.") \
    X(CUDA_ERROR_INVALID_VALUE, 1, 0, "a parameter is out of what is allowed", \
      "A NULL pointer, a size of zero or beyond its memory, a block or grid with a zero in it, memory that is not the device's.", \
      "Compare the call's parameters with its manual; gpudl_launch() checks those of a launch and says which.") \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2, 0, "no memory is left on the device, or of page-locked memory", \
      "The device's memory is taken by this process and others; code that is loaded, stacks and printf's buffer take of it, too.", \
      "Look at nvidia-smi, free memory, reap retired code (gpudl_loader_reap), or bound what is kept warm (warm_bytes).") \
    X(CUDA_ERROR_NOT_INITIALIZED, 3, 0, "cuInit was not called, or failed", \
      "A driver call came before cuInit, or in a child of fork().", \
      "Open a loader first, which calls it; open it after fork().") \
    X(CUDA_ERROR_DEINITIALIZED, 4, 0, "the driver is shutting down", \
      "A call was made as the process ends: from a destructor or an exit handler that runs after the driver's.", \
      "Release device objects before main returns, or leave them to the end of the process.") \
    X(CUDA_ERROR_PROFILER_DISABLED, 5, 0, "no profiler is in use", NULL, NULL) \
    X(CUDA_ERROR_PROFILER_NOT_INITIALIZED, 6, 0, "the profiler is not initialised", NULL, NULL) \
    X(CUDA_ERROR_PROFILER_ALREADY_STARTED, 7, 0, "the profiler runs already", NULL, NULL) \
    X(CUDA_ERROR_PROFILER_ALREADY_STOPPED, 8, 0, "the profiler does not run", NULL, NULL) \
    X(CUDA_ERROR_STUB_LIBRARY, 34, 0, "this is the toolkit's stub of libcuda, not a driver", \
      "The folder `stubs` of a toolkit is on the library path, and found before the driver.", \
      "Take it off LD_LIBRARY_PATH and the run path; it is for linking only.") \
    X(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, 36, 0, "the call needs a newer driver", \
      "The driver installed is older than the function.", "Update the driver.") \
    X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46, 0, "the device is busy or forbidden", \
      "It is in exclusive mode and another process has it, or in prohibited mode.", \
      "Look at nvidia-smi's compute mode; use another device.") \
    X(CUDA_ERROR_NO_DEVICE, 100, 0, "there is no device", \
      "No GPU, or CUDA_VISIBLE_DEVICES hides it, or a container without --gpus.", \
      "Look at nvidia-smi and CUDA_VISIBLE_DEVICES; GPUDL_DRIVER=softcuda runs on the CPU.") \
    X(CUDA_ERROR_INVALID_DEVICE, 101, 0, "there is no device of this number", \
      "Devices count from 0, among those that CUDA_VISIBLE_DEVICES leaves.", \
      "`gpudl device` lists them.") \
    X(CUDA_ERROR_DEVICE_NOT_LICENSED, 102, 0, "the device has no licence", NULL, NULL) \
    X(CUDA_ERROR_INVALID_IMAGE, 200, 0, "the image is none that the driver knows", \
      "The bytes are no cubin, fatbin or PTX: a path passed as bytes, a damaged or truncated file, LTO-IR that is not linked.", \
      "`gpudl inspect FILE` says what the bytes are; gpudl says so before it asks the driver.") \
    X(CUDA_ERROR_INVALID_CONTEXT, 201, 0, "no context is current, or it is none", \
      "The thread has no current context, or a handle is of another context or of one that was destroyed.", \
      "Call gpudl_loader_use_device() in each thread that calls the driver; launches through gpudl do without.") \
    X(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, 202, 0, "the context is current already", NULL, NULL) \
    X(CUDA_ERROR_MAP_FAILED, 205, 0, "mapping failed", NULL, NULL) \
    X(CUDA_ERROR_UNMAP_FAILED, 206, 0, "unmapping failed", NULL, NULL) \
    X(CUDA_ERROR_ARRAY_IS_MAPPED, 207, 0, "the array is mapped", NULL, NULL) \
    X(CUDA_ERROR_ALREADY_MAPPED, 208, 0, "it is mapped already", NULL, NULL) \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, 0, "the image has no code for this device", \
      "Machine code of another architecture, and no PTX to compile; or PTX for a newer architecture than the device's.", \
      "`gpudl check FILE --device 0` says what is in it and what would run. Compile for the device's sm_NN, or add PTX.") \
    X(CUDA_ERROR_ALREADY_ACQUIRED, 210, 0, "it is acquired already", NULL, NULL) \
    X(CUDA_ERROR_NOT_MAPPED, 211, 0, "it is not mapped", NULL, NULL) \
    X(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, 212, 0, "it is not mapped as an array", NULL, NULL) \
    X(CUDA_ERROR_NOT_MAPPED_AS_POINTER, 213, 0, "it is not mapped as a pointer", NULL, NULL) \
    X(CUDA_ERROR_ECC_UNCORRECTABLE, 214, GPUDL_POISONS_PROCESS, "memory had an error that could not be corrected", \
      "A bit of the device's memory flipped beyond what its code can mend: hardware.", \
      "Start the process again; if it comes back, look at nvidia-smi -q -d ECC and have the GPU seen to.") \
    X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, 0, "the device has no such limit", NULL, NULL) \
    X(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216, 0, "the context is in use by another thread", NULL, NULL) \
    X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, 0, "the devices cannot reach each other's memory", \
      "There is no path between them that peer access works over.", "Copy between them instead.") \
    X(CUDA_ERROR_INVALID_PTX, 218, 0, "the PTX does not compile", \
      "An error in the text, or an instruction that the target has not.", \
      "gpudl's text has the compiler's words and line; `ptxas -arch=sm_NN FILE` says the same.") \
    X(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219, 0, "the graphics context is not valid", NULL, NULL) \
    X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220, GPUDL_POISONS_PROCESS, "NVLink had an error that could not be corrected", \
      "The link between devices failed: hardware.", "Start the process again; look at nvidia-smi nvlink -e.") \
    X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221, 0, "the driver's PTX compiler was not found", \
      "libnvidia-ptxjitcompiler.so.1 is missing: containers often have libcuda.so.1 alone.", \
      "Give the container the capability `compute` (NVIDIA_DRIVER_CAPABILITIES), or ship machine code.") \
    X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, 0, "the PTX is of a newer version than the driver reads", \
      "The toolkit that made it is newer than the driver.", \
      "Update the driver, compile with an older toolkit, or add machine code for this device.") \
    X(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223, 0, "compiling PTX is switched off", \
      "CUDA_DISABLE_PTX_JIT is set.", "Unset it, or ship machine code for this device.") \
    X(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224, 0, "the device has no such affinity of execution", NULL, NULL) \
    X(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225, 0, "device code waits for its own launches, which is gone", \
      "The code calls cudaDeviceSynchronize on the device and was compiled for sm_90 or newer, or by CUDA 12 and newer.", \
      "Rewrite it without.") \
    X(CUDA_ERROR_CONTAINED, 226, GPUDL_POISONS_PROCESS, "an error of memory or NVLink was contained", \
      "Hardware; other processes were not affected.", "Start the process again.") \
    X(CUDA_ERROR_INVALID_SOURCE, 300, 0, "the source of the code is not valid", \
      "What was given to compile or to load from a file is no device code.", "`gpudl inspect FILE` says what it is.") \
    X(CUDA_ERROR_FILE_NOT_FOUND, 301, 0, "there is no such file", \
      "cuModuleLoad and its like were given a path where nothing is.", "Look at the path; relative ones count from the process's folder.") \
    X(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302, 0, "a symbol of a shared library was not found", \
      "A library of the driver is of another version than the rest.", "Install the driver anew, all of one version.") \
    X(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303, 0, "a shared library could not be opened", \
      "A library of the driver is missing, as in a container that has only some.", \
      "Install the driver's libraries; look at NVIDIA_DRIVER_CAPABILITIES.") \
    X(CUDA_ERROR_OPERATING_SYSTEM, 304, 0, "a call of the operating system failed", \
      "No memory, no rights on /dev/nvidia*, too many files or mappings, or a limit on locked memory.", \
      "Look at ulimit -a, at the rights of /dev/nvidia* and at the kernel's log (dmesg).") \
    X(CUDA_ERROR_INVALID_HANDLE, 400, 0, "the handle is none, or dead", \
      "A stream, event, module or function was destroyed, is of another context, or went with a reset of the context.", \
      "Make the handle again after a reset; kernels from gpudl survive one, a CUfunction, stream or event does not.") \
    X(CUDA_ERROR_ILLEGAL_STATE, 401, 0, "what the call needs is not in a state to do it", NULL, NULL) \
    X(CUDA_ERROR_LOSSY_QUERY, 402, 0, "the answer would leave something out", NULL, NULL) \
    X(CUDA_ERROR_NOT_FOUND, 500, 0, "no symbol of this name", \
      "The image has no kernel or global of this name (C++ names are mangled), or the library holds no code for this device and is empty.", \
      "`gpudl inspect FILE` lists the names. Ask gpudl_kernel_get(), which takes names as the source writes them.") \
    X(CUDA_ERROR_NOT_READY, 600, 0, "the work is not done yet", \
      "A stream or event was asked, and its work still runs: no error.", "Ask again, or wait.") \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, GPUDL_POISONS_PROCESS, "a kernel used an address that is not its to use", \
      "An index out of bounds, freed memory, a host pointer, a null pointer, arguments in the wrong order; or code unloaded under a kernel.", \
      "Run on softcuda, which names kernel, block, thread and address, or under compute-sanitizer. Then start the process again.") \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, 0, "the launch asks for more than there is", \
      "Registers or shared memory of a block exceed the multiprocessor's: block too large for this kernel, or shared memory not asked for.", \
      "gpudl_kernel_suggest_block() finds a block that fits; gpudl_launch() asks for shared memory beyond 48 KiB by itself.") \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, GPUDL_POISONS_PROCESS, "the kernel ran longer than it may", \
      "The device drives a display and has a time limit; or SOFTCUDA_TIMEOUT is set; or threads wait at a barrier that others never reach.", \
      "Divide the work, use another device, or look for the loop that does not end. Then start the process again.") \
    X(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703, 0, "the launch uses textures of another kind", NULL, NULL) \
    X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, 0, "peer access is enabled already", \
      "It was asked for twice: no error.", "Go on.") \
    X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705, 0, "peer access is not enabled", \
      "The memory is another device's.", "Call cuCtxEnablePeerAccess in the context that reaches for it.") \
    X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708, 0, "the primary context is in use already", \
      "Flags are to be set before it is made.", "Set them before the first use of the device.") \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, 0, "the thread's current context is gone", \
      "It was destroyed, or the primary context was reset: cudaDeviceReset() in a plugin or a test does it for the whole process.", \
      "Call gpudl_loader_use_device() again. Libraries and kernels of gpudl survive a reset; memory, streams and events do not.") \
    X(CUDA_ERROR_ASSERT, 710, GPUDL_POISONS_CONTEXT, "an assertion in device code failed", \
      "assert() in a kernel; its message went to stderr.", \
      "Mend what it found. Then reset the primary context (what was in it is gone), or start the process again.") \
    X(CUDA_ERROR_TOO_MANY_PEERS, 711, 0, "no room for another peer", NULL, NULL) \
    X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, 0, "this host memory is registered already", NULL, NULL) \
    X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713, 0, "this host memory is not registered", NULL, NULL) \
    X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, GPUDL_POISONS_PROCESS, "a thread's stack broke", \
      "Deep recursion, or large arrays in functions that are not inlined.", \
      "Raise the limit with cuCtxSetLimit(CU_LIMIT_STACK_SIZE), or recurse less. Then start the process again.") \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, GPUDL_POISONS_PROCESS, "a kernel ran an instruction that is none", \
      "Damaged code, a jump into data, or inline PTX that the device has not.", \
      "Check the image (`gpudl inspect`), and calls through pointers. Then start the process again.") \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, GPUDL_POISONS_PROCESS, "a kernel used an address that is not a multiple of what it loads", \
      "A float4 or a double read at an odd offset: a cast of a pointer, a packed struct, a sub-buffer.", \
      "Align the data, or load it in smaller parts. Then start the process again.") \
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717, GPUDL_POISONS_PROCESS, "an instruction met an address of another space", \
      "A generic pointer was used as one to shared, local or global memory, and is not.", \
      "Look at casts between spaces (__cvta, inline PTX). Then start the process again.") \
    X(CUDA_ERROR_INVALID_PC, 718, GPUDL_POISONS_PROCESS, "a kernel jumped to where no code is", \
      "A call through a pointer that is no device function: never set, the host's, or of code that was replaced or unloaded.", \
      "Fetch function pointers anew from each version. Then start the process again.") \
    X(CUDA_ERROR_LAUNCH_FAILED, 719, GPUDL_POISONS_PROCESS, "a kernel failed", \
      "A trap (__trap()), a bad access to shared memory, or what has no code of its own.", \
      "Run on softcuda, which names kernel, block and thread, or under compute-sanitizer. Then start the process again.") \
    X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, 0, "the cooperative grid does not fit onto the device at once", \
      "All its blocks must be resident together.", \
      "Use at most as many blocks as gpudl_kernel_occupancy() times the multiprocessors gives.") \
    X(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721, GPUDL_POISONS_PROCESS, "a kernel ended without giving tensor memory back", \
      "tcgen05.alloc without its dealloc.", "Give it back on every way out. Then start the process again.") \
    X(CUDA_ERROR_NOT_PERMITTED, 800, 0, "not allowed here", \
      "A driver call from a host function in a stream, or one that the context or capture forbids.", \
      "Make it from another thread.") \
    X(CUDA_ERROR_NOT_SUPPORTED, 801, 0, "this driver or device does not have it", \
      "The device lacks the feature (clusters, cooperative grids, pools, managed memory beside the CPU), or softcuda does.", \
      "`gpudl doctor` says what there is; docs/SOFTCUDA.md says what softcuda has not.") \
    X(CUDA_ERROR_SYSTEM_NOT_READY, 802, 0, "the system is not ready", \
      "The fabric manager of an NVSwitch system, or MPS, does not run yet.", "Start it: systemctl status nvidia-fabricmanager.") \
    X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803, 0, "kernel module and libcuda are of different versions", \
      "The driver was updated and the module is still the old one; or a container brings its own libcuda.", \
      "Reboot, or reload the module; do not bring libcuda in a container.") \
    X(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804, 0, "this GPU does not allow forward compatibility", \
      "A libcuda of the cuda-compat package is on the library path, and the GPU is none of those that may use it.", \
      "Take it off the library path.") \
    X(CUDA_ERROR_MPS_CONNECTION_FAILED, 805, 0, "MPS was not reached", NULL, NULL) \
    X(CUDA_ERROR_MPS_RPC_FAILURE, 806, 0, "a call to MPS failed", NULL, NULL) \
    X(CUDA_ERROR_MPS_SERVER_NOT_READY, 807, 0, "MPS is not ready", NULL, NULL) \
    X(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808, 0, "MPS has no room for another client", NULL, NULL) \
    X(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809, 0, "MPS has no room for another connection", NULL, NULL) \
    X(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810, GPUDL_POISONS_PROCESS, "MPS ended this client", \
      "Another client's fault took its server down.", "Start the process again.") \
    X(CUDA_ERROR_CDP_NOT_SUPPORTED, 811, 0, "launches from the device are not supported", NULL, NULL) \
    X(CUDA_ERROR_CDP_VERSION_MISMATCH, 812, 0, "launches from the device are of two versions", NULL, NULL) \
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, 0, "not allowed while a stream is captured", \
      "A thread captures in global mode, and this call synchronises, allocates or unloads; it ends the capture too (901).", \
      "Capture in relaxed or thread-local mode, and load and unload outside of captures.") \
    X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, 0, "an earlier error ended the capture", \
      "A call that is forbidden in a capture was made, by any thread.", \
      "End the capture and begin again. Tell gpudl the truth in gpudl_loader_options.captures.") \
    X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902, 0, "this would make one of two captures", NULL, NULL) \
    X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903, 0, "the capture was not begun in this stream", NULL, NULL) \
    X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904, 0, "a stream of the capture was not led back to where it began", NULL, NULL) \
    X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905, 0, "captured work cannot wait for what is not captured", NULL, NULL) \
    X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906, 0, "the legacy stream would wait for a stream that is captured", \
      "A call on the default stream, while another stream that it orders itself with is captured.", \
      "Capture on a non-blocking stream, or use per-thread default streams.") \
    X(CUDA_ERROR_CAPTURED_EVENT, 907, 0, "the event was last recorded in a capture", NULL, NULL) \
    X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908, 0, "another thread began the capture", NULL, NULL) \
    X(CUDA_ERROR_TIMEOUT, 909, 0, "the time was up", NULL, NULL) \
    X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910, 0, "the graph differs too much for an update", \
      "Nodes, edges or contexts are not those that it was instantiated with.", "Instantiate it anew.") \
    X(CUDA_ERROR_EXTERNAL_DEVICE, 911, 0, "another device failed", NULL, NULL) \
    X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912, 0, "the cluster does not fit", \
      "It has more blocks than the device allows, or does not divide the grid.", \
      "gpudl_kernel_max_cluster_size() says how many there may be.") \
    X(CUDA_ERROR_FUNCTION_NOT_LOADED, 913, 0, "the function is not resident", NULL, NULL) \
    X(CUDA_ERROR_INVALID_RESOURCE_TYPE, 914, 0, "the resource is of another kind", NULL, NULL) \
    X(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915, 0, "the resource is configured otherwise", NULL, NULL) \
    X(CUDA_ERROR_KEY_ROTATION, 916, 0, "a key of confidential computing is being changed", NULL, NULL) \
    X(CUDA_ERROR_UNKNOWN, 999, 0, "something failed that has no code", \
      "Often the kernel module is not loaded, /dev/nvidia* is not accessible, or the machine slept and the driver did not wake.", \
      "Look at dmesg; reload the module nvidia_uvm, or reboot.")

#endif
