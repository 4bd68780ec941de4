/* shells.c - the completions of completion.h in the words of bash, zsh and fish.
 *
 * What the scripts do at run time is least: cases over the command and the word before, each with what may stand there. */
#include "tools/gpudl/completion.h"

#include <stdio.h>
#include <string.h>

/* text for between single quotes; each character of `escaped` gets a backslash before it */
static void print_quoted(const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (*text == '\'')
            printf("'\\''");
        else
            printf("%s%c", strchr(escaped, *text) ? "\\" : "", *text);
    }
}

/* --------------------------------------------------------------------------------------------------------------------- bash */

static const char *bash_reply(const struct completion *c)
{
    static char text[640];
    static const char *const by_kind[] = { [COMPLETION_NONE] = ":",
        [COMPLETION_FILE] = "_gpudl_reply -f",
        [COMPLETION_FOLDER] = "_gpudl_reply -d",
        [COMPLETION_PROGRAM] = "_gpudl_reply -c -f" };

    if (c->kind != COMPLETION_WORDS)
        return by_kind[c->kind];
    snprintf(text, sizeof(text), "_gpudl_reply %s-W '%s'", c->files ? "-f " : "", c->words);
    return text;
}

/* What may stand behind options with a value; those that take what only the user knows have one line together. */
static void bash_values(const struct command *command)
{
    const char *between = "        ";
    struct completion c;

    for (const struct command_option *o = command->options; o && o->name; o++) {
        completion_of_option(command, o, &c);
        if (o->value && c.kind == COMPLETION_NONE)
            printf("%s%s", between, o->name), between = "|";
    }
    if (*between == '|')
        printf(") return ;;\n");
    for (const struct command_option *o = command->options; o && o->name; o++) {
        completion_of_option(command, o, &c);
        if (c.kind != COMPLETION_NONE)
            printf("        %s) %s; return ;;\n", o->name, bash_reply(&c));
    }
}

static void bash_command(const struct command *command)
{
    struct completion c;

    printf("    %s)\n        case $before in\n", command->name);
    bash_values(command);
    printf("        esac\n        options='--help");
    for (const struct command_option *o = command->options; o && o->name; o++)
        printf(" %s", o->name);
    completion_of_arguments(command, &c);
    printf("'\n        [[ $word == -* ]] || { %s; return; }\n        ;;\n", bash_reply(&c));
}

void completion_bash(void)
{
    printf("# bash completion of gpudl; made by `gpudl completion bash`\n\n"
           "_gpudl_reply()\n{\n    local line\n    compopt -o filenames 2>/dev/null\n"
           "    while IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen \"$@\" -- \"$word\")\n}\n\n"
           "_gpudl()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=\n"
           "    COMPREPLY=()\n"
           "    # --name=value is three words to bash\n"
           "    if [[ $word == = ]]; then word=\n"
           "    elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    if ((COMP_CWORD == 1)); then\n        _gpudl_reply -W '--help --version");
    for (size_t i = 0; commands[i]; i++)
        printf(" %s", commands[i]->name);
    printf("'\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; commands[i]; i++)
        bash_command(commands[i]);
    printf("    *) return ;;\n    esac\n    _gpudl_reply -W \"$options\"\n}\n\ncomplete -F _gpudl gpudl\n");
}

/* ---------------------------------------------------------------------------------------------------------------------- zsh */

static void zsh_action(const struct completion *c)
{
    static const char *const by_kind[] = { [COMPLETION_NONE] = " ",
        [COMPLETION_FILE] = "_files",
        [COMPLETION_FOLDER] = "_files -/",
        [COMPLETION_PROGRAM] = "_command_names -e" };

    if (c->kind != COMPLETION_WORDS)
        printf("%s", by_kind[c->kind]);
    else if (c->files)
        printf("_gpudl_words_or_files %s", c->words);
    else
        printf("(%s)", c->words);
}

static void zsh_option(const struct command *command, const struct command_option *o)
{
    struct completion c;

    printf("            '*%s%s[", o->name, !o->value ? "" : o->name[1] == '-' ? "=" : "+");
    print_quoted(o->text, "[]\\");
    printf("]");
    if (o->value) {
        completion_of_option(command, o, &c);
        printf(":");
        print_quoted(o->value, ":\\");
        printf(":");
        zsh_action(&c);
    }
    printf("' \\\n");
}

static void zsh_command(const struct command *command)
{
    struct completion c;

    printf("    %s)\n        _arguments \\\n            '(- *)--help[say how it is used]' \\\n", command->name);
    for (const struct command_option *o = command->options; o && o->name; o++)
        zsh_option(command, o);
    completion_of_arguments(command, &c);
    if (c.kind == COMPLETION_PROGRAM) {
        printf("            '(-):program:_command_names -e' \\\n            '*::argument:_normal'\n        ;;\n");
        return;
    }
    printf("            '*:argument:");
    zsh_action(&c);
    printf("'\n        ;;\n");
}

void completion_zsh(void)
{
    printf("#compdef gpudl\n# zsh completion of gpudl; made by `gpudl completion zsh`\n\n"
           "_gpudl_words_or_files()\n{\n    compadd -- \"$@\"\n    _files\n}\n\n"
           "_gpudl()\n{\n    local -a commands\n    if ((CURRENT == 2)); then\n        commands=(\n");
    for (size_t i = 0; commands[i]; i++) {
        printf("            '%s:", commands[i]->name);
        print_quoted(commands[i]->summary, "\\");
        printf("'\n");
    }
    printf("        )\n        _describe -t commands 'gpudl command' commands\n"
           "        compadd -- --help --version\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n");
    for (size_t i = 0; commands[i]; i++)
        zsh_command(commands[i]);
    printf("    esac\n}\n\n"
           "if [[ $funcstack[1] == _gpudl ]]; then\n    _gpudl \"$@\"\nelse\n    compdef _gpudl gpudl\nfi\n");
}

/* --------------------------------------------------------------------------------------------------------------------- fish */

static void fish_values(const struct completion *c)
{
    if (c->kind == COMPLETION_NONE || (c->kind == COMPLETION_WORDS && !c->files))
        printf(" -f");
    if (c->kind == COMPLETION_FILE || (c->kind == COMPLETION_WORDS && c->files))
        printf(" -F");
    if (c->kind == COMPLETION_FOLDER)
        printf(" -f -a '(__fish_complete_directories)'");
    if (c->kind == COMPLETION_PROGRAM)
        printf(" -F -a '(__fish_complete_subcommand)'");
    if (c->kind == COMPLETION_WORDS)
        printf(" -a '%s'", c->words);
}

static void fish_option(const struct command *command, const struct command_option *o)
{
    struct completion c;

    printf("complete -c gpudl -n '__gpudl_is %s' -%c %s -d '", command->name, o->name[1] == '-' ? 'l' : 's',
        o->name + (o->name[1] == '-' ? 2 : 1));
    print_quoted(o->text, "\\");
    printf("'");
    if (o->value) {
        completion_of_option(command, o, &c);
        printf(" -r");
        fish_values(&c);
    }
    printf("\n");
}

void completion_fish(void)
{
    struct completion c;

    printf(
        "# fish completion of gpudl; made by `gpudl completion fish`\n\n"
        "function __gpudl_is\n    set -l words (commandline -opc)\n"
        "    if test (count $words) -lt 2\n        test \"$argv[1]\" = none\n    else\n        test \"$words[2]\" = \"$argv[1]\"\n    end\nend\n\n"
        "complete -c gpudl -f\n"
        "complete -c gpudl -n '__gpudl_is none' -l help -d 'say what there is'\n"
        "complete -c gpudl -n '__gpudl_is none' -l version -d 'say which version this is'\n");
    for (size_t i = 0; commands[i]; i++) {
        printf("complete -c gpudl -n '__gpudl_is none' -a %s -d '", commands[i]->name);
        print_quoted(commands[i]->summary, "\\");
        printf("'\n");
    }
    for (size_t i = 0; commands[i]; i++) {
        printf("\ncomplete -c gpudl -n '__gpudl_is %s' -l help -d 'say how it is used'\n", commands[i]->name);
        for (const struct command_option *o = commands[i]->options; o && o->name; o++)
            fish_option(commands[i], o);
        completion_of_arguments(commands[i], &c);
        if (c.kind != COMPLETION_NONE) {
            printf("complete -c gpudl -n '__gpudl_is %s'", commands[i]->name);
            fish_values(&c);
            printf("\n");
        }
    }
}
