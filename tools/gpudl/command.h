/* command.h - the table of subcommands, and what they share: how they complain, and how they end.
 *
 * Results go to stdout, everything else to stderr. A command returns the exit status of the process. */
#ifndef GPUDL_TOOL_COMMAND_H
#define GPUDL_TOOL_COMMAND_H

#include <gpudl/gpudl.h>

enum { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_UNREADABLE = 2 };

struct command_option {
    const char *name;       /* "--grid" */
    const char *value;      /* "X[,Y[,Z]]", or NULL: the option stands alone */
    const char *text;
};

struct command {
    const char *name;
    const char *arguments;  /* the usage line after the name */
    const char *summary;
    const struct command_option *options;   /* ends with a NULL name; may be NULL */
    const char *notes;      /* printed below the options; may be NULL */
    int (*run)(int argc, char **argv);      /* argv[0] is the command's name */
};

extern const struct command command_run, command_compile, command_link, command_inspect, command_check, command_extract,
    command_cache, command_device, command_doctor, command_explain, command_keygen, command_sign, command_verify,
    command_manifest, command_trace, command_completion, command_help;

/* The table; ends with NULL. */
extern const struct command *const commands[];
const struct command *command_find(const char *name);   /* NULL: there is none */
void command_print_help(const struct command *);        /* on stdout */

/* Each prints "gpudl NAME: text" on stderr, and returns STATUS_FAILED or STATUS_USAGE. */
__attribute__((format(printf, 2, 3))) int command_failed(const struct command *, const char *format, ...);
__attribute__((format(printf, 2, 3))) int command_misused(const struct command *, const char *format, ...);
/* What the library said of its last failure: STATUS_FAILED. */
int command_library_failed(const struct command *);
/* What the driver calls its code, after what was tried: STATUS_FAILED. */
int command_driver_failed(const struct command *, const gpudl_driver_table *, const char *tried, int code);

#endif
