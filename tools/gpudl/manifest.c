/* manifest.c - gpudl manifest: digests of files, as sha256sum prints them and a trust policy reads them. */
#include "tools/gpudl/words.h"

#include <stdio.h>
#include <string.h>

struct plan {
    const char **files;
    size_t n;
};

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    (void)name;
    plan->files[plan->n++] = value;
    return STATUS_OK;
}

static void print_name(const char *name)
{
    for (; *name; name++) {
        if (*name == '\\' || *name == '\n' || *name == '\r')
            printf("\\%c", *name == '\n' ? 'n' : *name == '\r' ? 'r' : '\\');
        else
            putchar(*name);
    }
}

static void print_line(const char *digest, const char *name)
{
    printf("%s%s  ", strpbrk(name, "\\\n\r") ? "\\" : "", digest);
    print_name(name);
    putchar('\n');
}

/* All that can be read, and then whether that was all. */
static int print(const struct plan *plan)
{
    char digest[GPUDL_DIGEST_TEXT];
    int status = STATUS_OK;

    for (size_t i = 0; i < plan->n; i++) {
        if (gpudl_trust_digest(GPUDL_FILE(plan->files[i]), digest) == GPUDL_OK) {
            print_line(digest, plan->files[i]);
        } else {
            command_library_failed(&command_manifest);
            status = STATUS_UNREADABLE;
        }
    }
    return status;
}

static int run(int argc, char **argv)
{
    struct plan plan = { (const char **)argv, 0 }; /* words are taken from behind where they are put */
    int status = words_take(&command_manifest, argc, argv, take, &plan);

    if (status == STATUS_OK && !plan.n)
        status = command_misused(&command_manifest, "no FILE given");
    return status == STATUS_OK ? print(&plan) : status;
}

const struct command command_manifest = {
    .name = "manifest",
    .arguments = "FILE...",
    .summary = "print the SHA-256 of files, as sha256sum does",
    .notes =
        "What it prints, in a file, is a manifest for gpudl_trust_options and for `sha256sum --check`. The code that a fatbin\n"
        "holds is pinned by itself, wherever it travels, by the digest of what `gpudl extract` writes.\n"
        "Status 0: all of them; 2: not all could be read.\n",
    .run = run,
};
