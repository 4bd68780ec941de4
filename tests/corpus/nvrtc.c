/* nvrtc.c - NVRTC as a command. usage: nvrtc SOURCE ARCH; prints PTX. The architecture is always said: NVRTC asks the driver for it
 * otherwise, by ways that are not documented. */
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

static char source[1 << 20];

static void must(nvrtcResult r, nvrtcProgram p)
{
    size_t n = 0;
    char *log;

    if (r == NVRTC_SUCCESS)
        return;
    fprintf(stderr, "%s\n", nvrtcGetErrorString(r));
    if (p && nvrtcGetProgramLogSize(p, &n) == NVRTC_SUCCESS && (log = malloc(n + 1)) &&
        nvrtcGetProgramLog(p, log) == NVRTC_SUCCESS)
        fprintf(stderr, "%s\n", log);
    exit(1);
}

int main(int argc, char **argv)
{
    char arch[64];
    const char *options[] = { arch, "-I" CUDA_INCLUDE, "-I" CUDA_INCLUDE "/cccl", "-std=c++17", "-default-device" };
    nvrtcProgram p = NULL;
    FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
    size_t n;
    char *ptx;

    if (!f)
        return 2;
    source[fread(source, 1, sizeof(source) - 1, f)] = 0;
    fclose(f);
    snprintf(arch, sizeof(arch), "--gpu-architecture=compute_%s", argv[2]);
    must(nvrtcCreateProgram(&p, source, argv[1], 0, NULL, NULL), NULL);
    must(nvrtcCompileProgram(p, sizeof(options) / sizeof(*options), options), p);
    must(nvrtcGetPTXSize(p, &n), p);
    if (!(ptx = malloc(n)))
        return 1;
    must(nvrtcGetPTX(p, ptx), p);
    if (fwrite(ptx, 1, n - 1, stdout) != n - 1)
        return 1;
    free(ptx);
    return 0;
}
