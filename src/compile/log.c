/* log.c - what compilers say, as far as a program is to act on it. */
#include "src/compile/internal.h"

static bool says(const char *log, const char *const *phrases)
{
    for (; *phrases; phrases++)
        if (strstr(log, *phrases))
            return true;
    return false;
}

enum compile_error gpudl__log_judge(const char *log)
{
    static const char *const target[] = { "gpu-architecture", "nsupported gpu architecture", "nsupported CUDA gpu architecture",
        "nknown target CPU", NULL };
    static const char *const option[] = { "unrecognized option", "Unknown option", "unknown argument", "unrecognized command",
        "nvcc fatal", "invalid value", "unsupported option", NULL };
    static const char *const header[] = { "open source file", "file not found", "No such file or directory", NULL };

    return says(log, target) ? COMPILE_TARGET
        : says(log, header)  ? COMPILE_HEADER
        : says(log, option)  ? COMPILE_OPTION
                             : COMPILE_SOURCE;
}

static bool copy_between(const char *at, char close, char *out, size_t size)
{
    size_t n = 0;

    while (at[n] && at[n] != close && at[n] != '\n')
        n++;
    if (at[n] != close || !n || n >= size)
        return false;
    memcpy(out, at, n);
    out[n] = '\0';
    return true;
}

/* "DIR/FILE(3): ..." or "DIR/FILE:3:10: ...": DIR/FILE of the line that holds at. */
static void copy_place(const char *log, const char *at, char *out, size_t size)
{
    const char *line = at;
    size_t n = 0;

    while (line > log && line[-1] != '\n')
        line--;
    n = strcspn(line, "(:\n");
    out[0] = '\0';
    if (n >= size || line + n >= at)
        return;
    memcpy(out, line, n);
    out[n] = '\0';
}

bool gpudl__log_header(const char *log, char *header, size_t size, char *from, size_t from_size)
{
    static const struct {
        const char *before;
        char close;
    } forms[] = { { "open source file \"", '"' }, { "fatal error: '", '\'' }, { "fatal error: ", ':' } };

    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        const char *at = strstr(log, forms[i].before);
        if (!at || !copy_between(at + strlen(forms[i].before), forms[i].close, header, size))
            continue;
        copy_place(log, at, from, from_size);
        return true;
    }
    return false;
}

void gpudl__log_trim(struct strings *log)
{
    while (log->used && (unsigned char)log->data[log->used - 1] <= ' ')
        log->used--;
    gpudl__strings_append(log, "", 1);
}
