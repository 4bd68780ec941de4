/* verify.c - gpudl verify: is FILE signed by one of these keys? */
#include "tools/gpudl/secret.h"
#include "tools/gpudl/words.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command_option options[] = {
    { "--key", "PUB", "the file of a public key to be trusted; may be given several times" },
    { "--key-ring", "FOLDER", "trust those in its files *.pub, but for what its file 'revoked' lists" },
    { "--sig", "SIG", "the file of the signature; else FILE.minisig" },
    { NULL, NULL, NULL },
};

enum { KEYS_MOST = 64, KEY_FILE_MOST = 4096, SIGNATURE_FILE_MOST = 64 << 10 };

struct plan {
    const char *file, *sig;
    const char *key_files[KEYS_MOST];
    char *keys[KEYS_MOST];
    size_t nkeys;
    gpudl_trust_options trust;
};

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    if (!name && plan->file)
        return command_misused(&command_verify, "one FILE at a time, and '%s' is another", value);
    if (!name)
        plan->file = value;
    else if (!strcmp(name, "--sig"))
        plan->sig = value;
    else if (!strcmp(name, "--key-ring"))
        plan->trust.key_ring = value;
    else if (plan->nkeys == KEYS_MOST)
        return command_misused(
            &command_verify, "at most %d keys: put them into a folder, and name it with --key-ring", KEYS_MOST);
    else
        plan->key_files[plan->nkeys++] = value;
    return STATUS_OK;
}

static int check_plan(const struct plan *plan)
{
    if (!plan->file)
        return command_misused(&command_verify, "no FILE given");
    if (!plan->nkeys && !plan->trust.key_ring)
        return command_misused(&command_verify, "no key to be trusted is given: --key PUB or --key-ring FOLDER");
    return STATUS_OK;
}

static bool read_keys(struct plan *plan)
{
    for (size_t i = 0; i < plan->nkeys; i++) {
        plan->keys[i] = secret_read_text(&command_verify, plan->key_files[i], KEY_FILE_MOST);
        if (!plan->keys[i])
            return false;
    }
    plan->trust.keys = (const char *const *)plan->keys;
    plan->trust.nkeys = plan->nkeys;
    return true;
}

/* What can be read and is refused is 1, all else 2. */
static int failed(gpudl_status status)
{
    bool refused = status == GPUDL_ERROR_NOT_TRUSTED || status == GPUDL_ERROR_SIGNATURE || status == GPUDL_ERROR_REVOKED;

    command_library_failed(&command_verify);
    return refused ? STATUS_FAILED : STATUS_UNREADABLE;
}

static int verify(struct plan *plan)
{
    gpudl_trust_report report = { .size_of_struct = sizeof(report) };
    gpudl_status status;

    plan->trust.policy = GPUDL_TRUST_SIGNATURE;
    plan->trust.signature_size = strlen(plan->trust.signature);
    status = gpudl_trust_check(GPUDL_FILE(plan->file), &plan->trust, &report);
    if (status != GPUDL_OK)
        return failed(status);
    words_print(plan->file);
    printf(": signed with key %s%s: ", report.key_id, report.prehashed ? "" : " (legacy)");
    words_print(report.comment);
    putchar('\n');
    return STATUS_OK;
}

static int read_and_verify(struct plan *plan)
{
    char path[PATH_MAX], *signature;
    int status = STATUS_UNREADABLE;

    if (snprintf(path, sizeof(path), "%s%s", plan->sig ? plan->sig : plan->file, plan->sig ? "" : ".minisig") >=
        (int)sizeof(path)) {
        command_failed(&command_verify, "%s: the name is too long", plan->file);
        return status;
    }
    signature = secret_read_text(&command_verify, path, SIGNATURE_FILE_MOST);
    if (!signature)
        return status;
    plan->trust.signature = signature;
    if (read_keys(plan))
        status = verify(plan);
    free(signature);
    for (size_t i = 0; i < plan->nkeys; i++)
        free(plan->keys[i]);
    return status;
}

static int run(int argc, char **argv)
{
    struct plan plan = { .trust = GPUDL_TRUST_OPTIONS_INIT };
    int status = words_take(&command_verify, argc, argv, take, &plan);

    if (status == STATUS_OK)
        status = check_plan(&plan);
    return status == STATUS_OK ? read_and_verify(&plan) : status;
}

const struct command command_verify = {
    .name = "verify",
    .arguments = "FILE --key PUB",
    .summary = "say whether FILE is as the owner of a key signed it",
    .options = options,
    .notes = "Prints the key's id and the comment that was signed. Keys and signatures are minisign's.\n"
             "Status 0: it is; 1: refused; 2: FILE, SIG or a key cannot be read.\n",
    .run = run,
};
