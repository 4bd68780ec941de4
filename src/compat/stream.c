/* Streams, events and graphs: the calls that name each stream they mean. */
#include "src/compat/internal.h"

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    if (!out)
        return gpudl__rt_null("cudaStreamCreate", "the stream");
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, StreamCreate, out, flags);
}

cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    return cudaStreamCreateWithFlags(out, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    if (!out)
        return gpudl__rt_null("cudaStreamCreateWithPriority", "the stream");
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, StreamCreateWithPriority, out, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, StreamDestroy, stream);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuCtxGetStreamPriorityRange", 5050, int *, int *);
    return gpudl__rt_cuda("cuCtxGetStreamPriorityRange", call(least, greatest));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    if (!out)
        return gpudl__rt_null("cudaEventCreate", "the event");
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, EventCreate, out, flags);
}

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, EventDestroy, event);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, EventSynchronize, event);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, EventQuery, event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    RT_ENTER_OR_RETURN(cu);
    return RT_CALL(cu, EventElapsedTime, milliseconds, start, end);
}

/* ------------------------------------------------------------------------------------------------------------------- graphs */

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    int value;
    cudaError_t err;

    if (!mode)
        return gpudl__rt_null("cudaThreadExchangeStreamCaptureMode", "the mode");
    RT_ENTER_OR_RETURN(cu);
    value = (int)*mode;
    err = RT_CALL(cu, ThreadExchangeStreamCaptureMode, &value);
    *mode = (enum cudaStreamCaptureMode)value;
    return err;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuGraphCreate", 10000, CUgraph *, unsigned);
    return gpudl__rt_cuda("cuGraphCreate", call(graph, flags));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuGraphGetNodes", 10000, CUgraph, CUgraphNode *, size_t *);
    return gpudl__rt_cuda("cuGraphGetNodes", call(graph, nodes, n));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuGraphInstantiateWithFlags", 11040, CUgraphExec *, CUgraph, unsigned long long);
    return gpudl__rt_cuda("cuGraphInstantiateWithFlags", call(out, graph, flags));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(out, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuGraphExecDestroy", 10000, CUgraphExec);
    return gpudl__rt_cuda("cuGraphExecDestroy", call(graph));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    RT_ENTER_OR_RETURN(cu);
    RT_MORE_OR_RETURN(cu, "cuGraphDestroy", 10000, CUgraph);
    return gpudl__rt_cuda("cuGraphDestroy", call(graph));
}
