/* capture.c - what it costs to ask for captures, and which calls end one. */
#include "bench/driver/calls.h"
#include "bench/driver/capturing.h"

#define ASKED 20000

struct query {
    struct experiment *x;
    CUstream stream;
    int result;
};

static void ask(struct query *q)
{
    unsigned n = q->x->quick ? 500 : ASKED;
    double start = bench_now();
    int status;

    for (unsigned i = 0; i < n; i++)
        q->result = q->x->cu->StreamIsCapturing(q->stream, &status);
    if (q->result == 0)
        cell_ns((bench_now() - start) / n);
    else
        cell_answer(q->x, q->result);
}

static void ask_during(struct query *q, int mode, bool blocking)
{
    struct capturing c = { .mode = mode, .blocking = blocking };

    if (!capturing_begin(&c, q->x))
        return;
    ask(q);
    if (capturing_end(&c) != 0)
        cell_text("ended");
    else if (blocking)
        cell_text("kept");
}

/* The stream itself captures; the default ones cannot. */
static void ask_itself(struct query *q)
{
    struct capturing c = { .mode = CAPTURE_GLOBAL, .own = true };

    if (!capturing_begin(&c, q->x))
        return;
    q->stream = c.stream;
    ask(q);
    capturing_end(&c);
}

static void run(struct experiment *x)
{
    CUstream own = new_stream(x);
    const struct {
        const char *name;
        CUstream stream;
    } streams[] = {
        { "one of its own", own },
        { "legacy", GPUDL_STREAM_LEGACY },
        { "NULL", NULL },
        { "per thread", GPUDL_STREAM_PER_THREAD },
    };

    table_begin("What cuStreamIsCapturing takes, or answers, for a stream, while",
        "stream|nobody captures|another thread does, global|relaxed|on a blocking stream|that capture|the stream does");
    for (unsigned i = 0; i < 4; i++) {
        struct query q = { .x = x, .stream = streams[i].stream };

        cell_text("%s", streams[i].name);
        ask(&q);
        ask_during(&q, CAPTURE_GLOBAL, false);
        ask_during(&q, CAPTURE_RELAXED, false);
        ask_during(&q, CAPTURE_GLOBAL, true);
        if (i == 0)
            ask_itself(&q);
        row_end();
    }
    must(x, x->cu->StreamDestroy(own), "cuStreamDestroy");
    capture_table(x, "Which calls end a capture", IN_CAPTURE);
}

int main(int argc, char **argv)
{
    static const struct experiment_plan plan = { "capture", "what does asking for captures cost, and which calls end one?", run,
        NULL };

    return experiment_main(argc, argv, &plan);
}
