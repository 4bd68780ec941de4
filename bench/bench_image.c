/* What images cost: the verdict on a small fatbin, as a load asks for it; all that is told of a cubin of about 3 MB, through the
 * library and through the command. The large cubin is made by ptxas; without one (GPUDL_BENCH_PTXAS names it) it is left out. */
#include "bench/harness.h"

#include <gpudl/gpudl.h>

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/image/image.h"

enum { VERDICTS = 1000, KERNELS = 500, STEPS = 150 };

extern char **environ;

struct bench {
    unsigned char *bytes; /* of the small fatbin */
    size_t size;
    char command[PATH_MAX], folder[64], cubin[96];
};

/* ---------------------------------------------------------------------------------------------------------------- the verdict */

/* What a load asks of the bytes that it was given, before the driver is asked. */
static bool judge(struct span bytes, const struct image_target *target)
{
    const struct image_kernel *kernels;
    const struct image_global *globals;
    enum image_misfit why;
    struct image *image;
    size_t nkernels = 0, nglobals;
    struct span code;
    int entry;

    if (gpudl__image_open(bytes, 0, &image, NULL, 0) != IMAGE_OK)
        return false;
    entry = gpudl__image_choose(image, target, &why, NULL, 0);
    if (entry >= 0 &&
        (gpudl__image_payload(image, (size_t)entry, &code, NULL, 0) != IMAGE_OK ||
            gpudl__image_kernels(image, (size_t)entry, &kernels, &nkernels, NULL, 0) != IMAGE_OK ||
            gpudl__image_globals(image, (size_t)entry, &globals, &nglobals, NULL, 0) != IMAGE_OK))
        nkernels = 0;
    gpudl__image_close(image);
    return nkernels > 0;
}

static double sample_verdict(void *arg)
{
    const struct image_target target = { .sm = 90, .ptx_version = 90, .machine_code = true, .cuda_version = 13000 };
    const struct bench *b = arg;
    double start = bench_now();

    for (int i = 0; i < VERDICTS; i++)
        if (!judge((struct span){ b->bytes, b->size }, &target))
            return -1;
    return (bench_now() - start) / VERDICTS;
}

/* ---------------------------------------------------------------------------------------------------------------- the inspect */

static bool ask_kernel(gpudl_image *image, size_t kernel)
{
    gpudl_kernel_info k = { .size_of_struct = sizeof(k) };
    gpudl_param_info p = { .size_of_struct = sizeof(p) };

    if (gpudl_image_kernel(image, 0, kernel, &k) != GPUDL_OK)
        return false;
    for (unsigned i = 0; i < k.params; i++)
        if (gpudl_image_param(image, 0, kernel, i, &p) != GPUDL_OK)
            return false;
    return true;
}

static double sample_library(void *arg)
{
    const struct bench *b = arg;
    double start = bench_now();
    gpudl_image *image;
    size_t n = 0;
    bool ok;

    if (gpudl_image_open(GPUDL_FILE(b->cubin), NULL, &image) != GPUDL_OK)
        return -1;
    ok = gpudl_image_read(image, 0, &n, NULL) == GPUDL_OK && n == KERNELS;
    for (size_t i = 0; i < n && ok; i++)
        ok = ask_kernel(image, i);
    gpudl_image_close(image);
    return ok ? bench_now() - start : -1;
}

/* Runs a program with its output thrown away; false: it did not end with 0. */
static bool run(const char *program, char *const argv[])
{
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t child;
    bool ok;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ok = posix_spawnp(&child, program, &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return ok && waitpid(child, &status, 0) == child && status == 0;
}

static double sample_command(void *arg)
{
    struct bench *b = arg;
    char *argv[] = { b->command, "inspect", b->cubin, NULL };
    double start = bench_now();

    return run(b->command, argv) ? bench_now() - start : -1;
}

static double sample_start(void *arg)
{
    struct bench *b = arg;
    char *argv[] = { b->command, "--version", NULL };
    double start = bench_now();

    return run(b->command, argv) ? bench_now() - start : -1;
}

/* ------------------------------------------------------------------------------------------------------------------ its cubin */

static void write_kernel(FILE *file, int i)
{
    fprintf(file, ".visible .entry _Z10kernel_%03iIfLi%03iEEvPKT_PS0_i(.param .u64 a, .param .u64 b, .param .u32 n) {\n", i, i);
    fprintf(file, ".reg .b64 %%x<3>; .reg .f32 %%f<4>;\nld.param.u64 %%x1, [a]; ld.param.u64 %%x2, [b];\n");
    for (int k = 0; k < STEPS; k++)
        fprintf(file, "ld.global.f32 %%f1, [%%x1+%d]; fma.rn.f32 %%f2, %%f2, %%f1, %%f1;\n", 4 * k);
    fprintf(file, "st.global.f32 [%%x2], %%f2; ret; }\n");
}

static bool write_ptx(const char *path)
{
    FILE *file = fopen(path, "we");

    if (!file)
        return false;
    fprintf(file, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (int i = 0; i < KERNELS; i++)
        write_kernel(file, i);
    return fclose(file) == 0;
}

static bool make_cubin(struct bench *b, size_t *size)
{
    static const char *const places[] = { "ptxas", "/usr/local/cuda/bin/ptxas" };
    const char *named = getenv("GPUDL_BENCH_PTXAS");
    char ptx[96];
    struct stat st;
    bool made = false;

    snprintf(ptx, sizeof(ptx), "%s/k.ptx", b->folder);
    snprintf(b->cubin, sizeof(b->cubin), "%s/k.cubin", b->folder);
    if (!write_ptx(ptx))
        return false;
    for (size_t i = 0; i < 3 && !made; i++) {
        const char *ptxas = i ? places[i - 1] : named;
        char *argv[] = { "ptxas", "-arch=sm_90", ptx, "-o", b->cubin, NULL };

        made = ptxas && run(ptxas, argv);
    }
    unlink(ptx);
    if (!made || stat(b->cubin, &st) != 0)
        return false;
    *size = (size_t)st.st_size;
    return true;
}

/* ------------------------------------------------------------------------------------------------------------------- the rows */

/* "name" in the folder of this program, and then where that says. */
static bool beside(const char *name, char *path)
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash;

    path[n > 0 ? n : 0] = '\0';
    slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) + strlen(name) + 2 > PATH_MAX)
        return false;
    memcpy(slash + 1, name, strlen(name) + 1);
    return access(path, R_OK) == 0;
}

static bool read_fatbin(struct bench *b)
{
    char path[PATH_MAX];
    struct stat st;
    FILE *file;
    bool ok;

    if (!beside("../share/02-saxpy-from-file/saxpy.fatbin", path) || !(file = fopen(path, "rbe")))
        return false;
    ok = fstat(fileno(file), &st) == 0 && (b->bytes = malloc((size_t)st.st_size)) != NULL;
    b->size = ok ? (size_t)st.st_size : 0;
    ok = ok && fread(b->bytes, 1, b->size, file) == b->size;
    fclose(file);
    return ok;
}

static void measure_verdict(struct bench_report *report, struct bench *b)
{
    const struct bench_side side = { "image", sample_verdict, b };

    if (!read_fatbin(b)) {
        bench_note(report, "no share/02-saxpy-from-file/saxpy.fatbin here: no verdict");
        return;
    }
    bench_note(report, "a fatbin of %zu bytes", b->size);
    bench_compare(report, "verdict at a load", &side, 1, 0, 0);
    free(b->bytes);
}

static void measure_inspect(struct bench_report *report, struct bench *b)
{
    const struct bench_side library = { "library", sample_library, b };
    const struct bench_side command[] = { { "command", sample_command, b }, { "--version", sample_start, b } };
    size_t size;

    if (!mkdtemp(b->folder))
        return;
    if (make_cubin(b, &size)) {
        bench_note(report, "a cubin of %zu bytes, %d kernels", size, KERNELS);
        bench_compare(report, "inspect a cubin", &library, 1, 0, 0);
        if (beside("gpudl", b->command))
            bench_compare(report, "gpudl inspect", command, 2, 0, 0);
    } else {
        bench_note(report, "no ptxas here: no large cubin");
    }
    unlink(b->cubin);
    rmdir(b->folder);
}

int main(int argc, char **argv)
{
    struct bench_report *report = bench_begin(argc, argv, "look into an image");
    struct bench b = { .folder = "/tmp/gpudl-bench-XXXXXX" };

    measure_verdict(report, &b);
    measure_inspect(report, &b);
    return bench_end(report);
}
