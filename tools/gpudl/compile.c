/* compile.c - gpudl compile: CUDA C++ to a file of code. */
#include "tools/gpudl/compiling.h"
#include "tools/gpudl/output.h"
#include "tools/gpudl/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct command_option options[] = {
    { "-o", "OUT", "the file to write; with several FILEs, or where it ends in '/', a folder" },
    { "--arch", "ARCH[,ARCH]...", "sm_90, sm_90a, compute_90, ...; several make a fatbin (the default device's)" },
    { "--format", "FORMAT", "cubin, ptx, fatbin or ltoir" },
    { "--relocatable", NULL, "for linking, as nvcc -rdc=true" },
    COMPILING_OPTIONS,
    { NULL, NULL, NULL },
};

struct plan {
    const char **files;
    size_t nfiles;
    const char *out, *arch;
    gpudl_format format;
    bool relocatable;
    struct compiling compiling;
};

/* ----------------------------------------------------------------------------------------------------------- the command line */

static bool parse_format(const char *text, gpudl_format *out)
{
    static const char *const names[] = { "cubin", "ptx", "ltoir", "fatbin" };

    for (int i = 0; i < 4; i++)
        if (!strcmp(text, names[i])) {
            *out = (gpudl_format)(i + 1);
            return true;
        }
    return false;
}

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    if (!name)
        plan->files[plan->nfiles++] = value;
    else if (!strcmp(name, "-o"))
        plan->out = value;
    else if (!strcmp(name, "--arch"))
        plan->arch = value;
    else if (!strcmp(name, "--relocatable"))
        plan->relocatable = true;
    else if (!compiling_take(&plan->compiling, name, value) && !parse_format(value, &plan->format))
        return command_misused(&command_compile, "--format wants cubin, ptx, fatbin or ltoir, not '%s'", value);
    return STATUS_OK;
}

static int check_plan(struct plan *plan)
{
    if (!plan->nfiles)
        return command_misused(&command_compile, "no FILE given");
    if (!plan->out)
        return command_misused(&command_compile, "-o is missing");
    if (plan->arch && strchr(plan->arch, ',')) {
        if (plan->format && plan->format != GPUDL_FORMAT_FATBIN)
            return command_misused(&command_compile, "several architectures make a fatbin, and --format is another");
        plan->format = GPUDL_FORMAT_FATBIN;
    }
    return STATUS_OK;
}

/* -------------------------------------------------------------------------------------------------------------------- writing */

static const char *extension(gpudl_format format)
{
    switch (format) {
    case GPUDL_FORMAT_CUBIN:
        return "cubin";
    case GPUDL_FORMAT_PTX:
        return "ptx";
    case GPUDL_FORMAT_LTOIR:
        return "ltoir";
    default:
        return "fatbin";
    }
}

static bool is_folder(const struct plan *plan)
{
    size_t n = strlen(plan->out);
    struct stat st;

    return plan->nfiles > 1 || (n && plan->out[n - 1] == '/') || (stat(plan->out, &st) == 0 && S_ISDIR(st.st_mode));
}

/* "DIR/k.cubin" of "src/k.cu" */
static void name_in_folder(const char *folder, const char *file, gpudl_format format, char *path, size_t size)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    int n = dot && dot > base ? (int)(dot - base) : (int)strlen(base);

    snprintf(path, size, "%s/%.*s.%s", folder, n, base, extension(format));
}

static int write_code(const struct plan *plan, const char *file, gpudl_code *code)
{
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    char path[4096];

    if (gpudl_code_describe(code, &info) != GPUDL_OK)
        return command_library_failed(&command_compile);
    if (*info.log)
        fprintf(stderr, "%s\n", info.log);
    if (!is_folder(plan))
        return output_write(&command_compile, plan->out, info.bytes, info.nbytes);
    if (mkdir(plan->out, 0777) && errno != EEXIST)
        return command_failed(&command_compile, "%s: %s", plan->out, strerror(errno));
    name_in_folder(plan->out, file, info.format, path, sizeof(path));
    return output_write(&command_compile, path, info.bytes, info.nbytes);
}

static int compile_file(const struct plan *plan, const char *file)
{
    gpudl_compile_options o = compiling_options(&plan->compiling, plan->arch, plan->format);
    gpudl_code *code;
    int status;

    if (plan->relocatable)
        o.flags |= GPUDL_COMPILE_RELOCATABLE;
    if (gpudl_compile(NULL, GPUDL_FILE(file), &o, &code) != GPUDL_OK)
        return command_library_failed(&command_compile);
    status = write_code(plan, file, code);
    gpudl_code_release(code);
    return status;
}

/* One that fails is no reason not to compile the others. */
static int compile_all(const struct plan *plan)
{
    int status = STATUS_OK;

    for (size_t i = 0; i < plan->nfiles; i++) {
        int one = compile_file(plan, plan->files[i]);
        if (one != STATUS_OK)
            status = one;
    }
    return status;
}

static int run(int argc, char **argv)
{
    struct plan plan = { .files = calloc((size_t)argc + 1, sizeof(*plan.files)) };
    int status;

    if (!compiling_begin(&plan.compiling, (size_t)argc) || !plan.files)
        status = command_failed(&command_compile, "out of memory");
    else
        status = words_take(&command_compile, argc, argv, take, &plan);
    if (status == STATUS_OK)
        status = check_plan(&plan);
    if (status == STATUS_OK)
        status = compile_all(&plan);
    compiling_end(&plan.compiling);
    free(plan.files);
    return status;
}

const struct command command_compile = {
    .name = "compile",
    .arguments = "FILE... -o OUT [OPTION]...",
    .summary = "compile CUDA C++ to machine code, PTX or a fatbin",
    .options = options,
    .notes =
        "The compiler is NVRTC, nvcc or clang, the first that is there ('gpudl doctor' lists them). What was compiled before is taken from\n"
        "the cache. Without --arch the code is for the default driver's device: a cubin, or PTX for softcuda.\n"
        "  gpudl compile k.cu -o k.fatbin --arch sm_80,sm_90,compute_90\n"
        "Status 0: all are written; 1: one could not be compiled or written.\n",
    .run = run,
};
