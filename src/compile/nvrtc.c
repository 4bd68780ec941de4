/* nvrtc.c - NVRTC, the compiler that is a library. It is opened at run time, and never closed again. */
#include <dlfcn.h>
#include <stdio.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

typedef struct _nvrtcProgram *program; /* as NVRTC calls it */

enum {
    NVRTC_OK = 0,
    NVRTC_OUT_OF_MEMORY = 1,
    NVRTC_INVALID_OPTION = 5,
    NVRTC_COMPILATION = 6,
    NVRTC_NAME_EXPRESSION = 10,
    NVRTC_CANCELLED = 16
};

/* X(name, is it needed, parameters) */
#define NVRTC_FUNCTIONS(X) \
    X(Version, true, (int *, int *)) \
    X(CreateProgram, true, (program *, const char *, const char *, int, const char *const *, const char *const *)) \
    X(DestroyProgram, true, (program *)) \
    X(CompileProgram, true, (program, int, const char *const *)) \
    X(GetPTXSize, true, (program, size_t *)) \
    X(GetPTX, true, (program, char *)) \
    X(GetCUBINSize, true, (program, size_t *)) \
    X(GetCUBIN, true, (program, char *)) \
    X(GetLTOIRSize, false, (program, size_t *)) \
    X(GetLTOIR, false, (program, char *)) \
    X(GetProgramLogSize, true, (program, size_t *)) \
    X(GetProgramLog, true, (program, char *)) \
    X(AddNameExpression, true, (program, const char *)) \
    X(GetLoweredName, true, (program, const char *, const char **)) \
    X(SetFlowCallback, false, (program, int (*)(void *, void *), void *))

struct nvrtc {
#define MEMBER(name, need, params) int(*name) params;
    NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
    const char *(*GetErrorString)(int);
    int major, minor;
};

static enum compile_error open_library(const char *path, struct nvrtc *n, struct text *why)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        gpudl__text_add(why, "NVRTC cannot be opened: %s", dlerror());
        return COMPILE_BROKEN;
    }
#define FIND(name, need, params) \
    *(void **)&n->name = dlsym(library, "nvrtc" #name); \
    if (!n->name && need) { \
        gpudl__text_add(why, "%s has no nvrtc" #name ": it is no NVRTC, or older than 11.2", path); \
        return COMPILE_BROKEN; \
    }
    NVRTC_FUNCTIONS(FIND)
#undef FIND
    *(void **)&n->GetErrorString = dlsym(library, "nvrtcGetErrorString");
    if (!n->GetErrorString || n->Version(&n->major, &n->minor) || n->major < 11) {
        gpudl__text_add(why, "%s calls itself NVRTC %d.%d: 11.2 is the oldest that will do", path, n->major, n->minor);
        return COMPILE_BROKEN;
    }
    return COMPILE_OK;
}

/* ---- options */

static void add_options(const struct work *w, struct strings *out)
{
    bool virtual = w->target.format != COMPILE_CUBIN;
    const char suffix[2] = { w->target.suffix, '\0' };

    for (size_t i = 0; i < w->options->n; i++)
        gpudl__spell(&w->options->list[i], COMPILER_NVRTC, out);
    for (size_t i = 0; i < INCLUDES_MOST && *w->compiler->include[i]; i++)
        gpudl__strings_addf(out, "--include-path=%s", w->compiler->include[i]);
    gpudl__strings_addf(out, "--gpu-architecture=%s_%u%s", virtual ? "compute" : "sm", w->target.sm, suffix);
    if (w->target.format == COMPILE_LTOIR)
        gpudl__strings_add(out, "-dlto");
    if (w->relocatable)
        gpudl__strings_add(out, "--relocatable-device-code=true");
}

/* ---- one program */

static enum compile_error create(const struct nvrtc *n, const struct compile_job *job, program *out, struct text *why)
{
    const char **names = gpudl__alloc_zero((2 * job->nheaders + 1) * sizeof(*names));
    int err = NVRTC_OUT_OF_MEMORY;

    for (size_t i = 0; names && i < job->nheaders; i++) {
        names[i] = job->headers[i].name;
        names[job->nheaders + i] = (const char *)job->headers[i].text.data;
    }
    if (names)
        err = n->CreateProgram(out, (const char *)job->text.data, job->name, (int)job->nheaders, names + job->nheaders, names);
    for (size_t i = 0; !err && i < job->nnames; i++) {
        err = n->AddNameExpression(*out, job->names[i]);
        if (err)
            n->DestroyProgram(out);
    }
    gpudl__free(names);
    if (!err)
        return COMPILE_OK;
    if (err == NVRTC_OUT_OF_MEMORY)
        return COMPILE_NO_MEMORY;
    gpudl__text_add(why, "NVRTC takes no program: %s", n->GetErrorString(err));
    return COMPILE_BROKEN;
}

static void take_log(const struct nvrtc *n, program p, struct strings *log)
{
    size_t size = 0;
    char *text;

    if (n->GetProgramLogSize(p, &size) || !size || !(text = gpudl__alloc_zero(size + 1)))
        return;
    if (!n->GetProgramLog(p, text))
        gpudl__strings_append(log, text, strlen(text));
    gpudl__free(text);
}

static int is_cancelled(void *payload, void *unused)
{
    const struct compile_job *job = payload;

    (void)unused;
    return job->cancelled(job->user);
}

static enum compile_error judge(const struct nvrtc *n, int err, const struct strings *log, struct text *why)
{
    enum compile_error error = log->used ? gpudl__log_judge(log->data) : COMPILE_BROKEN;

    switch (err) {
    case NVRTC_OK:
        return COMPILE_OK;
    case NVRTC_OUT_OF_MEMORY:
        return COMPILE_NO_MEMORY;
    case NVRTC_CANCELLED:
        return COMPILE_CANCELLED;
    case NVRTC_INVALID_OPTION:
        return error == COMPILE_TARGET ? COMPILE_TARGET : COMPILE_OPTION;
    case NVRTC_COMPILATION:
    case NVRTC_NAME_EXPRESSION:
        return error == COMPILE_HEADER ? COMPILE_HEADER : COMPILE_SOURCE;
    default:
        gpudl__text_add(why, "%s", n->GetErrorString(err));
        return COMPILE_BROKEN;
    }
}

static enum compile_error compile(const struct nvrtc *n, const struct work *w, program p, struct strings *log, struct text *why)
{
    struct strings options = { .data = NULL };
    const char **array;
    int err;

    add_options(w, &options);
    array = gpudl__strings_array(&options);
    if (!array) {
        gpudl__strings_free(&options);
        return COMPILE_NO_MEMORY;
    }
    if (w->job->cancelled && n->SetFlowCallback)
        n->SetFlowCallback(p, is_cancelled, (void *)(uintptr_t)w->job);
    err = n->CompileProgram(p, (int)options.count, array);
    gpudl__free(array);
    gpudl__strings_free(&options);
    take_log(n, p, log);
    gpudl__log_trim(log);
    if (err && w->job->cancelled && w->job->cancelled(w->job->user))
        return COMPILE_CANCELLED;
    return judge(n, err, log, why);
}

static enum compile_error take_bytes(
    const struct nvrtc *n, program p, enum compile_format format, struct span *out, struct text *why)
{
    int (*get_size)(program, size_t *) = format == COMPILE_CUBIN ? n->GetCUBINSize
        : format == COMPILE_PTX                                  ? n->GetPTXSize
                                                                 : n->GetLTOIRSize;
    int (*get)(program, char *) = format == COMPILE_CUBIN ? n->GetCUBIN : format == COMPILE_PTX ? n->GetPTX : n->GetLTOIR;
    size_t size = 0;
    char *bytes;
    int err = get_size(p, &size);

    if (err || !size) {
        gpudl__text_add(why, "it made nothing: %s", err ? n->GetErrorString(err) : "no bytes");
        return COMPILE_BROKEN;
    }
    bytes = gpudl__alloc(size + 1);
    if (!bytes)
        return COMPILE_NO_MEMORY;
    err = get(p, bytes);
    if (err) {
        gpudl__text_add(why, "%s", n->GetErrorString(err));
        gpudl__free(bytes);
        return COMPILE_BROKEN;
    }
    bytes[size] = '\0';
    *out = (struct span){ (const unsigned char *)bytes, format == COMPILE_PTX ? strlen(bytes) : size };
    return COMPILE_OK;
}

static enum compile_error take_names(
    const struct nvrtc *n, program p, const struct compile_job *job, struct span *out, struct text *why)
{
    struct strings lowered = { .data = NULL };

    for (size_t i = 0; i < job->nnames; i++) {
        const char *name = NULL;
        int err = n->GetLoweredName(p, job->names[i], &name);

        if (err || !name) {
            gpudl__text_add(why, "the name expression '%s': %s", job->names[i], n->GetErrorString(err));
            gpudl__strings_free(&lowered);
            return COMPILE_SOURCE;
        }
        gpudl__strings_add(&lowered, job->names[i]);
        gpudl__strings_add(&lowered, name);
    }
    if (lowered.failed) {
        gpudl__strings_free(&lowered);
        return COMPILE_NO_MEMORY;
    }
    *out = (struct span){ (const unsigned char *)lowered.data, lowered.used };
    return COMPILE_OK;
}

enum compile_error gpudl__nvrtc_compile(const struct work *w, struct compile_result *out, struct made *made, struct text *why)
{
    struct nvrtc n = { .Version = NULL };
    enum compile_error error;
    program p = NULL;

    if (w->apart)
        return gpudl__nvrtc_compile_apart(w, out, made, why);
    error = open_library(w->compiler->path, &n, why);
    if (error)
        return error;
    snprintf(out->compiler, sizeof(out->compiler), "NVRTC %d.%d", n.major, n.minor);
    if (w->target.format == COMPILE_LTOIR && !n.GetLTOIR) {
        gpudl__text_add(why, "NVRTC %d.%d makes no LTO-IR: 12.0 is the oldest that does", n.major, n.minor);
        return COMPILE_TARGET;
    }
    error = create(&n, w->job, &p, why);
    if (error)
        return error;
    error = compile(&n, w, p, &made->log, why);
    if (!error)
        error = take_bytes(&n, p, w->target.format, &out->bytes, why);
    if (!error)
        error = take_names(&n, p, w->job, &out->lowered, why);
    n.DestroyProgram(&p);
    return error;
}
