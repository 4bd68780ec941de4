/* What the rest of the loader calls: nothing is asked for, or it is refused. */
#include "src/basic/basic.h"

#include "src/cache/cache.h"
#include "src/compile/compile.h"
#include "src/loader/error.h"
#include "src/loader/features.h"
#include "src/loader/life/trial.h"
#include "src/loader/life/watch.h"
#include "src/loader/options.h"
#include "src/loader/source/compile.h"
#include "src/loader/source/link.h"
#include "src/loader/source/trust.h"

const uint64_t gpudl__features_built = 0;

uint64_t gpudl__features_found(gpudl_loader *l)
{
    (void)l;
    return 0;
}

gpudl_status gpudl__basic_lacks(const char *what, const char *part)
{
    return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
        "%s: this is a basic build of gpudl, without %s: build it with GPUDL_FEATURES=full for that", what, part);
}

/* ------------------------------------------------------------------------------------------------------------ compile, link, keep */

void gpudl__cache_close(struct cache *c)
{
    (void)c;
}

void gpudl__cache_counts(const struct cache *c, struct cache_counts *counts)
{
    (void)c;
    *counts = (struct cache_counts){ 0 };
}

const char *gpudl__compile_lowered(struct span lowered, const char *expression)
{
    (void)lowered, (void)expression;
    return NULL;
}

gpudl_status gpudl__content_compile(
    gpudl_loader *l, const gpudl_compile_options *options, const struct load_settings *settings, struct content *content)
{
    (void)l, (void)options, (void)settings;
    return content->cuda ? gpudl__basic_lacks(content->name, "compilers of CUDA C++") : GPUDL_OK;
}

bool gpudl__link_alone(gpudl_loader *l, struct content *content, const struct load_settings *settings, gpudl_status *status)
{
    (void)l, (void)settings;
    if (*status == GPUDL_ERROR_NOT_LINKED)
        *status = gpudl__fail(*status,
            "%s: the code must be linked before it is loaded, and this is a basic build of gpudl, without linkers",
            content->name);
    return false;
}

/* What looks for toolkits is the compilers'. Device times are those of events then. */
bool gpudl__find_cupti(char path[PATH_MAX])
{
    (void)path;
    return false;
}

/* ------------------------------------------------------------------------------------------------------------------------- trust */

/* What asks for a check is refused: nothing comes in unchecked because checks were left out. */
static gpudl_status refuse_policy(const char *what, const gpudl_trust_options *given)
{
    gpudl_trust_options o;
    gpudl_status status = gpudl__options_import(&o, sizeof(o), given, "gpudl_trust_options");

    if (status == GPUDL_OK && (o.locked || (o.policy != GPUDL_TRUST_DEFAULT && o.policy != GPUDL_TRUST_NONE)))
        status = gpudl__basic_lacks(what, "policies of trust");
    return status;
}

gpudl_status gpudl__trust_open(const gpudl_trust_options *given, struct trust_setup **out)
{
    *out = NULL;
    return given ? refuse_policy("gpudl_loader_options.trust", given) : GPUDL_OK;
}

/* What a load's options ask for is refused by gpudl__trust_admit(). */
bool gpudl__trust_asks(const struct trust_setup *own, const gpudl_load_options *options)
{
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;

    (void)own;
    return options && (gpudl__options_import(&load, sizeof(load), options, "gpudl_load_options") != GPUDL_OK || load.trust);
}

gpudl_status gpudl__trust_admit(
    const struct trust_setup *own, const struct trust_setup *before, const gpudl_load_options *options, struct content *content)
{
    gpudl_load_options load;
    gpudl_status status;

    (void)own, (void)before;
    if (!options || content->registered)
        return GPUDL_OK;
    status = gpudl__options_import(&load, sizeof(load), options, "gpudl_load_options");
    return status == GPUDL_OK && load.trust ? refuse_policy(content->name, load.trust) : status;
}

gpudl_status gpudl__trust_admit_entry(const struct content *content, struct span entry)
{
    (void)content, (void)entry;
    return GPUDL_OK;
}

struct trust_setup *gpudl__trust_take(struct content *content)
{
    (void)content;
    return NULL;
}

bool gpudl__trust_locked(void)
{
    return false;
}

void gpudl__trust_question_free(struct trust_question *q)
{
    (void)q;
}

void gpudl__trust_setup_free(struct trust_setup *s)
{
    (void)s;
}

/* ---------------------------------------------------------------------------------------------------------------- trials, watches */

gpudl_status gpudl__trials_import(const gpudl_replace_options *o, struct trials *out)
{
    *out = (struct trials){ 0 };
    return o->ntrials ? gpudl__basic_lacks("gpudl_replace_options.trials", "trials") : GPUDL_OK;
}

void gpudl__trials_release(struct trials *t)
{
    (void)t;
}

gpudl_status gpudl__trials_run(const struct trials *t, const struct version *v)
{
    (void)t;
    return gpudl__basic_lacks(v->content.name, "trials");
}

void gpudl__watch_end(struct gpudl_library *lib)
{
    (void)lib;
}

void gpudl__watcher_join(struct gpudl_loader *l)
{
    (void)l;
}

void gpudl__watcher_wake(struct gpudl_loader *l)
{
    (void)l;
}
