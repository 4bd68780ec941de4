/* words.h - the words of a command line, taken one after the other by the command's table of options. */
#ifndef GPUDL_TOOL_WORDS_H
#define GPUDL_TOOL_WORDS_H

#include <stdbool.h>

#include "tools/gpudl/command.h"

/* name: of an option, with its value or NULL where it has none; or NULL: value is a word that is no option. Returns STATUS_OK, or
 * what command_misused() returned. */
typedef int word_taker(void *user, const char *name, const char *value);
/* Options may stand anywhere, up to a word "--"; "--name value" or "--name=value". */
int words_take(const struct command *, int argc, char **argv, word_taker *take, void *user);

/* The option that a word names, and the value that is in the same word; NULL: none of this command's. */
const struct command_option *words_option(const struct command *, const char *word, const char **value);
bool words_number(const char *text, unsigned long long max, unsigned long long *out);   /* decimal digits, all of the text */
void words_print(const char *text);     /* on stdout, of others: what is not printable as \xNN */

#endif
