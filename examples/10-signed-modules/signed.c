/* signed.c - a program that loads only what its maker has signed. Here it plays both sides: the maker, who has the secret key
 * and signs a module with it, and the user's program, which has the public key and refuses everything else. */
#include <gpudl/gpudl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* answer(to): writes 42. What is signed are a file's bytes, so it may as well be a fatbin, a cubin, or CUDA C++. */
static const char module[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry answer(.param .u64 to)\n{\n.reg .b64 %p;\n.reg .b32 %n;\n"
    "ld.param.u64 %p, [to];\ncvta.to.global.u64 %p, %p;\nmov.u32 %n, 42;\nst.global.u32 [%p], %n;\nret;\n}\n";

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(1);
}
#define MUST(call) must(call, #call)

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    MUST(!f || fputs(text, f) < 0 || fclose(f));
}

/* ----------------------------------------------------------------------------------------------------------- the maker's side */

/* Writes PATH.minisig, where a loader looks for it. `gpudl keygen` and `gpudl sign` do the same from a shell, and so does
 * minisign. */
static void sign(const char *path, const char *secret_key)
{
    gpudl_sign_options options = GPUDL_SIGN_OPTIONS_INIT;
    char signature[GPUDL_SIGNATURE_TEXT], beside[256];

    options.secret_key = secret_key;
    options.trusted_comment = "release 1"; /* is signed as well */
    MUST(gpudl_trust_sign(GPUDL_FILE(path), &options, signature));
    snprintf(beside, sizeof(beside), "%s.minisig", path);
    write_file(beside, signature);
}

static void make_files(char public_key[GPUDL_PUBLIC_KEY_TEXT])
{
    char secret_key[GPUDL_SECRET_KEY_TEXT], strangers[GPUDL_SECRET_KEY_TEXT], unused[GPUDL_PUBLIC_KEY_TEXT];
    char changed[sizeof(module)];

    /* No password, as nothing is kept: a real key has one, or lies where nobody else can read it. */
    MUST(gpudl_trust_keygen(NULL, public_key, secret_key));
    MUST(gpudl_trust_keygen(NULL, unused, strangers));

    write_file("good.ptx", module);
    sign("good.ptx", secret_key);

    write_file("changed.ptx", module);
    sign("changed.ptx", secret_key);
    memcpy(changed, module, sizeof(module));
    *strstr(changed, "42") = '1'; /* one byte, after it was signed */
    write_file("changed.ptx", changed);

    write_file("stranger.ptx", module);
    sign("stranger.ptx", strangers);

    write_file("unsigned.ptx", module);
    remove("unsigned.ptx.minisig");

    explicit_bzero(secret_key, sizeof(secret_key)); /* memset() may be optimised away, as nobody reads what it writes */
    explicit_bzero(strangers, sizeof(strangers));
}

/* --------------------------------------------------------------------------------------------------------- the program's side */

/* The key is part of the program, so it is as hard to exchange as the program is. */
static gpudl_loader *open_loader(const char *public_key)
{
    gpudl_trust_options trust = GPUDL_TRUST_OPTIONS_INIT;
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *loader;

    trust.policy = GPUDL_TRUST_SIGNATURE;
    trust.keys = &public_key, trust.nkeys = 1;
    options.trust = &trust;
    MUST(gpudl_loader_open(&options, &loader));
    MUST(gpudl_loader_use_device(loader, 0));
    return loader;
}

static void run(gpudl_loader *loader, gpudl_library *library)
{
    const gpudl_driver_table *cu = gpudl_loader_driver(loader);
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_kernel *answer;
    CUdeviceptr memory;
    int n = 0;

    MUST(gpudl_kernel_get(library, "answer", &answer));
    MUST(cu->MemAlloc(&memory, sizeof(n)));
    MUST(gpudl_launch(answer, &config, memory));
    MUST(cu->MemcpyDtoH(&n, memory, sizeof(n)));
    MUST(cu->MemFree(memory));
    gpudl_kernel_release(answer);
    printf("    loaded, and answers %d\n", n);
}

/* What is refused has not been parsed: bytes of a stranger never reach the readers of images, nor the driver. */
static void try(gpudl_loader *loader, const char *path, gpudl_status expected)
{
    gpudl_library *library = NULL;
    gpudl_status status = gpudl_library_load(loader, GPUDL_FILE(path), NULL, &library);

    printf("%s\n", path);
    if (status == GPUDL_OK)
        run(loader, library);
    else
        printf("    %s: %s\n", gpudl_status_name(status), gpudl_error_text());
    gpudl_library_release(library);
    if (status != expected) {
        fprintf(stderr, "%s: expected was %s\n", path, gpudl_status_name(expected));
        exit(1);
    }
}

int main(void)
{
    char public_key[GPUDL_PUBLIC_KEY_TEXT];
    gpudl_loader *loader;

    make_files(public_key);
    loader = open_loader(public_key);
    try(loader, "good.ptx", GPUDL_OK);
    try(loader, "changed.ptx", GPUDL_ERROR_SIGNATURE);
    try(loader, "stranger.ptx", GPUDL_ERROR_NOT_TRUSTED);
    try(loader, "unsigned.ptx", GPUDL_ERROR_SIGNATURE_MISSING);
    gpudl_loader_close(loader);
    return 0;
}
