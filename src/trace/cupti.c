/* Device times from CUPTI's activity records: all kernels, copies and fills of the process, whoever asked for them. CUPTI serves one at a
 * time: where a profiler is attached, subscribing fails, and events are used instead.
 *
 * A launch and its kernel have CUPTI's correlation number; it is told to a callback within the launch. */
#include <dlfcn.h>
#include <string.h>

#include "src/trace/cupti_abi.h"
#include "src/trace/times.h"
#include "src/util/alloc.h"
#include "src/util/clock.h"

enum { BUFFER = 1 << 20, OWN = 1 << 16, SAMPLES = 5 };

static const int kinds[] = { CUPTI_CONCURRENT_KERNEL, CUPTI_MEMCPY, CUPTI_MEMSET };

static struct {
    struct timeline *timeline;
    void *subscriber;
    int64_t offset;            /* from CUPTI's clock to the host's */
    _Atomic uint32_t own[OWN]; /* numbers of launches that went through gpudl, by their low bits: theirs get arrows */
#define DECLARE(name, params) int(*name) params;
    CUPTI_FUNCTIONS(DECLARE)
#undef DECLARE
} cupti;

static __thread struct {
    bool within;
    uint32_t correlation;
} launch;

/* --------------------------------------------------------------------------------------------------------------------------- records */

static void add(struct trace_record *r, uint64_t start, uint64_t end)
{
    if (!start || end < start) /* it was not finished when it was asked for */
        return;
    r->begin = start + (uint64_t)cupti.offset;
    r->end = end + (uint64_t)cupti.offset;
    gpudl__timeline_add(cupti.timeline, r);
}

static void add_kernel(const struct cupti_kernel *k)
{
    struct trace_record r = { .kind = TRACE_KERNEL,
        .device = k->device,
        .track = k->stream,
        .registers = k->registers,
        .local = k->local_a_thread,
        .static_shared = (uint32_t)k->static_shared,
        .dynamic_shared = (uint32_t)k->dynamic_shared,
        .name = k->name };

    if (atomic_load(&cupti.own[k->correlation % OWN]) == k->correlation)
        r.number = k->correlation;
    memcpy(r.grid, k->grid, sizeof(r.grid));
    memcpy(r.block, k->block, sizeof(r.block));
    add(&r, k->start, k->end);
}

static void add_copy(const struct cupti_memcpy *c)
{
    static const char *const names[] = { "copy", "copy HtoD", "copy DtoH", "copy HtoA", "copy AtoH", "copy AtoA", "copy AtoD",
        "copy DtoA", "copy DtoD", "copy HtoH", "copy PtoP" };
    size_t kind = c->copy_kind < sizeof(names) / sizeof(*names) ? c->copy_kind : 0;
    struct trace_record r = {
        .kind = TRACE_COPY, .device = c->device, .track = c->stream, .bytes = c->bytes, .name = names[kind]
    };

    add(&r, c->start, c->end);
}

static void add_fill(const struct cupti_memset *f)
{
    struct trace_record r = { .kind = TRACE_FILL, .device = f->device, .track = f->stream, .bytes = f->bytes, .name = "fill" };

    add(&r, f->start, f->end);
}

static void request(uint8_t **buffer, size_t *size, size_t *records)
{
    const struct allocator *before = gpudl__alloc_use(NULL);

    *buffer = gpudl__alloc(BUFFER);
    *size = *buffer ? BUFFER : 0;
    *records = 0;
    gpudl__alloc_use(before);
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    void *record = NULL;

    (void)context, (void)stream, (void)size;
    while (valid && cupti.ActivityGetNextRecord(buffer, valid, &record) == 0) {
        int kind;
        memcpy(&kind, record, sizeof(kind));
        if (kind == CUPTI_CONCURRENT_KERNEL)
            add_kernel(record);
        else if (kind == CUPTI_MEMCPY)
            add_copy(record);
        else if (kind == CUPTI_MEMSET)
            add_fill(record);
    }
    gpudl__free(buffer);
}

/* -------------------------------------------------------------------------------------------------------------------------- launches */

static void see(void *user, int domain, uint32_t call, const struct cupti_call *data)
{
    (void)user, (void)domain, (void)call;
    if (launch.within && data->site == CUPTI_SITE_ENTER) {
        launch.correlation = data->correlation;
        atomic_store(&cupti.own[data->correlation % OWN], data->correlation);
    }
}

static void before(struct trace_launch *l)
{
    (void)l;
    launch.within = true;
    launch.correlation = 0;
}

static void after(struct trace_launch *l, int err)
{
    (void)err;
    launch.within = false;
    l->number = launch.correlation;
}

static void settle(bool last)
{
    cupti.ActivityFlushAll(last ? CUPTI_FLUSH_FORCED : 0);
    if (!last)
        return;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        cupti.ActivityDisable(kinds[i]);
    cupti.Unsubscribe(cupti.subscriber);
}

/* --------------------------------------------------------------------------------------------------------------------------- opening */

static const char *words_of(int result)
{
    const char *words = NULL;

    return cupti.GetResultString(result, &words) == 0 && words ? words : "an error of no known name";
}

/* The narrowest of some looks at both clocks. */
static int compare_clocks(void)
{
    uint64_t narrowest = UINT64_MAX;

    for (int i = 0; i < SAMPLES; i++) {
        uint64_t theirs = 0, from = clock_now();
        int err = cupti.GetTimestamp(&theirs);
        uint64_t to = clock_now();
        if (err)
            return err;
        if (to - from < narrowest) {
            narrowest = to - from;
            cupti.offset = (int64_t)(from + (to - from) / 2 - theirs);
        }
    }
    return 0;
}

static bool resolve(void *library)
{
    bool all = true;

#define RESOLVE(name, params) all &= (*(void **)&cupti.name = dlsym(library, "cupti" #name)) != NULL;
    CUPTI_FUNCTIONS(RESOLVE)
#undef RESOLVE
    return all;
}

static int enable(void)
{
    int err = cupti.ActivityRegisterCallbacks(request, complete);

    if (!err)
        err = cupti.EnableCallback(1, cupti.subscriber, CUPTI_DOMAIN_DRIVER, CUPTI_LAUNCH_KERNEL);
    if (!err)
        err = cupti.EnableCallback(1, cupti.subscriber, CUPTI_DOMAIN_DRIVER, CUPTI_LAUNCH_KERNEL_EX);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !err; i++)
        err = cupti.ActivityEnable(kinds[i]);
    return err ? err : compare_clocks();
}

/* Its callbacks are never taken back: code that they are in stays in the process. */
static void hold_code(void)
{
    Dl_info info;

    if (dladdr((void *)hold_code, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

const struct trace_times *gpudl__times_cupti(struct timeline *t, const char *path, struct text *why)
{
    static const struct trace_times times = { "CUPTI's", before, after, settle, NULL };
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *call = "cuptiSubscribe";
    int err;

    if (!library || !resolve(library)) {
        gpudl__text_add(why, "%s%s cannot be used", why->used ? "; " : "", path);
        return NULL;
    }
    cupti.timeline = t;
    err = cupti.Subscribe(&cupti.subscriber, see, NULL);
    if (!err) {
        hold_code();
        call = "enabling CUPTI's records";
        err = enable();
        if (err)
            cupti.Unsubscribe(cupti.subscriber);
    }
    if (!err)
        return &times;
    gpudl__text_add(why, "%s%s: %s: %d (%s)", why->used ? "; " : "", path, call, err, words_of(err));
    return NULL;
}
