/* nvcc.c - NVIDIA's compiler as a process. */
#include <stdio.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

/* Headers between quotes lie beside the source, and ours is a copy that lies elsewhere. nvcc cuts -Xcompiler's value at commas. */
static void add_own_folder(const char *name, struct strings *out)
{
    const char *slash = strrchr(name, '/');
    int n = slash ? (int)(slash - name) + (slash == name) : 1;
    const char *folder = slash ? name : ".";

    if (memchr(folder, ',', (size_t)n))
        gpudl__strings_addf(out, "-I%.*s", n, folder);
    else
        gpudl__strings_addf(out, "-Xcompiler=-iquote,%.*s", n, folder);
}

static void add_target(const struct work *w, enum compile_format format, struct strings *out)
{
    const char suffix[2] = { w->target.suffix, '\0' };
    unsigned sm = w->target.sm;

    if (format == COMPILE_CUBIN) {
        gpudl__strings_add(out, "-cubin");
        gpudl__strings_addf(out, "-gencode=arch=compute_%u%s,code=sm_%u%s", sm, suffix, sm, suffix);
    } else if (format == COMPILE_PTX) {
        gpudl__strings_add(out, "-ptx");
        gpudl__strings_addf(out, "-gencode=arch=compute_%u%s,code=compute_%u%s", sm, suffix, sm, suffix);
    } else {
        gpudl__strings_add(out, "-ltoir");
        gpudl__strings_addf(out, "-gencode=arch=compute_%u%s,code=lto_%u%s", sm, suffix, sm, suffix);
    }
    if (w->relocatable || format == COMPILE_LTOIR)
        gpudl__strings_add(out, "-rdc=true");
}

static enum compile_error compile_to(
    const struct work *w, enum compile_format format, struct made *made, struct span *out, struct text *why)
{
    struct program p;
    enum compile_error error = gpudl__program_begin(w, "cu", &p, why);

    if (!error) {
        add_own_folder(w->job->name, &p.arguments);
        for (size_t i = 0; i < w->options->n; i++)
            gpudl__spell(&w->options->list[i], COMPILER_NVCC, &p.arguments);
        add_target(w, format, &p.arguments);
        gpudl__strings_add(&p.arguments, "-MD");
        gpudl__strings_add(&p.arguments, "-MF");
        gpudl__strings_add(&p.arguments, p.reads);
        gpudl__strings_add(&p.arguments, "-o");
        gpudl__strings_add(&p.arguments, p.output);
        gpudl__strings_add(&p.arguments, p.source);
        error = gpudl__program_run(&p, made, out, why);
    }
    gpudl__program_end(&p);
    return error;
}

/* PTX to a cubin: the second half, where the first was stopped to read names. */
static enum compile_error assemble(const struct work *w, struct span ptx, struct made *made, struct span *out, struct text *why)
{
    struct compile_job job = *w->job;
    struct work half = *w;
    struct program p;
    enum compile_error error;

    job.text = ptx;
    job.nheaders = job.nnames = 0;
    half.job = &job;
    error = gpudl__program_begin(&half, "ptx", &p, why);
    if (!error) {
        *p.reads = '\0';
        gpudl__strings_addf(&p.arguments, "-arch=sm_%u%.1s", w->target.sm, &w->target.suffix);
        for (size_t i = 0; i < w->options->n; i++)
            if (w->options->list[i].kind == OPTION_DEBUG || w->options->list[i].kind == OPTION_LINES ||
                w->options->list[i].kind == OPTION_PLAIN)
                gpudl__spell(&w->options->list[i], COMPILER_NVCC, &p.arguments);
        if (w->relocatable)
            gpudl__strings_add(&p.arguments, "-rdc=true");
        gpudl__strings_add(&p.arguments, "-cubin");
        gpudl__strings_add(&p.arguments, "-o");
        gpudl__strings_add(&p.arguments, p.output);
        gpudl__strings_add(&p.arguments, p.source);
        error = gpudl__program_run(&p, made, out, why);
    }
    gpudl__program_end(&p);
    return error;
}

enum compile_error gpudl__nvcc_compile(const struct work *w, struct compile_result *out, struct made *made, struct text *why)
{
    bool by_ptx = w->job->nnames && w->target.format == COMPILE_CUBIN;
    struct span ptx = { NULL, 0 };
    enum compile_error error;

    gpudl__program_version(w->compiler, "release ", out->compiler, sizeof(out->compiler));
    if (w->job->nnames && w->target.format == COMPILE_LTOIR) {
        gpudl__text_add(why, "nvcc does not tell the lowered names of LTO-IR: leave the name expressions out, or use nvrtc");
        return COMPILE_OPTION;
    }
    error = compile_to(w, by_ptx ? COMPILE_PTX : w->target.format, made, &out->bytes, why);
    if (!error && w->job->nnames)
        error = gpudl__names_lower(w->job, &out->bytes, &out->lowered, why);
    if (error || !by_ptx)
        return error;
    ptx = out->bytes;
    out->bytes = (struct span){ NULL, 0 };
    error = assemble(w, ptx, made, &out->bytes, why);
    gpudl__free((void *)(uintptr_t)ptx.data);
    return error;
}
