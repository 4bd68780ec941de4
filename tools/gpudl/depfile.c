/* depfile.c - see depfile.h. */
#include "tools/gpudl/depfile.h"
#include "tools/gpudl/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_path(FILE *out, const char *path)
{
    for (; *path; path++) {
        if (*path == ' ' || *path == '#')
            putc_unlocked('\\', out);
        else if (*path == '$')
            putc_unlocked('$', out);
        putc_unlocked(*path, out);
    }
}

int depfile_write(const struct command *command, const char *path, const char *target, const char *const *files, size_t nfiles)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int status;

    if (!out)
        return command_failed(command, "%s: %s", path, strerror(errno));
    write_path(out, target);
    putc_unlocked(':', out);
    for (size_t i = 0; i < nfiles; i++) {
        fputs(" \\\n  ", out);
        write_path(out, files[i]);
    }
    putc_unlocked('\n', out);
    if (fclose(out) == 0)
        status = output_write(command, path, text, size);
    else
        status = command_failed(command, "%s: %s", path, strerror(errno));
    free(text);
    return status;
}
