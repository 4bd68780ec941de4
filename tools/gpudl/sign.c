/* sign.c - gpudl sign: a signature in a file beside the one that it is of. */
#include "tools/gpudl/secret.h"
#include "tools/gpudl/words.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command_option options[] = {
    { "-s", "KEY", "the file of the secret key" },
    { "-o", "SIG", "the file for the signature; else FILE.minisig, where a load looks for it" },
    { "-t", "TEXT", "a comment that is signed as well; else the time and FILE's name" },
    { "-c", "TEXT", "a comment that anybody can change" },
    { "--legacy", NULL, "sign the content, not its hash: for minisign before 0.6" },
    { NULL, NULL, NULL },
};

struct plan {
    const char *file, *secret, *out;
    gpudl_sign_options sign;
};

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    if (!name && plan->file)
        return command_misused(&command_sign, "one FILE at a time, and '%s' is another", value);
    if (!name)
        plan->file = value;
    else if (!strcmp(name, "-s"))
        plan->secret = value;
    else if (!strcmp(name, "-o"))
        plan->out = value;
    else if (!strcmp(name, "-t"))
        plan->sign.trusted_comment = value;
    else if (!strcmp(name, "-c"))
        plan->sign.untrusted_comment = value;
    else
        plan->sign.legacy = 1;
    return STATUS_OK;
}

static int check_plan(const struct plan *plan)
{
    if (!plan->file)
        return command_misused(&command_sign, "no FILE given");
    return plan->secret ? STATUS_OK : command_misused(&command_sign, "-s is missing");
}

static int failed(gpudl_status status)
{
    command_library_failed(&command_sign);
    return status == GPUDL_ERROR_PASSWORD || status == GPUDL_ERROR_NO_MEMORY ? STATUS_FAILED : STATUS_UNREADABLE;
}

static int write_signature(const struct plan *plan, const char *signature)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s%s", plan->out ? plan->out : plan->file, plan->out ? "" : ".minisig") >=
        (int)sizeof(path))
        return command_failed(&command_sign, "%s: the name is too long", plan->file);
    return secret_write(&command_sign, path, signature, 0644, true);
}

static int sign(struct plan *plan, const char *secret)
{
    char password[PASSWORD_SIZE], signature[GPUDL_SIGNATURE_TEXT];
    gpudl_status done;
    int status = STATUS_OK;

    plan->sign.secret_key = secret;
    if (gpudl_trust_key_is_locked(secret)) {
        status = secret_password(&command_sign, "Password: ", password);
        plan->sign.password = password;
    }
    if (status == STATUS_OK) {
        done = gpudl_trust_sign(GPUDL_FILE(plan->file), &plan->sign, signature);
        status = done == GPUDL_OK ? STATUS_OK : failed(done);
    }
    plan->sign.password = NULL;
    secret_forget(password, sizeof(password));
    return status == STATUS_OK ? write_signature(plan, signature) : status;
}

static int run(int argc, char **argv)
{
    struct plan plan = { .sign = GPUDL_SIGN_OPTIONS_INIT };
    int status = words_take(&command_sign, argc, argv, take, &plan);
    char *secret;

    if (status == STATUS_OK)
        status = check_plan(&plan);
    if (status != STATUS_OK)
        return status;
    secret = secret_read_text(&command_sign, plan.secret, GPUDL_SECRET_KEY_TEXT * 4);
    if (!secret)
        return STATUS_UNREADABLE;
    secret_warn(&command_sign, plan.secret);
    status = sign(&plan, secret);
    secret_forget(secret, strlen(secret));
    free(secret);
    return status;
}

const struct command command_sign = {
    .name = "sign",
    .arguments = "FILE -s KEY",
    .summary = "sign FILE, so that it is known whose it is and that nobody changed it",
    .options = options,
    .notes =
        "Keys and signatures are minisign's. The password of KEY, if it has one, is read from the terminal, or as a line of\n"
        "standard input. Status 0: signed; 1: wrong password, or SIG cannot be written; 2: FILE or KEY cannot be read.\n",
    .run = run,
};
