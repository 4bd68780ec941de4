/* Messages. Library code never prints but here, and only where the caller gave no callback. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/loader/loader.h"
#include "src/loader/source/trust.h"

void gpudl__log_to_stderr(void *user, gpudl_log_level level, const char *text)
{
    const char *quiet = gpudl__trust_locked() ? NULL : secure_getenv("GPUDL_QUIET");

    (void)user;
    if (level > GPUDL_LOG_WARNING || (level == GPUDL_LOG_WARNING && quiet && strcmp(quiet, "1") == 0))
        return;
    fprintf(stderr, "gpudl: %s: %s\n", level == GPUDL_LOG_ERROR ? "error" : "warning", text);
}

void gpudl__log(gpudl_loader *l, gpudl_log_level level, const char *format, ...)
{
    char text[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    l->log(l->log_user, level, text);
}
