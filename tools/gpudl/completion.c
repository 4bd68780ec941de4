/* completion.c - gpudl completion: everything is made of the table of commands, so that it cannot be older than --help. */
#include "tools/gpudl/completion.h"
#include "tools/gpudl/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Values that are words, where the table has a name for them only. */
static const struct {
    const struct command *command; /* NULL: any */
    const char *option, *words;
    bool files;
} known_words[] = {
    { &command_compile, "--format", "cubin ptx fatbin ltoir source", false },
    { &command_link, "--format", "cubin ptx fatbin", false },
    { NULL, "--compiler", "nvrtc nvcc clang", true },
    { NULL, "--linker", "nvjitlink driver", true },
    { NULL, "--fmad", "true false", false },
};

/* Words in lower case, which are to be typed as they stand: "[gpudl|cuda] [CODE]" has two. Options end the list. */
static void collect_words(const char *text, struct completion *out)
{
    size_t used = 0;

    while (*text && !(text[0] == '-' && text[1] == '-') && used < sizeof(out->words) - 2) {
        if (!islower((unsigned char)*text)) {
            text++;
            continue;
        }
        if (used)
            out->words[used++] = ' ';
        while (islower((unsigned char)*text) && used < sizeof(out->words) - 2)
            out->words[used++] = *text++;
    }
    out->words[used] = '\0';
    if (used)
        out->kind = COMPLETION_WORDS;
}

static void collect_commands(struct completion *out)
{
    size_t used = 0;

    for (size_t i = 0; commands[i]; i++)
        used += (size_t)snprintf(out->words + used, sizeof(out->words) - used, "%s%s", i ? " " : "", commands[i]->name);
    out->kind = COMPLETION_WORDS;
}

void completion_of_option(const struct command *command, const struct command_option *option, struct completion *out)
{
    static const char *const files[] = { "OUT", "PUB", "KEY", "SIG", "DEPS" };

    *out = (struct completion){ .kind = COMPLETION_NONE };
    if (!option->value)
        return;
    if (!strcmp(option->value, "DIR") || !strcmp(option->value, "FOLDER"))
        out->kind = COMPLETION_FOLDER;
    if (!strncmp(option->value, "FILE", 4))
        out->kind = COMPLETION_FILE;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (!strcmp(option->value, files[i]))
            out->kind = COMPLETION_FILE;
    for (size_t i = 0; i < sizeof(known_words) / sizeof(*known_words); i++) {
        if ((!known_words[i].command || known_words[i].command == command) && !strcmp(option->name, known_words[i].option)) {
            out->kind = COMPLETION_WORDS;
            out->files = known_words[i].files;
            snprintf(out->words, sizeof(out->words), "%s", known_words[i].words);
        }
    }
}

void completion_of_arguments(const struct command *command, struct completion *out)
{
    *out = (struct completion){ .kind = COMPLETION_NONE };
    if (command == &command_help)
        collect_commands(out);
    else if (strstr(command->arguments, "PROGRAM"))
        out->kind = COMPLETION_PROGRAM;
    else if (!strncmp(command->arguments, "FILE", 4))
        out->kind = COMPLETION_FILE;
    else
        collect_words(command->arguments, out);
    out->files = strstr(command->arguments, "LIST") != NULL;
}

static const struct {
    const char *shell;
    void (*write)(void);
} shells[] = { { "bash", completion_bash }, { "zsh", completion_zsh }, { "fish", completion_fish } };

static int run(int argc, char **argv)
{
    if (argc != 2)
        return command_misused(&command_completion, "one shell is wanted: bash, zsh or fish");
    for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
        if (!strcmp(argv[1], shells[i].shell)) {
            shells[i].write();
            return STATUS_OK;
        }
    }
    return command_misused(&command_completion, "no shell '%s': bash, zsh or fish", argv[1]);
}

const struct command command_completion = {
    .name = "completion",
    .arguments = "bash | zsh | fish",
    .summary = "print what completes gpudl's command lines in a shell",
    .notes = "Installed with gpudl. Without an installation:\n"
             "  bash:  source <(gpudl completion bash)\n"
             "  zsh:   source <(gpudl completion zsh)       after compinit\n"
             "  fish:  gpudl completion fish | source\n",
    .run = run,
};
