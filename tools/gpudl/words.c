/* words.c - see words.h. */
#include "tools/gpudl/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command_option *find_option(const struct command *command, const char *name, size_t length)
{
    for (const struct command_option *o = command->options; o && o->name; o++)
        if (strlen(o->name) == length && !memcmp(o->name, name, length))
            return o;
    return NULL;
}

/* -Idir: as compilers take it. */
static bool is_joined(const char *word)
{
    return isupper((unsigned char)word[1]) && word[2];
}

const struct command_option *words_option(const struct command *command, const char *word, const char **value)
{
    const struct command_option *option = is_joined(word) ? find_option(command, word, 2) : NULL;
    const char *equals = strchr(word, '=');

    *value = NULL;
    if (option && option->value) {
        *value = word + 2;
        return option;
    }
    option = find_option(command, word, equals ? (size_t)(equals - word) : strlen(word));
    *value = equals ? equals + 1 : NULL;
    return option;
}

/* Moves *i to the last word that was used. */
static int take_option(const struct command *command, char **argv, int *i, word_taker *take, void *user)
{
    const char *word = argv[*i], *value;
    const struct command_option *option = words_option(command, word, &value);

    if (!option)
        return command_misused(command, "no option '%s'", word);
    if (!option->value && value)
        return command_misused(command, "%s takes no value", option->name);
    if (!option->value)
        return take(user, option->name, NULL);
    if (!value)
        value = argv[++*i];
    if (!value)
        return command_misused(command, "%s wants %s", option->name, option->value);
    return take(user, option->name, value);
}

int words_take(const struct command *command, int argc, char **argv, word_taker *take, void *user)
{
    bool only_words = false;
    int status = STATUS_OK;

    for (int i = 1; i < argc && status == STATUS_OK; i++) {
        if (!only_words && !strcmp(argv[i], "--"))
            only_words = true;
        else if (!only_words && argv[i][0] == '-' && argv[i][1])
            status = take_option(command, argv, &i, take, user);
        else
            status = take(user, NULL, argv[i]);
    }
    return status;
}

bool words_number(const char *text, unsigned long long max, unsigned long long *out)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return !errno && !*end && *out <= max;
}

void words_print(const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s < 0x20 || *s >= 0x7f)
            printf("\\x%02x", *s);
        else
            putchar_unlocked(*s);
    }
}
