/* compile.c - gpudl compile: CUDA C++ to a file of code. */
#include "tools/gpudl/compiling.h"
#include "tools/gpudl/depfile.h"
#include "tools/gpudl/gather.h"
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
    { "--format", "FORMAT", "cubin, ptx, fatbin or ltoir; or source: not compiled, with its headers in it" },
    { "--relocatable", NULL, "for linking, as nvcc -rdc=true" },
    { "--depfile", "DEPS", "write there what OUT is made of, as make and ninja read it; with one FILE" },
    COMPILING_OPTIONS,
    { NULL, NULL, NULL },
};

struct plan {
    const char **files;
    size_t nfiles;
    const char *out, *arch, *depfile;
    gpudl_format format;
    bool source, relocatable;
    struct compiling compiling;
};

/* ----------------------------------------------------------------------------------------------------------- the command line */

static bool parse_format(struct plan *plan, const char *text)
{
    static const char *const names[] = { "cubin", "ptx", "ltoir", "fatbin" };

    plan->source = !strcmp(text, "source");
    for (int i = 0; i < 4; i++)
        if (!strcmp(text, names[i])) {
            plan->format = (gpudl_format)(i + 1);
            return true;
        }
    return plan->source;
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
    else if (!strcmp(name, "--depfile"))
        plan->depfile = value;
    else if (!strcmp(name, "--relocatable"))
        plan->relocatable = true;
    else if (!compiling_take(&plan->compiling, name, value) && !parse_format(plan, value))
        return command_misused(&command_compile, "--format wants cubin, ptx, fatbin, ltoir or source, not '%s'", value);
    return STATUS_OK;
}

static int check_plan(struct plan *plan)
{
    if (!plan->nfiles)
        return command_misused(&command_compile, "no FILE given");
    if (!plan->out)
        return command_misused(&command_compile, "-o is missing");
    if (plan->depfile && plan->nfiles > 1)
        return command_misused(&command_compile, "--depfile is for one FILE");
    if (plan->source && (plan->arch || plan->relocatable))
        return command_misused(
            &command_compile, "--format source is for any device: leave out %s", plan->arch ? "--arch" : "--relocatable");
    if (plan->arch && strchr(plan->arch, ',')) {
        if (plan->format && plan->format != GPUDL_FORMAT_FATBIN)
            return command_misused(&command_compile, "several architectures make a fatbin, and --format is another");
        plan->format = GPUDL_FORMAT_FATBIN;
    }
    return STATUS_OK;
}

/* -------------------------------------------------------------------------------------------------------------------- writing */

static const char *extension(const struct plan *plan, gpudl_format format)
{
    if (plan->source)
        return "source.cu"; /* not the name of what it is made of, which may lie there */
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
static void name_in_folder(const struct plan *plan, const char *file, gpudl_format format, char *path, size_t size)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    int n = dot && dot > base ? (int)(dot - base) : (int)strlen(base);

    snprintf(path, size, "%s/%.*s.%s", plan->out, n, base, extension(plan, format));
}

static int write_out(const struct plan *plan, const char *file, gpudl_format format, const void *bytes, size_t nbytes,
    const char *const *reads, size_t nreads)
{
    const char *out = plan->out;
    char path[4096];
    int status;

    if (is_folder(plan)) {
        if (mkdir(plan->out, 0777) && errno != EEXIST)
            return command_failed(&command_compile, "%s: %s", plan->out, strerror(errno));
        name_in_folder(plan, file, format, path, sizeof(path));
        out = path;
    }
    status = output_write(&command_compile, out, bytes, nbytes);
    return status == STATUS_OK && plan->depfile ? depfile_write(&command_compile, plan->depfile, out, reads, nreads) : status;
}

static int write_code(const struct plan *plan, const char *file, gpudl_code *code)
{
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    const char **reads;
    size_t n = 0;
    int status;

    if (gpudl_code_describe(code, &info) != GPUDL_OK)
        return command_library_failed(&command_compile);
    if (*info.log)
        fprintf(stderr, "%s\n", info.log);
    while (gpudl_code_header(code, n))
        n++;
    reads = malloc((n + 1) * sizeof(*reads));
    if (!reads)
        return command_failed(&command_compile, "out of memory");
    reads[0] = file;
    for (size_t i = 0; i < n; i++)
        reads[i + 1] = gpudl_code_header(code, i);
    status = write_out(plan, file, info.format, info.bytes, info.nbytes, reads, n + 1);
    free(reads);
    return status;
}

static int gather_file(const struct plan *plan, const char *file)
{
    struct gathered g;
    int status = gather(&command_compile, file, &plan->compiling, &g);

    if (status != STATUS_OK)
        return status;
    status = write_out(plan, file, GPUDL_FORMAT_AUTO, g.text, g.size, (const char *const *)g.files, g.nfiles);
    gathered_free(&g);
    return status;
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
        int one = plan->source ? gather_file(plan, plan->files[i]) : compile_file(plan, plan->files[i]);
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
        "A source that was put together by --format source is compiled when it is loaded, whatever its name; -I and -D are in it.\n"
        "Status 0: all are written; 1: one could not be compiled or written.\n",
    .run = run,
};
