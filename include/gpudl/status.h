/* What calls answer: statuses, the text behind the last failure, and what each code means. Part of <gpudl/gpudl.h>, which includes it.
 *
 * The list is the one place where a status is: the enum, the texts, docs/ERRORS.md and `gpudl explain` are made of it. It reads as
 * a manual, so it is written out here and not generated. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_STATUS_H
#define GPUDL_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number, text, how it comes about, what to do). Numbers never change and are never reused. */
#define GPUDL_STATUS_LIST(X) \
    X(OK, 0, "success", \
      "The call did what it was asked for.", \
      "Nothing.") \
    X(ERROR_ARGUMENT, 1, "an argument is not valid", \
      "A pointer is NULL, a number is out of range, a struct has no size, or a handle is none or of another kind.", \
      "The text names the call and the argument. Start option structs with their GPUDL_..._INIT.") \
    X(ERROR_NO_MEMORY, 2, "out of host memory", \
      "malloc, or the loader's own allocator, returned NULL. Device memory has the driver's code 2.", \
      "Free memory of the process, raise its limit, or bound what is kept (warm_bytes and retired_bytes of the loader).") \
    X(ERROR_TOO_NEW, 3, "the caller uses options that this gpudl does not know", \
      "The program was built against a newer gpudl than it runs with, and uses something of it; or an option struct holds garbage.", \
      "Install that gpudl, or start the struct with its GPUDL_..._INIT and leave alone what you do not use.") \
    X(ERROR_UNSUPPORTED, 4, "not supported by this gpudl, driver or device", \
      "The device, the driver or the image lacks what the call needs: clusters, cooperative launches, parameters that the image tells.", \
      "The text says what is lacking and where. Ask `gpudl doctor` what there is; launch unchecked where only the check is impossible.") \
    X(ERROR_TIMEOUT, 5, "the time was up", \
      "A wait ended by its time limit: a task was still at work, or the device never idle, as when a kernel does not end.", \
      "Wait longer, name a moment with gpudl_loader_reap(), or do it now. A kernel that never ends keeps all of this waiting.") \
    X(ERROR_CANCELLED, 6, "it was cancelled", \
      "gpudl_task_cancel() was called, a watch was ended, or the process is at its exit.", \
      "Nothing is wrong: begin again if the result is still wanted.") \
    X(ERROR_RELEASED, 8, "the handle was released", \
      "A library, kernel, pin, task or loader is used after its release.", \
      "Release after the last use. GPUDL_LEAKS=1 tells at exit which handles are out, and where they were made.") \
    X(ERROR_FILE_MISSING, 10, "no such file", \
      "There is nothing at this path; a relative path counts from the folder that the process runs in.", \
      "Look at the path in the text. Give an absolute one, or embed the code (gpudl_embed in CMake).") \
    X(ERROR_FILE_UNREADABLE, 11, "the file cannot be read", \
      "Permission is lacking, reading fails, or the path is a pipe, socket or device: only regular files are read.", \
      "The text has the system's own reason. Change the file's mode, or read the bytes yourself and load them from memory.") \
    X(ERROR_FILE_IS_FOLDER, 12, "the path is a folder", \
      "A folder was given where a file is wanted.", \
      "Name the file in it.") \
    X(ERROR_IMAGE_EMPTY, 20, "the image has no bytes", \
      "The file is empty, often as a build or a copy failed or is not finished; or zero bytes were passed.", \
      "Build the file again; write under another name and rename it, so that it is never seen half-written.") \
    X(ERROR_IMAGE_TRUNCATED, 21, "the image ends too early", \
      "The image says that it is longer than the bytes there are: a copy or download was cut, or a wrong size was passed with bytes.", \
      "Copy it again and compare the sizes in the text. For bytes in memory pass all of them: sizeof of the array, not of a pointer.") \
    X(ERROR_IMAGE_DAMAGED, 22, "the image is damaged", \
      "Its parts contradict each other or lie outside of it: bytes were changed, as by a transfer in text mode.", \
      "Build or fetch it again; `gpudl inspect FILE` shows how far it can be read. Sign images, and damage is told before all else.") \
    X(ERROR_NOT_AN_IMAGE, 23, "these bytes are not CUDA code", \
      "They are no fatbin, cubin, PTX or program with one inside. Often a path was passed as bytes, or CUDA C++ as an image.", \
      "Load a path with GPUDL_FILE(path), CUDA C++ with GPUDL_TEXT(name, text) or from a file named .cu.") \
    X(ERROR_ARCHITECTURE, 24, "the image holds no code for this device", \
      "Machine code runs on its own generation only, code for sm_90a and its like on that very one, and there is no PTX to compile.", \
      "Compile for the architecture in the text (-arch=sm_NN), or add PTX (code=compute_NN). `gpudl check` tells in advance.") \
    X(ERROR_MACHINE_CODE_ONLY, 25, "the image holds machine code only, and softcuda runs PTX", \
      "The program runs on softcuda, which cannot run a GPU's machine code.", \
      "Add PTX to the image: `-gencode arch=compute_75,code=compute_75`.") \
    X(ERROR_PTX_TOO_NEW, 26, "the PTX is newer than the driver reads", \
      "The toolkit that made the PTX is newer than the driver: each driver reads PTX up to the version of its own release.", \
      "Update the driver, compile with an older toolkit, or add machine code for this device, which needs no PTX compiler.") \
    X(ERROR_PTX, 27, "the PTX was refused", \
      "The driver's PTX compiler found an error: hand-written PTX, an instruction that the target has not, a text that was cut.", \
      "The text has the compiler's words and line. `ptxas -arch=sm_NN FILE` says the same without a device.") \
    X(ERROR_NOT_LINKED, 28, "the code must be linked before it can be loaded", \
      "It was compiled with -rdc=true or -dc, or is LTO-IR, and refers to what is not in it.", \
      "Load all parts together with gpudl_library_link(), or link them ahead with `gpudl link`.") \
    X(ERROR_NO_KERNELS, 29, "the image holds no kernels and no globals", \
      "Its kernels are missing: device functions only, templates that nobody instantiates, or kernels that are static and were dropped.", \
      "Mark kernels __global__, and extern \"C\" or instantiated. `gpudl inspect FILE` lists what is there.") \
    X(ERROR_IMAGE_TOO_LARGE, 30, "the image is larger than the limit", \
      "The file, or what an entry decompresses to, is beyond max_image_bytes (1 GiB by default).", \
      "Raise max_image_bytes of the load, if the image can be trusted to be so large.") \
    X(ERROR_LINK, 35, "the code could not be linked", \
      "A symbol is missing or defined twice, or the inputs are for different architectures.", \
      "The text has the names and the inputs. Add the input that defines what is missing; compile all for one architecture.") \
    X(ERROR_NO_LINKER, 36, "no linker for this code was found", \
      "LTO-IR needs libnvJitLink of CUDA 12.0 or newer, and none was found where the text says.", \
      "Install CUDA's nvjitlink package, put it on the library path, or name it in GPUDL_LINKER.") \
    X(ERROR_NO_SUCH_KERNEL, 40, "no kernel of this name", \
      "The image has no kernel that is called so: C++ names carry their parameters, templates their arguments.", \
      "The text lists the nearest names, `gpudl inspect FILE` all. Write the name as in the source, or make the kernel extern \"C\".") \
    X(ERROR_AMBIGUOUS_NAME, 41, "several kernels answer to this name", \
      "It is overloaded, or a template with several instances, or no name was given and there are several kernels.", \
      "Write it with its parameters, as one of those that the text lists: `scale<float>`, `saxpy(int, float *)`.") \
    X(ERROR_NO_SUCH_GLOBAL, 42, "no global variable of this name", \
      "The image has none that is called so: static and unused variables are dropped by the compiler, C++ ones carry a namespace.", \
      "The text lists the nearest names. Make the variable extern \"C\", or use it in a kernel.") \
    X(ERROR_REPLACE, 45, "the new code cannot take the old one's place", \
      "A kernel in use is gone or takes other parameters, or the largest launch seen would no longer fit.", \
      "The text names it; the old code stays in place. Keep old kernels beside new ones, or load the new code as another library.") \
    X(ERROR_TRIAL, 46, "the new code failed its trial", \
      "In the trial's own process it faulted, ran out of time, or computed something else than expected.", \
      "The text says which launch and where results differ; the old code stays in place. Run it alone with `gpudl run`.") \
    X(ERROR_LAUNCH, 50, "the launch was refused", \
      "The driver refused this launch, or told with it of a kernel that failed earlier; gpudl_error_cuda() has its code.", \
      "Look the driver's code up: `gpudl explain cuda CODE`. After 700 and 714 to 719 the context is poisoned, and an earlier kernel did it.") \
    X(ERROR_LAUNCH_ARGUMENTS, 51, "the arguments are not those that the kernel takes", \
      "Their number, order, size or kind is not that of the kernel's parameters: double for float, int for size_t, two of them swapped.", \
      "The text has the argument and the kernel's signature. Cast the argument to the parameter's type.") \
    X(ERROR_LAUNCH_LIMIT, 52, "the launch is beyond a limit of the kernel or the device", \
      "Block, grid, cluster or shared memory exceed what the device has or what the kernel was compiled for (__launch_bounds__).", \
      "The text has the limit. gpudl_kernel_suggest_block() finds a block that fits.") \
    X(ERROR_NO_DRIVER, 60, "no CUDA driver could be opened", \
      "libcuda.so.1 is not on this machine or not in this container, and softcuda was not found either.", \
      "Install NVIDIA's driver, start the container with --gpus, or use softcuda: GPUDL_DRIVER=softcuda. `gpudl doctor` says what is there.") \
    X(ERROR_NO_DEVICE, 61, "the driver has no device", \
      "There is no GPU, CUDA_VISIBLE_DEVICES hides it, or the container was started without it.", \
      "Look at `nvidia-smi` and CUDA_VISIBLE_DEVICES; GPUDL_DRIVER=softcuda runs on the CPU.") \
    X(ERROR_DRIVER_TOO_OLD, 62, "the driver lacks a function that is needed", \
      "gpudl needs CUDA 11.3 (driver 465.19); single functions need later ones, and the text names them.", \
      "Update the driver, or do without what needs the function.") \
    X(ERROR_DRIVER, 63, "a driver call failed", \
      "A call of the driver failed, of itself or of a kernel that failed earlier; gpudl_error_cuda() has its code.", \
      "The text names the call. Look its code up: `gpudl explain cuda CODE`.") \
    X(ERROR_FORKED, 64, "the process was forked after the driver was opened", \
      "No CUDA driver survives fork(): the child has neither its threads nor its device.", \
      "Open gpudl after fork(), or start the child with exec (posix_spawn; \"spawn\" in Python's multiprocessing).") \
    X(ERROR_NO_COMPILER, 70, "no compiler for CUDA C++ was found", \
      "None of NVRTC, nvcc and a clang that makes PTX is where the text says was looked.", \
      "Install one, name it in GPUDL_COMPILER, set CUDA_HOME, or ship compiled code beside the source.") \
    X(ERROR_COMPILE, 71, "the source does not compile", \
      "The compiler found errors in it.", \
      "The text has the compiler's own messages, with file and line.") \
    X(ERROR_COMPILE_HEADER, 72, "a header was not found", \
      "The source includes a file that is in none of the folders searched; nvcc's own include folders are not searched by NVRTC.", \
      "Add its folder to the include paths of gpudl_compile_options, or -I to `gpudl compile`.") \
    X(ERROR_COMPILE_OPTION, 73, "an option of the compilation was refused", \
      "The compiler does not know the option, or gpudl sets it itself.", \
      "The text names it. Options differ between NVRTC, nvcc and clang.") \
    X(ERROR_COMPILE_TARGET, 74, "the compiler does not make code for the target", \
      "It is older than the architecture, or so new that it has dropped it.", \
      "Take another version of the compiler, or PTX of an older architecture (compute_75), which newer devices run too.") \
    X(ERROR_COMPILER, 75, "the compiler could not be run, or broke", \
      "It crashed, was killed, wrote nothing, or has no room for its files.", \
      "The text says how it ended. Run it by hand on the source; look at memory and at room in TMPDIR.") \
    X(ERROR_NOT_TRUSTED, 80, "it is not signed by a trusted key", \
      "There is a signature, by a key that the policy does not know.", \
      "Add that key to the policy, if it is to be trusted, or have the content signed by one that is.") \
    X(ERROR_SIGNATURE_MISSING, 81, "it is not signed", \
      "The policy asks for a signature, and there is none: no FILE.minisig, and none was passed.", \
      "Sign it with `gpudl sign` or minisign, and install the signature beside the file.") \
    X(ERROR_SIGNATURE, 82, "the signature is not one of these bytes", \
      "Content or signature was changed after signing, or the signature is another file's.", \
      "Do not load it. Fetch both again; if it persists, find out who changed the file.") \
    X(ERROR_REVOKED, 83, "the key or the content is revoked", \
      "The list of the revoked has the key or the content's SHA-256.", \
      "Get the release that took its place.") \
    X(ERROR_DIGEST, 84, "the content is not among those that are trusted", \
      "The policy lists SHA-256 digests, and this content's is not one of them: it is another build, or was changed.", \
      "If the content is right, add the digest (`gpudl manifest FILE`); else fetch the right one.") \
    X(ERROR_TRUST_WEAKER, 85, "a load asks for less than its loader's policy", \
      "The load's own trust options are weaker than what the loader or the process demands.", \
      "Leave them out, or ask for at least as much.") \
    X(ERROR_TRUST_SETUP, 86, "keys, digests or a list of them cannot be used", \
      "A key, ring, manifest or list is missing, malformed, or writable by others.", \
      "The text names file, line and reason.") \
    X(ERROR_PASSWORD, 87, "the password is not the secret key's", \
      "The secret key is encrypted, and this password does not open it; or none was given.", \
      "Type it again. A key whose password is lost is lost: make another, and have it trusted.")

typedef enum gpudl_status {
#define GPUDL_STATUS_ENUM(name, number, text, cause, remedy) GPUDL_##name = number,
    GPUDL_STATUS_LIST(GPUDL_STATUS_ENUM)
#undef GPUDL_STATUS_ENUM
    GPUDL_STATUS_MAX = 0x7fffffff
} gpudl_status;

GPUDL_API const char *gpudl_status_name(gpudl_status);      /* "GPUDL_ERROR_PTX"; never NULL */
GPUDL_API const char *gpudl_status_text(gpudl_status);      /* the list's short text; never NULL */

/* This thread's last failure: what was tried, what was found, what was expected, what to do. Lent until the thread's next failed
 * call; "" if none failed yet. A call that succeeds leaves it alone.
 *
 * Where the driver told of a kernel that failed earlier and took its context along, the text says so, and which kernels were
 * launched last through gpudl. On softcuda it has what softcuda saw: kernel, block, thread and address. */
GPUDL_API const char *gpudl_error_text(void);
/* The driver's own code (CUresult) behind this thread's last failure, or 0 if none was. */
GPUDL_API int gpudl_error_cuda(void);

/* Whose codes. */
typedef enum gpudl_code_kind {
    GPUDL_CODE_STATUS = 0,      /* gpudl_status */
    GPUDL_CODE_CUDA = 1         /* the driver's, CUresult */
} gpudl_code_kind;

/* What such an error of the driver leaves behind. */
#define GPUDL_POISONS_CONTEXT 1u    /* nothing works in the context any more */
#define GPUDL_POISONS_PROCESS 2u    /* nor in another one of that device, until the process is started again */

/* What a code means. */
typedef struct gpudl_explanation {
    int code;
    unsigned poisons;           /* 0, or GPUDL_POISONS_... */
    const char *name;           /* "GPUDL_ERROR_PTX", "CUDA_ERROR_ILLEGAL_ADDRESS" */
    const char *text;           /* in few words */
    const char *cause;          /* how it comes about; NULL: gpudl has nothing to say of this one */
    const char *remedy;         /* what to do; NULL as the cause */
} gpudl_explanation;

/* Static data, there for good; needs no driver. NULL: gpudl knows no such code. */
GPUDL_API const gpudl_explanation *gpudl_explain(gpudl_code_kind kind, int code);
/* All of them, by rising code; NULL past the end. */
GPUDL_API const gpudl_explanation *gpudl_explain_nth(gpudl_code_kind kind, size_t index);

#ifdef __cplusplus
}
#endif
#endif
