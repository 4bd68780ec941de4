#include <pthread.h>
#include <time.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

enum { REASON_SIZE = 4000, LOOK_EVERY = 20 * 1000 * 1000 /* ns */ };

struct flight {
    struct cache_key key;
    size_t references;
    bool landed;
    enum compile_error error;
    struct compile_result result;
    char reason[REASON_SIZE];
    struct flight *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list, and of what is in it */
static pthread_cond_t landing = PTHREAD_COND_INITIALIZER;
static struct flight *flights;

static struct flight *find(const struct cache_key *key)
{
    struct flight *f = flights;

    while (f && memcmp(&f->key, key, sizeof(*key)))
        f = f->next;
    return f;
}

/* From no loader's heap: it may outlive the loader of the one who made it. */
static struct flight *begin(const struct cache_key *key)
{
    const struct allocator *before = gpudl__alloc_use(NULL);
    struct flight *f = gpudl__alloc_zero(sizeof(*f));

    gpudl__alloc_use(before);
    if (!f)
        return NULL;
    f->key = *key;
    f->references = 1;
    f->next = flights;
    flights = f;
    return f;
}

static void take_out(struct flight *f)
{
    struct flight **at = &flights;

    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
}

static void drop(struct flight *f)
{
    bool last;

    pthread_mutex_lock(&lock);
    last = --f->references == 0;
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    gpudl__compile_release(&f->result);
    gpudl__free(f);
}

/* Under the lock. False: the job was cancelled first. */
static bool wait_for(struct flight *f, const struct compile_job *job)
{
    while (!f->landed) {
        struct timespec until;

        if (!job->cancelled) {
            pthread_cond_wait(&landing, &lock);
            continue;
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_EVERY;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&landing, &lock, &until);
        pthread_mutex_unlock(&lock);
        if (job->cancelled(job->user)) {
            pthread_mutex_lock(&lock);
            return false;
        }
        pthread_mutex_lock(&lock);
    }
    return true;
}

static enum compile_error outcome(const struct flight *f, struct compile_result *out, struct text *why)
{
    if (f->error)
        gpudl__text_add(why, "%s", f->reason);
    else if (!gpudl__result_copy(&f->result, out))
        return COMPILE_NO_MEMORY;
    return f->error;
}

/* Lands with the others; false: the leader was cancelled, which is no answer for us. */
static bool follow(
    struct flight *f, const struct compile_job *job, enum compile_error *error, struct compile_result *out, struct text *why)
{
    bool landed = wait_for(f, job);

    pthread_mutex_unlock(&lock);
    *error = landed ? outcome(f, out, why) : COMPILE_CANCELLED;
    drop(f);
    return !landed || *error != COMPILE_CANCELLED;
}

struct flight *gpudl__flight_join(const struct cache_key *key, const struct compile_job *job, enum compile_error *error,
    struct compile_result *out, struct text *why)
{
    for (;;) {
        struct flight *f;

        pthread_mutex_lock(&lock);
        f = find(key);
        if (!f) {
            f = begin(key);
            pthread_mutex_unlock(&lock);
            *error = COMPILE_NO_MEMORY; /* of a leader there is none */
            return f;
        }
        f->references++;
        if (follow(f, job, error, out, why))
            return NULL;
        gpudl__text_clear(why);
    }
}

void gpudl__flight_land(struct flight *f, enum compile_error error, const struct compile_result *result, const struct text *why)
{
    const struct allocator *before = gpudl__alloc_use(NULL);
    struct text reason = gpudl__text_init(f->reason, sizeof(f->reason));
    struct compile_result copy = { .log = NULL };

    gpudl__text_add(&reason, "%s", why->size ? why->data : "");
    if (!error && !gpudl__result_copy(result, &copy))
        error = COMPILE_NO_MEMORY;
    gpudl__alloc_use(before);
    pthread_mutex_lock(&lock);
    f->error = error;
    f->result = copy;
    f->landed = true;
    take_out(f);
    pthread_cond_broadcast(&landing);
    pthread_mutex_unlock(&lock);
    drop(f);
}
