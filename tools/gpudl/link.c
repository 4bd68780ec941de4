/* link.c - gpudl link: relocatable code of several files as one image. */
#include "tools/gpudl/compiling.h"
#include "tools/gpudl/output.h"
#include "tools/gpudl/words.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command_option options[] = {
    { "-o", "OUT", "the file to write" },
    { "--arch", "ARCH[,ARCH]...", "sm_90, ...; several make a fatbin; else for the device that programs get" },
    { "--format", "FORMAT", "cubin, ptx or fatbin; else what the device loads: a cubin, PTX for softcuda" },
    { "--linker", "NAME", "nvjitlink, driver, or the path of a libnvJitLink; else GPUDL_LINKER, or what FILEs need" },
    { "--max-registers", "N", "of a thread" },
    { "--lineinfo", NULL, "with source lines" },
    { "--verbose", NULL, "say on stderr who linked, and what the linker remarked" },
    COMPILING_OPTIONS,
    { NULL, NULL, NULL },
};

struct plan {
    gpudl_source *sources;
    size_t n;
    const char *out;
    gpudl_link_options link;
    gpudl_load_options load;
    gpudl_compile_options compile;
    struct compiling compiling;
    bool verbose;
};

static int take_format(struct plan *plan, const char *value)
{
    if (!strcmp(value, "cubin"))
        plan->link.format = GPUDL_LINK_CUBIN;
    else if (!strcmp(value, "ptx"))
        plan->link.format = GPUDL_LINK_PTX;
    else if (!strcmp(value, "fatbin"))
        plan->link.format = GPUDL_LINK_FATBIN;
    else
        return command_misused(&command_link, "--format wants cubin, ptx or fatbin, not '%s'", value);
    return STATUS_OK;
}

static int take_registers(struct plan *plan, const char *value)
{
    unsigned long long n;

    if (!words_number(value, UINT_MAX, &n))
        return command_misused(&command_link, "--max-registers wants N, not '%s'", value);
    plan->load.max_registers = (unsigned)n;
    return STATUS_OK;
}

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    if (!name)
        plan->sources[plan->n++] = gpudl_source_file(value);
    else if (!strcmp(name, "-o"))
        plan->out = value;
    else if (!strcmp(name, "--arch"))
        plan->link.arch = value;
    else if (!strcmp(name, "--format"))
        return take_format(plan, value);
    else if (!strcmp(name, "--linker"))
        plan->link.linker = value;
    else if (!strcmp(name, "--max-registers"))
        return take_registers(plan, value);
    else if (!strcmp(name, "--lineinfo"))
        plan->load.flags |= GPUDL_LOAD_LINE_INFO;
    else if (!compiling_take(&plan->compiling, name, value))
        plan->verbose = true;
    return STATUS_OK;
}

static int link_files(struct plan *plan)
{
    gpudl_linked *linked;
    const void *bytes;
    size_t size;
    int status;

    plan->compile = compiling_options(&plan->compiling, NULL, GPUDL_FORMAT_AUTO);
    plan->load.compile = &plan->compile;
    plan->link.load = &plan->load;
    if (gpudl_linked_make(NULL, plan->sources, plan->n, &plan->link, &linked) != GPUDL_OK)
        return command_library_failed(&command_link);
    bytes = gpudl_linked_bytes(linked, &size);
    if (plan->verbose) {
        fprintf(stderr, "gpudl link: %s: %zu bytes, by %s\n", plan->out, size, gpudl_linked_linker(linked));
        if (*gpudl_linked_log(linked))
            fprintf(stderr, "%s\n", gpudl_linked_log(linked));
    }
    status = output_write(&command_link, plan->out, bytes, size);
    gpudl_linked_release(linked);
    return status;
}

static int run(int argc, char **argv)
{
    struct plan plan = { .link = GPUDL_LINK_OPTIONS_INIT, .load = GPUDL_LOAD_OPTIONS_INIT };
    int status;

    plan.sources = calloc((size_t)argc, sizeof(*plan.sources));
    if (!plan.sources || !compiling_begin(&plan.compiling, (size_t)argc)) {
        free(plan.sources);
        return command_failed(&command_link, "out of memory");
    }
    status = words_take(&command_link, argc, argv, take, &plan);
    if (status == STATUS_OK && !plan.n)
        status = command_misused(&command_link, "no FILE given");
    if (status == STATUS_OK && !plan.out)
        status = command_misused(&command_link, "-o is missing");
    if (status == STATUS_OK && plan.link.arch && strchr(plan.link.arch, ',') && !plan.link.format)
        plan.link.format = GPUDL_LINK_FATBIN;
    if (status == STATUS_OK)
        status = link_files(&plan);
    compiling_end(&plan.compiling);
    free(plan.sources);
    return status;
}

const struct command command_link = {
    .name = "link",
    .arguments = "FILE... -o OUT [OPTION...]",
    .summary = "join relocatable code of several FILEs to one image that can be loaded",
    .options = options,
    .notes = "A FILE is PTX, a cubin, LTO-IR, a fatbin, an object of nvcc, an archive of those, or CUDA C++ (.cu).\n"
             "Status 0: written; 1: it cannot be linked, or OUT not be written.\n",
    .run = run,
};
