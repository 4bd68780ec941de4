/* help.c - gpudl help: everything is printed from the table of commands. */
#include "tools/gpudl/command.h"

#include <stdio.h>

void command_print_help(const struct command *command)
{
    printf("usage: gpudl %s%s%s\n\n%s\n", command->name, *command->arguments ? " " : "", command->arguments, command->summary);
    if (command->options)
        printf("\n");
    for (const struct command_option *o = command->options; o && o->name; o++) {
        int width = printf("  %s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        printf("%*s%s\n", width < 24 ? 24 - width : 2, "", o->text);
    }
    if (command->notes)
        printf("\n%s", command->notes);
}

static int print_all(void)
{
    printf("usage: gpudl COMMAND ...\n       gpudl --version\n\n");
    printf("Loads CUDA code at run time, on an NVIDIA GPU or on the CPU.\n\n");
    for (size_t i = 0; commands[i]; i++)
        printf("  %-12s%s\n", commands[i]->name, commands[i]->summary);
    printf("\n'gpudl COMMAND --help' says more of one of them.\n");
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2)
        return print_all();
    if (argc > 2)
        return command_misused(&command_help, "one command at most");
    command = command_find(argv[1]);
    if (!command)
        return command_misused(&command_help, "no command '%s'", argv[1]);
    command_print_help(command);
    return STATUS_OK;
}

const struct command command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "say what the commands are, or how one is used",
    .run = run,
};
