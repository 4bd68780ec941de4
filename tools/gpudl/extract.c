/* extract.c - gpudl extract: one entry's code, decompressed, in a file of its own. */
#include "tools/gpudl/output.h"
#include "tools/gpudl/words.h"

#include <stdlib.h>
#include <string.h>

static const struct command_option options[] = {
    { "--entry", "N", "the entry, counted from 0 as gpudl inspect does" },
    { "-o", "OUT", "the file to write" },
    { NULL, NULL, NULL },
};

struct plan {
    const char *file, *out;
    unsigned long long entry;
    bool has_entry;
};

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    if (name && !strcmp(name, "-o")) {
        plan->out = value;
    } else if (name) {
        if (!words_number(value, (size_t)-2, &plan->entry))
            return command_misused(&command_extract, "--entry wants N, not '%s'", value);
        plan->has_entry = true;
    } else if (plan->file) {
        return command_misused(&command_extract, "one FILE at a time, and '%s' is another", value);
    } else {
        plan->file = value;
    }
    return STATUS_OK;
}

static int check_plan(const struct plan *plan)
{
    if (!plan->file)
        return command_misused(&command_extract, "no FILE given");
    if (!plan->has_entry)
        return command_misused(&command_extract, "--entry is missing");
    return plan->out ? STATUS_OK : command_misused(&command_extract, "-o is missing");
}

/* A copy of the entry's code, for free(); and a status. OUT may be FILE itself, so that is closed before anything is written. */
static int read_entry(const struct plan *plan, void **copy, size_t *size)
{
    int status = STATUS_OK;
    gpudl_image *image;
    const void *bytes;

    if (gpudl_image_open(GPUDL_FILE(plan->file), NULL, &image) != GPUDL_OK) {
        command_library_failed(&command_extract);
        return STATUS_UNREADABLE;
    }
    if (gpudl_image_code(image, (size_t)plan->entry, &bytes, size) != GPUDL_OK)
        status = command_library_failed(&command_extract);
    else if (!(*copy = malloc(*size + 1)))
        status = command_failed(&command_extract, "out of memory");
    else
        memcpy(*copy, bytes, *size);
    gpudl_image_close(image);
    return status;
}

static int run(int argc, char **argv)
{
    struct plan plan = { .file = NULL };
    int status = words_take(&command_extract, argc, argv, take, &plan);
    void *copy = NULL;
    size_t size = 0;

    if (status == STATUS_OK)
        status = check_plan(&plan);
    if (status == STATUS_OK)
        status = read_entry(&plan, &copy, &size);
    if (status == STATUS_OK)
        status = output_write(&command_extract, plan.out, copy, size);
    free(copy);
    return status;
}

const struct command command_extract = {
    .name = "extract",
    .arguments = "FILE --entry N -o OUT",
    .summary = "write one entry of FILE, decompressed, to a file",
    .options = options,
    .notes = "Machine code becomes a cubin, PTX its text.\n"
             "Status 0: written; 1: the entry cannot be read or OUT not be written; 2: FILE cannot be read.\n",
    .run = run,
};
