/* output.c - see output.h. */
#include "tools/gpudl/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_regular(FILE *file)
{
    struct stat st;

    return fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode);
}

int output_write(const struct command *command, const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wbe");
    bool good, regular;
    int error;

    if (!file)
        return command_failed(command, "%s: %s", path, strerror(errno));
    regular = is_regular(file);
    good = fwrite(bytes, 1, size, file) == size;
    error = errno;
    if (fclose(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good)
        return STATUS_OK;
    if (regular)
        unlink(path);
    return command_failed(command, "%s: %s", path, strerror(error));
}
