#include "src/loader/source/trust.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "src/loader/error.h"
#include "src/loader/options.h"
#include "src/util/alloc.h"

enum { LOCKS_MOST = 8, POLICIES_MOST = LOCKS_MOST + 3 }; /* the loader's, the load's, what that revokes */

/* What the entry's bytes are still to be asked. Lent by the loader, and by whoever has the load's setup. */
struct trust_question {
    struct trust_policy policies[POLICIES_MOST];
    size_t n;
    struct trust_finding finding;
};

/* Only ever added to: whoever sees the count sees what it counts. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trust_setup *locked[LOCKS_MOST];
static atomic_size_t nlocked;

gpudl_status gpudl__trust_status(enum trust_error error)
{
    switch (error) {
    case TRUST_OK:
        return GPUDL_OK;
    case TRUST_UNSIGNED:
        return GPUDL_ERROR_SIGNATURE_MISSING;
    case TRUST_BAD_SIGNATURE:
        return GPUDL_ERROR_SIGNATURE;
    case TRUST_UNKNOWN_KEY:
        return GPUDL_ERROR_NOT_TRUSTED;
    case TRUST_REVOKED:
        return GPUDL_ERROR_REVOKED;
    case TRUST_OTHER_DIGEST:
        return GPUDL_ERROR_DIGEST;
    case TRUST_BAD_SETUP:
        return GPUDL_ERROR_TRUST_SETUP;
    case TRUST_WRONG_PASSWORD:
        return GPUDL_ERROR_PASSWORD;
    case TRUST_NO_MEMORY:
        break;
    }
    return GPUDL_ERROR_NO_MEMORY;
}

/* ---- a loader's policy, and the process's */

bool gpudl__trust_locked(void)
{
    return atomic_load_explicit(&nlocked, memory_order_acquire) > 0;
}

static bool is_same(const struct trust_setup *a, const struct trust_setup *b)
{
    return a->level == b->level && gpudl__trust_keys_same(a->keys, b->keys) && gpudl__trust_digests_same(a->digests, b->digests);
}

/* Takes the setup over on success. A policy that is in force already is not counted again. */
static gpudl_status lock_policy(struct trust_setup *s)
{
    gpudl_status status = GPUDL_OK;
    size_t n, i = 0;

    pthread_mutex_lock(&lock);
    n = atomic_load_explicit(&nlocked, memory_order_relaxed);
    while (i < n && !is_same(locked[i], s))
        i++;
    if (i == LOCKS_MOST) {
        status = gpudl__fail(GPUDL_ERROR_TRUST_SETUP,
            "gpudl_trust_options: %d policies are locked in this process already, and there is room for no more: open loaders with those",
            LOCKS_MOST);
    } else if (i == n) {
        locked[n] = s;
        atomic_store_explicit(&nlocked, n + 1, memory_order_release);
    } else {
        gpudl__trust_setup_free(s);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* The process's setups outlive the loader and its allocator. */
static gpudl_status open_locked(const gpudl_trust_options *o)
{
    const struct allocator *before = gpudl__alloc_use(NULL);
    struct trust_setup *s;
    gpudl_status status = gpudl__trust_setup(o, &s);

    if (status == GPUDL_OK) {
        status = lock_policy(s);
        if (status != GPUDL_OK)
            gpudl__trust_setup_free(s);
    }
    gpudl__alloc_use(before);
    return status;
}

static gpudl_status check_loader_options(const gpudl_trust_options *o)
{
    if (o->signature)
        return gpudl__fail_argument("gpudl_trust_options", "a signature is of one load: give it in gpudl_load_options");
    if (o->policy == GPUDL_TRUST_SIGNATURE && !o->key_ring && !o->nkeys)
        return gpudl__fail_argument("gpudl_trust_options", "GPUDL_TRUST_SIGNATURE wants a key_ring, or keys");
    if (o->policy == GPUDL_TRUST_DIGEST && !o->manifest && !o->ndigests)
        return gpudl__fail_argument("gpudl_trust_options", "GPUDL_TRUST_DIGEST wants a manifest, or digests");
    return GPUDL_OK;
}

/* The strictest level that everything has to answer to. */
static enum trust_level least_level(const struct trust_setup *own)
{
    size_t n = atomic_load_explicit(&nlocked, memory_order_acquire);
    enum trust_level least = own ? own->level : TRUST_NONE;

    for (size_t i = 0; i < n; i++)
        if (locked[i]->level > least)
            least = locked[i]->level;
    return least;
}

static const char *level_name(enum trust_level level)
{
    return level == TRUST_BY_SIGNATURE ? "GPUDL_TRUST_SIGNATURE"
        : level == TRUST_BY_DIGEST     ? "GPUDL_TRUST_DIGEST"
                                       : "GPUDL_TRUST_NONE";
}

static gpudl_status check_level(const struct trust_setup *s, const struct trust_setup *own)
{
    enum trust_level least = least_level(own);

    if (!s->level_given || s->level >= least)
        return GPUDL_OK;
    return gpudl__fail(GPUDL_ERROR_TRUST_WEAKER,
        "gpudl_trust_options: asks for %s, and the policy of the %s is %s: a stricter one may be asked for, or none named",
        level_name(s->level), own && own->level == least ? "loader" : "process", level_name(least));
}

gpudl_status gpudl__trust_open(const gpudl_trust_options *given, struct trust_setup **out)
{
    gpudl_trust_options o;
    struct trust_setup *s;
    gpudl_status status;

    *out = NULL;
    if (!given)
        return GPUDL_OK;
    status = gpudl__options_import(&o, sizeof(o), given, "gpudl_trust_options");
    if (status == GPUDL_OK)
        status = check_loader_options(&o);
    if (status != GPUDL_OK || o.locked)
        return status == GPUDL_OK ? open_locked(&o) : status;
    status = gpudl__trust_setup(&o, &s);
    if (status != GPUDL_OK)
        return status;
    status = check_level(s, NULL);
    if (status == GPUDL_OK)
        *out = s;
    else
        gpudl__trust_setup_free(s);
    return status;
}

/* ---- the policies of one load */

struct stack {
    struct trust_policy policies[POLICIES_MOST];
    size_t n;
};

static void push(struct stack *stack, const struct trust_setup *s)
{
    stack->policies[stack->n++] = (struct trust_policy){ s->level, s->keys, s->digests };
}

/* The nearest of the others that has keys, or digests. */
static const struct trust_policy *find_other(const struct stack *stack, bool keys)
{
    for (size_t i = stack->n - 1; i-- > 0;) {
        const struct trust_policy *p = &stack->policies[i];

        if (keys ? gpudl__trust_keys_count(p->keys) : gpudl__trust_digests_count(p->digests))
            return p;
    }
    return NULL;
}

static gpudl_status lacking(const char *policy, const char *what)
{
    return gpudl__fail(GPUDL_ERROR_TRUST_SETUP,
        "gpudl_trust_options: %s is asked for, and neither load nor loader has a %s: give one", policy, what);
}

/* A load that asks for signatures or digests and brings none goes by what there is: the loader's first. What it revokes stays. */
static gpudl_status inherit(struct stack *stack)
{
    struct trust_policy *mine = &stack->policies[stack->n - 1];
    const struct trust_policy *other;

    if (mine->level == TRUST_BY_SIGNATURE && !gpudl__trust_keys_count(mine->keys)) {
        other = find_other(stack, true);
        if (!other)
            return lacking("GPUDL_TRUST_SIGNATURE", "key");
        stack->policies[stack->n++] = (struct trust_policy){ TRUST_NONE, mine->keys, NULL };
        mine->keys = other->keys;
    }
    if (mine->level == TRUST_BY_DIGEST && !gpudl__trust_digests_count(mine->digests)) {
        other = find_other(stack, false);
        if (!other)
            return lacking("GPUDL_TRUST_DIGEST", "digest");
        mine->digests = other->digests;
    }
    return GPUDL_OK;
}

/* load may be NULL. */
static gpudl_status stack_up(const struct trust_setup *own, const struct trust_setup *load, struct stack *stack)
{
    size_t n = atomic_load_explicit(&nlocked, memory_order_acquire);

    stack->n = 0;
    for (size_t i = 0; i < n; i++)
        push(stack, locked[i]);
    if (own)
        push(stack, own);
    if (!load)
        return GPUDL_OK;
    push(stack, load);
    return inherit(stack);
}

/* ---- checking */

static void say_how_to_sign(const struct content *c, struct text *why)
{
    if (c->stamp.there)
        gpudl__text_add(why, ": `gpudl sign` makes one, or give it in gpudl_trust_options");
    else
        gpudl__text_add(why, ": it is no file, so give the signature in gpudl_source or gpudl_trust_options");
}

/* The source's own, the one that was given, or the one that lies beside the file; *mine is to be freed. */
static gpudl_status find_signature(
    const struct span *given, const struct content *c, struct span *signature, void **mine, struct text *why)
{
    gpudl_status status = GPUDL_OK;

    *mine = NULL;
    *signature = c->signature.data ? c->signature : *given;
    if (signature->data || !c->stamp.there)
        return status;
    status = gpudl__trust_read_signature(c->name, signature, why);
    *mine = (void *)signature->data;
    return status;
}

static gpudl_status check_subject(const struct stack *stack, const struct content *c, struct trust_subject *subject,
    struct trust_finding *out, struct text *why)
{
    enum trust_error error = gpudl__trust_check(stack->policies, stack->n, subject, out, why);

    if (error == TRUST_UNSIGNED)
        say_how_to_sign(c, why);
    return error ? gpudl__fail(gpudl__trust_status(error), "%s: %s", c->name, why->data) : GPUDL_OK;
}

/* The comment of a signature that was found is lent by *mine, which is to be freed on success. */
static gpudl_status check(
    const struct stack *stack, const struct span *signature, const struct content *c, struct trust_finding *out, void **mine)
{
    char reason[2048];
    struct text why = gpudl__text_init(reason, sizeof(reason));
    struct trust_subject subject = { .bytes = c->bytes };
    char *path = NULL;
    gpudl_status status = GPUDL_OK;

    *mine = NULL;
    if (gpudl__trust_wants_signature(stack->policies, stack->n))
        status = find_signature(signature, c, &subject.signature, mine, &why);
    if (why.used)
        gpudl__text_add(&why, ": it ");
    if (status == GPUDL_OK && c->stamp.there) {
        subject.path = path = gpudl__trust_absolute(c->name);
        status = path ? status : gpudl__fail_memory("a path");
    }
    if (status == GPUDL_OK)
        status = check_subject(stack, c, &subject, out, &why);
    gpudl__free(path);
    if (status != GPUDL_OK) {
        gpudl__free(*mine);
        *mine = NULL;
    }
    return status;
}

static gpudl_status keep_question(const struct stack *stack, const struct trust_finding *finding, struct content *c)
{
    struct trust_question *q;

    if (!gpudl__trust_open_question(finding))
        return GPUDL_OK;
    q = gpudl__alloc_zero(sizeof(*q));
    if (!q)
        return gpudl__fail_memory("a trust policy");
    memcpy(q->policies, stack->policies, sizeof(q->policies));
    q->n = stack->n;
    q->finding = *finding;
    q->finding.signature.comment = (struct span){ NULL, 0 }; /* was lent */
    c->question = q;
    return GPUDL_OK;
}

void gpudl__trust_question_free(struct trust_question *q)
{
    gpudl__free(q);
}

static gpudl_status admit(
    const struct trust_setup *own, const struct trust_setup *load, const struct span *signature, struct content *c)
{
    struct trust_finding finding;
    struct stack stack;
    gpudl_status status = stack_up(own, load, &stack);
    void *mine;

    if (status == GPUDL_OK)
        status = check(&stack, signature, c, &finding, &mine);
    if (status != GPUDL_OK)
        return status;
    gpudl__free(mine);
    return keep_question(&stack, &finding, c);
}

/* What is asked of one content. On failure too *out is to be freed. */
static gpudl_status import_trust(
    const struct trust_setup *own, const gpudl_trust_options *given, struct trust_setup **out, struct span *signature)
{
    gpudl_trust_options o;
    gpudl_status status = gpudl__options_import(&o, sizeof(o), given, "gpudl_trust_options");

    if (status == GPUDL_OK && o.locked)
        status = gpudl__fail_argument("gpudl_trust_options", "locked is for loaders");
    if (status == GPUDL_OK)
        status = gpudl__trust_setup(&o, out);
    if (status == GPUDL_OK)
        status = check_level(*out, own);
    *signature = (struct span){ o.signature, o.signature_size };
    return status;
}

/* The load's options; *out stays NULL if it has none. */
static gpudl_status import(
    const struct trust_setup *own, const gpudl_load_options *options, struct trust_setup **out, struct span *signature)
{
    gpudl_load_options load;
    gpudl_status status;

    if (!options)
        return GPUDL_OK;
    status = gpudl__options_import(&load, sizeof(load), options, "gpudl_load_options");
    return status == GPUDL_OK && load.trust ? import_trust(own, load.trust, out, signature) : status;
}

bool gpudl__trust_asks(const struct trust_setup *own, const gpudl_load_options *options)
{
    gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;

    if (own || gpudl__trust_locked())
        return true;
    return options && (gpudl__options_import(&load, sizeof(load), options, "gpudl_load_options") != GPUDL_OK || load.trust);
}

gpudl_status gpudl__trust_admit(
    const struct trust_setup *own, const struct trust_setup *before, const gpudl_load_options *options, struct content *c)
{
    struct span signature = { NULL, 0 };
    gpudl_status status = import(own, options, &c->trust, &signature);
    const struct trust_setup *load = c->trust && c->trust->level_given ? c->trust : before;

    if (status == GPUDL_OK && !c->registered && (own || load || gpudl__trust_locked())) {
        c->level = least_level(own); /* registered kernels are the program's own, and loaded already */
        if (load && load->level > c->level)
            c->level = load->level;
        status = admit(own, load, &signature, c);
    }
    c->signature = (struct span){ NULL, 0 };
    return status;
}

struct trust_setup *gpudl__trust_take(struct content *c)
{
    struct trust_setup *s = c->trust && c->trust->level_given ? c->trust : NULL;

    if (s)
        c->trust = NULL;
    return s;
}

gpudl_status gpudl__trust_admit_entry(const struct content *c, struct span entry)
{
    const struct trust_question *q = c->question;
    char reason[1024];
    struct text why = gpudl__text_init(reason, sizeof(reason));
    enum trust_error error;

    if (!q)
        return GPUDL_OK;
    error = gpudl__trust_check_entry(q->policies, q->n, &q->finding, entry, &why);
    return error ? gpudl__fail(gpudl__trust_status(error), "%s: %s", c->name, reason) : GPUDL_OK;
}

/* No entry can settle it here. */
static gpudl_status refuse_digest(const struct content *c, const struct trust_finding *f)
{
    char digits[SHA256_TEXT];

    gpudl__sha256_print(&f->digest, digits);
    return gpudl__fail(GPUDL_ERROR_DIGEST,
        "%s: its SHA-256 is %s, which is not among those that are trusted: if it should be, add it to the manifest or the digests",
        c->name, digits);
}

gpudl_status gpudl__trust_judge(
    const gpudl_trust_options *options, const struct content *c, struct trust_finding *out, void **mine)
{
    struct span signature = { NULL, 0 };
    struct trust_setup *setup = NULL;
    struct stack stack;
    gpudl_status status = import_trust(NULL, options, &setup, &signature);

    *mine = NULL;
    if (status == GPUDL_OK && setup->level == TRUST_NONE)
        status = gpudl__fail_argument("gpudl_trust_check", "policy is GPUDL_TRUST_DIGEST or GPUDL_TRUST_SIGNATURE");
    if (status == GPUDL_OK)
        status = stack_up(NULL, setup, &stack);
    if (status == GPUDL_OK)
        status = check(&stack, &signature, c, out, mine);
    if (status == GPUDL_OK && out->entry_wanted) {
        gpudl__free(*mine);
        *mine = NULL;
        status = refuse_digest(c, out);
    }
    gpudl__trust_setup_free(setup);
    return status;
}
