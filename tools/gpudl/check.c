/* check.c - gpudl check: would FILE run there, and if not, why not? A host file is asked fatbin by fatbin, as each is loaded by
 * itself; those that are empty, or only there to be linked, are nobody's concern. */
#include "tools/gpudl/words.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct command_option options[] = {
    { "--arch", "ARCH", "a device of this architecture: sm_90" },
    { "--cuda", "X.Y", "with --arch: under a driver of this CUDA version; else one that knows all that gpudl does" },
    { "--softcuda", NULL, "with --arch: in softcuda, which runs PTX only" },
    { "--device", "N", "this device of this machine, counted from 0" },
    { NULL, NULL, NULL },
};

struct plan {
    const char *file;
    gpudl_target target;
    bool device;
};

/* "12.4" -> 12040 */
static bool parse_cuda(const char *text, int *out)
{
    unsigned major, minor;
    int used = 0;

    if (sscanf(text, "%2u.%1u%n", &major, &minor, &used) != 2 || text[used] || !major)
        return false;
    *out = (int)(1000 * major + 10 * minor);
    return true;
}

static bool take_option(struct plan *plan, const char *name, const char *value)
{
    unsigned long long number;

    if (!strcmp(name, "--arch"))
        plan->target.arch = value;
    else if (!strcmp(name, "--softcuda"))
        plan->target.software = 1;
    else if (!strcmp(name, "--cuda"))
        return parse_cuda(value, &plan->target.cuda_version);
    else {
        if (!words_number(value, INT_MAX, &number))
            return false;
        plan->target.device = (int)number;
        plan->device = true;
    }
    return true;
}

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    if (name && !take_option(plan, name, value))
        return command_misused(&command_check, "%s is '%s'", name, value);
    if (!name && plan->file)
        return command_misused(&command_check, "one FILE at a time, and '%s' is another", value);
    if (!name)
        plan->file = value;
    return STATUS_OK;
}

static int check_plan(const struct plan *plan)
{
    if (!plan->file)
        return command_misused(&command_check, "no FILE given");
    if (!plan->target.arch == !plan->device)
        return command_misused(&command_check, "give --arch ARCH or --device N%s", plan->device ? ", not both" : "");
    if (plan->device && (plan->target.cuda_version || plan->target.software))
        return command_misused(&command_check, "--cuda and --softcuda go with --arch: a device has its own driver");
    return STATUS_OK;
}

/* ---------------------------------------------------------------------------------------------------------------- the verdict */

enum { LISTED_MOST = 16 }; /* of a file of more containers only those are listed that do not run */

struct tally {
    size_t containers, taken, missed;
    size_t entry; /* the first of the container at hand */
};

static void print_target(const struct plan *plan)
{
    if (plan->target.arch)
        words_print(plan->target.arch);
    else
        printf("device %d", plan->target.device);
}

static void print_warning(void *user, const char *word, const char *kernel, const char *text)
{
    (void)user, (void)word;
    printf("  warning: ");
    if (kernel) {
        words_print(kernel);
        printf(": ");
    }
    words_print(text);
    putchar('\n');
}

static void print_taken(gpudl_image *image, const struct plan *plan, const gpudl_verdict *v)
{
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };

    gpudl_image_entry(image, v->entry, &e);
    words_print(plan->file);
    printf(": runs on ");
    print_target(plan);
    printf(": entry %zu, %s for %s%s\n", v->entry, v->compiled ? "PTX" : "machine code", e.arch,
        v->compiled ? ", compiled when it is loaded" : "");
    gpudl_image_warnings(image, v->entry, &plan->target, print_warning, NULL);
}

static void print_missed(gpudl_image *image, const struct plan *plan, size_t container, const gpudl_verdict *v)
{
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };

    words_print(plan->file);
    printf(": does not run on ");
    print_target(plan);
    if (container != GPUDL_ALL && v->entry != GPUDL_ALL && gpudl_image_entry(image, v->entry, &e) == GPUDL_OK) {
        printf(": entry %zu", v->entry);
        if (e.member) {
            printf(" in ");
            words_print(e.member);
        }
    }
    printf(": ");
    words_print(v->reason);
    if (*v->remedy) {
        printf("; ");
        words_print(v->remedy);
    }
    putchar('\n');
}

/* A load refuses a file that is not whole, whatever fits. */
static void print_damage(const struct plan *plan, const gpudl_image_info *info)
{
    words_print(plan->file);
    printf(": damaged: ");
    words_print(info->damage_text);
    putchar('\n');
}

static bool holds_something(gpudl_image *image, size_t entry)
{
    size_t nkernels = 0, nglobals = 0;
    bool unread = gpudl_image_read(image, entry, &nkernels, &nglobals) != GPUDL_OK;

    gpudl_image_forget(image, entry);
    return unread || nkernels || nglobals;
}

/* In a file of many: does a container that does not run count? Its entries begin at `first`. */
static bool matters(gpudl_image *image, size_t container, size_t first, const gpudl_verdict *v)
{
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };

    if (v->status == GPUDL_ERROR_NOT_LINKED)
        return false;
    for (size_t i = first; gpudl_image_entry(image, i, &e) == GPUDL_OK && e.container == container; i++)
        if (holds_something(image, i))
            return true;
    return false;
}

static int check_container(gpudl_image *image, const struct plan *plan, size_t container, struct tally *tally)
{
    gpudl_verdict v = { .size_of_struct = sizeof(v) };

    if (gpudl_image_explain(image, container, &plan->target, &v) != GPUDL_OK)
        return command_library_failed(&command_check);
    if (v.status == GPUDL_OK) {
        tally->taken++;
        if (tally->containers <= LISTED_MOST)
            print_taken(image, plan, &v);
    } else if (container == GPUDL_ALL || matters(image, container, tally->entry, &v)) {
        tally->missed++;
        print_missed(image, plan, container, &v);
    }
    if (v.entry != GPUDL_ALL)
        gpudl_image_forget(image, v.entry);
    return STATUS_OK;
}

/* The first entry behind those of a container. */
static size_t next_container(gpudl_image *image, size_t entry, size_t container)
{
    gpudl_entry_info e = { .size_of_struct = sizeof(e) };

    while (gpudl_image_entry(image, entry, &e) == GPUDL_OK && e.container == container)
        entry++;
    return entry;
}

/* Nothing in it counts: then what it says of all of them together is the answer. */
static int check_all(gpudl_image *image, const struct plan *plan, struct tally *tally)
{
    int status = STATUS_OK;

    for (size_t i = 0; tally->containers > 1 && i < tally->containers && status == STATUS_OK; i++) {
        status = check_container(image, plan, i, tally);
        tally->entry = next_container(image, tally->entry, i);
    }
    if (status == STATUS_OK && !tally->taken && !tally->missed)
        status = check_container(image, plan, GPUDL_ALL, tally);
    return status;
}

static int check_image(gpudl_image *image, const struct plan *plan)
{
    gpudl_image_info info = { .size_of_struct = sizeof(info) };
    struct tally tally = { 0, 0, 0, 0 };
    int status;

    if (gpudl_image_describe(image, &info) != GPUDL_OK)
        return command_library_failed(&command_check);
    tally.containers = info.containers;
    status = check_all(image, plan, &tally);
    if (status != STATUS_OK)
        return STATUS_UNREADABLE;
    if (tally.taken + tally.missed > 1)
        printf("%zu of %zu run there\n", tally.taken, tally.taken + tally.missed);
    if (*info.damage_text)
        print_damage(plan, &info);
    return tally.missed || !tally.taken || *info.damage_text ? STATUS_FAILED : STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct plan plan = { .target = GPUDL_TARGET_INIT };
    int status = words_take(&command_check, argc, argv, take, &plan);
    gpudl_image *image;

    if (status == STATUS_OK)
        status = check_plan(&plan);
    if (status != STATUS_OK)
        return status;
    if (gpudl_image_open(GPUDL_FILE(plan.file), NULL, &image) != GPUDL_OK) {
        command_library_failed(&command_check);
        return STATUS_UNREADABLE;
    }
    status = check_image(image, &plan);
    gpudl_image_close(image);
    return status;
}

const struct command command_check = {
    .name = "check",
    .arguments = "FILE --arch ARCH | --device N",
    .summary = "say which code of FILE would run on a device, or why none would and what to do",
    .options = options,
    .notes = "Needs no driver with --arch. Status 0: it runs; 1: it does not; 2: FILE cannot be read.\n",
    .run = run,
};
