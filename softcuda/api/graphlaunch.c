/* graphlaunch.c - launches of executable graphs.
 *
 * A launch goes into the stream as operations that each run the nodes up to the next one that has to do with an event. Branches that
 * could run beside each other run one after the other. */
#include <stdlib.h>

#include "softcuda/api/capture.h"
#include "softcuda/api/graphexec.h"

struct segment_op { struct op op; struct plan *plan; size_t first, end; };

static bool is_event(const struct step *s)
{
    return s->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT || s->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD;
}

static void run_segment(struct op *op, struct sc_worker *worker)
{
    struct segment_op *s = (struct segment_op *)op;
    CUcontext c = op->stream->context;

    for (size_t i = s->first; i < s->end && !sc_sticky(c); i++)
        if (s->plan->steps[i].work && !s->plan->steps[i].disabled)
            sc_graph_work_run(s->plan->steps[i].work, c, worker);
}

static void drop_segment(struct op *op)
{
    sc_plan_unref(((struct segment_op *)op)->plan);
}

/* Puts an operation into the stream behind the executable's last one, and is that from then on. */
static void enqueue(CUgraphExec e, struct CUstream_st *s, struct op *op)
{
    struct op *before = e->last;

    op->refs++;                         /* ours; nobody else knows it yet */
    sc_op_enqueue(s, op, before);
    e->last = op;
    pthread_mutex_lock(&sc_queue);
    sc_op_unref(before);
    pthread_mutex_unlock(&sc_queue);
}

/* The steps from first to the next that is about an event, whose index is returned. */
static CUresult enqueue_segment(CUgraphExec e, struct CUstream_st *s, size_t first, size_t *end)
{
    struct segment_op *op = sc_op_create(sizeof(*op), run_segment, drop_segment);

    if (!op)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (*end = first; *end < e->plan->n && !is_event(&e->plan->steps[*end]); ++*end)
        ;
    sc_plan_ref(e->plan);
    op->plan = e->plan;
    op->first = first;
    op->end = *end;
    enqueue(e, s, &op->op);
    return CUDA_SUCCESS;
}

/* The first segment, though it may be empty, comes behind the launch before. */
static CUresult launch(CUgraphExec e, struct CUstream_st *s)
{
    bool auto_free = e->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    size_t at;
    CUresult r = sc_graph_memory_launch(e->plan, auto_free, s->context);

    if (!r)
        r = enqueue_segment(e, s, 0, &at);
    while (!r && at < e->plan->n) {
        const struct step *step = &e->plan->steps[at];

        r = step->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT ? sc_event_wait(step->event, s) : sc_event_record(step->event, s);
        if (!r)
            r = enqueue_segment(e, s, at + 1, &at);
    }
    return r;
}

CUresult cuGraphLaunch(CUgraphExec e, CUstream stream)
{
    struct CUstream_st *s;
    CUresult r = sc_exec_check(e);

    if (r || (r = sc_stream_work(stream, &s)) || (r = sc_capture_refuse(s)))
        return r;
    sc_hold_wait(s->context);
    pthread_mutex_lock(&e->lock);
    r = launch(e, s);
    pthread_mutex_unlock(&e->lock);
    return r;
}

/* All that a launch needs is there from the start. */
CUresult cuGraphUpload(CUgraphExec e, CUstream stream)
{
    struct CUstream_st *s;
    CUresult r = sc_exec_check(e);

    if (r || (r = sc_stream_work(stream, &s)))
        return r;
    return sc_capture_refuse(s);
}
