/* hazards.c - what is hard on a real driver, on purpose: code that becomes resident, or goes, waits for everything that runs in the
 * context and holds launches up meanwhile; a fault is for good. Seen on an H200 with driver 580: behind a kernel of 250 ms, the first
 * cuKernelGetFunction, launch or cuKernelSetAttribute of a library that is not resident took 250 ms, and so did cuModuleLoadData,
 * cuModuleUnload and cuLibraryUnload. SOFTCUDA_HAZARDS=off: none of that, for those who only want the results. */
#include <stdlib.h>
#include <strings.h>

#include "softcuda/api/objects.h"

static struct { pthread_once_t once; bool on, eager; } settings = { .once = PTHREAD_ONCE_INIT };
_Thread_local bool sc_in_callback;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;     /* some context's launches may go on; sc_queue */

static void read_settings(void)
{
    const char *hazards = secure_getenv("SOFTCUDA_HAZARDS"), *loading = secure_getenv("CUDA_MODULE_LOADING");

    settings.on = !hazards || (strcasecmp(hazards, "off") && strcasecmp(hazards, "0"));
    settings.eager = loading && !strcasecmp(loading, "EAGER");
}

bool sc_hazards(void)
{
    pthread_once(&settings.once, read_settings);
    return settings.on;
}

bool sc_eager(void)
{
    pthread_once(&settings.once, read_settings);
    return settings.eager;
}

void sc_hold(CUcontext c)
{
    if (sc_hazards())
        atomic_fetch_add(&c->holds, 1);
    sc_context_drain(c);
}

void sc_unhold(CUcontext c)
{
    if (!sc_hazards())
        return;
    pthread_mutex_lock(&sc_queue);
    if (atomic_fetch_sub(&c->holds, 1) == 1)
        pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&sc_queue);
}

void sc_hold_wait(CUcontext c)
{
    if (!atomic_load_explicit(&c->holds, memory_order_relaxed))
        return;
    pthread_mutex_lock(&sc_queue);
    while (atomic_load(&c->holds))
        pthread_cond_wait(&released, &sc_queue);
    pthread_mutex_unlock(&sc_queue);
}

void sc_make_resident(struct CUmod_st *m)
{
    if (atomic_load_explicit(&m->resident, memory_order_relaxed))
        return;
    if (sc_hazards()) {
        sc_hold(m->context);
        sc_unhold(m->context);
    }
    atomic_store(&m->resident, true);
}

CUresult sc_sticky(const struct CUctx_st *c)
{
    int own = atomic_load_explicit(&c->sticky, memory_order_relaxed);

    return (CUresult)(own ? own : atomic_load_explicit(&c->device->sticky, memory_order_relaxed));
}

/* The first error stays. A failed assertion ends the context only; after anything else no context of the device works again in this
 * process, as CUDA's manual says of each of these errors. */
void sc_poison(CUcontext c, CUresult r)
{
    int none = 0;

    atomic_compare_exchange_strong(&c->sticky, &none, (int)r);
    none = 0;
    if (sc_hazards() && r != CUDA_ERROR_ASSERT && r != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        atomic_compare_exchange_strong(&c->device->sticky, &none, (int)r);
}
