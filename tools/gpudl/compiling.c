/* compiling.c - see compiling.h. */
#include "tools/gpudl/compiling.h"

#include <stdlib.h>
#include <string.h>

bool compiling_begin(struct compiling *c, size_t most)
{
    *c = (struct compiling){ .words = calloc(2 * most + 1, sizeof(*c->words)), .names = calloc(most + 1, sizeof(*c->names)) };
    return c->words && c->names;
}

void compiling_end(struct compiling *c)
{
    free(c->words);
    free(c->names);
    *c = (struct compiling){ .words = NULL };
}

bool compiling_take(struct compiling *c, const char *name, const char *value)
{
    if (!strcmp(name, "-I") || !strcmp(name, "-D") || !strcmp(name, "--std") || !strcmp(name, "--fmad")) {
        c->words[c->nwords++] = name;
        c->words[c->nwords++] = value;
    } else if (!strcmp(name, "--option")) {
        c->words[c->nwords++] = value;
    } else if (!strcmp(name, "--name")) {
        c->names[c->nnames++] = value;
    } else if (!strcmp(name, "--compiler")) {
        c->compiler = value;
    } else if (!strcmp(name, "--process")) {
        c->flags |= GPUDL_COMPILE_PROCESS;
    } else if (!strcmp(name, "--no-cache")) {
        c->flags |= GPUDL_COMPILE_NO_CACHE;
    } else {
        return false;
    }
    return true;
}

gpudl_compile_options compiling_options(const struct compiling *c, const char *target, gpudl_format format)
{
    gpudl_compile_options o = GPUDL_COMPILE_OPTIONS_INIT;

    o.options = c->words;
    o.noptions = c->nwords;
    o.names = c->names;
    o.nnames = c->nnames;
    o.compiler = c->compiler;
    o.flags = c->flags;
    o.target = target;
    o.format = format;
    return o;
}
