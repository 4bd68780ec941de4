/* Device times from CUDA events: any driver has them. Nothing here waits for the device, but for a moment at the end, and once for a
 * stream of gpudl's own that has nothing else to do: where a context's clock stands beside the host's.
 *
 * Events are made and destroyed under the lock here, and each traced launch takes it: so the driver, which lets launches go first
 * (loader/launch/hold.h), does not keep the maker waiting for ever.
 *
 * Events are never recorded into a capture. Asking for one ends captures of other threads, unless the asking thread is relaxed. */
#include "src/trace/events.h"

#include <string.h>

#include "src/trace/times.h"
#include "src/util/alloc.h"
#include "src/util/clock.h"

enum { MOST = 4096, AT_ONCE = 64, TRACKS = 1024, NAME = 256, PATIENCE = 1000000000, PAUSE = 1000000 /* ns */ };

struct timed {
    struct timed *next;
    CUevent start, end;
    CUstream stream;
    struct event_context *context;
    struct trace_record record;
    char name[NAME], of[NAME];
};

/* A context that events were made in. An event resolved later takes the place of the base, so that the distance stays short: a float
 * holds a second to 60 ns. */
struct event_context {
    struct event_context *next;
    CUcontext handle;
    CUevent base;
    uint64_t base_time; /* of the host */
    CUdevice device;
    struct timed *free;
    size_t out; /* of its pairs, that are not free */
    bool dead;  /* it has no events any more, as after a reset or a fault: they are not touched */
};

/* A stream as it was first seen: its track is its number here, from 1. */
struct event_stream {
    CUstream handle;
    uint64_t thread; /* of the per-thread default stream */
    uint64_t last;   /* when the last thing there ended: rounding must not make the next begin before */
    bool waits;      /* in this pass: something of it is not done */
};

static struct {
    pthread_mutex_t lock;
    gpudl_driver_table cu;
    struct timeline *timeline;
    struct event_context *contexts;
    struct timed *first, **end; /* those under way, in the order of their recording */
    size_t n, waiting, taken;   /* all there are; those under way; taken so far */
    struct event_stream streams[TRACKS];
    size_t nstreams;
    bool closed;
} ev = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int exchange_mode(int mode)
{
    if (ev.cu.ThreadExchangeStreamCaptureMode)
        ev.cu.ThreadExchangeStreamCaptureMode(&mode);
    return mode;
}

/* ----------------------------------------------------------------------------------------------------------------- contexts; locked */

static bool create_event(CUevent *out)
{
    *out = NULL;
    return ev.cu.EventCreate(out, 0) == 0;
}

/* Where the context's clock stands: an event in a stream that waits for nothing is done at once. */
static bool set_base(struct event_context *c)
{
    uint64_t before, deadline;
    CUstream stream;
    int err;

    if (!create_event(&c->base) || ev.cu.StreamCreate(&stream, GPUDL_STREAM_NON_BLOCKING) != 0)
        return false;
    before = clock_now();
    deadline = before + PATIENCE / 10;
    err = ev.cu.EventRecord(c->base, stream);
    while (!err && (err = ev.cu.EventQuery(c->base)) == GPUDL_CU_NOT_READY && clock_now() < deadline)
        err = 0;
    c->base_time = before + (clock_now() - before) / 2;
    ev.cu.StreamDestroy(stream);
    return err == 0;
}

static struct event_context *find_context(CUcontext handle)
{
    struct event_context *c = ev.contexts;
    int mode;

    while (c && c->handle != handle)
        c = c->next;
    if (c)
        return c;
    c = gpudl__alloc_zero(sizeof(*c));
    if (!c)
        return NULL;
    c->handle = handle;
    c->next = ev.contexts;
    ev.contexts = c;
    mode = exchange_mode(GPUDL_STREAM_CAPTURE_MODE_RELAXED);
    c->dead = ev.cu.CtxGetDevice(&c->device) != 0 || !set_base(c);
    exchange_mode(mode);
    return c;
}

static struct timed *create_timed(struct event_context *c)
{
    struct timed *t = ev.n < MOST ? gpudl__alloc_zero(sizeof(*t)) : NULL;
    int mode;
    bool made;

    if (!t)
        return NULL;
    mode = exchange_mode(GPUDL_STREAM_CAPTURE_MODE_RELAXED);
    made = create_event(&t->start) && create_event(&t->end);
    if (!made && t->start)
        ev.cu.EventDestroy(t->start);
    exchange_mode(mode);
    if (!made) {
        gpudl__free(t);
        return NULL;
    }
    ev.n++;
    t->context = c;
    return t;
}

/* Nobody looks at it any more: its memory, and its events where there still are any. */
static void free_context(struct event_context *c)
{
    struct timed *next;

    for (struct timed *t = c->free; t; t = next) {
        next = t->next;
        if (!c->dead) {
            ev.cu.EventDestroy(t->start);
            ev.cu.EventDestroy(t->end);
        }
        gpudl__free(t);
        ev.n--;
    }
    if (!c->dead)
        ev.cu.EventDestroy(c->base);
    gpudl__free(c);
}

static void unlist(struct event_context *c)
{
    struct event_context **at = &ev.contexts;

    while (*at && *at != c)
        at = &(*at)->next;
    if (*at)
        *at = c->next;
}

/* A context of the same name may follow, as after a reset: it is made anew. */
static void bury(struct event_context *c)
{
    c->dead = true;
    unlist(c);
}

static void put_back(struct timed *t)
{
    struct event_context *c = t->context;

    t->next = c->free;
    c->free = t;
    c->out--;
    if (c->dead && !c->out)
        free_context(c);
}

/* Before contexts go: those with nothing under way. */
static void forget_idle(void)
{
    struct event_context *next;

    for (struct event_context *c = ev.contexts; c; c = next) {
        next = c->next;
        if (c->out)
            continue;
        unlist(c);
        free_context(c);
    }
}

/* --------------------------------------------------------------------------------------------------------------- resolving; locked */

static struct event_stream *stream_of(CUstream handle)
{
    uint64_t thread = handle == GPUDL_STREAM_PER_THREAD ? gpudl__timeline_thread() : 0;
    CUstream known = handle ? handle : GPUDL_STREAM_LEGACY;

    for (size_t i = ev.nstreams; i-- > 0;)
        if (ev.streams[i].handle == known && ev.streams[i].thread == thread)
            return &ev.streams[i];
    if (ev.nstreams == TRACKS)
        return NULL;
    ev.streams[ev.nstreams] = (struct event_stream){ known, thread, 0, false };
    return &ev.streams[ev.nstreams++];
}

static void rebase(struct timed *t)
{
    CUevent old = t->context->base;

    t->context->base = t->end;
    t->context->base_time = t->record.end;
    t->end = old;
}

static void resolve(struct timed *t)
{
    struct event_stream *s = &ev.streams[t->record.track - 1];
    float since = 0, lasted = 0;
    double begin;

    if (ev.cu.EventElapsedTime(&since, t->context->base, t->start) != 0 ||
        ev.cu.EventElapsedTime(&lasted, t->start, t->end) != 0 || lasted < 0)
        return;
    begin = (double)t->context->base_time + (double)since * 1e6;
    t->record.begin = begin > (double)s->last ? (uint64_t)begin : s->last;
    t->record.end = t->record.begin + (uint64_t)((double)lasted * 1e6);
    s->last = t->record.end;
    gpudl__timeline_add(ev.timeline, &t->record);
    if (since > 1000)
        rebase(t);
}

/* What is done goes to the timeline, in the order of each stream. */
static void drain(void)
{
    int mode = exchange_mode(GPUDL_STREAM_CAPTURE_MODE_RELAXED), err;
    struct timed **at = &ev.first, *t;

    for (size_t i = 0; i < ev.nstreams; i++)
        ev.streams[i].waits = false;
    while ((t = *at)) {
        struct event_stream *s = &ev.streams[t->record.track - 1];
        err = s->waits ? GPUDL_CU_NOT_READY : ev.cu.EventQuery(t->end);
        if (err == GPUDL_CU_NOT_READY) {
            s->waits = true;
            at = &t->next;
            continue;
        }
        *at = t->next;
        ev.waiting--;
        if (err)
            bury(t->context);
        else
            resolve(t);
        put_back(t);
    }
    ev.end = at;
    exchange_mode(mode);
}

/* ----------------------------------------------------------------------------------------------------------------------- recording */

static bool is_captured(CUstream stream)
{
    int status = GPUDL_STREAM_CAPTURE_STATUS_NONE;

    return (uintptr_t)stream > (uintptr_t)GPUDL_STREAM_LEGACY && ev.cu.StreamIsCapturing &&
        (ev.cu.StreamIsCapturing(stream, &status) != 0 || status != GPUDL_STREAM_CAPTURE_STATUS_NONE);
}

/* In the stream's context; nothing is done about a stream of a context that is not current. */
static CUcontext context_of(CUstream stream)
{
    CUcontext current = NULL, its = NULL;

    if (ev.cu.CtxGetCurrent(&current) != 0 || !current)
        return NULL;
    if ((uintptr_t)stream <= (uintptr_t)GPUDL_STREAM_PER_THREAD)
        return current;
    return ev.cu.StreamGetCtx(stream, &its) == 0 && its == current ? current : NULL;
}

static struct timed *take(CUcontext handle, CUstream stream)
{
    struct event_context *c;
    struct event_stream *s;
    struct timed *t;

    if (++ev.taken % AT_ONCE == 0)
        drain();
    c = ev.closed ? NULL : find_context(handle);
    s = c && !c->dead ? stream_of(stream) : NULL;
    if (!s)
        return NULL;
    t = c->free;
    if (t)
        c->free = t->next;
    else
        t = create_timed(c);
    if (t) {
        c->out++;
        t->stream = stream;
        t->record.track = (uint64_t)(s - ev.streams) + 1;
    }
    return t;
}

struct timed *gpudl__events_before(CUstream stream)
{
    const struct allocator *before;
    CUcontext context;
    struct timed *t;

    if (is_captured(stream) || !(context = context_of(stream)))
        return NULL;
    before = gpudl__alloc_use(NULL);
    pthread_mutex_lock(&ev.lock);
    t = take(context, stream);
    if (t && ev.cu.EventRecord(t->start, stream) != 0) {
        bury(t->context);
        put_back(t);
        t = NULL;
    }
    pthread_mutex_unlock(&ev.lock);
    gpudl__alloc_use(before);
    return t;
}

static const char *copy(char to[NAME], const char *from)
{
    size_t n = from ? strnlen(from, NAME - 1) : 0;

    if (!from)
        return NULL;
    memcpy(to, from, n);
    to[n] = '\0';
    return to;
}

void gpudl__events_after(struct timed *t, struct trace_record *r, int err)
{
    if (!t)
        return;
    if (!err)
        err = ev.cu.EventRecord(t->end, t->stream);
    r->track = t->record.track;
    r->device = (uint32_t)t->context->device;
    t->record = *r;
    t->record.name = copy(t->name, r->name);
    t->record.of = copy(t->of, r->of);
    t->next = NULL;
    pthread_mutex_lock(&ev.lock);
    if (err || ev.closed) {
        put_back(t);
    } else {
        *ev.end = t;
        ev.end = &t->next;
        ev.waiting++;
    }
    pthread_mutex_unlock(&ev.lock);
}

static void before_launch(struct trace_launch *l)
{
    l->timed = gpudl__events_before(l->stream);
}

static uint32_t attribute(const struct trace_launch *l, int which, CUdevice device)
{
    int value = 0;

    return ev.cu.KernelGetAttribute && ev.cu.KernelGetAttribute(&value, which, l->handle, device) == 0 && value > 0
        ? (uint32_t)value
        : 0;
}

static void after_launch(struct trace_launch *l, int err)
{
    static _Atomic uint64_t numbers;
    struct trace_record r = { .kind = TRACE_KERNEL, .name = l->kernel, .of = l->source, .dynamic_shared = l->shared };

    if (!l->timed)
        return;
    memcpy(r.grid, l->grid, sizeof(r.grid));
    memcpy(r.block, l->block, sizeof(r.block));
    r.number = l->number = atomic_fetch_add(&numbers, 1) + 1;
    if (!err) {
        r.registers = attribute(l, GPUDL_FUNC_NUM_REGS, l->timed->context->device);
        r.static_shared = attribute(l, GPUDL_FUNC_SHARED_SIZE_BYTES, l->timed->context->device);
    }
    gpudl__events_after(l->timed, &r, err);
}

static void settle(bool last)
{
    const struct allocator *before = gpudl__alloc_use(NULL);
    uint64_t deadline = clock_after(PATIENCE);
    bool more;

    do {
        pthread_mutex_lock(&ev.lock);
        drain();
        forget_idle();
        more = last && ev.waiting && clock_now() < deadline;
        ev.closed = last && !more;
        pthread_mutex_unlock(&ev.lock);
        if (more)
            clock_sleep(PAUSE);
    } while (more);
    gpudl__alloc_use(before);
}

static bool has_events(const gpudl_driver_table *cu)
{
    return cu->EventCreate && cu->EventDestroy && cu->EventRecord && cu->EventQuery && cu->EventElapsedTime && cu->StreamCreate &&
        cu->StreamDestroy;
}

const struct trace_times *gpudl__times_events(struct timeline *t, const struct driver *d, struct text *why)
{
    static struct trace_times times = { "those of events before and behind", before_launch, after_launch, settle, NULL };

    if (!has_events(&d->table)) {
        gpudl__text_add(why, "%sthe driver has no events", why->used ? "; " : "");
        return NULL;
    }
    ev.cu = d->table;
    ev.timeline = t;
    ev.end = &ev.first;
    times.wrapped = gpudl__copies_wrap(&d->table);
    return &times;
}
