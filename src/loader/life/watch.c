/* Libraries that follow their files: who is watched, and when to look. What a look does is at the end. */
#include "src/loader/life/watch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "src/loader/error.h"
#include "src/loader/fork.h"
#include "src/loader/source/kept.h"
#include "src/loader/loader.h"
#include "src/loader/options.h"
#include "src/loader/process.h"
#include "src/loader/life/resident.h"
#include "src/loader/life/trail.h"
#include "src/loader/source/trust.h"
#include "src/util/clock.h"

enum { POLL = 250000000, SAFETY = 1000000000, PATIENCE = 500000000 }; /* ns */

struct watch {
    struct watch *next;
    gpudl_library *library;
    char path[PATH_MAX];
    gpudl_watch_options options;
    struct kept kept;           /* its file, and how it is replaced */
    bool busy;                  /* the thread is at it */
    bool ended;                 /* unwatched meanwhile, by the thread itself */
    atomic_bool cancelled;      /* unwatched meanwhile: a replace need not wait for its moment */
    /* The thread's own. */
    struct trail trail;
    bool told_of_changes;       /* by the system */
    bool due;                   /* a change was told: load it now, whatever the file's times and size say */
    uint64_t next_look;
    uint64_t again;             /* when it is loaded again, though it seems to be the same; 0: no more */
    struct stamp loaded;        /* what the library is */
    struct stamp seen;          /* at the last look, */
    uint64_t since;             /* and since when it is so */
    struct stamp failed;        /* this could not be loaded: told, or to be tried once more at: */
    uint64_t retry;             /* 0: told */
    struct stamp signature;     /* of the file beside it, before it was tried */
};

/* --------------------------------------------------------------------------------------------------------- a look at a file */

static void tell(struct watch *w, gpudl_status status, const char *text)
{
    gpudl_library *lib = w->library;
    uint64_t generation = atomic_load(&lib->generation);

    if (w->options.told) {
        gpudl__thread_leave(lib->loader);
        w->options.told(w->options.user, lib, status, text, generation);
        gpudl__thread_enter(lib->loader);
    } else if (status == GPUDL_OK)
        gpudl__log(lib->loader, GPUDL_LOG_INFO, "%s: replaced, generation %llu", w->path, (unsigned long long)generation);
    else
        gpudl__log(lib->loader, GPUDL_LOG_WARNING, "%s: changed, and not taken: %s", w->path, text);
}

static gpudl_status load(struct watch *w)
{
    struct thread *self = thread_self();
    gpudl_status status;

    if (!self)
        return gpudl__fail_memory("a thread's record");
    self->cancelled = &w->cancelled;
    status = gpudl__kept_replace(&w->kept, w->library);
    self->cancelled = NULL;
    return status;
}

/* A failure may be of a file that is still being written: then it changes. */
static void failed(struct watch *w, gpudl_status status)
{
    bool again = w->retry && stamp_same(w->failed, w->seen);

    w->failed = w->seen;
    w->retry = again ? 0 : clock_now() + PATIENCE;
    if (again)
        tell(w, status, gpudl_error_text());
}

static struct stamp signature_now(const struct watch *w)
{
    char path[PATH_MAX + sizeof(TRUST_SIGNATURE_SUFFIX)];

    snprintf(path, sizeof(path), "%s" TRUST_SIGNATURE_SUFFIX, w->path);
    return stamp_now(path);
}

/* What could not be loaded may have been too early for its signature. */
static bool has_new_signature(const struct watch *w)
{
    return w->failed.there && !stamp_same(w->signature, signature_now(w));
}

static void try_to_load(struct watch *w)
{
    uint64_t before = atomic_load(&w->library->generation);
    gpudl_status status;

    w->signature = signature_now(w);
    status = load(w);
    if (status == GPUDL_ERROR_CANCELLED)
        return;
    if (status != GPUDL_OK) {
        failed(w, status);
        return;
    }
    w->loaded = w->seen;
    w->failed = (struct stamp){ 0 };
    w->retry = 0;
    if (!w->told_of_changes)
        w->again = clock_now() + SAFETY;
    if (atomic_load(&w->library->generation) != before)
        tell(w, GPUDL_OK, "");
}

/* Was it told that the file is complete, or has it stayed the same for long enough? */
static bool is_ripe(const struct watch *w, bool due, uint64_t now)
{
    uint64_t quiet = w->told_of_changes ? SAFETY : w->options.poll_ns;

    if (!w->seen.there || due)
        return w->seen.there;
    if (stamp_same(w->seen, w->failed))
        return w->retry && now >= w->retry;
    return !stamp_same(w->seen, w->loaded) && now - w->since >= quiet;
}

/* A file may be written twice within one tick of its file system's clock, to the same size: nothing that is looked at tells. */
static bool is_due_again(struct watch *w, uint64_t now)
{
    if (!w->again || now < w->again)
        return false;
    w->again = 0;
    return stamp_same(w->seen, w->loaded);
}

static void look(struct watch *w)
{
    struct stamp s = stamp_now(w->path);
    uint64_t now = clock_now();
    bool due = w->due || has_new_signature(w);

    w->due = false;
    if (due) {
        w->failed = (struct stamp){ 0 };
        w->retry = 0;
    }
    if (!stamp_same(s, w->seen)) {
        w->seen = s;
        w->since = now;
    }
    if (is_ripe(w, due || is_due_again(w, now), now))
        try_to_load(w);
    now = clock_now();
    w->next_look = now + (w->told_of_changes ? SAFETY : w->options.poll_ns);
    if (w->retry && w->retry < w->next_look)
        w->next_look = w->retry;
}

/* ------------------------------------------------------------------------------------------------------------- the thread */

static void destroy(struct watch *w)
{
    gpudl__kept_release(&w->kept);
    gpudl__free(w);
}

/* Does the trail of anything that is watched go through this folder? Under both locks. */
static bool is_watched(const struct watcher *x, int folder)
{
    const struct watch *w = x->watches;

    while (w && !gpudl__trail_goes_through(&w->trail, folder))
        w = w->next;
    return w != NULL;
}

/* Folders that only an old trail went through are watched no more. With trails held, and not under the loader's lock. */
static void leave(gpudl_loader *l, const struct trail *old)
{
    pthread_mutex_lock(&l->lock);
    for (unsigned i = 0; i < old->n; i++)
        if (!is_watched(&l->watcher, old->signs[i].folder))
            inotify_rm_watch(l->watcher.inotify, old->signs[i].folder); /* of a folder that is gone this fails */
    pthread_mutex_unlock(&l->lock);
}

/* With trails held. */
static void follow(struct watcher *x, struct watch *w)
{
    w->trail.n = 0;
    w->told_of_changes =
        x->inotify >= 0 && !w->options.poll && !gpudl__is_remote(w->path) && gpudl__trail_follow(&w->trail, x->inotify, w->path);
}

static void follow_anew(gpudl_loader *l, struct watch *w)
{
    struct trail old;

    pthread_mutex_lock(&l->watcher.trails);
    old = w->trail;
    follow(&l->watcher, w);
    leave(l, &old);
    pthread_mutex_unlock(&l->watcher.trails);
}

/* Of one that was taken out. */
static void destroy_watch(gpudl_loader *l, struct watch *w)
{
    pthread_mutex_lock(&l->watcher.trails);
    leave(l, &w->trail);
    pthread_mutex_unlock(&l->watcher.trails);
    destroy(w);
}

/* The library is held meanwhile: told() may release it. Let go before it is said that the look is over: whoever waits for that may
 * close the loader. */
static void attend(gpudl_loader *l, struct watch *w)
{
    bool ended;

    follow_anew(l, w); /* links may lead elsewhere now */
    look(w);
    gpudl__library_drop(w->library);
    pthread_mutex_lock(&l->lock);
    w->busy = false;
    ended = w->ended;
    l->orphans -= ended;
    pthread_cond_broadcast(&l->moment_came);
    pthread_mutex_unlock(&l->lock);
    if (ended)
        destroy_watch(l, w);
}

/* One that is to be looked at, held; or NULL, and when there will be one. Under the lock. */
static struct watch *take_due(gpudl_loader *l, uint64_t *next)
{
    uint64_t now = clock_now();

    *next = UINT64_MAX;
    for (struct watch *w = l->watcher.watches; w; w = w->next) {
        if (atomic_load(&w->cancelled))
            continue;
        if (w->due || w->next_look <= now) {
            w->busy = true;
            w->library->references++;
            return w;
        }
        if (w->next_look < *next)
            *next = w->next_look;
    }
    return NULL;
}

/* Under the lock. What names no folder is an overflow of the queue: all are looked at. */
static void mark(struct watcher *x, const struct inotify_event *e)
{
    for (struct watch *w = x->watches; w; w = w->next)
        if (e->wd < 0 || (e->len && gpudl__trail_has(&w->trail, e->wd, e->name))) {
            w->due |= !(e->mask & IN_CREATE); /* created is not written yet; a link is ripe at once */
            w->next_look = 0;
        }
}

static void read_events(gpudl_loader *l)
{
    char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    const struct inotify_event *e;
    ssize_t n;

    pthread_mutex_lock(&l->lock);
    while ((n = read(l->watcher.inotify, buffer, sizeof(buffer))) > 0)
        for (const char *p = buffer; p < buffer + n; p += sizeof(*e) + e->len) {
            e = (const struct inotify_event *)p;
            mark(&l->watcher, e);
        }
    pthread_mutex_unlock(&l->lock);
}

static void sleep_until(gpudl_loader *l, uint64_t next)
{
    struct watcher *x = &l->watcher;
    struct pollfd fds[2] = { { x->wake, POLLIN, 0 }, { x->inotify, POLLIN, 0 } };
    uint64_t now = clock_now(), woken;
    struct timespec t = clock_spec(next > now ? next - now : 0);

    if (ppoll(fds, x->inotify >= 0 ? 2 : 1, next == UINT64_MAX ? NULL : &t, NULL) <= 0)
        return;
    if (fds[0].revents && read(x->wake, &woken, sizeof(woken)) < 0 && errno != EAGAIN)
        return;
    if (fds[1].revents)
        read_events(l);
}

static void *watch_all(void *user)
{
    gpudl_loader *l = user;
    struct watch *w;
    uint64_t next;
    bool closing;

    gpudl__thread_settle(l);
    do {
        pthread_mutex_lock(&l->lock);
        w = take_due(l, &next);
        closing = l->watcher.closing;
        pthread_mutex_unlock(&l->lock);
        gpudl__thread_enter(l); /* also where there is nothing to do: the process may end */
        if (w)
            attend(l, w);
        gpudl__thread_leave(l);
        if (!w && !closing)
            sleep_until(l, next);
    } while (!closing || w);
    return NULL;
}

/* --------------------------------------------------------------------------------------------------- who wants to be watched */

static void wake(struct watcher *x)
{
    const uint64_t one = 1;
    ssize_t n = write(x->wake, &one, sizeof(one));

    (void)n; /* full: it is awake */
}

/* Under the lock. */
static gpudl_status start_thread(gpudl_loader *l)
{
    struct watcher *x = &l->watcher;

    if (gpudl__process_ends())
        return gpudl__fail(GPUDL_ERROR_CANCELLED, "gpudl_library_watch: the process is ending: gpudl's threads are parked");
    if (x->started)
        return GPUDL_OK;
    x->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (x->wake < 0)
        return gpudl__fail(
            GPUDL_ERROR_NO_MEMORY, "gpudl_library_watch: eventfd: %s; is a limit reached (ulimit -n)?", strerror(errno));
    pthread_mutex_init(&x->trails, NULL);
    x->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK); /* without it files are looked at */
    x->started = gpudl__thread_start(&x->thread, watch_all, l) == 0;
    if (x->started)
        return GPUDL_OK;
    close(x->wake);
    pthread_mutex_destroy(&x->trails);
    if (x->inotify >= 0)
        close(x->inotify);
    return gpudl__fail(GPUDL_ERROR_NO_MEMORY, "gpudl_library_watch: no thread could be started: is a limit reached (ulimit -u)?");
}

static gpudl_status make_absolute(const char *path, char *out)
{
    char folder[PATH_MAX];
    int n;

    if (*path != '/' && !getcwd(folder, sizeof(folder)))
        return gpudl__fail(GPUDL_ERROR_FILE_UNREADABLE,
            "%s: is relative, and the current folder cannot be told: %s; give an absolute path", path, strerror(errno));
    n = *path == '/' ? snprintf(out, PATH_MAX, "%s", path) : snprintf(out, PATH_MAX, "%s/%s", folder, path);
    return n >= 0 && n < PATH_MAX
        ? GPUDL_OK
        : gpudl__fail(GPUDL_ERROR_ARGUMENT, "%s: the path is too long: with the current folder it has at most %d bytes", path,
              PATH_MAX - 1);
}

static gpudl_status import(struct watch *w, const gpudl_watch_options *given)
{
    gpudl_status status = GPUDL_OK;

    if (given)
        status = gpudl__options_import(&w->options, sizeof(w->options), given, "gpudl_watch_options");
    if (status == GPUDL_OK && (w->options.poll > 1 || w->options.reserved))
        status = gpudl__fail_argument("gpudl_watch_options", "poll is 0 or 1, and reserved is 0");
    w->options.poll_ns = w->options.poll_ns ? w->options.poll_ns : POLL;
    if (status == GPUDL_OK)
        status = gpudl__keep_replace(GPUDL_FILE(w->path), w->options.replace, &w->kept);
    return status == GPUDL_OK ? gpudl__when_check("gpudl_library_watch", w->kept.replace.when) : status;
}

static gpudl_status prepare(struct watch *w, gpudl_library *lib, const gpudl_watch_options *options)
{
    gpudl_status status;

    if (!lib->stamp.there)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT,
            "%s: gpudl_library_watch: the library was not loaded from a file, so there is nothing to watch: load it with GPUDL_FILE",
            lib->name);
    status = make_absolute(lib->name, w->path);
    if (status == GPUDL_OK)
        status = import(w, options);
    w->library = lib;
    w->seen = w->loaded = lib->stamp;
    return status;
}

/* Under the lock. */
static struct watch *find(const gpudl_loader *l, const gpudl_library *lib)
{
    struct watch *w = l->watcher.watches;

    while (w && w->library != lib)
        w = w->next;
    return w;
}

static void take_out(gpudl_loader *l, struct watch *w)
{
    struct watch **p = &l->watcher.watches;

    while (*p != w)
        p = &(*p)->next;
    *p = w->next;
}

static gpudl_status start(gpudl_loader *l)
{
    gpudl_status status;

    gpudl__process_hold_code(l);
    pthread_mutex_lock(&l->lock);
    status = start_thread(l);
    pthread_mutex_unlock(&l->lock);
    return status;
}

/* False: another thread was first, and nothing was done. */
static bool list(gpudl_loader *l, struct watch *w)
{
    bool first;

    pthread_mutex_lock(&l->lock);
    first = !find(l, w->library);
    if (first) {
        w->again = w->told_of_changes ? 0 : clock_now() + SAFETY;
        w->next = l->watcher.watches;
        l->watcher.watches = w;
        wake(&l->watcher);
    }
    pthread_mutex_unlock(&l->lock);
    return first;
}

/* Followed first: a change after this call is told. */
static bool add(gpudl_loader *l, struct watch *w)
{
    bool added;

    pthread_mutex_lock(&l->watcher.trails);
    follow(&l->watcher, w);
    added = list(l, w);
    if (!added)
        leave(l, &w->trail);
    pthread_mutex_unlock(&l->watcher.trails);
    return added;
}

static gpudl_status watch(gpudl_library *lib, const gpudl_watch_options *options)
{
    struct watch *w = gpudl__alloc_zero(sizeof(*w));
    gpudl_status status;

    if (!w)
        return gpudl__fail_memory("a watch");
    status = prepare(w, lib, options);
    if (status == GPUDL_OK)
        status = start(lib->loader);
    if (status != GPUDL_OK) {
        destroy(w);
        return status;
    }
    do
        gpudl__watch_end(lib);
    while (!add(lib->loader, w));
    return GPUDL_OK;
}

gpudl_status gpudl_library_watch(gpudl_library *lib, const gpudl_watch_options *options)
{
    const struct allocator *before;
    gpudl_status status;

    if (!lib)
        return gpudl__fail_argument("gpudl_library_watch", "the library is NULL");
    if (gpudl__forked())
        return gpudl__fail_forked("gpudl_library_watch");
    status = handle_check(lib, HANDLE_LIBRARY, "gpudl_library_watch");
    if (status != GPUDL_OK)
        return status;
    before = gpudl__alloc_use(gpudl__loader_heap(lib->loader));
    status = watch(lib, options);
    gpudl__alloc_use(before);
    return status;
}

void gpudl__watch_end(gpudl_library *lib)
{
    gpudl_loader *l = lib->loader;
    struct watch *w;
    bool mine;

    pthread_mutex_lock(&l->lock);
    mine = l->watcher.started && pthread_equal(l->watcher.thread, pthread_self());
    while ((w = find(l, lib)) && w->busy && !mine && !gpudl__process_ends()) {
        atomic_store(&w->cancelled, true);
        pthread_cond_broadcast(&l->moment_came);
        pthread_cond_wait(&l->moment_came, &l->lock);
    }
    if (w && (mine || !w->busy))
        take_out(l, w);
    if (w && w->busy) {
        w->ended = mine; /* from told(): it goes with the end of the look, which a close waits for. Else its thread is parked */
        l->orphans += mine;
        w = NULL;
    }
    pthread_mutex_unlock(&l->lock);
    if (w)
        destroy_watch(l, w);
}

void gpudl_library_unwatch(gpudl_library *lib)
{
    if (lib && !gpudl__forked() && handle_check(lib, HANDLE_LIBRARY, "gpudl_library_unwatch") == GPUDL_OK)
        gpudl__watch_end(lib);
}

void gpudl__watcher_wake(gpudl_loader *l)
{
    if (l->watcher.started)
        wake(&l->watcher);
}

void gpudl__watcher_join(gpudl_loader *l)
{
    struct watcher *x = &l->watcher;

    if (!x->started)
        return;
    pthread_mutex_lock(&l->lock);
    x->closing = true;
    wake(x);
    pthread_mutex_unlock(&l->lock);
    pthread_join(x->thread, NULL);
    close(x->wake);
    pthread_mutex_destroy(&x->trails);
    if (x->inotify >= 0)
        close(x->inotify);
}
