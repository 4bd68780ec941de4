/* The process's trace: opened once, told everything, written until the end. */
#include "src/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/trace/chrome.h"
#include "src/trace/nvtx.h"
#include "src/trace/tables.h"
#include "src/trace/times.h"
#include "src/util/alloc.h"
#include "src/util/clock.h"

struct trace {
    struct timeline timeline;
    struct chrome chrome; /* this and the tables: under the timeline's lock for writing */
    struct tables tables;
    const struct trace_times *times; /* NULL: none are known */
    gpudl_driver_table driver;       /* whose times they are */
    char *(*demangle)(const char *);
    const char *print_to; /* the tables, or NULL: nowhere; "-": stderr */
    char *path;
    pid_t owner; /* forked children leave it alone */
    bool broken; /* its file cannot be written any more, which was told */
    bool ended;  /* what is still added goes nowhere */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace *the;

static const char *words_of(const struct trace *t)
{
    return t->times ? t->times->words : "not known: only what the host did is in it";
}

static void write_records(void *user, struct trace_record *records, size_t n)
{
    struct trace *t = user;
    const struct allocator *before = gpudl__alloc_use(NULL);

    for (size_t i = 0; i < n && !t->ended; i++) {
        gpudl__chrome_add(&t->chrome, &records[i]);
        if (t->print_to)
            gpudl__tables_add(&t->tables, &records[i]);
    }
    t->broken |= !gpudl__chrome_complete(&t->chrome); /* so that a forked child has nothing to flush */
    gpudl__alloc_use(before);
}

/* -------------------------------------------------------------------------------------------------------------------------- opening */

static bool is_file(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* A file that another process, or another copy of gpudl, is tracing into is left to it: this one takes a name beside it. What is no file,
 * as /dev/null, is anybody's. */
static int open_file(const char *path, char **out)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    size_t size = strlen(path) + 16;

    *out = NULL;
    if (fd < 0)
        return -1;
    *out = gpudl__alloc(size);
    if (*out)
        snprintf(*out, size, "%s", path);
    if (*out && is_file(fd) && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(fd);
        snprintf(*out, size, "%s.%d", path, (int)getpid());
        fd = open(*out, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    }
    if (fd >= 0 && is_file(fd) && ftruncate(fd, 0) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void choose_tables(struct trace *t, const struct trace_wish *w)
{
    const char *wanted = w->heed ? secure_getenv("GPUDL_TRACE_TABLES") : NULL;

    if (!wanted || !*wanted)
        wanted = w->tables ? "-" : "none";
    t->print_to = strcmp(wanted, "none") ? gpudl__alloc_string(wanted) : NULL;
    t->demangle = w->demangle;
}

/* What is to be told of the opening, once no lock is held. */
struct remark {
    gpudl_log_level level;
    char text[1024];
};

static void choose_times(struct trace *t, const struct trace_wish *w, struct remark *remark)
{
    const char *wanted = w->heed ? secure_getenv("GPUDL_TRACE_TIMES") : NULL;
    struct text why = gpudl__text_init(remark->text, sizeof(remark->text));
    char path[PATH_MAX];
    bool any = !wanted || !*wanted;

    t->driver = w->driver->table;
    if (any || !strcmp(wanted, "softcuda"))
        t->times = gpudl__times_softcuda(&t->timeline, w->driver, &why);
    if (!t->times && !w->driver->software && (any || !strcmp(wanted, "cupti"))) {
        if (w->find_cupti && w->find_cupti(path))
            t->times = gpudl__times_cupti(&t->timeline, path, &why);
        else
            gpudl__text_add(&why, "%sno CUPTI was found", why.used ? "; " : "");
    }
    if (!t->times && (any || !strcmp(wanted, "events")))
        t->times = gpudl__times_events(&t->timeline, w->driver, &why);
    remark->level = GPUDL_LOG_INFO;
    if (!t->times && !any && strcmp(wanted, "none")) {
        gpudl__text_add(&why, "%sGPUDL_TRACE_TIMES is cupti, softcuda, events or none", why.used ? "; " : "");
        remark->level = GPUDL_LOG_WARNING;
    } else if (why.used) {
        gpudl__text_add(&why, "; times are %s", words_of(t));
    }
}

static void finish(void);

static void refuse(const struct trace_wish *w, const char *why, struct remark *remark)
{
    struct text t = gpudl__text_init(remark->text, sizeof(remark->text));

    remark->level = GPUDL_LOG_WARNING;
    gpudl__text_add(&t, "nothing is traced: %.700s cannot be written: %s", w->file, why);
}

static struct trace *create(const struct trace_wish *w, struct remark *remark)
{
    struct trace *t = gpudl__alloc_zero(sizeof(*t));
    int fd = t ? open_file(w->file, &t->path) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "r+") : NULL;

    if (!file) {
        refuse(w, t ? strerror(errno) : "no memory", remark);
        if (fd >= 0)
            close(fd);
        if (t)
            gpudl__free(t->path);
        gpudl__free(t);
        return NULL;
    }
    t->owner = getpid();
    gpudl__timeline_init(&t->timeline, write_records, t);
    choose_times(t, w, remark);
    choose_tables(t, w);
    gpudl__chrome_begin(&t->chrome, file, w->driver->name, words_of(t));
    gpudl__tables_init(&t->tables, t->chrome.start);
    gpudl__chrome_complete(&t->chrome);
    return t;
}

struct trace *gpudl__trace_open(const struct trace_wish *w)
{
    const struct allocator *before = gpudl__alloc_use(NULL);
    struct remark remark = { GPUDL_LOG_INFO, "" };
    static bool tried;
    struct trace *t;

    pthread_mutex_lock(&lock);
    if (!the && !tried) {
        the = create(w, &remark);
        tried = !the; /* one warning a process */
        if (the)
            atexit(finish);
    }
    t = the;
    pthread_mutex_unlock(&lock);
    gpudl__alloc_use(before);
    if (*remark.text)
        w->tell(w->user, remark.level, remark.text);
    return t;
}

const gpudl_driver_table *gpudl__trace_table(struct trace *t, const gpudl_driver_table *real)
{
    bool same = t && t->times && t->times->wrapped && real->LaunchKernel == t->driver.LaunchKernel;

    return same ? t->times->wrapped : real;
}

/* -------------------------------------------------------------------------------------------------------------------------- writing */

static void flush(struct trace *t, bool last)
{
    if (t->times && t->times->settle)
        t->times->settle(last);
    gpudl__timeline_flush(&t->timeline);
    pthread_mutex_lock(&t->timeline.writing);
    t->ended = last;
    pthread_mutex_unlock(&t->timeline.writing);
}

void gpudl__trace_flush(struct trace *t)
{
    if (t && t->owner == getpid())
        flush(t, false);
}

static void print_tables(struct trace *t)
{
    FILE *to = !strcmp(t->print_to, "-") ? stderr : fopen(t->print_to, "ae");

    if (!to)
        return;
    pthread_mutex_lock(&t->timeline.writing);
    gpudl__tables_print(&t->tables, to, words_of(t), t->demangle);
    pthread_mutex_unlock(&t->timeline.writing);
    if (to != stderr)
        fclose(to);
}

/* At exit, before the driver's own end. Other threads may still add: nothing is freed. */
static void finish(void)
{
    if (!the || the->owner != getpid())
        return;
    flush(the, true);
    if (the->broken)
        fprintf(stderr, "gpudl: warning: %s is not complete: it could not be written to its end\n", the->path);
    if (the->print_to)
        print_tables(the);
}

/* -------------------------------------------------------------------------------------------------------------------------- recording */

struct trace_span gpudl__trace_begin(struct trace *t, const char *what, const char *of)
{
    struct trace_span s = { t, 0, gpudl__nvtx_push(what, of) };

    if (t)
        s.begin = clock_now();
    return s;
}

void gpudl__trace_end(struct trace_span s, const char *what, const char *of, uint64_t bytes, bool failed)
{
    struct trace_record r = { .kind = TRACE_SPAN, .failed = failed, .begin = s.begin, .bytes = bytes, .name = what, .of = of };

    if (s.pushed)
        gpudl__nvtx_pop();
    if (!s.trace)
        return;
    r.end = clock_now();
    r.track = gpudl__timeline_thread();
    gpudl__timeline_add(&s.trace->timeline, &r);
}

void gpudl__trace_note(struct trace *t, const char *what, const char *of, uint64_t bytes)
{
    if (t)
        gpudl__trace_end((struct trace_span){ t, clock_now(), false }, what, of, bytes, false);
}

static bool is_timed(const struct trace *t, const struct trace_launch *l)
{
    return t->times && t->times->before && l->driver->LaunchKernel == t->driver.LaunchKernel;
}

void gpudl__trace_launch_begin(struct trace *t, struct trace_launch *l)
{
    l->number = 0;
    l->timed = NULL;
    l->begin = clock_now();
    if (is_timed(t, l))
        t->times->before(l);
}

void gpudl__trace_launch_end(struct trace *t, struct trace_launch *l, int err)
{
    struct trace_record r = { .kind = TRACE_LAUNCH, .failed = err != 0, .begin = l->begin, .name = l->kernel, .of = l->source };

    if (is_timed(t, l))
        t->times->after(l, err);
    if (err == GPUDL_CU_INVALID_CONTEXT) /* it is launched again, in one */
        return;
    memcpy(r.grid, l->grid, sizeof(r.grid));
    memcpy(r.block, l->block, sizeof(r.block));
    r.dynamic_shared = l->shared;
    r.number = err ? 0 : l->number;
    r.track = gpudl__timeline_thread();
    r.end = clock_now();
    gpudl__timeline_add(&t->timeline, &r);
}
