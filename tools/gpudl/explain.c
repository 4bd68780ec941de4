/* explain.c - gpudl explain: what a code means, how it comes about, what to do. Needs no driver. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/gpudl/json.h"
#include "tools/gpudl/words.h"

static const struct command_option options[] = {
    { "--json", NULL, "an array of objects with kind, code, name, text, cause, remedy and poisons" },
    { "--markdown", NULL, "everything, as docs/ERRORS.md has it" },
    { NULL, NULL, NULL },
};

enum { KINDS = 2, NAME_MOST = 64, NEAR_MOST = 4 };

struct plan {
    bool json, markdown;
    const char *words[2];
    size_t nwords;
};

/* What the names of a kind begin with: none of it need be written. */
static const char *const prefixes[KINDS][2] = { { "GPUDL_", "ERROR_" }, { "CUDA_", "ERROR_" } };

static const char *short_name(int kind, const char *name)
{
    for (int i = 0; i < 2; i++)
        if (!strncmp(name, prefixes[kind][i], strlen(prefixes[kind][i])))
            name += strlen(prefixes[kind][i]);
    return name;
}

/* ---------------------------------------------------------------------------------------------------------------- one by word */

/* As names are written: capitals and underscores. */
static void normalise(const char *word, char out[NAME_MOST])
{
    size_t n = 0;

    for (; word[n] && n < NAME_MOST - 1; n++)
        out[n] = word[n] == '-' || word[n] == ' ' ? '_' : (char)toupper((unsigned char)word[n]);
    out[n] = '\0';
}

static const gpudl_explanation *find_name(int kind, const char *word)
{
    const gpudl_explanation *e;
    char name[NAME_MOST];

    normalise(word, name);
    for (size_t i = 0; (e = gpudl_explain_nth(kind, i)); i++)
        if (!strcmp(e->name, name) || !strcmp(short_name(kind, e->name), short_name(kind, name)))
            return e;
    return NULL;
}

static const gpudl_explanation *find_in(int kind, const char *word)
{
    unsigned long long number;

    if (words_number(word, INT_MAX, &number))
        return gpudl_explain(kind, (int)number);
    return find_name(kind, word);
}

/* ---------------------------------------------------------------------------------------------------------------- near names */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters must be changed, put in or taken out. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAME_MOST], n = least(strlen(b), NAME_MOST - 1);

    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 1; j <= n; j++) {
            size_t changed = diagonal + (a[i] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(changed, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[n];
}

/* A name that has the word in it is nearer than any that is only spelled alike; 0 is nearest. */
static size_t farness(const char *word, const char *name)
{
    size_t d = distance(word, name);

    if (*word && strstr(name, word))
        return 0;
    return d <= strlen(word) / 3 + 1 ? d : SIZE_MAX;
}

struct near {
    const char *names[NEAR_MOST];
    size_t far[NEAR_MOST], n;
};

static void keep(struct near *near, const char *name, size_t far)
{
    size_t at = near->n;

    while (at && near->far[at - 1] > far)
        at--;
    if (at == NEAR_MOST)
        return;
    near->n += near->n < NEAR_MOST;
    for (size_t i = near->n - 1; i > at; i--) {
        near->names[i] = near->names[i - 1];
        near->far[i] = near->far[i - 1];
    }
    near->names[at] = name;
    near->far[at] = far;
}

static void find_near(struct near *near, int kind, const char *word)
{
    const gpudl_explanation *e;
    char name[NAME_MOST];

    normalise(word, name);
    for (size_t i = 0; (e = gpudl_explain_nth(kind, i)); i++) {
        size_t far = farness(short_name(kind, name), short_name(kind, e->name));
        if (far != SIZE_MAX)
            keep(near, e->name, far);
    }
}

static int unknown(const char *word, const bool kinds[KINDS])
{
    struct near near = { .n = 0 };
    char text[NEAR_MOST * NAME_MOST] = "";
    size_t used = 0;

    for (int kind = 0; kind < KINDS; kind++)
        if (kinds[kind])
            find_near(&near, kind, word);
    for (size_t i = 0; i < near.n; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "; near to it: ", near.names[i]);
    return command_misused(&command_explain, "there is no %scode '%.63s'%s", kinds[GPUDL_CODE_STATUS] ? "" : "CUDA ", word, text);
}

/* ------------------------------------------------------------------------------------------------------------------- printing */

static const char *const kind_words[KINDS] = { "gpudl", "cuda" };

static const char *poison_text(unsigned poisons)
{
    if (poisons & GPUDL_POISONS_PROCESS)
        return "the device's contexts in this process are of no use any more; only a new process is";
    return poisons ? "its context is of no use any more; a new one is" : NULL;
}

static void print_one(int kind, const gpudl_explanation *e)
{
    const char *poison = poison_text(e->poisons);

    printf("%s (%s %d): %s\n", e->name, kind_words[kind], e->code, e->text);
    if (e->cause)
        printf("  cause:   %s\n  remedy:  %s\n", e->cause, e->remedy);
    if (poison)
        printf("  poisons: %s\n", poison);
}

static void print_json(struct json *j, int kind, const gpudl_explanation *e)
{
    json_open(j, NULL, '{');
    json_string(j, "kind", kind_words[kind]);
    json_number(j, "code", (unsigned long long)e->code);
    json_string(j, "name", e->name);
    json_string(j, "text", e->text);
    json_string(j, "cause", e->cause);
    json_string(j, "remedy", e->remedy);
    json_string(j, "poisons", e->poisons & GPUDL_POISONS_PROCESS ? "process" : e->poisons ? "context" : NULL);
    json_close(j, '}');
}

static void print_line(int kind, const gpudl_explanation *e)
{
    printf("%-5s %4d  %-42s %s\n", kind_words[kind], e->code, e->name, e->text);
}

/* What Markdown would take for its own is told that it is text, but between backticks. */
static void print_as_markdown(const char *text)
{
    bool code = false;

    for (; *text; text++) {
        code ^= *text == '`';
        if (!code && strchr("_*<[", *text))
            putchar('\\');
        putchar(*text);
    }
}

static void print_markdown(const gpudl_explanation *e)
{
    const char *poison = poison_text(e->poisons);

    printf("### %d `%s`\n\n%c", e->code, e->name, toupper((unsigned char)e->text[0]));
    print_as_markdown(e->text + 1);
    putchar('.');
    if (poison)
        printf(" **Poisons:** %s.", poison);
    printf("\n\n- Cause: ");
    print_as_markdown(e->cause);
    printf("\n- Remedy: ");
    print_as_markdown(e->remedy);
    printf("\n\n");
}

static void print_markdown_all(void)
{
    const gpudl_explanation *e;

    printf(
        "# Errors\n\n"
        "What calls answer, how it comes about and what to do. Made by `gpudl explain --markdown` (the build target\n"
        "`errors_page`) of `include/gpudl/status.h` and `src/driver/codes.h`; change those. `gpudl explain CODE` says the same of one.\n\n"
        "The text of a failure, `gpudl_error_text()`, says more: what was tried (file, kernel, driver call, device), what was found,\n"
        "what was expected.\n\n## Statuses of gpudl\n\n");
    for (size_t i = 0; (e = gpudl_explain_nth(GPUDL_CODE_STATUS, i)); i++)
        print_markdown(e);
    printf(
        "## Codes of the driver\n\nThose that a program meets which loads code as it runs; `gpudl_error_cuda()` has them.\n\n");
    for (size_t i = 0; (e = gpudl_explain_nth(GPUDL_CODE_CUDA, i)); i++)
        if (e->cause)
            print_markdown(e);
    printf("## The others\n\n| code | name | what |\n|---|---|---|\n");
    for (size_t i = 0; (e = gpudl_explain_nth(GPUDL_CODE_CUDA, i)); i++)
        if (!e->cause)
            printf("| %d | `%s` | %s |\n", e->code, e->name, e->text);
}

static void print_all(bool as_json)
{
    struct json j = { stdout, false };
    const gpudl_explanation *e;

    if (as_json)
        json_open(&j, NULL, '[');
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; (e = gpudl_explain_nth(kind, i)); i++) {
            if (as_json)
                print_json(&j, kind, e);
            else
                print_line(kind, e);
        }
    if (as_json) {
        json_close(&j, ']');
        putchar('\n');
    }
}

/* ---------------------------------------------------------------------------------------------------------------------------- */

/* A status is what gpudl answers, so it comes first; a number that is both is shown as both. */
static int explain(const struct plan *plan, const char *word, const bool kinds[KINDS])
{
    bool number = isdigit((unsigned char)*word);
    struct json j = { stdout, false };
    int found = 0;

    for (int kind = 0; kind < KINDS; kind++) {
        const gpudl_explanation *e = kinds[kind] && (!found || number) ? find_in(kind, word) : NULL;
        if (!e)
            continue;
        if (plan->json && !found)
            json_open(&j, NULL, '[');
        if (plan->json)
            print_json(&j, kind, e);
        else
            print_one(kind, e);
        found++;
    }
    if (!found)
        return unknown(word, kinds);
    if (plan->json) {
        json_close(&j, ']');
        putchar('\n');
    }
    return STATUS_OK;
}

static int take(void *user, const char *name, const char *value)
{
    struct plan *plan = user;

    if (name && !strcmp(name, "--json"))
        plan->json = true;
    else if (name)
        plan->markdown = true;
    else if (plan->nwords == 2)
        return command_misused(&command_explain, "'%s' is not wanted here", value);
    else
        plan->words[plan->nwords++] = value;
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct plan plan = { .nwords = 0 };
    bool kinds[KINDS] = { true, true };
    int status = words_take(&command_explain, argc, argv, take, &plan);

    if (status != STATUS_OK)
        return status;
    if (plan.markdown && (plan.json || plan.nwords))
        return command_misused(&command_explain, "--markdown stands alone");
    if (plan.markdown) {
        print_markdown_all();
        return STATUS_OK;
    }
    if (!plan.nwords) {
        print_all(plan.json);
        return STATUS_OK;
    }
    if (plan.nwords == 1)
        return explain(&plan, plan.words[0], kinds);
    for (int kind = 0; kind < KINDS; kind++)
        kinds[kind] = !strcmp(plan.words[0], kind_words[kind]);
    if (!kinds[GPUDL_CODE_STATUS] && !kinds[GPUDL_CODE_CUDA])
        return command_misused(&command_explain, "'%s': whose codes? gpudl or cuda", plan.words[0]);
    return explain(&plan, plan.words[1], kinds);
}

const struct command command_explain = {
    .name = "explain",
    .arguments = "[gpudl|cuda] [CODE]",
    .summary = "say what an error's code means, how it comes about and what to do",
    .options = options,
    .notes = "CODE is a number or a name: 26, GPUDL_ERROR_PTX_TOO_NEW, ptx-too-new, CUDA_ERROR_ILLEGAL_ADDRESS. A number\n"
             "is gpudl's and the driver's, unless it is said whose: cuda 700. Without CODE all are listed, a line each.\n",
    .run = run,
};
