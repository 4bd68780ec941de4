/* names.c - softcuda/api/names.h against the toolkit's own headers, which are read as text: each type PFN_name_vNNNN is a form of the
 * table, and the other way round. Arguments: the headers; where the first is not there, there is nothing to compare. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softcuda/api/names.h"

/* thread: the type that a form for per-thread default streams has, whose version is its own where the plain form is older. */
struct form { const char *name, *thread; int since; bool no_symbol, seen, thread_seen; };
#define F(name, since, suffix)         { #name, NULL, since, false, false, false },
#define T(name, since, suffix, thread) { #name, #thread, since, false, false, false },
#define O(name, since)                 { #name, NULL, since, false, false, false },
#define N(name, since)                 { #name, NULL, since, true, false, false },
#define NOTHING(...)
static struct form forms[] = { SC_NAMES(F, T, NOTHING, O, N) };
#define NFORMS (sizeof(forms) / sizeof(forms[0]))

static bool is_thread_form(const struct form *f, int since, const char *thread)
{
    int expected = f->since < SC_PER_THREAD_SINCE ? SC_PER_THREAD_SINCE : f->since;

    return f->no_symbol || (f->thread && !strcmp(f->thread, thread) && expected == since);
}

/* The last of them: the per-thread forms of 7.0 are those of the newest form of that time. */
static struct form *find(const char *name, int since, const char *thread)
{
    struct form *found = NULL;

    for (size_t i = 0; i < NFORMS; i++)
        if (!strcmp(forms[i].name, name) && (*thread ? is_thread_form(&forms[i], since, thread) : forms[i].since == since))
            found = &forms[i];
    return found;
}

/* text: behind "*PFN_": cuMemcpy_v7000_ptds). Is it in the table? */
static bool read_type(const char *text)
{
    char name[80], thread[8] = "";
    const char *version = strstr(text, "_v");
    struct form *f;
    int since;

    while (version && (version[2] < '0' || version[2] > '9'))
        version = strstr(version + 1, "_v");
    if (!version || version - text >= (int)sizeof(name) || sscanf(version, "_v%d%7[a-z_]", &since, thread) < 1)
        return false;
    snprintf(name, sizeof(name), "%.*s", (int)(version - text), text);
    if (!(f = find(name, since, thread))) {
        printf("%s_v%d%s is not in names.h\n", name, since, thread);
        return false;
    }
    *(*thread ? &f->thread_seen : &f->seen) = true;
    return true;
}

static int read_header(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[4096], *at;
    int wrong = 0;

    if (!f) {
        perror(path);
        return 1;
    }
    while (fgets(line, sizeof(line), f))
        if (strstr(line, "typedef") && (at = strstr(line, "*PFN_")))
            wrong += !read_type(at + 5);
    fclose(f);
    return wrong;
}

int main(int argc, char **argv)
{
    int wrong = 0;

    if (argc < 2 || access(argv[1], R_OK))
        return 77;
    for (int i = 1; i < argc; i++)
        wrong += read_header(argv[i]);
    for (size_t i = 0; i < NFORMS; i++)
        if (strcmp(forms[i].name, "cuGetExportTable") && (!forms[i].seen || (forms[i].thread && !forms[i].thread_seen))) {
            printf("%s of %d%s is in no header\n", forms[i].name, forms[i].since, forms[i].seen ? ", per thread," : "");
            wrong++;
        }
    printf("%zu forms, %d wrong\n", NFORMS, wrong);
    return wrong != 0;
}
