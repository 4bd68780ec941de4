/* Trials of a version: the description that gpudl-trial gets, and what becomes of its answer. */
#include "src/loader/life/trial.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "src/loader/error.h"
#include "src/loader/life/trial_format.h"

/* ------------------------------------------------------------------------------------------------------------ the description */

static bool add_text(struct trials *t, unsigned type, const char *text)
{
    return gpudl__trials_add(t, type, NULL, 0, text, strlen(text));
}

/* Another driver has its own ways of compiling, and other targets. */
static bool add_load(struct trials *t, const struct load_settings *s, bool same_driver)
{
    const struct load_settings none = { .limit = s->limit };
    const struct load_settings *told = same_driver ? s : &none;
    const uint64_t wide[2] = { htole64(told->limit), htole64(told->flags) };
    const uint32_t words[4] = { htole32(told->optimization), htole32(told->max_registers), htole32(told->fma),
        htole32(told->cache_mode) };
    unsigned char head[sizeof(wide) + sizeof(words)];
    char target[32] = "", suffix = '\0';
    unsigned sm = 0;

    memcpy(head, wide, sizeof(wide));
    memcpy(head + sizeof(wide), words, sizeof(words));
    gpudl__settings_target(told, &sm, &suffix);
    if (sm)
        snprintf(target, sizeof(target), suffix ? "sm_%u%c" : "sm_%u", sm, suffix);
    return gpudl__trials_add(t, TRIAL_LOAD, head, sizeof(head), target, strlen(target));
}

/* All that comes before the image's bytes. */
static bool describe(const struct trials *trials, const struct version *v, struct trials *head)
{
    const uint64_t limit = htole64(trials->timeout_ns), size = htole64(v->content.bytes.size);
    bool good = gpudl__trials_add(head, TRIAL_LIMIT, &limit, sizeof(limit), NULL, 0) &&
        add_text(head, TRIAL_DRIVER, trials->driver ? trials->driver : v->loader->driver.path) &&
        add_load(head, &v->settings, !trials->driver) && add_text(head, TRIAL_NAME, v->content.name) &&
        gpudl__trials_add(head, TRIAL_NAMES, NULL, 0, v->content.lowered.data, v->content.lowered.size) &&
        gpudl__trials_add(head, TRIAL_IMAGE, NULL, 0, NULL, 0);

    if (good)
        memcpy(head->records + head->size - sizeof(size), &size, sizeof(size)); /* the bytes are sent from where they are */
    return good;
}

/* ------------------------------------------------------------------------------------------------------------------ the answer */

/* \n and \\ to what they mean, in place. */
static char *unescape(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++)
        if (from[0] == '\\' && from[1])
            *to++ = *++from == 'n' ? '\n' : *from;
        else
            *to++ = *from;
    *to = '\0';
    return text;
}

/* The next word, cut off; "" at the end. */
static char *take_word(char **rest)
{
    char *word = *rest, *blank = strchr(word, ' ');

    *rest = blank ? blank + 1 : word + strlen(word);
    if (blank)
        *blank = '\0';
    return word;
}

#define refuse(v, format, ...) gpudl__fail(GPUDL_ERROR_TRIAL, "%s: " format, (v)->content.name, __VA_ARGS__)

static gpudl_status refuse_cuda(
    const struct version *v, const char *cuda, const char *before, const char *trial, char *rest)
{
    struct failure f;

    refuse(v, "%s%s: %s", before, trial, unescape(rest));
    gpudl__failure_save(&f);
    f.cuda = atoi(cuda);
    gpudl__failure_restore(&f);
    return GPUDL_ERROR_TRIAL;
}

static gpudl_status refuse_mismatch(const struct version *v, char *rest)
{
    const char *trial = take_word(&rest), *buffer = take_word(&rest), *index = take_word(&rest), *differ = take_word(&rest),
               *count = take_word(&rest), *got = take_word(&rest), *expected = take_word(&rest);

    return refuse(v,
        "trial %s: kernel '%s' ended, and element %s of buffer %s (both count from 0) is %s; expected %s; %s of %s are wrong",
        trial, unescape(rest), index, buffer, got, expected, differ, count);
}

static gpudl_status refuse_silent(const struct version *v, int ended)
{
    if (ended >= 0 && WIFSIGNALED(ended) && WTERMSIG(ended) != SIGKILL)
        return refuse(
            v, "the trial ended without an answer, killed by signal %d (%s)", WTERMSIG(ended), strsignal(WTERMSIG(ended)));
    if (ended >= 0 && WIFEXITED(ended))
        return refuse(v, "the trial ended without an answer, with status %d: is GPUDL_TRIAL a gpudl-trial?", WEXITSTATUS(ended));
    return refuse(v, "%s", "the trial ended without an answer");
}

static gpudl_status judge(const struct version *v, char *answer, int ended)
{
    char *rest = answer, *cuda, *trial;
    const char *word = take_word(&rest);

    if (!strcmp(word, "ok"))
        return GPUDL_OK;
    if (!*word)
        return refuse_silent(v, ended);
    if (!strcmp(word, "mismatch"))
        return refuse_mismatch(v, rest);
    if (!strcmp(word, "load")) {
        cuda = take_word(&rest);
        return refuse_cuda(v, cuda, "in the process of its trials", "", rest);
    }
    if (!strcmp(word, "launch") || !strcmp(word, "fault")) {
        trial = take_word(&rest);
        cuda = take_word(&rest);
        return refuse_cuda(v, cuda, "trial ", trial, rest);
    }
    return refuse(v, "gpudl-trial answered '%.200s %.1000s': is it of this gpudl's version?", word, unescape(rest));
}

/* -------------------------------------------------------------------------------------------------------------------- both */

/* "FILE: " before what was not told of this version. */
static gpudl_status name_it(const struct version *v, gpudl_status status)
{
    struct failure f;

    if (status != GPUDL_ERROR_TRIAL)
        return status;
    gpudl__failure_save(&f);
    return refuse(v, "its trial: %.4000s", f.text);
}

static gpudl_status run(const struct trials *t, const struct trials *head, const struct version *v, const char *program)
{
    const struct span pieces[] = { { (const unsigned char *)TRIAL_MAGIC, sizeof(TRIAL_MAGIC) - 1 }, { head->records, head->size },
        v->content.bytes, { t->records, t->size } };
    char answer[TRIAL_ANSWER_SIZE];
    struct trial_talk talk = { pieces, sizeof(pieces) / sizeof(pieces[0]), t->timeout_ns, answer, sizeof(answer), -1 };
    gpudl_status status = gpudl__trial_talk(program, &talk);

    return status == GPUDL_OK ? judge(v, answer, talk.ended) : name_it(v, status);
}

gpudl_status gpudl__trials_run(const struct trials *t, const struct version *v)
{
    struct trials head = { 0 };
    char program[PATH_MAX];
    gpudl_status status;

    if (v->handles)
        return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
            "%s: registered kernels have no image that another process could load: replace it without trials", v->content.name);
    status = gpudl__trial_find(program, sizeof(program));
    if (status == GPUDL_OK)
        status = describe(t, v, &head) ? run(t, &head, v, program) : gpudl__fail_memory("the description of a trial");
    gpudl__trials_release(&head);
    return status;
}
