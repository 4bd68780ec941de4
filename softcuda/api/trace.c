/* trace.c - see trace.h. Times are in microseconds. A device is a process of the picture, a stream one of its threads; the host's own
 * threads are process 0. */
#include "softcuda/api/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

atomic_bool sc_tracing;
_Thread_local uint64_t sc_trace_stream;

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
        atomic_store(&sc_tracing, true);
    } else {
        fprintf(stderr, "softcuda: SOFTCUDA_TRACE: %s cannot be written\n", name);
    }
    pthread_mutex_unlock(&trace.lock);
}

/* The end of the process: threads that still run find nothing to write to. */
__attribute__((destructor)) static void finish(void)
{
    pthread_mutex_lock(&trace.lock);
    atomic_store(&sc_tracing, false);
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

static void put_bytes(const struct period *s, uint64_t bytes)
{
    uint64_t ns = s->end - s->begin;

    fprintf(trace.file, "\",\"args\":{\"bytes\":%" PRIu64 ",\"GB/s\":%.3f", bytes, ns ? (double)bytes / (double)ns : 0.0);
}

void sc_trace_kernel(uint64_t begin, CUcontext c, const struct sc_launch_shape *l)
{
    struct period s;

    if (!begin)
        return;
    s = on_device(begin, c);
    if (!begin_event(&s, "kernel"))
        return;
    put_text(l->kernel);
    fprintf(trace.file, "\",\"args\":{\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared\":%" PRIu64, l->grid[0], l->grid[1], l->grid[2],
            l->block[0], l->block[1], l->block[2], l->shared);
    end_event();
}

static char side(uint64_t p)
{
    struct mem_info info;

    return sc_mem_find(p, &info) && (info.kind == MEM_DEVICE || info.kind == MEM_MODULE) ? 'D' : 'H';
}

void sc_trace_copy(uint64_t begin, CUcontext c, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct period s;

    if (!begin)
        return;
    s = on_device(begin, c);
    if (!begin_event(&s, "copy"))
        return;
    fprintf(trace.file, "copy %cto%c", side(from), side(to));
    put_bytes(&s, bytes);
    end_event();
}

void sc_trace_fill(uint64_t begin, CUcontext c, uint64_t bytes)
{
    struct period s;

    if (!begin)
        return;
    s = on_device(begin, c);
    if (!begin_event(&s, "set"))
        return;
    fputs("set", trace.file);
    put_bytes(&s, bytes);
    end_event();
}

void sc_trace_host(uint64_t begin, const char *what, const char *detail)
{
    struct period s = { .begin = begin, .thread = (uint64_t)gettid() };

    if (!begin)
        return;
    s.end = sc_now();
    if (!begin_event(&s, "host"))
        return;
    put_text(what);
    fputs("\",\"args\":{\"of\":\"", trace.file);
    put_text(detail);
    fputs("\"", trace.file);
    end_event();
}
