/* options.c - what the caller's options mean, spelled as nvcc, NVRTC and clang spell them. An option that is not in the table is passed on,
 * and the compiler says what it thinks of it; but then nobody knows what it read, and nothing is kept. */
#include "src/compile/internal.h"
#include "src/util/alloc.h"

/* How a value follows: "-std=c++17", "-I dir", "-Idir"; all three may hold. */
enum { ALONE = 0, EQUALS = 1, APART = 2, JOINED = 4, VALUE = EQUALS | APART };

static const struct spelling {
    const char *word;
    unsigned how;
    enum option_kind kind;
} spellings[] = {
    { "-I", APART | JOINED | EQUALS, OPTION_INCLUDE },
    { "--include-path", VALUE, OPTION_INCLUDE },
    { "-isystem", APART | JOINED | EQUALS, OPTION_SYSTEM },
    { "--system-include", VALUE, OPTION_SYSTEM },
    { "-include", VALUE, OPTION_PREINCLUDE },
    { "--pre-include", VALUE, OPTION_PREINCLUDE },
    { "-D", APART | JOINED, OPTION_DEFINE },
    { "--define-macro", VALUE, OPTION_DEFINE },
    { "-U", APART | JOINED, OPTION_UNDEFINE },
    { "--undefine-macro", VALUE, OPTION_UNDEFINE },
    { "-std", EQUALS | APART, OPTION_STD },
    { "--std", EQUALS | APART, OPTION_STD },
    { "-use_fast_math", ALONE, OPTION_FAST_MATH },
    { "--use_fast_math", ALONE, OPTION_FAST_MATH },
    { "-fmad", VALUE, OPTION_FMAD },
    { "--fmad", VALUE, OPTION_FMAD },
    { "-ftz", VALUE, OPTION_FTZ },
    { "--ftz", VALUE, OPTION_FTZ },
    { "-prec-div", VALUE, OPTION_PREC_DIV },
    { "--prec-div", VALUE, OPTION_PREC_DIV },
    { "-prec-sqrt", VALUE, OPTION_PREC_SQRT },
    { "--prec-sqrt", VALUE, OPTION_PREC_SQRT },
    { "-G", ALONE, OPTION_DEBUG },
    { "--device-debug", ALONE, OPTION_DEBUG },
    { "-lineinfo", ALONE, OPTION_LINES },
    { "--generate-line-info", ALONE, OPTION_LINES },
    { "-maxrregcount", VALUE, OPTION_PLAIN },
    { "--maxrregcount", VALUE, OPTION_PLAIN },
    { "-default-device", ALONE, OPTION_PLAIN },
    { "--device-as-default-execution-space", ALONE, OPTION_PLAIN },
    { "-device-int128", ALONE, OPTION_PLAIN },
    { "--device-int128", ALONE, OPTION_PLAIN },
    { "-restrict", ALONE, OPTION_PLAIN },
    { "--restrict", ALONE, OPTION_PLAIN },
    { "-extra-device-vectorization", ALONE, OPTION_PLAIN },
    { "--extra-device-vectorization", ALONE, OPTION_PLAIN },
    { "--extended-lambda", ALONE, OPTION_NVCC },
    { "-extended-lambda", ALONE, OPTION_NVCC },
    { "--expt-extended-lambda", ALONE, OPTION_NVCC },
    { "-expt-extended-lambda", ALONE, OPTION_NVCC },
    { "--expt-relaxed-constexpr", ALONE, OPTION_NVCC },
    { "-expt-relaxed-constexpr", ALONE, OPTION_NVCC },
    { "-w", ALONE, OPTION_PLAIN },
    { "--disable-warnings", ALONE, OPTION_PLAIN },
    { "-diag-suppress", VALUE, OPTION_PLAIN },
    { "--diag-suppress", VALUE, OPTION_PLAIN },
    { "-diag-error", VALUE, OPTION_PLAIN },
    { "--diag-error", VALUE, OPTION_PLAIN },
    { "-diag-warn", VALUE, OPTION_PLAIN },
    { "--diag-warn", VALUE, OPTION_PLAIN },
    { "-split-compile", VALUE, OPTION_PLAIN },
    { "--split-compile", VALUE, OPTION_PLAIN },
    { "-minimal", ALONE, OPTION_PLAIN },
    { "--minimal", ALONE, OPTION_PLAIN },
    { "-Xptxas", VALUE, OPTION_PLAIN },
    { "--ptxas-options", VALUE, OPTION_PLAIN },
    { "-dopt", VALUE, OPTION_PLAIN },
    { "--dopt", VALUE, OPTION_PLAIN },
    { "-ffast-math", ALONE, OPTION_FAST_MATH },
    { "-ffp-contract", EQUALS, OPTION_PLAIN },
    { "-Wall", ALONE, OPTION_NVCC },
    { "-Wextra", ALONE, OPTION_NVCC },
    { "-O0", ALONE, OPTION_HOST },
    { "-O1", ALONE, OPTION_HOST },
    { "-O2", ALONE, OPTION_HOST },
    { "-O3", ALONE, OPTION_HOST },
    { "-g", ALONE, OPTION_HOST },
    { "-m64", ALONE, OPTION_HOST },
    { "-Xcompiler", VALUE, OPTION_HOST },
    { "--compiler-options", VALUE, OPTION_HOST },
    { "-arch", VALUE, OPTION_TARGET },
    { "--gpu-architecture", VALUE, OPTION_TARGET },
    { "-rdc", EQUALS, OPTION_RELOCATABLE },
    { "--relocatable-device-code", EQUALS, OPTION_RELOCATABLE },
    { "-dc", ALONE, OPTION_RELOCATABLE },
    { "--device-c", ALONE, OPTION_RELOCATABLE },
    { "-dlto", ALONE, OPTION_LTO },
    { "--dlink-time-opt", ALONE, OPTION_LTO },
    { "-o", APART | JOINED, OPTION_REFUSED },
    { "--output-file", VALUE, OPTION_REFUSED },
    { "-c", ALONE, OPTION_REFUSED },
    { "-E", ALONE, OPTION_REFUSED },
    { "-S", ALONE, OPTION_REFUSED },
    { "-M", JOINED, OPTION_REFUSED },
    { "-ptx", ALONE, OPTION_REFUSED },
    { "--ptx", ALONE, OPTION_REFUSED },
    { "-cubin", ALONE, OPTION_REFUSED },
    { "--cubin", ALONE, OPTION_REFUSED },
    { "-fatbin", ALONE, OPTION_REFUSED },
    { "--fatbin", ALONE, OPTION_REFUSED },
    { "-gencode", VALUE, OPTION_REFUSED },
    { "--generate-code", VALUE, OPTION_REFUSED },
    { "-code", VALUE, OPTION_REFUSED },
    { "--gpu-code", VALUE, OPTION_REFUSED },
    { "-optf", VALUE, OPTION_REFUSED },
    { "--options-file", VALUE, OPTION_REFUSED },
    { "-keep", ALONE, OPTION_REFUSED },
    { "--keep", ALONE, OPTION_REFUSED },
    { "-time", VALUE, OPTION_REFUSED },
    { "--time", VALUE, OPTION_REFUSED },
    { "-pch", ALONE, OPTION_REFUSED },
    { "--pch", ALONE, OPTION_REFUSED },
    { "--create-pch", VALUE, OPTION_REFUSED },
    { "--use-pch", VALUE, OPTION_REFUSED },
    { "--pch-dir", VALUE, OPTION_REFUSED },
    { "-optix-ir", ALONE, OPTION_REFUSED },
    { "--optix-ir", ALONE, OPTION_REFUSED },
};

/* The spelling that fits the longest, as -include begins like -I does not, but -isystem like -i... would. */
static const struct spelling *find(const char *word)
{
    const struct spelling *best = NULL;
    size_t best_size = 0;

    for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++) {
        const struct spelling *s = &spellings[i];
        size_t n = strlen(s->word);
        bool fits = !strncmp(word, s->word, n) && (!word[n] || (word[n] == '=' && (s->how & EQUALS)) || (s->how & JOINED));
        if (fits && n > best_size) {
            best = s;
            best_size = n;
        }
    }
    return best;
}

static enum compile_error take(const char *const *words, size_t n, size_t *i, struct option *o, struct text *why)
{
    const struct spelling *s = find(words[*i]);
    const char *rest;

    *o = (struct option){ s ? s->kind : OPTION_UNKNOWN, words[*i], NULL, false };
    if (!s)
        return COMPILE_OK;
    rest = words[*i] + strlen(s->word);
    if (*rest == '=' && (s->how & EQUALS)) {
        o->value = rest + 1;
    } else if (*rest) {
        o->value = rest;
    } else if (s->how & APART) {
        if (*i + 1 == n) {
            gpudl__text_add(why, "the option %s wants a value, and is the last one", words[*i]);
            return COMPILE_OPTION;
        }
        o->value = words[++*i];
        o->apart = true;
    }
    return COMPILE_OK;
}

static enum compile_error refuse(const struct option *o, struct text *why)
{
    gpudl__text_add(why,
        "the option %s is not taken: what is made, and where files go, is said by members of gpudl_compile_options "
        "(target, format, flags)",
        o->word);
    return COMPILE_OPTION;
}

static void note(const struct option *o, struct options *out)
{
    switch (o->kind) {
    case OPTION_RELOCATABLE:
        out->relocatable = !o->value || !strcmp(o->value, "true");
        break;
    case OPTION_LTO:
        out->lto = true;
        break;
    case OPTION_UNKNOWN:
        out->opaque = true;
        break;
    default:
        break;
    }
}

enum compile_error gpudl__options_parse(const char *const *words, size_t n, struct options *out, struct text *why)
{
    enum compile_error error = COMPILE_OK;

    *out = (struct options){ .list = gpudl__alloc_zero((n + 1) * sizeof(*out->list)) };
    if (!out->list)
        return COMPILE_NO_MEMORY;
    for (size_t i = 0; i < n && !error; i++) {
        struct option *o = &out->list[out->n];

        if (!words[i] || !*words[i])
            continue;
        error = take(words, n, &i, o, why);
        if (!error && o->kind == OPTION_REFUSED)
            error = refuse(o, why);
        if (!error)
            note(o, out);
        out->n += !error;
    }
    if (error)
        gpudl__options_free(out);
    return error;
}

void gpudl__options_free(struct options *o)
{
    gpudl__free(o->list);
    *o = (struct options){ .list = NULL };
}

const char *gpudl__compile_arch_of(const char *const *words, size_t n)
{
    const char *arch = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct spelling *s = words[i] ? find(words[i]) : NULL;
        struct option o;
        struct text none = { NULL, 0, 0, false };

        if (!s || take(words, n, &i, &o, &none) != COMPILE_OK)
            continue;
        if (o.kind == OPTION_TARGET)
            arch = o.value;
    }
    return arch;
}
