/* Where gpudl-trial is looked for. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/loader/error.h"
#include "src/loader/life/trial.h"
#include "src/loader/source/trust.h"
#include "src/util/text.h"

#define PROGRAM "gpudl-trial"

struct search {
    char *path;                 /* the one that was found, or looked for last */
    size_t size;
    char text[2048];
    struct text looked;
};

/* FOLDER[0 to length) + below + PROGRAM: is it one that can be run? */
static bool is_in(struct search *s, const char *folder, size_t length, const char *below)
{
    int n = snprintf(s->path, s->size, "%.*s%s" PROGRAM, (int)length, folder, below);

    if (length > INT_MAX || n < 0 || (size_t)n >= s->size)
        return false;
    gpudl__text_add(&s->looked, "%s%s", s->looked.used ? ", " : "", s->path);
    return access(s->path, X_OK) == 0;
}

/* Beside a file, or in the bin beside its folder; lib may have a folder a platform in it. */
static bool is_near(struct search *s, const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    size_t length = slash ? (size_t)(slash - file) : 0;

    return slash && (is_in(s, file, length, "/") || is_in(s, file, length, "/../bin/") || is_in(s, file, length, "/../../bin/"));
}

static bool is_near_library(struct search *s)
{
    static const char here;
    Dl_info self;

    return dladdr(&here, &self) && is_near(s, self.dli_fname);
}

static bool is_near_program(struct search *s)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

    program[n > 0 ? n : 0] = '\0';
    return is_near(s, program);
}

/* Under a locked policy the environment has no say. */
static const char *environment(const char *name)
{
    return gpudl__trust_locked() ? NULL : secure_getenv(name);
}

/* An empty part of PATH is the current folder to a shell; here it is none. */
static bool is_in_path(struct search *s)
{
    const char *part = environment("PATH");
    size_t length;

    for (; part && *part; part += length + (part[length] == ':')) {
        length = strcspn(part, ":");
        if (length && is_in(s, part, length, "/"))
            return true;
    }
    return false;
}

static gpudl_status take_named(const char *named, char *path, size_t size)
{
    int n = snprintf(path, size, "%s", named);

    if (n >= 0 && (size_t)n < size && access(path, X_OK) == 0)
        return GPUDL_OK;
    return gpudl__fail(GPUDL_ERROR_FILE_MISSING,
        "trial launches need " PROGRAM ": GPUDL_TRIAL is '%s', and no program is there that can be run", named);
}

gpudl_status gpudl__trial_find(char *path, size_t size)
{
    const char *named = environment("GPUDL_TRIAL");
    struct search s = { .path = path, .size = size };

    if (named && *named)
        return take_named(named, path, size);
    s.looked = gpudl__text_init(s.text, sizeof(s.text));
    if (is_near_library(&s) || is_near_program(&s) || is_in_path(&s))
        return GPUDL_OK;
    return gpudl__fail(GPUDL_ERROR_FILE_MISSING,
        "trial launches need " PROGRAM ", which comes with gpudl: install it, or set GPUDL_TRIAL to its path; looked for: %s",
        s.text);
}
