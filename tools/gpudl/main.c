/* main.c - finds the subcommand, and says what there is. */
#include "tools/gpudl/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct command *const commands[] = { &command_run, &command_compile, &command_link, &command_inspect, &command_check,
    &command_extract, &command_trace, &command_cache, &command_device, &command_doctor, &command_explain, &command_keygen,
    &command_sign, &command_verify, &command_manifest, &command_completion, &command_help, NULL };

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    return NULL;
}

static void complain(const struct command *command, const char *format, va_list list)
{
    fprintf(stderr, command ? "gpudl %s: " : "gpudl: ", command ? command->name : "");
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
}

int command_failed(const struct command *command, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    complain(command, format, list);
    va_end(list);
    return STATUS_FAILED;
}

int command_misused(const struct command *command, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    complain(command, format, list);
    va_end(list);
    fprintf(stderr, "'gpudl %s%s--help' says how it is used.\n", command ? command->name : "", command ? " " : "");
    return STATUS_USAGE;
}

int command_library_failed(const struct command *command)
{
    return command_failed(command, "%s", gpudl_error_text());
}

int command_driver_failed(const struct command *command, const gpudl_driver_table *driver, const char *tried, int code)
{
    const gpudl_explanation *e = gpudl_explain(GPUDL_CODE_CUDA, code);
    const char *name = NULL, *text = NULL;

    driver->GetErrorName(code, &name);
    driver->GetErrorString(code, &text);
    return command_failed(command, "%s: %s (%d): %s%s%s", tried, name ? name : "driver error", code, text ? text : "unknown",
        e && e->remedy ? ". " : "", e && e->remedy ? e->remedy : "");
}

static int print_version(void)
{
    printf("gpudl %d.%d.%d\n", GPUDL_VERSION_MAJOR, GPUDL_VERSION_MINOR, GPUDL_VERSION_PATCH);
    return STATUS_OK;
}

static int dispatch(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2)
        return command_misused(NULL, "no command given");
    if (!strcmp(argv[1], "--version"))
        return print_version();
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return command_help.run(1, (char *[]){ argv[1], NULL });
    command = command_find(argv[1]);
    if (!command)
        return command_misused(NULL, "no command '%s'", argv[1]);
    for (int i = 2; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            command_print_help(command);
            return STATUS_OK;
        }
    }
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int status = dispatch(argc, argv);

    if (fflush(stdout) || ferror(stdout)) {
        perror("gpudl: standard output");
        return STATUS_FAILED;
    }
    return status;
}
