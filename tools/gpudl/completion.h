/* completion.h - what may follow in a command line, found out of the table of commands, for each shell to be written in its own words. */
#ifndef GPUDL_TOOL_COMPLETION_H
#define GPUDL_TOOL_COMPLETION_H

#include <stdbool.h>

#include "tools/gpudl/command.h"

enum completion_kind { COMPLETION_NONE, COMPLETION_FILE, COMPLETION_FOLDER, COMPLETION_PROGRAM, COMPLETION_WORDS };

struct completion {
    enum completion_kind kind;
    char words[512]; /* WORDS: with a blank between each two; files may be taken as well where `files` */
    bool files;
};

void completion_of_option(const struct command *, const struct command_option *, struct completion *out);
void completion_of_arguments(const struct command *, struct completion *out);

/* Each writes a shell's script to stdout. */
void completion_bash(void);
void completion_zsh(void);
void completion_fish(void);

#endif
