/* trace.c - see trace.h. Times are in microseconds. A device is a process of the picture, a stream one of its threads; the host's own
 * threads are process 0. */
#include "softcuda/api/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

atomic_uint sc_tracing;
_Thread_local uint64_t sc_trace_stream, sc_trace_mark, sc_next_mark;

static struct { pthread_mutex_t lock; FILE *file; uint64_t start; } trace = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct period { uint64_t begin, end; int process; uint64_t thread; };

static void name_process(int p)
{
    fprintf(trace.file, "%s\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"", p ? "," : "", p);
    fprintf(trace.file, p ? "softcuda device %d\"}}" : "host\"}}", p - 1);
}

void sc_trace_open(void)
{
    const char *name = secure_getenv("SOFTCUDA_TRACE");

    if (!name || !*name)
        return;
    pthread_mutex_lock(&trace.lock);
    if ((trace.file = fopen(name, "we"))) {
        trace.start = sc_now();
        fputs("[", trace.file);
        for (int d = 0; d <= sc_device_count(); d++)
            name_process(d);
        atomic_fetch_or(&sc_tracing, SC_TRACE_FILE);
    } else {
        fprintf(stderr, "softcuda: SOFTCUDA_TRACE: %s cannot be written\n", name);
    }
    pthread_mutex_unlock(&trace.lock);
}

/* The end of the process: threads that still run find nothing to write to. */
__attribute__((destructor)) static void finish(void)
{
    pthread_mutex_lock(&trace.lock);
    atomic_fetch_and(&sc_tracing, ~(unsigned)SC_TRACE_FILE);
    if (trace.file) {
        fputs("\n]\n", trace.file);
        fclose(trace.file);
        trace.file = NULL;
    }
    pthread_mutex_unlock(&trace.lock);
}

/* Leaves the lock held and the event open for its arguments; false: there is no file any more. */
static bool begin_event(const struct period *s, const char *category)
{
    pthread_mutex_lock(&trace.lock);
    if (!trace.file) {
        pthread_mutex_unlock(&trace.lock);
        return false;
    }
    fprintf(trace.file, ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%" PRIu64 ",\"ts\":%.3f,\"dur\":%.3f,\"name\":\"", category,
            s->process, s->thread, (double)(s->begin - trace.start) / 1e3, (double)(s->end - s->begin) / 1e3);
    return true;
}

static void end_event(void)
{
    fputs("}}", trace.file);
    pthread_mutex_unlock(&trace.lock);
}

static void put_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', trace.file);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, trace.file);
    }
}

static struct period on_device(uint64_t begin, CUcontext c)
{
    return (struct period){ begin, sc_now(), c->device->ordinal + 1, sc_trace_stream };
}

/* What a listener is told of a period: the caller adds the rest. */
static struct softcuda_activity activity(enum softcuda_activity_kind kind, const struct period *s, const char *name)
{
    return (struct softcuda_activity){ .kind = kind, .device = (uint32_t)(s->process ? s->process - 1 : 0), .stream = s->thread,
                                       .begin = s->begin, .end = s->end, .name = name };
}

static void put_bytes(const struct period *s, uint64_t bytes)
{
    uint64_t ns = s->end - s->begin;

    fprintf(trace.file, "\",\"args\":{\"bytes\":%" PRIu64 ",\"GB/s\":%.3f", bytes, ns ? (double)bytes / (double)ns : 0.0);
}

void sc_trace_kernel(uint64_t begin, CUcontext c, const struct sc_launch_shape *l)
{
    struct softcuda_activity a;
    struct period s;

    if (!begin)
        return;
    s = on_device(begin, c);
    a = activity(SOFTCUDA_KERNEL, &s, l->kernel);
    a.mark = sc_trace_mark;
    memcpy(a.grid, l->grid, sizeof(a.grid));
    memcpy(a.block, l->block, sizeof(a.block));
    a.static_shared = l->static_shared;
    a.dynamic_shared = l->dynamic_shared;
    sc_tell(&a);
    if (!begin_event(&s, "kernel"))
        return;
    put_text(l->kernel);
    fprintf(trace.file, "\",\"args\":{\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared\":%u", l->grid[0], l->grid[1], l->grid[2],
            l->block[0], l->block[1], l->block[2], l->static_shared + l->dynamic_shared);
    end_event();
}

static char side(uint64_t p)
{
    struct mem_info info;

    return sc_mem_find(p, &info) && (info.kind == MEM_DEVICE || info.kind == MEM_MODULE) ? 'D' : 'H';
}

void sc_trace_copy(uint64_t begin, CUcontext c, uint64_t to, uint64_t from, uint64_t bytes)
{
    char name[] = "copy ?to?";
    struct softcuda_activity a;
    struct period s;

    if (!begin)
        return;
    s = on_device(begin, c);
    name[5] = side(from);
    name[8] = side(to);
    a = activity(SOFTCUDA_COPY, &s, name);
    a.bytes = bytes;
    sc_tell(&a);
    if (!begin_event(&s, "copy"))
        return;
    put_text(name);
    put_bytes(&s, bytes);
    end_event();
}

void sc_trace_fill(uint64_t begin, CUcontext c, uint64_t bytes)
{
    struct softcuda_activity a;
    struct period s;

    if (!begin)
        return;
    s = on_device(begin, c);
    a = activity(SOFTCUDA_FILL, &s, "fill");
    a.bytes = bytes;
    sc_tell(&a);
    if (!begin_event(&s, "set"))
        return;
    fputs("set", trace.file);
    put_bytes(&s, bytes);
    end_event();
}

void sc_trace_host(uint64_t begin, const char *what, const char *detail)
{
    struct period s = { .begin = begin, .thread = (uint64_t)gettid() };
    struct softcuda_activity a;

    if (!begin)
        return;
    s.end = sc_now();
    a = activity(SOFTCUDA_HOST, &s, what);
    a.of = detail;
    sc_tell(&a);
    if (!begin_event(&s, "host"))
        return;
    put_text(what);
    fputs("\",\"args\":{\"of\":\"", trace.file);
    put_text(detail);
    fputs("\"", trace.file);
    end_event();
}
