/* keygen.c - gpudl keygen: a new key pair, in two files. */
#include "tools/gpudl/secret.h"
#include "tools/gpudl/words.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command_option options[] = {
    { "-p", "PUB", "the file for the public key, which may be known to all" },
    { "-s", "KEY", "the file for the secret key, which only you can read" },
    { "--no-password", NULL, "who reads KEY can sign; else a password is asked for" },
    { "--force", NULL, "replace files that are there" },
    { NULL, NULL, NULL },
};

struct plan {
    const char *public, *secret;
    bool no_password, force;
};

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    if (!name)
        return command_misused(&command_keygen, "'%s' is no option", value);
    if (!strcmp(name, "-p"))
        plan->public = value;
    else if (!strcmp(name, "-s"))
        plan->secret = value;
    else if (!strcmp(name, "--force"))
        plan->force = true;
    else
        plan->no_password = true;
    return STATUS_OK;
}

/* A password is not asked for in vain. */
static int check_plan(const struct plan *plan)
{
    if (!plan->public)
        return command_misused(&command_keygen, "-p is missing");
    if (!plan->secret)
        return command_misused(&command_keygen, "-s is missing");
    if (!strcmp(plan->public, plan->secret))
        return command_misused(&command_keygen, "-p and -s are the same file");
    if (!plan->force && access(plan->public, F_OK) == 0)
        return command_failed(&command_keygen, "%s: is there already: --force replaces it", plan->public);
    if (!plan->force && access(plan->secret, F_OK) == 0)
        return command_failed(&command_keygen, "%s: is there already: --force replaces it", plan->secret);
    return STATUS_OK;
}

static int ask(char password[PASSWORD_SIZE])
{
    char again[PASSWORD_SIZE];
    int status = secret_password(&command_keygen, "Password: ", password);

    if (status == STATUS_OK && !*password)
        status = command_failed(&command_keygen, "the password is empty: --no-password makes a key without one");
    if (status == STATUS_OK)
        status = secret_password(&command_keygen, "The same again: ", again);
    if (status == STATUS_OK && strcmp(password, again) != 0)
        status = command_failed(&command_keygen, "the two passwords differ");
    secret_forget(again, sizeof(again));
    return status;
}

/* No secret key stays whose public one could not be written. */
static int write_keys(const struct plan *plan, const char *public, const char *secret)
{
    int status = secret_write(&command_keygen, plan->secret, secret, 0600, plan->force);

    if (status != STATUS_OK)
        return status;
    status = secret_write(&command_keygen, plan->public, public, 0644, plan->force);
    if (status != STATUS_OK && !plan->force)
        unlink(plan->secret);
    return status;
}

static int make(const struct plan *plan)
{
    char password[PASSWORD_SIZE], public[GPUDL_PUBLIC_KEY_TEXT], secret[GPUDL_SECRET_KEY_TEXT];
    int status = plan->no_password ? STATUS_OK : ask(password);

    if (status == STATUS_OK && gpudl_trust_keygen(plan->no_password ? NULL : password, public, secret) != GPUDL_OK)
        status = command_library_failed(&command_keygen);
    if (status == STATUS_OK)
        status = write_keys(plan, public, secret);
    secret_forget(password, sizeof(password));
    secret_forget(secret, sizeof(secret));
    if (status == STATUS_OK)
        printf("%s", strchr(public, '\n') + 1);
    return status;
}

static int run(int argc, char **argv)
{
    struct plan plan = { .public = NULL };
    int status = words_take(&command_keygen, argc, argv, take, &plan);

    if (status == STATUS_OK)
        status = check_plan(&plan);
    return status == STATUS_OK ? make(&plan) : status;
}

const struct command command_keygen = {
    .name = "keygen",
    .arguments = "-p PUB -s KEY",
    .summary = "make a key pair to sign with, and print its public key",
    .options = options,
    .notes = "The files are minisign's. The password is read from the terminal, or as a line of standard input, twice.\n"
             "Status 0: made; 1: it could not be; 2: misused.\n",
    .run = run,
};
