/* run.c - gpudl run: its help, and its command line. */
#include "tools/gpudl/run.h"
#include "tools/gpudl/words.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv)
{
    struct run_plan plan;
    int status = run_plan_parse(argc, argv, &plan);

    if (status != STATUS_OK)
        return status;
    status = run_plan_execute(&plan);
    run_plan_free(&plan);
    return status;
}

static const struct command_option options[] = {
    { "--grid", "X[,Y[,Z]]", "blocks to launch" },
    { "--block", "X[,Y[,Z]]", "threads of a block" },
    { "--shared", "BYTES", "dynamic shared memory of a block (0)" },
    { "--device", "N", "the device, counted from 0 (0)" },
    { "--print", "N[:COUNT]", "print argument N after the launch, or its first COUNT elements" },
    { "--save", "N=FILE.npy", "write argument N to a NumPy file after the launch" },
    { "--stats", NULL, "print what the loader did, as JSON, on stderr" },
    COMPILING_OPTIONS,
    { NULL, NULL, NULL },
};

const struct command command_run = {
    .name = "run",
    .arguments = "FILE [KERNEL] --grid X[,Y[,Z]] --block X[,Y[,Z]] [OPTION]... [ARGUMENT]...",
    .summary = "load FILE, launch one kernel of it and show what came out",
    .options = options,
    .notes = "ARGUMENTs are the kernel's, in order:\n"
             "  f32:2.5  i32:-7  u64:9      a number; the types are i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64\n"
             "  'f32[1024]'  'i32[32,64]'   a buffer of zeros\n"
             "  'f32[1024]=1'               a buffer filled with a number, with iota (0, 1, 2, ...), with random\n"
             "                              numbers (the same each time), or from a file: =@FILE.npy\n"
             "  @FILE.npy                   a buffer as in a NumPy file\n"
             "\n"
             "N counts the arguments from 0. KERNEL is not needed where FILE holds one kernel only. A FILE that ends in .cu is CUDA C++ and\n"
             "compiled first; a KERNEL with template arguments is instantiated.\n"
             "  gpudl run saxpy.ptx saxpy --grid 4 --block 256 i32:1024 f32:2 'f32[1024]=iota' 'f32[1024]=1' --print 3:4\n"
             "prints\n"
             "  arg3 = 1 3 5 7\n",
    .run = run,
};

/* ---------------------------------------------------------------------------------------------------------- values of options */

/* A number in decimal digits, at most max; *end is what follows. */
static bool parse_number(const char *text, unsigned long long max, unsigned long long *out, const char **end)
{
    char *rest;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *out = strtoull(text, &rest, 10);
    *end = rest;
    return !errno && *out <= max;
}

static bool parse_extent(const char *text, unsigned out[3])
{
    unsigned long long value;

    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++, text++) {
        if (!parse_number(text, UINT_MAX, &value, &text) || !value)
            return false;
        out[i] = (unsigned)value;
        if (*text != ',')
            return !*text;
    }
    return false;
}

static bool parse_whole(const char *text, unsigned long long max, unsigned long long *out)
{
    const char *end;

    return parse_number(text, max, out, &end) && !*end;
}

static bool parse_print(const char *text, struct run_output *out)
{
    unsigned long long index, count = 0;

    if (!parse_number(text, SIZE_MAX, &index, &text))
        return false;
    if (*text && (*text != ':' || !parse_whole(text + 1, SIZE_MAX, &count) || !count))
        return false;
    *out = (struct run_output){ .index = index, .count = count };
    return true;
}

static bool parse_save(const char *text, struct run_output *out)
{
    unsigned long long index;

    if (!parse_number(text, SIZE_MAX, &index, &text) || *text != '=' || !text[1])
        return false;
    *out = (struct run_output){ .index = index, .path = text + 1 };
    return true;
}

static bool parse_option(struct run_plan *plan, const char *name, const char *value)
{
    unsigned long long number = 0;
    bool good;

    if (!strcmp(name, "--grid"))
        return parse_extent(value, plan->grid);
    if (!strcmp(name, "--block"))
        return parse_extent(value, plan->block);
    if (!strcmp(name, "--print"))
        return parse_print(value, &plan->outputs[plan->noutputs++]);
    if (!strcmp(name, "--save"))
        return parse_save(value, &plan->outputs[plan->noutputs++]);
    if (!strcmp(name, "--device")) {
        good = parse_whole(value, INT_MAX, &number);
        plan->device = (int)number;
    } else {
        good = parse_whole(value, UINT_MAX, &number);
        plan->shared_bytes = (unsigned)number;
    }
    return good;
}

/* ----------------------------------------------------------------------------------------------------------- the command line */

/* "--name value", "--name=value", "-Xvalue": moves *i to the last word that was used. */
static int take_option(struct run_plan *plan, char **argv, int *i)
{
    const char *word = argv[*i], *value;
    const struct command_option *option = words_option(&command_run, word, &value);

    if (!option)
        return command_misused(&command_run, "no option '%s'", word);
    if (!option->value && value)
        return command_misused(&command_run, "%s takes no value", option->name);
    if (option->value && !value)
        value = argv[++*i];
    if (option->value && !value)
        return command_misused(&command_run, "%s wants %s", option->name, option->value);
    if (!strcmp(option->name, "--stats")) {
        plan->stats = true;
        return STATUS_OK;
    }
    if (compiling_take(&plan->compiling, option->name, value))
        return STATUS_OK;
    if (!parse_option(plan, option->name, value))
        return command_misused(&command_run, "%s wants %s, not '%s'", option->name, option->value, value);
    return STATUS_OK;
}

static int take_argument(struct run_plan *plan, const char *word)
{
    char why[512];
    int status = argument_parse(word, plan->narguments, &plan->arguments[plan->narguments], why, sizeof(why));

    if (status == STATUS_USAGE)
        return command_misused(&command_run, "argument %zu, '%s': %s", plan->narguments, word, why);
    if (status == STATUS_FAILED)
        return command_failed(&command_run, "argument %zu, '%s': %s", plan->narguments, word, why);
    plan->narguments++;
    return STATUS_OK;
}

static int take_words(struct run_plan *plan, int argc, char **argv)
{
    int status = STATUS_OK;
    bool only_words = false;

    for (int i = 1; i < argc && status == STATUS_OK; i++) {
        if (!only_words && !strcmp(argv[i], "--"))
            only_words = true;
        else if (!only_words && argv[i][0] == '-')
            status = take_option(plan, argv, &i);
        else if (!plan->file)
            plan->file = argv[i];
        else if (!plan->kernel && !plan->narguments && !argument_is_meant(argv[i]))
            plan->kernel = argv[i];
        else
            status = take_argument(plan, argv[i]);
    }
    return status;
}

static int check_output(const struct run_plan *plan, const struct run_output *output)
{
    const char *option = output->path ? "--save" : "--print";
    const struct argument *a;

    if (output->index >= plan->narguments)
        return command_misused(
            &command_run, "%s %zu: no such argument (%zu given, counted from 0)", option, output->index, plan->narguments);
    a = &plan->arguments[output->index];
    if (!a->is_buffer)
        return command_misused(
            &command_run, "%s %zu: '%s' is no buffer, so a kernel cannot change it", option, output->index, a->text);
    if (output->count > a->array.count)
        return command_misused(
            &command_run, "%s %zu:%zu: elements in '%s': %zu", option, output->index, output->count, a->text, a->array.count);
    return STATUS_OK;
}

static int check_plan(const struct run_plan *plan)
{
    int status = STATUS_OK;

    if (!plan->file)
        return command_misused(&command_run, "no FILE given");
    if (!plan->grid[0] || !plan->block[0])
        return command_misused(&command_run, "%s is missing", plan->grid[0] ? "--block" : "--grid");
    for (size_t i = 0; i < plan->noutputs && status == STATUS_OK; i++)
        status = check_output(plan, &plan->outputs[i]);
    return status;
}

int run_plan_parse(int argc, char **argv, struct run_plan *out)
{
    struct run_plan plan = { .file = NULL };
    int status;

    /* No more of either than words. */
    plan.arguments = calloc((size_t)argc, sizeof(*plan.arguments));
    plan.outputs = calloc((size_t)argc, sizeof(*plan.outputs));
    if (compiling_begin(&plan.compiling, (size_t)argc) && plan.arguments && plan.outputs)
        status = take_words(&plan, argc, argv);
    else
        status = command_failed(&command_run, "out of memory");
    if (status == STATUS_OK)
        status = check_plan(&plan);
    if (status == STATUS_OK)
        *out = plan;
    else
        run_plan_free(&plan);
    return status;
}

void run_plan_free(struct run_plan *plan)
{
    for (size_t i = 0; i < plan->narguments; i++)
        argument_free(&plan->arguments[i]);
    compiling_end(&plan->compiling);
    free(plan->arguments);
    free(plan->outputs);
}
