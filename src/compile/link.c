/* link.c - which linker, and its result. */
#include "src/compile/internal.h"
#include "src/compile/link_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/util/alloc.h"

enum { WHERE_SIZE = 1024, NAMED_MOST = 4 };

void gpudl__link_name_inputs(const struct link_job *job, struct text *t)
{
    size_t named = job->n > NAMED_MOST ? NAMED_MOST - 1 : job->n;

    for (size_t i = 0; i < named; i++)
        gpudl__text_add(t, "%s%.200s", !i ? "" : i + 1 == job->n ? " and " : ", ", job->inputs[i].name);
    if (named < job->n)
        gpudl__text_add(t, " and %zu more", job->n - named);
}

void gpudl__link_name_target(const struct link_job *job, char name[16])
{
    snprintf(name, 16, "sm_%u%.1s", job->target.sm % 100000, &job->target.suffix);
}

char *gpudl__link_keep_log(const char *log)
{
    size_t n = strlen(log);
    char *copy;

    while (n && (unsigned char)log[n - 1] <= ' ')
        n--;
    while (n && (unsigned char)*log <= ' ') {
        log++;
        n--;
    }
    if (!n || !(copy = gpudl__alloc(n + 1)))
        return NULL;
    memcpy(copy, log, n);
    copy[n] = '\0';
    return copy;
}

void gpudl__link_release(struct link_result *r)
{
    gpudl__free(r->bytes);
    gpudl__free(r->log);
    *r = (struct link_result){ .bytes = NULL };
}

static bool driver_links(const struct link_job *job)
{
    const gpudl_driver_table *t = job->driver.table;

    return t && t->LinkCreate && t->LinkAddData && t->LinkComplete && t->LinkDestroy;
}

/* What the caller or the environment asks for. */
struct wish {
    bool driver;                /* only the driver's */
    bool nvjitlink;             /* only nvJitLink */
    const char *path;           /* this one */
};

static struct wish wish_of(const char *word)
{
    if (!word)
        word = gpudl__environment("GPUDL_LINKER");

    if (!word || !*word || !strcmp(word, "auto"))
        return (struct wish){ false, false, NULL };
    if (!strcmp(word, "driver"))
        return (struct wish){ true, false, NULL };
    if (!strcmp(word, "nvjitlink"))
        return (struct wish){ false, true, NULL };
    return (struct wish){ false, true, word };
}

bool gpudl__link_takes_ltoir(const char *linker)
{
    struct wish wish = wish_of(linker);
    struct text nowhere = gpudl__text_init(NULL, 0);

    return !wish.driver && gpudl__nvjitlink_open(wish.path, &nowhere);
}

/* An nvJitLink of a newer CUDA makes code that the driver does not take; and one of an older CUDA does not read all PTX. */
static bool driver_is_better(const struct link_job *job, const struct link_parts *parts, int version)
{
    unsigned newest = version ? gpudl__image_ptx_version(version) : 0;

    if (parts->lto || !driver_links(job) || job->driver.software)
        return false;
    if (job->target.device && version / 1000 > job->driver.table->version / 1000)
        return true;
    return newest && parts->ptx_version > newest;
}

static enum link_error no_linker(const struct link_job *job, const struct link_parts *parts, const struct wish *wish, const char *where,
    struct text *text)
{
    const char *needed = parts->lto           ? "LTO-IR is linked by nvJitLink only"
                       : job->driver.software ? "softcuda links to PTX, and machine code is wanted"
                       : job->driver.table    ? "the driver has no linker"
                                              : "there is no driver";

    gpudl__link_name_inputs(job, text);
    if (wish->driver)
        gpudl__text_add(text, ": %s, and GPUDL_LINKER or the caller asks for the driver's", needed);
    else
        gpudl__text_add(text, ": %s, and nvJitLink was not found: %s", needed, where);
    gpudl__text_add(text, ". It comes with the CUDA toolkit (12.0 or later) and with `pip install nvidia-nvjitlink`; GPUDL_LINKER may name it");
    return LINK_NO_LINKER;
}

static enum link_error no_ptx(const struct link_job *job, struct text *text)
{
    gpudl__link_name_inputs(job, text);
    gpudl__text_add(text, ": linked PTX is made of LTO-IR alone (nvcc -dlto), or of PTX by softcuda; ask for a cubin");
    return LINK_NO_LINKER;
}

static bool all_lto(const struct link_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
        if (parts->items[i].kind != LINK_LTOIR && parts->items[i].kind != LINK_FATBIN && parts->items[i].kind != LINK_LIBRARY)
            return false;
    return parts->lto;
}

/* softcuda makes PTX of PTX; all else is nvJitLink's, and where that is missing or worse, the driver's. */
static enum link_error run(const struct link_job *job, const struct link_parts *parts, const struct wish *wish, struct link_result *out,
    struct link_failure *failure, struct text *text)
{
    const struct nvjitlink *n = NULL;
    char where[WHERE_SIZE];
    struct text t = gpudl__text_init(where, sizeof(where));
    bool driver = driver_links(job) && !parts->lto && job->driver.software == job->target.ptx;

    if (driver && (wish->driver || (job->driver.software && !wish->nvjitlink)))
        return gpudl__link_driver_run(job, parts, out, failure, text);
    if (job->target.ptx && !all_lto(parts))
        return no_ptx(job, text);
    if (!wish->driver)
        n = gpudl__nvjitlink_open(wish->path, &t);
    if (n && !(driver && !wish->nvjitlink && driver_is_better(job, parts, gpudl__nvjitlink_version(n))))
        return gpudl__nvjitlink_run(n, job, parts, out, text);
    if (driver && !wish->nvjitlink)
        return gpudl__link_driver_run(job, parts, out, failure, text);
    return no_linker(job, parts, wish, where, text);
}

/* A device runs code for its very architecture and its family: where an input is such code, that is what is linked for. */
static void raise_target(struct link_job *job, const struct link_parts *parts)
{
    for (size_t i = 0; job->target.device && i < parts->n; i++) {
        const struct link_part *p = &parts->items[i];

        if (job->driver.software && p->sm > job->target.sm)
            job->target.sm = p->sm;     /* it runs PTX of any */
        if (p->suffix == 'a' && p->sm == job->target.sm)
            job->target.suffix = 'a';
        else if (p->suffix == 'f' && !job->target.suffix)
            job->target.suffix = 'f';
    }
}

/* Code for one architecture only would not run wherever the result claims to. */
static enum link_error check_suffixes(const struct link_job *job, const struct link_parts *parts, struct text *text)
{
    char target[16];

    gpudl__link_name_target(job, target);
    for (size_t i = 0; !job->driver.software && !job->target.device && i < parts->n; i++) {
        const struct link_part *p = &parts->items[i];

        if (!p->suffix || p->suffix == job->target.suffix || job->target.suffix == 'a')
            continue;
        gpudl__text_add(text, "%s is for sm_%u%c, and what is linked is for %s: link for sm_%u%c", p->name, p->sm, p->suffix, target,
            job->target.sm, p->suffix);
        return LINK_MISFIT;
    }
    return LINK_OK;
}

static enum link_error read_again(const struct link_job *job, bool ltoir, struct link_parts *parts, struct link_failure *failure,
    struct text *text)
{
    gpudl__link_parts_free(parts);
    gpudl__text_clear(text);
    return gpudl__link_parts_read(job, ltoir, parts, failure, text);
}

/* LTO-IR is taken where all inputs have it, or one has nothing else: PTX and machine code find no names in it. softcuda takes PTX
 * where it can. */
static enum link_error read_parts(const struct link_job *job, struct link_parts *parts, struct link_failure *failure, struct text *text)
{
    bool software = job->driver.software && job->target.ptx;
    enum link_error error = gpudl__link_parts_read(job, !software, parts, failure, text);

    if (!software && !error && parts->lto && !all_lto(parts)) {
        error = read_again(job, false, parts, failure, text);
        software = true;        /* and LTO-IR after all, if that does not do */
    }
    return software && error == LINK_MISFIT ? read_again(job, true, parts, failure, text) : error;
}

enum link_error gpudl__link(const struct link_job *given, struct link_result *out, struct link_failure *failure, struct text *text)
{
    struct link_parts parts = { 0 };
    struct link_job job = *given;
    struct link_result result = { .bytes = NULL };
    struct wish wish = wish_of(job.linker);
    enum link_error error;

    *failure = (struct link_failure){ .misfit = MISFIT_ARCH };
    error = read_parts(&job, &parts, failure, text);
    if (!error) {
        raise_target(&job, &parts);
        error = check_suffixes(&job, &parts, text);
    }
    if (!error)
        error = gpudl__link_symbols_check(&parts, failure, text);
    if (!error)
        error = run(&job, &parts, &wish, &result, failure, text);
    gpudl__link_parts_free(&parts);
    if (error)
        gpudl__link_release(&result);
    else
        *out = result;
    return error;
}
