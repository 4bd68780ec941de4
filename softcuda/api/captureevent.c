/* captureevent.c - events in captures, which stand for places in a graph, and what a stream tells of its capture. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/capturestate.h"

/* What an event that was recorded in a capture stands for. Kept when the capture is over. */
struct captured { uint64_t id; struct node_list nodes; };

static void forget(CUevent e)
{
    if (!e->captured)
        return;
    sc_nodes_clear(&e->captured->nodes);
    free(e->captured);
    e->captured = NULL;
}

void sc_capture_forget(CUevent e)
{
    pthread_mutex_lock(&sc_capture_lock);
    forget(e);
    pthread_mutex_unlock(&sc_capture_lock);
}

static CUresult record(struct capture_member *m, CUevent e)
{
    struct captured *c = calloc(1, sizeof(*c));
    CUresult r = c ? sc_nodes_add(&c->nodes, m->before.nodes, m->before.data, m->before.n) : CUDA_ERROR_OUT_OF_MEMORY;

    if (r) {
        free(c);
        return r;
    }
    c->id = m->capture->id;
    forget(e);
    e->captured = c;
    return CUDA_SUCCESS;
}

CUresult sc_capture_record(struct CUstream_st *s, CUevent e, bool external)
{
    struct node_params p;
    struct capture_member *m;
    CUresult r;

    if (external)
        return (r = sc_params_event(&p, CU_GRAPH_NODE_TYPE_EVENT_RECORD, e)) ? r : sc_capture_node(s, &p);
    pthread_mutex_lock(&sc_capture_lock);
    m = atomic_load(&s->capture);
    r = m && !m->capture->invalid ? record(m, e) : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    pthread_mutex_unlock(&sc_capture_lock);
    return r;
}

CUresult sc_capture_refuse_event(CUevent e)
{
    struct capture *c = NULL;
    bool captured;

    pthread_mutex_lock(&sc_capture_lock);
    captured = e->captured;
    if (captured && (c = sc_capture_find(e->captured->id)))
        c->invalid = true;
    pthread_mutex_unlock(&sc_capture_lock);
    return !captured ? CUDA_SUCCESS : c ? CUDA_ERROR_CAPTURED_EVENT : CUDA_ERROR_INVALID_VALUE;
}

static CUresult break_rule(struct capture *a, struct capture *b, CUresult r)
{
    if (a)
        a->invalid = true;
    if (b)
        b->invalid = true;
    return r;
}

/* Waiting for an event of the capture of: the stream joins, or already belongs to it. */
static CUresult wait_inside(struct CUstream_st *s, struct capture_member *m, CUevent e, struct capture *of)
{
    CUresult r = CUDA_SUCCESS;

    if (of->invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (s == s->context->legacy)
        return break_rule(of, NULL, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    if (!m)
        r = sc_capture_join(of, s, &m);
    if (!r)
        r = sc_nodes_add(&m->before, e->captured->nodes.nodes, e->captured->nodes.data, e->captured->nodes.n);
    return r;
}

static CUresult wait(struct CUstream_st *s, CUevent e, bool *done)
{
    struct capture_member *m = atomic_load(&s->capture);
    struct capture *mine = m ? m->capture : NULL, *of = e->captured ? sc_capture_find(e->captured->id) : NULL;

    *done = mine || e->captured;
    if (!*done || (mine && !e->captured && !e->op))        /* never recorded: nothing to wait for */
        return CUDA_SUCCESS;
    if (mine && mine->invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!of)
        return mine ? break_rule(mine, NULL, CUDA_ERROR_STREAM_CAPTURE_ISOLATION) : CUDA_ERROR_INVALID_VALUE;
    if (mine && mine != of)
        return break_rule(mine, of, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    return wait_inside(s, m, e, of);
}

CUresult sc_capture_wait(struct CUstream_st *s, CUevent e, bool external, bool *done)
{
    struct node_params p;
    CUresult r;

    *done = external;
    if (external && !sc_capturing(s))
        return CUDA_ERROR_INVALID_VALUE;
    if (external)
        return (r = sc_params_event(&p, CU_GRAPH_NODE_TYPE_WAIT_EVENT, e)) ? r : sc_capture_node(s, &p);
    pthread_mutex_lock(&sc_capture_lock);
    r = wait(s, e, done);
    pthread_mutex_unlock(&sc_capture_lock);
    return r;
}

static int status_of(const struct capture_member *m)
{
    return !m ? CU_STREAM_CAPTURE_STATUS_NONE
         : m->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
    return cuStreamGetCaptureInfo_v3(handle, status, NULL, NULL, NULL, NULL, NULL);
}

static bool has_plain_edges(const struct node_list *l)
{
    static const struct sc_abi_edge_data plain;

    for (size_t i = 0; i < l->n; i++)
        if (memcmp(&l->data[i], &plain, sizeof(plain)))
            return false;
    return true;
}

CUresult cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **nodes, const CUgraphEdgeData **data, size_t *n)
{
    struct CUstream_st *s;
    struct capture_member *m;
    CUresult r = sc_stream(handle, &s);

    if (r)
        return r;
    if (!status || (data && !nodes))
        return CUDA_ERROR_INVALID_VALUE;
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!sc_captures_any())
        return CUDA_SUCCESS;
    pthread_mutex_lock(&sc_capture_lock);
    m = atomic_load(&s->capture);
    *status = (CUstreamCaptureStatus)status_of(m);
    if (sc_capture_implicit(s, false))
        r = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    else if (m && nodes && !data && !has_plain_edges(&m->before))
        r = CUDA_ERROR_LOSSY_QUERY;
    if (m && !r) {
        if (id)
            *id = m->capture->id;
        if (graph)
            *graph = m->capture->graph;
        if (nodes)
            *nodes = m->before.nodes;
        if (data)
            *data = m->before.data;
        if (n)
            *n = m->before.n;
    }
    pthread_mutex_unlock(&sc_capture_lock);
    return r;
}

static CUresult update(struct capture_member *m, const CUgraphNode *nodes, const CUgraphEdgeData *data, size_t n, unsigned flags)
{
    struct node_list own = { 0 };
    CUresult r;

    if (!m)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (m->capture->invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    for (size_t i = 0; i < n; i++)
        if (sc_node_check(nodes[i]) || nodes[i]->graph != m->capture->graph)
            return CUDA_ERROR_INVALID_VALUE;
    if (flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES)
        return sc_nodes_add(&m->before, nodes, data, n);
    if ((r = sc_nodes_add(&own, nodes, data, n))) {        /* the caller may pass the list itself */
        sc_nodes_clear(&own);
        return r;
    }
    sc_nodes_clear(&m->before);
    m->before = own;
    return CUDA_SUCCESS;
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode *nodes, const CUgraphEdgeData *data, size_t n,
                                              unsigned int flags)
{
    struct CUstream_st *s;
    CUresult r = sc_stream(handle, &s);

    if (r)
        return r;
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (n && !nodes))
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&sc_capture_lock);
    r = update(atomic_load(&s->capture), nodes, data, n, flags);
    pthread_mutex_unlock(&sc_capture_lock);
    return r;
}
