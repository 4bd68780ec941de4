/* activity.c - see softcuda/activity.h. One listener: two would each want all the marks. */
#include "softcuda/activity.h"

#include "softcuda/api/trace.h"

static struct {
    pthread_mutex_t lock;
    softcuda_listener *call;
    void *user;
} listener = { .lock = PTHREAD_MUTEX_INITIALIZER };

int softcuda_listen(softcuda_listener *call, void *user)
{
    int result = 0;

    pthread_mutex_lock(&listener.lock);
    if (call && listener.call) {
        result = -1;
    } else {
        listener.call = call;
        listener.user = user;
        if (call)
            atomic_fetch_or(&sc_tracing, SC_TRACE_LISTENER);
        else
            atomic_fetch_and(&sc_tracing, ~(unsigned)SC_TRACE_LISTENER);
    }
    pthread_mutex_unlock(&listener.lock);
    return result;
}

void softcuda_mark(uint64_t mark)
{
    sc_next_mark = mark;
}

void sc_tell(const struct softcuda_activity *a)
{
    pthread_mutex_lock(&listener.lock);
    if (listener.call)
        listener.call(listener.user, a);
    pthread_mutex_unlock(&listener.lock);
}
