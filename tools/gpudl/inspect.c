/* inspect.c - gpudl inspect: its command line, and what its two ways of printing share. */
#include "tools/gpudl/inspect.h"
#include "tools/gpudl/words.h"

#include <stdio.h>
#include <string.h>

static const struct command_option options[] = {
    { "--json", NULL, "for programs: all of it as one JSON object" },
    { "--symbols", NULL, "the sections and symbols of machine code as well" },
    { NULL, NULL, NULL },
};

struct plan {
    const char *file;
    bool json, symbols;
};

/* The reader knows which file and which entry it is about. */
static const char *without_prefix(const char *text, const char *file, size_t entry)
{
    char prefix[32];

    if (!strncmp(text, file, strlen(file)) && !strncmp(text + strlen(file), ": ", 2))
        text += strlen(file) + 2;
    snprintf(prefix, sizeof(prefix), "entry %zu: ", entry);
    return !strncmp(text, prefix, strlen(prefix)) ? text + strlen(prefix) : text;
}

struct reading inspect_read(gpudl_image *image, const char *file, size_t entry)
{
    struct reading r = { 0, 0, false, NULL };
    gpudl_status status = gpudl_image_read(image, entry, &r.nkernels, &r.nglobals);

    r.damaged = status != GPUDL_OK && status != GPUDL_ERROR_UNSUPPORTED;
    r.text = status == GPUDL_OK ? NULL : without_prefix(gpudl_error_text(), file, entry);
    return r;
}

const char *inspect_demangle(const char *name)
{
    static char text[16384];

    return gpudl_demangle(name, text, sizeof(text)) < sizeof(text) ? text : name;
}

const char *inspect_section_type(unsigned type)
{
    static const struct {
        unsigned type;
        const char *name;
    } names[] = {
        { 0, "NULL" },
        { 1, "PROGBITS" },
        { 2, "SYMTAB" },
        { 3, "STRTAB" },
        { 4, "RELA" },
        { 7, "NOTE" },
        { 8, "NOBITS" },
        { 9, "REL" },
        { 18, "SYMTAB_SHNDX" },
        { 0x70000000, "CUDA_INFO" },
        { 0x70000001, "CUDA_CALLGRAPH" },
        { 0x7000000b, "CUDA_RELOCINFO" },
        { 0x70000015, "CUDA_RESERVED_SHARED" },
        { 0x70000016, "CUDA_CAPMERC" },
        { 0x70000082, "RELA" }, /* this and the next two: what sm_100 and later keep of the code before its last step */
        { 0x70000083, "CUDA_INFO" },
        { 0x70000085, "SYMTAB" },
        { 0x70000086, "CUDA_COMPAT_INFO" },
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].type == type)
            return names[i].name;
    return NULL;
}

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    if (name && !strcmp(name, "--json"))
        plan->json = true;
    else if (name)
        plan->symbols = true;
    else if (plan->file)
        return command_misused(&command_inspect, "one FILE at a time, and '%s' is another", value);
    else
        plan->file = value;
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct plan plan = { NULL, false, false };
    int status = words_take(&command_inspect, argc, argv, take, &plan);
    gpudl_image *image;
    bool whole;

    if (status == STATUS_OK && !plan.file)
        status = command_misused(&command_inspect, "no FILE given");
    if (status != STATUS_OK)
        return status;
    if (gpudl_image_open(GPUDL_FILE(plan.file), NULL, &image) != GPUDL_OK) {
        command_library_failed(&command_inspect);
        return STATUS_UNREADABLE;
    }
    whole = plan.json ? inspect_report(image, plan.file, plan.symbols) : inspect_list(image, plan.file, plan.symbols);
    gpudl_image_close(image);
    return whole ? STATUS_OK : STATUS_FAILED;
}

const struct command command_inspect = {
    .name = "inspect",
    .arguments = "FILE [--json] [--symbols]",
    .summary = "say what CUDA code is in FILE: entries, kernels, parameters, globals",
    .options = options,
    .notes =
        "FILE is a fatbin, a cubin, PTX, LTO-IR, or a program, library, object or archive with CUDA code in it.\n"
        "Needs no driver and no CUDA toolkit. Status 0: whole; 1: damaged, and what could be read is printed; 2: not readable.\n",
    .run = run,
};
