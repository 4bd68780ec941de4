/* leaks.c - see leaks.h. Memory of modules is told with them, memory of device code's malloc not at all: it is the context's. */
#include "softcuda/api/leaks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct { pthread_once_t once; bool on; } setting = { .once = PTHREAD_ONCE_INIT };

static void read_setting(void)
{
    const char *wish = secure_getenv("SOFTCUDA_LEAKS");

    setting.on = wish && *wish && *wish != '0';
}

void sc_leak(CUcontext c, const char *what, uint64_t address, uint64_t size, uint64_t id)
{
    char of[64] = "";

    if (c)
        snprintf(of, sizeof(of), ", context %" PRIu64 " of device %d", c->id, c->device->ordinal);
    if (size)
        fprintf(stderr, "softcuda: leak: %s: %" PRIu64 " bytes at 0x%" PRIx64 " (allocation %" PRIu64 ")%s\n", what, size, address, id, of);
    else
        fprintf(stderr, "softcuda: leak: %s 0x%" PRIx64 "%s\n", what, address, of);
}

static void of_memory(const struct sc_devmem_info *d, void *context)
{
    if (d->owner == context && d->kind == MEM_DEVICE)
        sc_leak(context, "device memory", d->start, d->size, d->id);
}

static void of_module(const struct CUmod_st *m)
{
    char what[256];

    snprintf(what, sizeof(what), "module with %u kernel%s (%s)", m->program->nkernels, m->program->nkernels == 1 ? "" : "s",
             m->program->nkernels ? m->program->kernels[0].func->name : "none");
    sc_leak(m->context, what, (uintptr_t)m, 0, 0);
}

static void of_stream(void *stream, void *context)
{
    const struct CUstream_st *s = stream;

    if (s->context == context && s->magic == SC_STREAM && !s->thread && s != s->context->legacy)
        sc_leak(context, "stream", (uintptr_t)s, 0, 0);
}

static void of_event(void *event, void *context)
{
    const struct CUevent_st *e = event;

    if (e->context == context && e->magic == SC_EVENT)
        sc_leak(context, "event", (uintptr_t)e, 0, 0);
}

static void of_library(void *library, void *arg)
{
    const struct CUlib_st *l = library;
    char what[256];

    (void)arg;
    snprintf(what, sizeof(what), "library with %u kernel%s (%s)", l->program->nkernels, l->program->nkernels == 1 ? "" : "s",
             l->program->nkernels ? l->program->kernels[0].func->name : "none");
    sc_leak(NULL, what, (uintptr_t)l, 0, 0);
}

void sc_leaks_of_context(CUcontext c)
{
    pthread_once(&setting.once, read_setting);
    if (!setting.on)
        return;
    sc_devmem_each(c->device->memory, of_memory, c);
    sc_pool_leaks(c);
    sc_graph_memory_leaks(c);
    sc_mem_leaks(c);
    for (const struct CUmod_st *m = c->modules; m; m = m->next)
        if (!m->library)
            of_module(m);
    sc_handles_each(&sc_streams, of_stream, c);
    sc_handles_each(&sc_events, of_event, c);
}

/* The end of the process. Nothing is given back any more; whoever still works is not waited for. */
__attribute__((destructor)) static void finish(void)
{
    pthread_once(&setting.once, read_setting);
    if (!setting.on || sc_ready())
        return;
    for (CUcontext c = NULL; (c = sc_context_next(c));)
        if (atomic_load(&c->alive))
            sc_leaks_of_context(c);
    sc_handles_each(&sc_libraries, of_library, NULL);
}
