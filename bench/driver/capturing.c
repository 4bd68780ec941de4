#include "bench/driver/capturing.h"

#include "bench/driver/calls.h"

#include <string.h>

int exchange_mode(struct experiment *x, int mode)
{
    must(x, x->cu->ThreadExchangeStreamCaptureMode(&mode), "cuThreadExchangeStreamCaptureMode");
    return mode;
}

static bool begin(struct capturing *c)
{
    struct experiment *x = c->x;
    int status;

    return must(x, x->cu->StreamCreate(&c->stream, c->blocking ? 0 : GPUDL_STREAM_NON_BLOCKING), "cuStreamCreate") == 0 &&
        must(x, x->more.StreamBeginCapture(c->stream, c->mode), "cuStreamBeginCapture") == 0 &&
        must(x, launch_nothing(x, c->stream), "a launch into a capture") == 0 &&
        must(x, x->more.StreamGetCaptureInfo(c->stream, &status, NULL, &c->graph, NULL, NULL, NULL), "cuStreamGetCaptureInfo") ==
        0;
}

static void end(struct capturing *c)
{
    struct experiment *x = c->x;
    CUgraph graph = NULL;

    c->ended = x->more.StreamEndCapture(c->stream, &graph);
    if (graph)
        must(x, x->more.GraphDestroy(graph), "cuGraphDestroy");
    must(x, x->cu->StreamDestroy(c->stream), "cuStreamDestroy");
}

static void *hold_open(void *arg)
{
    struct capturing *c = arg;
    bool ok = use_device(c->x) && begin(c);

    sem_post(&c->open);
    sem_wait(&c->end);
    if (ok)
        end(c);
    return NULL;
}

bool capturing_begin(struct capturing *c, struct experiment *x)
{
    c->x = x;
    c->ended = -1;
    if (c->own)
        return begin(c);
    sem_init(&c->open, 0, 0);
    sem_init(&c->end, 0, 0);
    if (pthread_create(&c->thread, NULL, hold_open, c) != 0)
        return false;
    sem_wait(&c->open);
    return true;
}

int capturing_end(struct capturing *c)
{
    if (c->own)
        end(c);
    else {
        sem_post(&c->end);
        pthread_join(c->thread, NULL);
    }
    return c->ended;
}

/* ----------------------------------------------------------------------------------------------------------------------- table */

static const struct {
    const char *name;
    int mode;
    bool blocking, own;
} situations[] = {
    { "global", CAPTURE_GLOBAL, false, false },
    { "thread-local", CAPTURE_THREAD_LOCAL, false, false },
    { "relaxed", CAPTURE_RELAXED, false, false },
    { "relaxed, blocking stream", CAPTURE_RELAXED, true, false },
    { "own, global", CAPTURE_GLOBAL, false, true },
};
enum { SITUATIONS = sizeof(situations) / sizeof(*situations) };

static void cell_of(struct experiment *x, const struct driver_call *call, const void *image, int self, unsigned situation)
{
    struct capturing c = {
        .mode = situations[situation].mode, .blocking = situations[situation].blocking, .own = situations[situation].own
    };
    struct subject s;
    int before, result, ended;

    if (subject_prepare(&s, x, image, call->before) && capturing_begin(&c, x)) {
        before = exchange_mode(x, self);
        result = call->make(&s);
        exchange_mode(x, before);
        ended = capturing_end(&c);
        if (ended == 0 || ended == GPUDL_CU_STREAM_CAPTURE_INVALIDATED)
            cell_text("%d %s", result, ended ? "ended" : "kept");
        else
            cell_text("%d ended %d", result, ended);
    } else
        cell_text("not asked");
    subject_drop(&s);
}

void capture_table(struct experiment *x, const char *title, unsigned in)
{
    static const int selves[] = { CAPTURE_GLOBAL, CAPTURE_RELAXED };
    const void *image = new_image(x, 4 << 10);

    table_begin(title, "call|this thread|global|thread-local|relaxed|relaxed, blocking stream|own, global");
    for (const struct driver_call *c = driver_calls; image && c->name; c++)
        for (unsigned m = 0; (c->in & in) && m < 2; m++) {
            cell_text("%s", c->name);
            cell_text("%s", selves[m] == CAPTURE_RELAXED ? "relaxed" : "global");
            for (unsigned s = 0; s < SITUATIONS; s++)
                cell_of(x, c, image, selves[m], s);
            row_end();
        }
    table_note("The call's answer (0: success, 900: STREAM_CAPTURE_UNSUPPORTED, 906: STREAM_CAPTURE_IMPLICIT), and whether the "
               "capture was kept or had ended (901, or the code beside it). Columns: the mode in which another thread captures; "
               "own: this thread does.");
}
