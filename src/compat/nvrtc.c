/* NVRTC's names over gpudl_compile().
 *
 * NVRTC compiles once for all that a program may be asked for. Here nvrtcCompileProgram() makes PTX (LTO-IR with -dlto), which says whether the
 * source compiles, and machine code is made when it is asked for. So options that say what is made are read here, and the rest goes on as it is. */
#include <stdio.h>
#include <string.h>

#include <gpudl/gpudl.h>
#include <gpudl/nvrtc_compat.h>

enum kind { PTX, CUBIN, LTOIR, KINDS };

/* Strings of the program's own. */
struct words {
    char **word;
    size_t n;
};

struct gpudl_nvrtc_program {
    char *source, *name, *log;
    struct words header_texts, header_names, expressions, options;
    char target[32]; /* as the options have it: "sm_90", "compute_90"; "": none */
    unsigned flags;  /* GPUDL_COMPILE_RELOCATABLE */
    int to_ltoir, compiled;
    gpudl_code *code[KINDS];
};

/* ----------------------------------------------------------------------------------------------------------------- programs */

static int add(struct words *w, const char *word)
{
    char **more = word ? realloc(w->word, (w->n + 1) * sizeof(*more)) : NULL;

    if (!more)
        return 0;
    w->word = more;
    more[w->n] = strdup(word);
    if (!more[w->n])
        return 0;
    w->n++;
    return 1;
}

static void drop(struct words *w)
{
    while (w->n)
        free(w->word[--w->n]);
    free(w->word);
    *w = (struct words){ NULL, 0 };
}

static void forget_results(nvrtcProgram p)
{
    for (int i = 0; i < KINDS; i++) {
        gpudl_code_release(p->code[i]);
        p->code[i] = NULL;
    }
    drop(&p->options);
    free(p->log);
    p->log = NULL;
    p->target[0] = 0;
    p->flags = 0;
    p->to_ltoir = p->compiled = 0;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    nvrtcProgram p = program ? *program : NULL;

    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    forget_results(p);
    drop(&p->header_texts);
    drop(&p->header_names);
    drop(&p->expressions);
    free(p->source);
    free(p->name);
    free(p);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int nheaders, const char *const *headers,
    const char *const *header_names)
{
    nvrtcProgram p;
    int ok;

    if (!out || !source || nheaders < 0 || (nheaders && (!headers || !header_names)))
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < nheaders; i++)
        if (!headers[i] || !header_names[i])
            return NVRTC_ERROR_INVALID_INPUT;
    p = calloc(1, sizeof(*p));
    if (!p)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->source = strdup(source);
    p->name = strdup(name && *name ? name : "default_program");
    ok = p->source && p->name;
    for (int i = 0; ok && i < nheaders; i++)
        ok = add(&p->header_texts, headers[i]) && add(&p->header_names, header_names[i]);
    if (!ok) {
        nvrtcDestroyProgram(&p);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    *out = p;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *const expression)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (program->compiled)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    if (!expression)
        return NVRTC_ERROR_INVALID_INPUT;
    return add(&program->expressions, expression) ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

/* ------------------------------------------------------------------------------------------------------------------ options */

static int is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return 1;
    return 0;
}

/* The value of an option that is spelled "name=value", or "name" and then "value". */
static const char *value_of(const char *const *options, int n, int *i, const char *const *names)
{
    for (; *names; names++) {
        size_t length = strlen(*names);

        if (strncmp(options[*i], *names, length) != 0)
            continue;
        if (options[*i][length] == '=')
            return options[*i] + length + 1;
        if (!options[*i][length] && *i + 1 < n)
            return options[++*i];
    }
    return NULL;
}

static nvrtcResult read_options(nvrtcProgram p, int n, const char *const *options)
{
    static const char *const arch[] = { "--gpu-architecture", "-arch", NULL };
    static const char *const rdc[] = { "--relocatable-device-code", "-rdc", NULL };
    static const char *const dc[] = { "--device-c", "-dc", NULL }, *const dlto[] = { "-dlto", "--dlink-time-opt", NULL };

    for (int i = 0; i < n; i++)
        if (!options[i])
            return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < n; i++) {
        const char *value;

        if ((value = value_of(options, n, &i, arch)))
            snprintf(p->target, sizeof(p->target), "%s", value);
        else if ((value = value_of(options, n, &i, rdc)))
            p->flags = strcmp(value, "true") == 0 ? GPUDL_COMPILE_RELOCATABLE : 0;
        else if (is_one_of(options[i], dc))
            p->flags = GPUDL_COMPILE_RELOCATABLE;
        else if (is_one_of(options[i], dlto))
            p->to_ltoir = 1;
        else if (!add(&p->options, options[i]))
            return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    return NVRTC_SUCCESS;
}

/* -------------------------------------------------------------------------------------------------------------- compilation */

static nvrtcResult result_of(gpudl_status status)
{
    switch (status) {
    case GPUDL_OK:
        return NVRTC_SUCCESS;
    case GPUDL_ERROR_NO_MEMORY:
        return NVRTC_ERROR_OUT_OF_MEMORY;
    case GPUDL_ERROR_COMPILE:
    case GPUDL_ERROR_COMPILE_HEADER:
        return NVRTC_ERROR_COMPILATION;
    case GPUDL_ERROR_COMPILE_OPTION:
    case GPUDL_ERROR_COMPILE_TARGET:
        return NVRTC_ERROR_INVALID_OPTION;
    case GPUDL_ERROR_CANCELLED:
        return NVRTC_ERROR_CANCELLED;
    default:
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
}

/* Without one PTX is made for the device that there is, so that it runs; where there is none, for what nearly all have. */
static const char *target_of(nvrtcProgram p, enum kind kind, char out[40])
{
    if (!p->target[0])
        return gpudl_loader_driver(NULL) ? NULL : "compute_75";
    if (kind == PTX && strncmp(p->target, "sm_", 3) == 0)
        snprintf(out, 40, "compute_%s", p->target + 3);
    else
        snprintf(out, 40, "%s", p->target);
    return out;
}

static nvrtcResult say(nvrtcProgram p, const char *text, nvrtcResult result)
{
    free(p->log);
    p->log = strdup(text);
    return p->log ? result : NVRTC_ERROR_OUT_OF_MEMORY;
}

static nvrtcResult make(nvrtcProgram p, enum kind kind)
{
    static const gpudl_format formats[KINDS] = { GPUDL_FORMAT_PTX, GPUDL_FORMAT_CUBIN, GPUDL_FORMAT_LTOIR };
    gpudl_compile_options o = GPUDL_COMPILE_OPTIONS_INIT;
    gpudl_header *headers = calloc(p->header_texts.n + 1, sizeof(*headers));
    gpudl_code_info info = { .size_of_struct = sizeof(info) };
    char target[40];
    gpudl_status status;

    if (!headers)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < p->header_texts.n; i++)
        headers[i] = (gpudl_header){ p->header_names.word[i], p->header_texts.word[i] };
    o.options = (const char *const *)p->options.word;
    o.noptions = p->options.n;
    o.headers = headers;
    o.nheaders = p->header_texts.n;
    o.names = (const char *const *)p->expressions.word;
    o.nnames = p->expressions.n;
    o.target = target_of(p, kind, target);
    o.format = formats[kind];
    o.flags = p->flags;
    status = gpudl_compile(NULL, GPUDL_TEXT(p->name, p->source), &o, &p->code[kind]);
    free(headers);
    if (status != GPUDL_OK)
        return say(p, gpudl_error_text(), result_of(status));
    status = gpudl_code_describe(p->code[kind], &info);
    return say(p, status == GPUDL_OK ? info.log : "", NVRTC_SUCCESS);
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int noptions, const char *const *options)
{
    nvrtcResult result;

    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (noptions < 0 || (noptions && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    forget_results(program);
    result = read_options(program, noptions, options);
    if (result == NVRTC_SUCCESS)
        result = make(program, program->to_ltoir ? LTOIR : PTX);
    program->compiled = result == NVRTC_SUCCESS;
    return result;
}

/* ------------------------------------------------------------------------------------------------------------------ results */

/* info->bytes is NULL where the program has no such code. */
static nvrtcResult find(nvrtcProgram p, enum kind kind, gpudl_code_info *info)
{
    nvrtcResult result = NVRTC_SUCCESS;

    *info = (gpudl_code_info){ .size_of_struct = sizeof(*info) };
    if (!p || !p->compiled)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (kind == CUBIN && !p->code[CUBIN] && !p->to_ltoir && strncmp(p->target, "sm_", 3) == 0)
        result = make(p, CUBIN);
    if (result == NVRTC_SUCCESS && p->code[kind] && gpudl_code_describe(p->code[kind], info) != GPUDL_OK)
        result = NVRTC_ERROR_INTERNAL_ERROR;
    return result;
}

static nvrtcResult size_of(nvrtcProgram p, enum kind kind, size_t *bytes)
{
    gpudl_code_info info;
    nvrtcResult result = find(p, kind, &info);

    if (!bytes)
        return NVRTC_ERROR_INVALID_INPUT;
    if (result == NVRTC_SUCCESS)
        *bytes = info.nbytes + (kind == PTX && info.bytes);
    return result;
}

static nvrtcResult copy(nvrtcProgram p, enum kind kind, char *out)
{
    gpudl_code_info info;
    nvrtcResult result = find(p, kind, &info);

    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    if (result == NVRTC_SUCCESS && info.bytes)
        memcpy(out, info.bytes, info.nbytes + (kind == PTX));
    return result;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
    return size_of(program, PTX, bytes);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *out)
{
    return copy(program, PTX, out);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    return size_of(program, CUBIN, bytes);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *out)
{
    return copy(program, CUBIN, out);
}

nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *bytes)
{
    return size_of(program, LTOIR, bytes);
}

nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *out)
{
    return copy(program, LTOIR, out);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
    if (!program || !bytes)
        return program ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    *bytes = (program->log ? strlen(program->log) : 0) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *out)
{
    if (!program || !out)
        return program ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    if (program->log)
        memcpy(out, program->log, strlen(program->log) + 1);
    else
        *out = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *const expression, const char **name)
{
    gpudl_code *code;

    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !name)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!program->compiled)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    code = program->code[program->to_ltoir ? LTOIR : PTX];
    *name = gpudl_code_name(code, expression);
    return *name ? NVRTC_SUCCESS : NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* ---------------------------------------------------------------------------------------------------------- names and versions */

const char *nvrtcGetErrorString(nvrtcResult result)
{
    static const struct {
        nvrtcResult result;
        const char *name;
    } names[] = {
#define ROW(name, number) { name, #name },
        GPUDL_NVRTC_RESULTS(ROW)
#undef ROW
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].result == result)
            return names[i].name;
    return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = 12;
    *minor = 8;
    return NVRTC_SUCCESS;
}

static const int architectures[] = { 75, 80, 86, 87, 89, 90 };

nvrtcResult nvrtcGetNumSupportedArchs(int *n)
{
    if (!n)
        return NVRTC_ERROR_INVALID_INPUT;
    *n = (int)(sizeof(architectures) / sizeof(architectures[0]));
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *out)
{
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, architectures, sizeof(architectures));
    return NVRTC_SUCCESS;
}
