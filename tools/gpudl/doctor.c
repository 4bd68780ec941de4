/* doctor.c - gpudl doctor: its command line, and the order of what it says. What it found is in examine.h. */
#include "tools/gpudl/examine.h"
#include "tools/gpudl/json.h"
#include "tools/gpudl/words.h"

#include <stdio.h>
#include <string.h>

static const struct command_option options[] = {
    { "--json", NULL, "for programs: all of it as one JSON object" },
    { NULL, NULL, NULL },
};

/* ----------------------------------------------------------------------------------------------------------------- for people */

static void print_driver(const struct driver_finding *d)
{
    if (!d->found) {
        printf("%s: not usable: ", d->name);
        words_print(d->text);
        printf("\n  looked for: %s\n", d->places);
        return;
    }
    printf("%s: CUDA %d.%d, ", d->name, d->version / 1000, d->version % 1000 / 10);
    words_print(d->text);
    putchar('\n');
    for (int i = 0; i < d->ndevices; i++) {
        const struct device_finding *v = &d->devices[i];

        printf("  device %d: ", i);
        words_print(v->name);
        printf(", compute capability %d.%d, %.1f GiB\n", v->major, v->minor, (double)v->bytes / (1 << 30));
    }
    if (*d->emulated)
        printf("  emulated: %s\n", d->emulated);
    for (size_t i = 0; i < d->nlacks; i++)
        printf("  lacks %s (CUDA %d.%d): no %s\n", d->lacks[i].function, d->lacks[i].since / 1000, d->lacks[i].since % 1000 / 10,
            d->lacks[i].without);
}

static const struct {
    uint64_t bit;
    const char *word;
} parts[] = {
    { GPUDL_BUILT_COMPILE, "compile" },
    { GPUDL_BUILT_LINK, "link" },
    { GPUDL_BUILT_TRUST, "trust" },
    { GPUDL_BUILT_CACHE, "cache" },
    { GPUDL_BUILT_WATCH, "watch" },
    { GPUDL_BUILT_TRIAL, "trial" },
};

static bool is_full(const struct findings *f)
{
    return f->features & GPUDL_BUILT_FULL;
}

static void print_build(const struct findings *f)
{
    if (!is_full(f))
        printf("this is a basic build: no compilers, linkers, trust, cache on disk, watches or trials\n");
    else
        printf("this is a full build\n");
    printf("trial launches before a replace: %s\n", f->features & GPUDL_HAS_TRIAL ? "yes" : "no, there is no gpudl-trial");
}

static void print_compilers(const struct findings *f)
{
    printf("compilers of CUDA C++:%s\n", f->ncompilers ? "" : " none");
    for (size_t i = 0; i < f->ncompilers; i++) {
        printf("  %s: ", f->compilers[i].kind);
        words_print(f->compilers[i].path);
        putchar('\n');
    }
    if (*f->no_compilers) {
        printf("  looked for ");
        words_print(f->no_compilers);
        putchar('\n');
    }
    printf("linkers of relocatable code:\n");
    for (size_t i = 0; i < f->nlinkers; i++) {
        const gpudl_linker_info *l = &f->linkers[i];

        printf("  %s: %s", l->name, l->usable ? "" : "not usable: ");
        if (l->usable && l->version)
            printf("CUDA %d.%d, ", l->version / 1000, l->version % 1000 / 10);
        words_print(l->text);
        putchar('\n');
    }
    printf("compiled code is kept in ");
    words_print(f->cache.folder ? f->cache.folder : "no folder: none of GPUDL_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
    printf(": %llu entries, %llu bytes\n", (unsigned long long)f->cache.entries, (unsigned long long)f->cache.bytes);
}

static void print_rest(const struct findings *f)
{
    printf("\nCPU: %s, %u threads\n", f->cpu, f->threads);
    printf("LLVM in softcuda: %s\n", f->llvm);
    if (is_full(f))
        print_compilers(f);
    printf("names as in the source (saxpy for _Z5saxpyifPKfPf): %s\n", f->names ? "yes" : "no");
    printf("\nenvironment that changes loading:%s\n", f->nvariables ? "" : " none");
    for (size_t i = 0; i < f->nvariables; i++) {
        printf("  %s=", f->variables[i].name);
        words_print(f->variables[i].value);
        printf(": %s\n", f->variables[i].effect);
    }
    printf("\n%s\n", f->nmissing ? "missing:" : "nothing is missing");
    for (size_t i = 0; i < f->nmissing; i++)
        printf("  %s, for %s: %s\n", f->missing[i].what, f->missing[i].purpose, f->missing[i].remedy);
}

static void print_findings(const struct findings *f)
{
    printf("gpudl %d.%d.%d\n\n", GPUDL_VERSION_MAJOR, GPUDL_VERSION_MINOR, GPUDL_VERSION_PATCH);
    for (size_t i = 0; i < f->ndrivers; i++)
        print_driver(&f->drivers[i]);
    printf("\n%s: ", f->usable ? "programs that ask for no driver get" : "programs that ask for no driver get none");
    words_print(f->chosen);
    putchar('\n');
    print_build(f);
    print_rest(f);
}

/* --------------------------------------------------------------------------------------------------------------- for programs */

static void write_device(struct json *j, const struct device_finding *v, int index)
{
    char arch[16], capability[16];

    snprintf(arch, sizeof(arch), "sm_%d%d", v->major, v->minor);
    snprintf(capability, sizeof(capability), "%d.%d", v->major, v->minor);
    json_open(j, NULL, '{');
    json_number(j, "index", (unsigned)index);
    json_string(j, "name", v->name);
    json_string(j, "capability", capability);
    json_string(j, "arch", arch);
    json_number(j, "bytes", v->bytes);
    json_close(j, '}');
}

static void write_driver(struct json *j, const struct driver_finding *d)
{
    char version[16];

    snprintf(version, sizeof(version), "%d.%d", d->version / 1000, d->version % 1000 / 10);
    json_open(j, NULL, '{');
    json_string(j, "name", d->name);
    json_truth(j, "usable", d->found);
    json_string(j, d->found ? "text" : "reason", d->text);
    json_string(j, "looked_for", d->places);
    json_string(j, "cuda", d->found ? version : NULL);
    json_open(j, "devices", '[');
    for (int i = 0; i < d->ndevices; i++)
        write_device(j, &d->devices[i], i);
    json_close(j, ']');
    json_string(j, "emulated", *d->emulated ? d->emulated : NULL);
    json_open(j, "lacks", '[');
    for (size_t i = 0; i < d->nlacks; i++) {
        json_open(j, NULL, '{');
        json_string(j, "function", d->lacks[i].function);
        json_string(j, "without", d->lacks[i].without);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void write_compilers(struct json *j, const struct findings *f)
{
    json_open(j, "compilers", '[');
    for (size_t i = 0; i < f->ncompilers; i++) {
        json_open(j, NULL, '{');
        json_string(j, "kind", f->compilers[i].kind);
        json_string(j, "path", f->compilers[i].path);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "cache", '{');
    json_string(j, "folder", f->cache.folder);
    json_number(j, "entries", f->cache.entries);
    json_number(j, "bytes", f->cache.bytes);
    json_close(j, '}');
}

static void write_linkers(struct json *j, const struct findings *f)
{
    char version[16];

    json_open(j, "linkers", '[');
    for (size_t i = 0; i < f->nlinkers; i++) {
        const gpudl_linker_info *l = &f->linkers[i];

        snprintf(version, sizeof(version), "%d.%d", l->version / 1000, l->version % 1000 / 10);
        json_open(j, NULL, '{');
        json_string(j, "name", l->name);
        json_truth(j, "usable", l->usable);
        json_string(j, "cuda", l->usable && l->version ? version : NULL);
        json_string(j, l->usable ? "text" : "reason", l->text);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_variables(struct json *j, const struct findings *f)
{
    json_open(j, "environment", '[');
    for (size_t i = 0; i < f->nvariables; i++) {
        json_open(j, NULL, '{');
        json_string(j, "name", f->variables[i].name);
        json_string(j, "value", f->variables[i].value);
        json_string(j, "effect", f->variables[i].effect);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_missing(struct json *j, const struct findings *f)
{
    json_open(j, "missing", '[');
    for (size_t i = 0; i < f->nmissing; i++) {
        json_open(j, NULL, '{');
        json_string(j, "what", f->missing[i].what);
        json_string(j, "for", f->missing[i].purpose);
        json_string(j, "remedy", f->missing[i].remedy);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_findings(const struct findings *f)
{
    struct json j = { stdout, false };
    char version[32];

    snprintf(version, sizeof(version), "%d.%d.%d", GPUDL_VERSION_MAJOR, GPUDL_VERSION_MINOR, GPUDL_VERSION_PATCH);
    json_open(&j, NULL, '{');
    json_string(&j, "gpudl", version);
    json_string(&j, "build", is_full(f) ? "full" : "basic");
    json_open(&j, "parts", '[');
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (f->features & parts[i].bit)
            json_string(&j, NULL, parts[i].word);
    json_close(&j, ']');
    json_truth(&j, "trials", f->features & GPUDL_HAS_TRIAL);
    json_open(&j, "drivers", '[');
    for (size_t i = 0; i < f->ndrivers; i++)
        write_driver(&j, &f->drivers[i]);
    json_close(&j, ']');
    json_open(&j, "default", '{');
    json_truth(&j, "usable", f->usable);
    json_string(&j, f->usable ? "text" : "reason", f->chosen);
    json_close(&j, '}');
    json_open(&j, "cpu", '{');
    json_string(&j, "name", f->cpu);
    json_number(&j, "threads", f->threads);
    json_close(&j, '}');
    json_string(&j, "llvm", f->llvm);
    json_truth(&j, "source_names", f->names);
    write_compilers(&j, f);
    write_linkers(&j, f);
    write_variables(&j, f);
    write_missing(&j, f);
    json_close(&j, '}');
    putchar('\n');
}

/* ----------------------------------------------------------------------------------------------------------- the command line */

static int take(void *user, const char *name, const char *value)
{
    if (!name)
        return command_misused(&command_doctor, "'%s' is not wanted here", value);
    *(bool *)user = true;
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    static struct findings f; /* large */
    bool json = false;
    int status = words_take(&command_doctor, argc, argv, take, &json);

    if (status != STATUS_OK)
        return status;
    examine(&f);
    if (json)
        write_findings(&f);
    else
        print_findings(&f);
    return f.usable ? STATUS_OK : STATUS_FAILED;
}

const struct command command_doctor = {
    .name = "doctor",
    .arguments = "[--json]",
    .summary = "say what there is to run kernels on, what is missing, and what the environment changes",
    .options = options,
    .notes = "Looks at every driver, whatever GPUDL_DRIVER says. Status 1: there is nothing to run kernels on.\n",
    .run = run,
};
