/* spell.c - the caller's options as each compiler spells them. */
#include "src/compile/internal.h"

#define AS_GIVEN "="

/* Words with blanks between them; % is the value. NULL: this compiler is not told. What decides about machine code and where it goes is told by
 * each compiler's own file, and mathematics to clang by gpudl__spell_maths(). */
static const char *const spelled[][COMPILER_KINDS] = {
    /*                       NVRTC                   nvcc               clang */
    [OPTION_PLAIN]       = { AS_GIVEN,               AS_GIVEN,          AS_GIVEN },
    [OPTION_UNKNOWN]     = { AS_GIVEN,               AS_GIVEN,          AS_GIVEN },
    [OPTION_INCLUDE]     = { "--include-path=%",     AS_GIVEN,          "-I%" },
    [OPTION_SYSTEM]      = { "--include-path=%",     AS_GIVEN,          "-isystem%" },
    [OPTION_PREINCLUDE]  = { "--pre-include=%",      "--pre-include=%", "-include %" },
    [OPTION_DEFINE]      = { "--define-macro=%",     AS_GIVEN,          "-D%" },
    [OPTION_UNDEFINE]    = { "--undefine-macro=%",   AS_GIVEN,          "-U%" },
    [OPTION_STD]         = { "--std=%",              "--std=%",         "-std=%" },
    [OPTION_HOST]        = { NULL,                   AS_GIVEN,          NULL },
    [OPTION_NVCC]        = { NULL,                   AS_GIVEN,          NULL },
    [OPTION_FAST_MATH]   = { "--use_fast_math",      "--use_fast_math", NULL },
    [OPTION_FMAD]        = { "--fmad=%",             "--fmad=%",        NULL },
    [OPTION_FTZ]         = { "--ftz=%",              "--ftz=%",         NULL },
    [OPTION_PREC_DIV]    = { "--prec-div=%",         "--prec-div=%",    NULL },
    [OPTION_PREC_SQRT]   = { "--prec-sqrt=%",        "--prec-sqrt=%",   NULL },
    [OPTION_DEBUG]       = { AS_GIVEN,               AS_GIVEN,          "-g -O0" },
    [OPTION_LINES]       = { AS_GIVEN,               AS_GIVEN,          "-gline-tables-only" },
    [OPTION_TARGET]      = { NULL,                   NULL,              NULL },
    [OPTION_RELOCATABLE] = { NULL,                   NULL,              NULL },
    [OPTION_LTO]         = { NULL,                   NULL,              NULL },
    [OPTION_REFUSED]     = { NULL,                   NULL,              NULL },
};

/* One word, of n characters. */
static void add_word(const char *word, size_t n, const char *value, struct strings *out)
{
    const char *mark = memchr(word, '%', n);

    if (mark)
        gpudl__strings_addf(out, "%.*s%s", (int)(mark - word), word, value ? value : "");
    else
        gpudl__strings_addf(out, "%.*s", (int)n, word);
}

void gpudl__spell(const struct option *o, enum compiler_kind kind, struct strings *out)
{
    const char *words = spelled[o->kind][kind];

    if (words && !strcmp(words, AS_GIVEN)) {
        gpudl__strings_add(out, o->word);
        if (o->apart)
            gpudl__strings_add(out, o->value);
        return;
    }
    while (words && *words) {
        size_t n = strcspn(words, " ");

        add_word(words, n, o->value, out);
        words += n + (words[n] == ' ');
    }
}

/* The last that says so; else what it is without. */
static bool is_on(const struct options *options, enum option_kind kind, bool otherwise)
{
    for (size_t i = 0; i < options->n; i++)
        if (options->list[i].kind == kind)
            otherwise = !options->list[i].value || strcmp(options->list[i].value, "false") != 0;
    return otherwise;
}

/* -ffast-math would permit more than --use_fast_math, and plain -ffp-contract=fast fuses what the device header forbids. LLVM takes each of its
 * options once, so what the caller's come to together is told. */
void gpudl__spell_maths(const struct options *options, struct strings *out)
{
    bool fast = is_on(options, OPTION_FAST_MATH, false);

    gpudl__strings_addf(out, "-ffp-contract=%s", is_on(options, OPTION_FMAD, true) ? "fast-honor-pragmas" : "off");
    if (is_on(options, OPTION_FTZ, fast)) {
        gpudl__strings_add(out, "-fgpu-flush-denormals-to-zero");
        gpudl__strings_add(out, "-DGPUDL_FTZ");
    }
    if (!is_on(options, OPTION_PREC_DIV, !fast)) {
        gpudl__strings_add(out, "-mllvm");
        gpudl__strings_addf(out, "-nvptx-prec-divf32=%d", fast ? 0 : 1);
    }
    if (!is_on(options, OPTION_PREC_SQRT, !fast))
        gpudl__strings_add(out, "-DGPUDL_SQRT_APPROX");
    if (fast)
        gpudl__strings_add(out, "-fgpu-approx-transcendentals");
}
