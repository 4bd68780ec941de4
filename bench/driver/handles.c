/* handles.c - what a driver says to handles whose object is gone, and whether handles come back. */
#include "bench/driver/calls.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------------------- dead handles */

/* Each in a child of its own: real drivers crash at some. */
static int launch(struct subject *s, void *function, CUstream stream)
{
    void *params[] = { &s->memory };
    int r = s->x->cu->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL);

    return r ? r : s->x->cu->CtxSynchronize();
}

static int launch_kernel(struct subject *s)
{
    return launch(s, s->one, s->stream);
}

static int launch_function(struct subject *s)
{
    return launch(s, s->function, s->stream);
}

static int get_function(struct subject *s)
{
    CUfunction f;

    return s->x->cu->KernelGetFunction(&f, s->one);
}

static int get_attribute(struct subject *s)
{
    int value;

    return s->x->cu->KernelGetAttribute(&value, GPUDL_FUNC_NUM_REGS, s->one, 0);
}

static int get_name(struct subject *s)
{
    const char *name;

    return s->x->cu->KernelGetName ? s->x->cu->KernelGetName(&name, s->one) : GPUDL_CU_NOT_SUPPORTED;
}

static int get_kernel(struct subject *s)
{
    CUkernel k;

    return s->x->cu->LibraryGetKernel(&k, s->library, "one");
}

static int unload_again(struct subject *s)
{
    return s->x->cu->LibraryUnload(s->library);
}

static int launch_in_dead_stream(struct subject *s)
{
    return launch(s, s->x->nothing, s->stream);
}

static int query_dead_stream(struct subject *s)
{
    return s->x->cu->StreamQuery(s->stream);
}

static int query_dead_event(struct subject *s)
{
    return s->x->cu->EventQuery(s->event);
}

static const struct dead {
    const char *name, *what;
    int (*use)(struct subject *);
} dead[] = {
    { "cuLaunchKernel of its CUkernel", "library", launch_kernel },
    { "cuLaunchKernel of its CUfunction", "library", launch_function },
    { "cuKernelGetFunction", "library", get_function },
    { "cuKernelGetAttribute", "library", get_attribute },
    { "cuKernelGetName", "library", get_name },
    { "cuLibraryGetKernel", "library", get_kernel },
    { "cuLibraryUnload, again", "library", unload_again },
    { "cuLaunchKernel", "stream", launch_in_dead_stream },
    { "cuStreamQuery", "stream", query_dead_stream },
    { "cuEventQuery", "event", query_dead_event },
};
enum { DEAD = sizeof(dead) / sizeof(*dead) };

static int kill_object(struct subject *s, const char *what)
{
    if (strcmp(what, "library") == 0)
        return s->x->cu->LibraryUnload(s->library);
    return strcmp(what, "stream") == 0 ? s->x->cu->StreamDestroy(s->stream) : s->x->cu->EventDestroy(s->event);
}

static void dead_child(struct experiment *x, const char *name)
{
    const struct dead *d = dead;
    struct subject s;

    while (strcmp(d->name, name) != 0)
        d++;
    if (!subject_prepare(&s, x, new_image(x, 4 << 10), RESIDENT) || must(x, kill_object(&s, d->what), "destroying") != 0)
        return;
    cell_text("%s", d->what);
    cell_text("%s", d->name);
    cell_answer(x, d->use(&s));
    cell_answer(x, x->cu->CtxSynchronize());
    row_end();
}

/* ---------------------------------------------------------------------------------------------------------------------- reuse */

#define MADE 100

/* Makes one, hands out its handle as a number, and destroys it. */
static uintptr_t library_handle(struct subject *s)
{
    CUlibrary l = NULL;

    must(s->x, s->x->cu->LibraryLoadData(&l, s->image, NULL, NULL, 0, NULL, NULL, 0), "cuLibraryLoadData");
    must(s->x, s->x->cu->LibraryUnload(l), "cuLibraryUnload");
    return (uintptr_t)l;
}

static uintptr_t kernel_handle(struct subject *s)
{
    CUlibrary l = NULL;
    CUkernel k = NULL;

    must(s->x, s->x->cu->LibraryLoadData(&l, s->image, NULL, NULL, 0, NULL, NULL, 0), "cuLibraryLoadData");
    must(s->x, s->x->cu->LibraryGetKernel(&k, l, "one"), "cuLibraryGetKernel");
    must(s->x, s->x->cu->LibraryUnload(l), "cuLibraryUnload");
    return (uintptr_t)k;
}

static uintptr_t function_handle(struct subject *s)
{
    CUlibrary l = NULL;
    CUkernel k = NULL;
    CUfunction f = NULL;

    must(s->x, s->x->cu->LibraryLoadData(&l, s->image, NULL, NULL, 0, NULL, NULL, 0), "cuLibraryLoadData");
    must(s->x, s->x->cu->LibraryGetKernel(&k, l, "one"), "cuLibraryGetKernel");
    must(s->x, s->x->cu->KernelGetFunction(&f, k), "cuKernelGetFunction");
    must(s->x, s->x->cu->LibraryUnload(l), "cuLibraryUnload");
    return (uintptr_t)f;
}

static uintptr_t stream_handle(struct subject *s)
{
    CUstream stream = new_stream(s->x);

    must(s->x, s->x->cu->StreamDestroy(stream), "cuStreamDestroy");
    return (uintptr_t)stream;
}

static uintptr_t stream_id(struct subject *s)
{
    CUstream stream = new_stream(s->x);
    unsigned long long id = 0;

    must(s->x, s->x->more.StreamGetId(stream, &id), "cuStreamGetId");
    must(s->x, s->x->cu->StreamDestroy(stream), "cuStreamDestroy");
    return (uintptr_t)id;
}

static uintptr_t event_handle(struct subject *s)
{
    CUevent e = NULL;

    must(s->x, s->x->cu->EventCreate(&e, GPUDL_EVENT_DISABLE_TIMING), "cuEventCreate");
    must(s->x, s->x->cu->EventDestroy(e), "cuEventDestroy");
    return (uintptr_t)e;
}

static const struct {
    const char *name;
    uintptr_t (*make)(struct subject *);
} kinds[] = {
    { "CUlibrary", library_handle },
    { "CUkernel", kernel_handle },
    { "CUfunction", function_handle },
    { "CUstream", stream_handle },
    { "cuStreamGetId of those", stream_id },
    { "CUevent", event_handle },
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static void reuse(struct experiment *x)
{
    struct subject s;

    table_begin("Of 100 made and destroyed one after the other", "handle|as the one before|as any before");
    if (subject_prepare(&s, x, new_image(x, 4 << 10), NOTHING))
        for (unsigned k = 0; k < KINDS; k++) {
            uintptr_t seen[MADE];
            unsigned last = 0, any = 0;

            for (unsigned i = 0; i < MADE; i++) {
                bool found = false;

                seen[i] = kinds[k].make(&s);
                for (unsigned j = 0; j < i; j++)
                    found |= seen[j] == seen[i];
                last += i > 0 && seen[i] == seen[i - 1];
                any += found;
            }
            cell_text("%s", kinds[k].name);
            cell_text("%u", last);
            cell_text("%u", any);
            row_end();
        }
    subject_drop(&s);
}

static void run(struct experiment *x)
{
    table_begin("Calls with a handle whose object is gone", "what is gone|call|answer|cuCtxSynchronize after it");
    for (unsigned i = 0; i < DEAD; i++)
        experiment_child(x, "dead", dead[i].name, NULL);
    reuse(x);
}

int main(int argc, char **argv)
{
    static const struct experiment_child children[] = { { "dead", dead_child }, { NULL, NULL } };
    static const struct experiment_plan plan = { "handles", "do dead handles fail cleanly, and do handles come back?", run,
        children };

    return experiment_main(argc, argv, &plan);
}
