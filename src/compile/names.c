/* names.c - name expressions where the compiler has no call for them. The source gets a variable for each that points to what it names, which
 * instantiates it; the PTX says what the pointer is; then that variable is taken out again. */
#include <ctype.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

#define VARIABLE "gpudl__name_"
#define CALLED   "name expression "

/* Marks in the source which expression a message is about. */
static void add_escaped(struct strings *source, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            gpudl__strings_append(source, "\\", 1);
        gpudl__strings_append(source, *text == '\n' ? " " : text, 1);
    }
}

void gpudl__names_request(const struct compile_job *job, struct strings *source)
{
    for (size_t i = 0; i < job->nnames; i++) {
        static const char line[] = "\n#line 1 \"" CALLED, end[] = "\"\n";

        gpudl__strings_append(source, line, sizeof(line) - 1);
        add_escaped(source, job->names[i]);
        gpudl__strings_append(source, end, sizeof(end) - 1);
        gpudl__strings_addf(source,
            "extern \"C\" __device__ __attribute__((used)) const void *" VARIABLE "%zu = (const void *)(%s);\n", i,
            job->names[i]);
        source->used--; /* the NUL */
    }
}

/* As add_escaped() writes it. */
static bool is_same(const char *word, const char *text)
{
    while (*word && (*word == *text || (*word == ' ' && *text == '\n'))) {
        word++;
        text++;
    }
    return !*word && !*text;
}

bool gpudl__names_called(const struct compile_job *job, const char *word)
{
    bool called = false;

    for (size_t i = 0; i < job->nnames && !strncmp(word, CALLED, sizeof(CALLED) - 1); i++)
        called = called || is_same(word + sizeof(CALLED) - 1, job->names[i]);
    return called;
}

/* The line that defines a variable, from its first character to behind its newline. */
static bool find_line(const char *ptx, const char *variable, const char **begin, const char **end)
{
    size_t n = strlen(variable);

    for (const char *at = ptx; (at = strstr(at, variable)); at += n) {
        const char *line = at;
        if (at[n] != ' ' && at[n] != '=')
            continue;
        while (line > ptx && line[-1] != '\n')
            line--;
        *end = strchr(at, '\n');
        if (*line != '.' || !*end || !memchr(at, '=', (size_t)(*end - at)))
            continue;
        *begin = line;
        ++*end;
        return true;
    }
    return false;
}

/* "NAME;" or "generic(NAME);" behind the equals sign. */
static bool take_target(const char *at, const char *end, struct strings *lowered)
{
    static const char generic[] = "generic(";
    size_t n = 0;

    at = memchr(at, '=', (size_t)(end - at));
    if (!at)
        return false;
    for (at++; isspace((unsigned char)*at); at++)
        ;
    if (!strncmp(at, generic, sizeof(generic) - 1))
        at += sizeof(generic) - 1;
    while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '$')
        n++;
    gpudl__strings_append(lowered, at, n);
    gpudl__strings_append(lowered, "", 1);
    lowered->count++;
    return n > 0;
}

static enum compile_error lower_each(const struct compile_job *job, struct span *text, struct strings *lowered, struct text *why)
{
    char *ptx = (char *)(uintptr_t)text->data;

    for (size_t i = 0; i < job->nnames; i++) {
        const char *begin, *end;
        char variable[40];
        struct text name = gpudl__text_init(variable, sizeof(variable));

        gpudl__text_add(&name, VARIABLE "%zu", i);
        gpudl__strings_add(lowered, job->names[i]);
        if (!find_line(ptx, variable, &begin, &end) || !take_target(begin, end, lowered)) {
            gpudl__text_add(why,
                "the compiler made nothing of the name expression '%s': is it declared in the source, and a template's with its arguments?",
                job->names[i]);
            return COMPILE_SOURCE;
        }
        memmove(ptx + (begin - ptx), end, text->size + 1 - (size_t)(end - ptx));
        text->size -= (size_t)(end - begin);
    }
    return lowered->failed ? COMPILE_NO_MEMORY : COMPILE_OK;
}

enum compile_error gpudl__names_lower(const struct compile_job *job, struct span *ptx, struct span *out, struct text *why)
{
    struct strings lowered = { .data = NULL };
    enum compile_error error = lower_each(job, ptx, &lowered, why);

    if (error) {
        gpudl__strings_free(&lowered);
        return error;
    }
    *out = (struct span){ (const unsigned char *)lowered.data, lowered.used };
    return COMPILE_OK;
}

const char *gpudl__compile_lowered(struct span lowered, const char *expression)
{
    const char *at = (const char *)lowered.data, *end = at ? at + lowered.size : NULL;

    while (at < end) {
        const char *name = at + strlen(at) + 1;
        if (!strcmp(at, expression))
            return name;
        at = name + strlen(name) + 1;
    }
    return NULL;
}
