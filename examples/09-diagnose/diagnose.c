/* diagnose.c - the classic mistakes, each made on purpose, and what gpudl says of it.
 * usage: diagnose [MISTAKE]; without one all are made, in the order of the table at the end, each in a process of its own. Exit
 * status 0: each was told as it should be; 1: one was not; 77: there is no device. */
#include <gpudl/gpudl.h>

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

GPUDL_EMBEDDED_DECLARE(for_sm_110); /* machine code of a GPU that this machine hardly has */

/* store(to, a, n): every thread writes n to *to. */
#define STORE(version) \
    ".version " version "\n.target sm_75\n.address_size 64\n" \
    ".visible .entry store(.param .u64 to, .param .f32 a, .param .u32 n)\n{\n.reg .b64 %p;\n.reg .b32 %n;\n" \
    "ld.param.u64 %p, [to];\ncvta.to.global.u64 %p, %p;\nld.param.u32 %n, [n];\nst.global.u32 [%p], %n;\nret;\n}\n"

static const char store_ptx[] = STORE("7.0");
static const char store_of_tomorrow[] = STORE("99.0");

static const gpudl_driver_table *cu;
static gpudl_library *library;
static gpudl_kernel *store;

enum outcome { TOLD, NOT_TOLD, SKIPPED };

/* ----------------------------------------------------------------------------------------------------------- saying what came */

/* What a program should print: the status's name, and the text. The code of the driver behind it, if there is one, is in the
 * text too; gpudl_explain() has its cause and remedy, as `gpudl explain` prints them. */
static enum outcome told(gpudl_status status, gpudl_status expected)
{
    if (status == GPUDL_OK)
        printf("    it went well, and should not have\n");
    else
        printf("    %s: %s\n", gpudl_status_name(status), gpudl_error_text());
    return status == expected ? TOLD : NOT_TOLD;
}

static enum outcome skipped(const char *why)
{
    printf("    skipped: %s\n", why);
    return SKIPPED;
}

/* A mistake that the driver finds only when it is launched or later: then a call fails, with its code. */
static enum outcome told_by_driver(gpudl_status status, int code)
{
    enum outcome o = told(status, status);

    return status != GPUDL_OK && gpudl_error_cuda() == code ? o : NOT_TOLD;
}

static gpudl_status launch(CUdeviceptr to)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);

    return gpudl_launch(store, &config, to, 1.0f, 7u);
}

static enum outcome load(const gpudl_source *source, gpudl_status expected)
{
    gpudl_library *unwanted = NULL;
    gpudl_status status = gpudl_library_load(NULL, source, NULL, &unwanted);

    gpudl_library_release(unwanted);
    return told(status, expected);
}

/* ----------------------------------------------------------------------------------------------------------- mistakes of images */

/* On softcuda, which runs PTX, all machine code is of the wrong architecture, and that has a status of its own. */
static enum outcome wrong_architecture(void)
{
    gpudl_source source = GPUDL_EMBEDDED(for_sm_110);
    int software = gpudl_loader_is_software(NULL);

    return load(&source, software ? GPUDL_ERROR_MACHINE_CODE_ONLY : GPUDL_ERROR_ARCHITECTURE);
}

/* The same for a device that is not here, before anything is shipped to it: `gpudl check FILE --arch sm_90` asks this. */
static enum outcome wrong_architecture_elsewhere(void)
{
    gpudl_verdict verdict = { .size_of_struct = sizeof(verdict) };
    gpudl_target h100 = GPUDL_TARGET_INIT;
    gpudl_source source = GPUDL_EMBEDDED(for_sm_110);
    gpudl_image *image;
    gpudl_status status;

    h100.arch = "sm_90";
    status = gpudl_image_open(&source, NULL, &image);
    if (status != GPUDL_OK)
        return told(status, GPUDL_OK);
    status = gpudl_image_explain(image, GPUDL_ALL, &h100, &verdict);
    printf("    %s: %s; %s\n", gpudl_status_name(verdict.status), verdict.reason, verdict.remedy);
    gpudl_image_close(image);
    return status == GPUDL_OK && verdict.status == GPUDL_ERROR_ARCHITECTURE ? TOLD : NOT_TOLD;
}

static enum outcome ptx_too_new(void)
{
    return load(GPUDL_MEMORY(store_of_tomorrow, sizeof(store_of_tomorrow) - 1), GPUDL_ERROR_PTX_TOO_NEW);
}

static enum outcome path_as_bytes(void)
{
    static const char path[] = "kernels/store.fatbin";

    return load(GPUDL_MEMORY(path, strlen(path)), GPUDL_ERROR_NOT_AN_IMAGE); /* meant: GPUDL_FILE(path) */
}

static enum outcome truncated_file(void)
{
    size_t size = (size_t)(for_sm_110_end - for_sm_110);
    char path[] = "/tmp/diagnose-XXXXXX";
    int file = mkstemp(path);
    enum outcome o;

    if (file < 0)
        return skipped(strerror(errno));
    if (write(file, for_sm_110, size / 2) != (ssize_t)(size / 2))
        o = skipped(strerror(errno));
    else
        o = load(GPUDL_FILE(path), GPUDL_ERROR_IMAGE_TRUNCATED);
    close(file);
    unlink(path);
    return o;
}

/* -------------------------------------------------------------------------------------------------------- mistakes of arguments */

static enum outcome argument_of_wrong_size(void)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);

    return told(gpudl_launch(store, &config, (CUdeviceptr)256, 1.0, 7u), GPUDL_ERROR_LAUNCH_ARGUMENTS); /* 1.0 is a double */
}

static enum outcome arguments_in_wrong_order(void)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);

    return told(gpudl_launch(store, &config, (CUdeviceptr)256, 7u, 1.0f), GPUDL_ERROR_LAUNCH_ARGUMENTS);
}

static enum outcome argument_missing(void)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 32);

    return told(gpudl_launch(store, &config, (CUdeviceptr)256, 1.0f), GPUDL_ERROR_LAUNCH_ARGUMENTS);
}

/* -------------------------------------------------------------------------------------------------------- mistakes of contexts */

/* What a plugin does to its host by cudaDeviceReset(): memory, streams and events go; libraries and kernels of gpudl do not. */
static enum outcome context_reset(void)
{
    CUdeviceptr to;
    CUdevice device;
    enum outcome o;

    if (!cu->DevicePrimaryCtxReset || cu->DeviceGet(&device, 0) || cu->DevicePrimaryCtxReset(device))
        return skipped("this driver cannot reset a context");
    o = told_by_driver(launch(256), GPUDL_CU_CONTEXT_IS_DESTROYED);
    if (gpudl_loader_use_device(NULL, 0) != GPUDL_OK || cu->MemAlloc(&to, 4) || launch(to) != GPUDL_OK || cu->CtxSynchronize() ||
        cu->MemFree(to))
        return NOT_TOLD;
    printf("    after gpudl_loader_use_device(), and with a new buffer, the same kernel runs\n");
    return o;
}

/* A driver older than CUDA 11.3: softcuda can be one, if it is told before it is opened. */
static enum outcome runtime_too_old(void)
{
    gpudl_loader *loader;
    gpudl_status status;

    setenv("SOFTCUDA_DRIVER_VERSION", "11020", 1);
    setenv("GPUDL_DRIVER", "softcuda", 1);
    status = gpudl_loader_open(NULL, &loader);
    return status == GPUDL_ERROR_NO_DRIVER ? skipped("there is no softcuda to be the old driver")
                                           : told(status, GPUDL_ERROR_DRIVER_TOO_OLD);
}

/* ---------------------------------------------------------------------------------------------------------- poisoned contexts */

/* The kernel's fault is told by the next call that looks, so it is that call's text that names the kernel. */
static enum outcome poisoned(CUdeviceptr to)
{
    gpudl_status status = launch(to);

    if (status != GPUDL_OK)
        return told(status, GPUDL_OK);
    cu->CtxSynchronize();
    return told_by_driver(launch(to), GPUDL_CU_ILLEGAL_ADDRESS);
}

/* Kernels of gpudl are for all devices; memory is of one. */
static enum outcome memory_of_another_device(void)
{
    CUdeviceptr to;
    int n = 0;

    cu->DeviceGetCount(&n);
    if (n < 2)
        return skipped("this machine has one device (softcuda has two with SOFTCUDA_DEVICES=2)");
    if (cu->MemAlloc(&to, 4))
        return NOT_TOLD;
    if (gpudl_loader_use_device(NULL, 1) != GPUDL_OK)
        return told(GPUDL_ERROR_DRIVER, GPUDL_OK);
    return poisoned(to);
}

static enum outcome null_pointer(void)
{
    return poisoned(0);
}

/* ---------------------------------------------------------------------------------------------------------------------------- */

static const struct mistake {
    const char *name;
    enum outcome (*make)(void);
    int without_driver; /* the process's first call of gpudl is its own */
} mistakes[] = {
    { "wrong-architecture", wrong_architecture, 0 },
    { "wrong-architecture-elsewhere", wrong_architecture_elsewhere, 1 },
    { "ptx-too-new", ptx_too_new, 0 },
    { "path-as-bytes", path_as_bytes, 0 },
    { "truncated-file", truncated_file, 0 },
    { "argument-of-wrong-size", argument_of_wrong_size, 0 },
    { "arguments-in-wrong-order", arguments_in_wrong_order, 0 },
    { "argument-missing", argument_missing, 0 },
    { "memory-of-another-device", memory_of_another_device, 0 },
    { "context-reset", context_reset, 0 },
    { "runtime-too-old", runtime_too_old, 1 },
    { "null-pointer", null_pointer, 0 },
};
enum { MISTAKES = sizeof(mistakes) / sizeof(*mistakes), NO_DEVICE = 77 };

static gpudl_status prepare(void)
{
    gpudl_status status = gpudl_loader_use_device(NULL, 0);

    if (status == GPUDL_OK)
        status = gpudl_library_load(NULL, GPUDL_MEMORY(store_ptx, sizeof(store_ptx) - 1), NULL, &library);
    if (status == GPUDL_OK)
        status = gpudl_kernel_get(library, "store", &store);
    cu = gpudl_loader_driver(NULL);
    return status;
}

static int make_one(const struct mistake *m)
{
    enum outcome o;

    if (!m->without_driver && prepare() != GPUDL_OK) {
        fprintf(stderr, "%s\n", gpudl_error_text());
        return NO_DEVICE;
    }
    printf("%s\n", m->name);
    o = m->make();
    if (o == NOT_TOLD)
        printf("    THIS IS NOT WHAT SHOULD HAVE BEEN SAID\n");
    gpudl_kernel_release(store);
    gpudl_library_release(library);
    return o == NOT_TOLD;
}

/* Some leave a process behind in which nothing works any more. */
static int make_in_a_process(const struct mistake *m)
{
    char *arguments[] = { "diagnose", (char *)m->name, NULL };
    pid_t child;
    int status;

    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) || waitpid(child, &status, 0) != child) {
        fprintf(stderr, "%s: no process for it: %s\n", m->name, strerror(errno));
        return 1;
    }
    if (WIFSIGNALED(status))
        printf("    THE PROCESS WAS ENDED BY A SIGNAL: %s\n", strsignal(WTERMSIG(status)));
    fflush(stdout);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    int failed = 0, status;

    for (size_t i = 0; i < MISTAKES; i++) {
        if (argc == 2 && !strcmp(argv[1], mistakes[i].name))
            return make_one(&mistakes[i]);
        if (argc > 1)
            continue;
        status = make_in_a_process(&mistakes[i]);
        if (status == NO_DEVICE)
            return NO_DEVICE;
        failed |= status;
    }
    if (argc < 2)
        return failed;
    fprintf(stderr, "usage: diagnose [MISTAKE]\n");
    return 2;
}
