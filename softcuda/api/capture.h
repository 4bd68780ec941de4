/* capture.h - streams that record what they are given in a graph instead of doing it. Private to api/.
 *
 * A capture begins in one stream. Others join by waiting for an event that was recorded in it. While there are captures, calls that
 * a graph would miss are forbidden, to some threads or to all; whoever breaks a rule gets an error, and the capture is invalid, which
 * its end tells. A lock of its own guards all of this, taken before sc_queue and after sc_objects. */
#ifndef SOFTCUDA_API_CAPTURE_H
#define SOFTCUDA_API_CAPTURE_H

#include "softcuda/api/graph.h"

/* sc_stream for work: refused where the stream's capture is invalid, or, for the legacy stream, where it would have to wait for
 * one that captures. */
CUresult sc_stream_work(CUstream, struct CUstream_st **);
/* Then work goes into the graph. */
static inline bool sc_capturing(const struct CUstream_st *s)
{
    return atomic_load_explicit(&s->capture, memory_order_relaxed) != NULL;
}
/* sc_stream_work for copies and fills; wait: the host waits for them, which neither a capturing stream nor, often, a capture in
 * another one allows. */
CUresult sc_stream_transfer(CUstream, bool wait, struct CUstream_st **);
/* Takes the params over. */
CUresult sc_capture_node(struct CUstream_st *, struct node_params *);
/* For calls that a capturing stream cannot take: if it captures, that is over. */
CUresult sc_capture_refuse(struct CUstream_st *);
/* For calls that a graph would miss: are they forbidden to this thread now? */
CUresult sc_capture_unsafe(void);
CUresult sc_enter_unsafe(CUcontext *current);           /* sc_enter, then that */
/* For calls that are about all streams of a context: is one capturing? */
CUresult sc_capture_refuse_context(CUcontext);
void sc_capture_drop_context(CUcontext);                /* it is being destroyed */
void sc_capture_drop_stream(struct CUstream_st *);

/* Events: recorded by a stream that captures (sc_capturing); asked for by the host; recorded otherwise or destroyed. */
CUresult sc_capture_record(struct CUstream_st *, CUevent, bool external);
CUresult sc_capture_refuse_event(CUevent);
void sc_capture_forget(CUevent);
/* A stream waits for an event: *done if that was the capture's business. */
CUresult sc_capture_wait(struct CUstream_st *, CUevent, bool external, bool *done);

#endif
