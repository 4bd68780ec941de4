/* secret.h - the files of keys and signatures, and passwords. What fails is complained of for the command. */
#ifndef GPUDL_TOOL_SECRET_H
#define GPUDL_TOOL_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/gpudl/command.h"

enum { PASSWORD_SIZE = 1024 };

/* A text file as a string, for free(); NULL: it cannot be read, or has more than most bytes. */
char *secret_read_text(const struct command *, const char *path, size_t most);
/* Can others read it? Says so, and goes on. */
void secret_warn(const struct command *, const char *path);
/* The file appears whole or not at all; without replace never in the place of another. */
int secret_write(const struct command *, const char *path, const char *text, unsigned mode, bool replace);

/* A line from the terminal, not shown while it is typed; or from standard input, where that is no terminal. */
int secret_password(const struct command *, const char *prompt, char password[PASSWORD_SIZE]);
void secret_forget(void *secret, size_t size);

#endif
