/* capture.c - captures: who is bound by them, how they begin and end, what streams put into them. See capture.h. */
#include "softcuda/api/capturestate.h"

#include <stdlib.h>
#include <string.h>

pthread_mutex_t sc_capture_lock = PTHREAD_MUTEX_INITIALIZER;
static struct capture *captures;        /* sc_capture_lock, as for the next two */
static atomic_uint ncaptures;           /* as many; read without the lock by those who want to know whether there is any */
static uint64_t next_id;
static _Atomic uint64_t next_thread;
static _Thread_local int thread_mode;   /* CU_STREAM_CAPTURE_MODE_ */

static uint64_t this_thread(void)
{
    static _Thread_local uint64_t me;

    if (!me)
        me = atomic_fetch_add(&next_thread, 1) + 1;
    return me;
}

bool sc_captures_any(void)
{
    return atomic_load_explicit(&ncaptures, memory_order_relaxed) != 0;
}

struct capture *sc_capture_find(uint64_t id)
{
    struct capture *c;

    for (c = captures; c && c->id != id; c = c->next)
        ;
    return c;
}

/* ---- rules ---- */

bool sc_capture_implicit(const struct CUstream_st *s, bool invalidate)
{
    bool found = false;

    if (s != s->context->legacy)
        return false;
    for (struct capture *c = captures; c; c = c->next)
        for (struct capture_member *m = c->members; m; m = m->next)
            if (m->stream->context == s->context && !(m->stream->flags & CU_STREAM_NON_BLOCKING)) {
                found = true;
                c->invalid = c->invalid || invalidate;
            }
    return found;
}

CUresult sc_stream_work(CUstream handle, struct CUstream_st **out)
{
    CUresult r = sc_stream(handle, out);
    struct capture_member *m;

    if (r || !sc_captures_any())
        return r;
    pthread_mutex_lock(&sc_capture_lock);
    m = atomic_load(&(*out)->capture);
    if (m && m->capture->invalid)
        r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (sc_capture_implicit(*out, true))
        r = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    pthread_mutex_unlock(&sc_capture_lock);
    return r;
}

CUresult sc_capture_refuse(struct CUstream_st *s)
{
    struct capture_member *m;

    if (!sc_capturing(s))
        return CUDA_SUCCESS;
    pthread_mutex_lock(&sc_capture_lock);
    if ((m = atomic_load(&s->capture)))
        m->capture->invalid = true;
    pthread_mutex_unlock(&sc_capture_lock);
    return m ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult sc_capture_unsafe(void)
{
    CUresult r = CUDA_SUCCESS;

    if (!sc_captures_any() || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED || !sc_hazards())
        return CUDA_SUCCESS;
    pthread_mutex_lock(&sc_capture_lock);
    for (struct capture *c = captures; c; c = c->next)
        if (c->thread == this_thread() ? c->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                                       : c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL) {
            c->invalid = true;
            r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    pthread_mutex_unlock(&sc_capture_lock);
    return r;
}

CUresult sc_stream_transfer(CUstream handle, bool wait, struct CUstream_st **s)
{
    CUresult r = sc_stream_work(handle, s);

    if (r || !wait)
        return r;
    return (r = sc_capture_refuse(*s)) ? r : sc_capture_unsafe();
}

CUresult sc_enter_unsafe(CUcontext *current)
{
    CUresult r = sc_enter(current);

    return r ? r : sc_capture_unsafe();
}

CUresult sc_capture_refuse_context(CUcontext context)
{
    CUresult r = CUDA_SUCCESS;

    if (!sc_captures_any())
        return CUDA_SUCCESS;
    pthread_mutex_lock(&sc_capture_lock);
    for (struct capture *c = captures; c; c = c->next)
        for (struct capture_member *m = c->members; m; m = m->next)
            if (m->stream->context == context) {
                c->invalid = true;
                r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
            }
    pthread_mutex_unlock(&sc_capture_lock);
    return r;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    CUresult r = sc_ready();
    int given;

    if (r)
        return r;
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    given = (int)*mode > CU_STREAM_CAPTURE_MODE_RELAXED ? CU_STREAM_CAPTURE_MODE_RELAXED : (int)*mode;   /* a driver takes any number */
    *mode = (CUstreamCaptureMode)thread_mode;
    thread_mode = given;
    return CUDA_SUCCESS;
}

/* ---- beginning and ending; the lock is held ---- */

CUresult sc_capture_join(struct capture *c, struct CUstream_st *s, struct capture_member **out)
{
    struct capture_member *m = calloc(1, sizeof(*m));

    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    m->capture = c;
    m->stream = s;
    m->next = c->members;
    c->members = m;
    atomic_store(&s->capture, m);
    *out = m;
    return CUDA_SUCCESS;
}

/* The capture is over. Its graph, or NULL if that was dropped because it is of no use or not the capture's own. */
static CUgraph end(struct capture *c, bool useful)
{
    struct capture **at = &captures;
    struct capture_member *m;
    CUgraph g = c->graph;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    atomic_fetch_sub(&ncaptures, 1);
    while ((m = c->members)) {
        c->members = m->next;
        atomic_store(&m->stream->capture, NULL);
        sc_nodes_clear(&m->before);
        free(m);
    }
    g->capturing = false;
    if (!useful) {
        if (!c->lent)
            sc_graph_free(g);
        g = NULL;
    }
    free(c);
    return g;
}

static CUresult begin(struct CUstream_st *s, int mode, CUgraph g, bool lent, struct capture_member **out)
{
    struct capture *c = calloc(1, sizeof(*c));
    CUresult r;

    if (!c)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *c = (struct capture){ .next = captures, .id = ++next_id, .graph = g, .lent = lent, .mode = mode, .thread = this_thread(),
                           .origin = s };
    if ((r = sc_capture_join(c, s, out))) {
        free(c);
        return r;
    }
    g->capturing = true;
    captures = c;
    atomic_fetch_add(&ncaptures, 1);
    return CUDA_SUCCESS;
}

static CUresult check_begin(CUstream handle, int mode, struct CUstream_st **s)
{
    CUresult r = sc_stream(handle, s);

    if (r)
        return r;
    if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    if (*s == (*s)->context->legacy)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return sc_capturing(*s) ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode)
{
    struct CUstream_st *s;
    struct capture_member *m;
    CUgraph g;
    CUresult r = check_begin(handle, (int)mode, &s);

    if (r || (r = sc_graph_create(&g)))
        return r;
    pthread_mutex_lock(&sc_capture_lock);
    r = begin(s, (int)mode, g, false, &m);
    pthread_mutex_unlock(&sc_capture_lock);
    if (r)
        sc_graph_free(g);
    return r;
}

CUresult cuStreamBeginCaptureToGraph(CUstream handle, CUgraph g, const CUgraphNode *after, const CUgraphEdgeData *data, size_t n,
                                     CUstreamCaptureMode mode)
{
    struct CUstream_st *s;
    struct capture_member *m;
    CUresult r = check_begin(handle, (int)mode, &s);

    if (r || (r = sc_graph_check(g)))
        return r;
    if (g->capturing || (n && !after))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < n; i++)
        if (sc_node_check(after[i]) || after[i]->graph != g)
            return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&sc_capture_lock);
    if (!(r = begin(s, (int)mode, g, true, &m)) && (r = sc_nodes_add(&m->before, after, data, n)))
        end(m->capture, false);
    pthread_mutex_unlock(&sc_capture_lock);
    return r;
}

/* Marks the nodes of the list and all that they wait for; todo has room for all nodes of the graph. */
static void mark(const struct node_list *l, bool *marked, CUgraphNode *todo)
{
    size_t n = 0;

    do {
        for (size_t i = 0; i < l->n; i++)
            if (!marked[l->nodes[i]->index]) {
                marked[l->nodes[i]->index] = true;
                todo[n++] = l->nodes[i];
            }
        l = n ? &todo[n - 1]->before : NULL;
    } while (n--);
}

/* Does everything that other streams put into the capture lead to where the first one is? */
static CUresult check_joined(const struct capture *c)
{
    bool *marked = calloc(c->graph->n + 1, sizeof(*marked));
    CUgraphNode *todo = malloc((c->graph->n + 1) * sizeof(*todo));
    CUresult r = marked && todo ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

    for (struct capture_member *m = c->members; !r && m; m = m->next)
        if (m->stream == c->origin)
            mark(&m->before, marked, todo);
    for (struct capture_member *m = c->members; !r && m; m = m->next)
        for (size_t i = 0; i < m->before.n; i++)
            if (!marked[m->before.nodes[i]->index])
                r = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    free(marked);
    free(todo);
    return r;
}

static CUresult try_end(struct CUstream_st *s, CUgraph *out)
{
    struct capture_member *m = atomic_load(&s->capture);
    struct capture *c = m ? m->capture : NULL;
    CUresult r;

    if (!c)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (c->origin != s) {
        c->invalid = true;
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && c->thread != this_thread()) {
        end(c, false);
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
    r = c->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : check_joined(c);
    *out = end(c, !r);
    return r;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
    struct CUstream_st *s;
    CUresult r = sc_stream(handle, &s);

    if (r)
        return r;
    if (!graph)
        return CUDA_ERROR_INVALID_VALUE;
    *graph = NULL;
    if (s == s->context->legacy)
        return CUDA_ERROR_ILLEGAL_STATE;
    pthread_mutex_lock(&sc_capture_lock);
    r = try_end(s, graph);
    pthread_mutex_unlock(&sc_capture_lock);
    return r;
}

/* Without the stream that it began in a capture cannot end; without another one it cannot be whole. */
static void leave(struct capture_member *m)
{
    struct capture *c = m->capture;
    struct capture_member **at = &c->members;

    if (c->origin == m->stream) {
        end(c, false);
        return;
    }
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    atomic_store(&m->stream->capture, NULL);
    sc_nodes_clear(&m->before);
    free(m);
    c->invalid = true;
}

void sc_capture_drop_stream(struct CUstream_st *s)
{
    struct capture_member *m;

    if (!sc_capturing(s))
        return;
    pthread_mutex_lock(&sc_capture_lock);
    if ((m = atomic_load(&s->capture)))
        leave(m);
    pthread_mutex_unlock(&sc_capture_lock);
}

static struct capture_member *member_in(CUcontext context)
{
    for (struct capture *c = captures; c; c = c->next)
        for (struct capture_member *m = c->members; m; m = m->next)
            if (m->stream->context == context)
                return m;
    return NULL;
}

void sc_capture_drop_context(CUcontext context)
{
    struct capture_member *m;

    if (!sc_captures_any())
        return;
    pthread_mutex_lock(&sc_capture_lock);
    while ((m = member_in(context)))
        leave(m);
    pthread_mutex_unlock(&sc_capture_lock);
}

/* ---- what streams are given ---- */

/* The stream's next node will wait for this one alone. */
static CUresult follow(struct capture_member *m, CUgraphNode n)
{
    m->before.n = 0;
    return sc_nodes_add(&m->before, &n, NULL, 1);
}

/* The lock is held. */
static CUresult add(struct capture_member *m, struct node_params *p)
{
    CUgraphNode n;
    CUresult r = sc_graph_add(m->capture->graph, p, m->before.nodes, m->before.data, m->before.n, &n);

    if (!r)
        r = follow(m, n);
    if (r)
        m->capture->invalid = true;
    return r;
}

CUresult sc_capture_node(struct CUstream_st *s, struct node_params *p)
{
    struct capture_member *m;
    CUresult r;

    pthread_mutex_lock(&sc_capture_lock);
    m = atomic_load(&s->capture);
    if (m && !m->capture->invalid) {
        r = add(m, p);
    } else {                            /* another thread has just ended it, or broken a rule */
        sc_params_free(p);
        r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    pthread_mutex_unlock(&sc_capture_lock);
    return r;
}
