/* clang.c - clang as a process, with the project's own device header: PTX on a machine that has nothing of NVIDIA's. */
#include <stdio.h>

#include "src/compile/internal.h"

/* What drivers from CUDA 11.8 and 12.0 on read, which is what each of these architectures began with. */
enum { PTX_BEFORE_90 = 78, PTX_FROM_90 = 80 };

static void add_fixed(const struct work *w, struct program *p)
{
    static const char *const fixed[] = { "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
        "--cuda-path=/nonexistent", "-S", "-O3", "-std=c++17" };
    const char *name = w->job->name, *slash = strrchr(name, '/'), *tree = w->compiler->include[0];
    unsigned ptx = w->target.sm < 90 ? PTX_BEFORE_90 : PTX_FROM_90;

    for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
        gpudl__strings_add(&p->arguments, fixed[i]);
    gpudl__strings_addf(&p->arguments, "--offload-arch=sm_%u%.1s", w->target.sm, &w->target.suffix);
    gpudl__strings_add(&p->arguments, "-Xclang");
    gpudl__strings_add(&p->arguments, "-target-feature");
    gpudl__strings_add(&p->arguments, "-Xclang");
    gpudl__strings_addf(&p->arguments, "+ptx%u", ptx);
    gpudl__strings_addf(&p->arguments, "-DGPUDL_PTX=%u", ptx);
    gpudl__strings_addf(&p->arguments, "-I%s/include", tree);
    gpudl__strings_add(&p->arguments, "-include");
    gpudl__strings_addf(&p->arguments, "%s/" CLANG_HEADER, tree);
    gpudl__strings_addf(&p->arguments, "-iquote%.*s", slash ? (int)(slash - name) + (slash == name) : 1, slash ? name : ".");
    if (w->relocatable)
        gpudl__strings_add(&p->arguments, "-fgpu-rdc");
}

enum compile_error gpudl__clang_compile(const struct work *w, struct compile_result *out, struct made *made, struct text *why)
{
    struct program p;
    enum compile_error error;

    gpudl__program_version(w->compiler, "clang version ", out->compiler, sizeof(out->compiler));
    if (!*w->compiler->include[0]) {
        gpudl__text_add(why,
            "gpudl's device header for clang (" CLANG_HEADER ") is not there: it belongs into share/gpudl/clang beside the "
            "folder of the library or of the program, or where GPUDL_CLANG_INCLUDE says");
        return COMPILE_BROKEN;
    }
    error = gpudl__program_begin(w, "cu", &p, why);
    if (!error) {
        add_fixed(w, &p);
        gpudl__spell_maths(w->options, &p.arguments);
        for (size_t i = 0; i < w->options->n; i++)
            gpudl__spell(&w->options->list[i], COMPILER_CLANG, &p.arguments);
        gpudl__strings_add(&p.arguments, "-MD");
        gpudl__strings_add(&p.arguments, "-MF");
        gpudl__strings_add(&p.arguments, p.reads);
        gpudl__strings_add(&p.arguments, "-o");
        gpudl__strings_add(&p.arguments, p.output);
        gpudl__strings_add(&p.arguments, p.source);
        error = gpudl__program_run(&p, made, &out->bytes, why);
    }
    if (!error && w->job->nnames)
        error = gpudl__names_lower(w->job, &out->bytes, &out->lowered, why);
    gpudl__program_end(&p);
    return error;
}
