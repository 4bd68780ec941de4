/* cache.c - gpudl cache: what is kept on disk, and less of it. */
#include "tools/gpudl/warm.h"
#include "tools/gpudl/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct command_option options[] = {
    { "--bytes", "N", "trim: down to so many bytes, as 500000000 or 500M (1G)" },
    { "--jobs", "N", "warm: so many at a time (one for each CPU)" },
    { NULL, NULL, NULL },
};

struct plan {
    const char *action, *list;
    unsigned long long bytes, jobs;
};

static bool parse_bytes(const char *text, unsigned long long *out)
{
    static const char units[] = "KMGT";
    size_t n = strlen(text);
    const char *unit = n ? strchr(units, text[n - 1]) : NULL;
    char digits[24];

    if (!n || n >= sizeof(digits))
        return false;
    snprintf(digits, sizeof(digits), "%.*s", (int)(unit ? n - 1 : n), text);
    if (!words_number(digits, 1ull << 44, out))
        return false;
    for (const char *u = units; unit && u <= unit; u++)
        *out *= 1000;
    return true;
}

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    if (!name && !plan->action)
        plan->action = value;
    else if (!name && !plan->list)
        plan->list = value;
    else if (!name)
        return command_misused(&command_cache, "'%s' is not wanted here", value);
    else if (!strcmp(name, "--bytes") ? !parse_bytes(value, &plan->bytes) || !plan->bytes
                                      : !words_number(value, 1024, &plan->jobs) || !plan->jobs)
        return command_misused(&command_cache, "%s wants N, not '%s'", name, value);
    return STATUS_OK;
}

/* -------------------------------------------------------------------------------------------------------------------- actions */

static int stats(void)
{
    gpudl_cache_info info = { .size_of_struct = sizeof(info) };

    if (gpudl_cache_describe(NULL, &info) != GPUDL_OK)
        return command_library_failed(&command_cache);
    printf("folder:  %s\nentries: %llu\nbytes:   %llu\n", info.folder, (unsigned long long)info.entries,
        (unsigned long long)info.bytes);
    return STATUS_OK;
}

static void print_entry(void *user, const gpudl_cache_entry *e)
{
    time_t used = (time_t)e->used;
    struct tm when;
    char day[24] = "?";

    (void)user;
    if (localtime_r(&used, &when))
        strftime(day, sizeof(day), "%Y-%m-%d %H:00", &when);
    printf("%.12s %10llu  %s  ", e->key, (unsigned long long)e->bytes, day);
    words_print(e->label);
    putchar('\n');
}

static int list(void)
{
    return gpudl_cache_list(NULL, print_entry, NULL) == GPUDL_OK ? STATUS_OK : command_library_failed(&command_cache);
}

static int trim(unsigned long long bytes)
{
    uint64_t removed = 0;

    if (gpudl_cache_trim(NULL, bytes, &removed) != GPUDL_OK)
        return command_library_failed(&command_cache);
    printf("removed: %llu\n", (unsigned long long)removed);
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct plan plan = { .bytes = 1000000000 };
    int status = words_take(&command_cache, argc, argv, take, &plan);

    if (status != STATUS_OK)
        return status;
    if (!plan.action)
        return command_misused(&command_cache, "say what to do: stats, list, trim, clear or warm");
    if (!strcmp(plan.action, "warm"))
        return plan.list ? warm(plan.list, (unsigned)plan.jobs) : command_misused(&command_cache, "warm wants a LIST");
    if (plan.list)
        return command_misused(&command_cache, "'%s' is not wanted here", plan.list);
    if (!strcmp(plan.action, "stats"))
        return stats();
    if (!strcmp(plan.action, "list"))
        return list();
    if (!strcmp(plan.action, "trim"))
        return trim(plan.bytes);
    if (!strcmp(plan.action, "clear"))
        return trim(0);
    return command_misused(&command_cache, "there is no '%s': say stats, list, trim, clear or warm", plan.action);
}

const struct command command_cache = {
    .name = "cache",
    .arguments = "stats | list | trim | clear | warm LIST",
    .summary = "look at compiled code on disk, remove some of it, or compile ahead",
    .options = options,
    .notes = "stats  where it is, and how much\n"
             "list   each entry: its key, bytes, last use, what it is\n"
             "trim   remove what was not used for 90 days, and the longest unused\n"
             "clear  remove everything\n"
             "warm   compile what LIST says: a line for each, as after 'gpudl compile' (FILE, --arch, -I, ...), without -o\n"
             "\n"
             "GPUDL_CACHE_DIR names the folder, else it is gpudl in XDG_CACHE_HOME, else .cache/gpudl in HOME.\n",
    .run = run,
};
