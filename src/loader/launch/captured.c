/* Launches into a capture: the graph holds the version for as long as it, or an executable graph made of it, is there. */
#include "src/loader/launch/launch.h"
#include "src/loader/process.h"

enum { ACTIVE = 1, NO_DESTRUCTOR_SYNC = 1, MOVE = 1 }; /* as CUDA numbers them */

/* Called by the driver on a thread of its own, where its functions must not be called: what is to be unloaded is parked. The
 * loader may be closed, and a plugin's code go, as soon as the lock is free. */
static void let_go(void *user)
{
    struct version *v = user;
    gpudl_loader *l = v->loader;

    pthread_mutex_lock(&l->lock);
    gpudl__version_let_go(v);
    l->graphs--;
    pthread_mutex_unlock(&l->lock);
}

static bool is_held(struct version *v, uint64_t capture)
{
    bool held;

    pthread_mutex_lock(&v->loader->lock);
    held = v->capture == capture;
    pthread_mutex_unlock(&v->loader->lock);
    return held;
}

static void hold(struct version *v)
{
    pthread_mutex_lock(&v->loader->lock);
    gpudl__version_hold(v);
    v->loader->graphs++;
    pthread_mutex_unlock(&v->loader->lock);
}

static void remember(struct version *v, uint64_t capture)
{
    pthread_mutex_lock(&v->loader->lock);
    v->capture = capture;
    v->loader->counts.captured++;
    pthread_mutex_unlock(&v->loader->lock);
}

/* A reference of the graph's own. Two threads may both give it one, and the graph lets go of both: a launch must not rely on what
 * another thread has not given yet. */
static int give(const gpudl_driver_table *cu, struct version *v, CUgraph graph, uint64_t capture)
{
    CUuserObject object;
    int err;

    gpudl__process_hold_code(v->loader);
    hold(v);
    err = cu->UserObjectCreate(&object, v, let_go, 1, NO_DESTRUCTOR_SYNC);
    if (err) {
        let_go(v);
        return err;
    }
    err = cu->GraphRetainUserObject(graph, object, 1, MOVE);
    if (err)
        cu->UserObjectRelease(object, 1);
    else
        remember(v, capture);
    return err;
}

int gpudl__launch_captured(const gpudl_kernel *k, const struct place *p, CUstream stream)
{
    const gpudl_driver_table *cu = &k->library->loader->driver.table;
    struct version *v = p->version;
    uint64_t capture = 0;
    CUgraph graph;
    int status, err;

    if (!cu->StreamGetCaptureInfo || !cu->UserObjectCreate || !cu->UserObjectRelease || !cu->GraphRetainUserObject)
        return GPUDL_CU_NOT_SUPPORTED | LAUNCH_NOT_HELD;
    err = cu->StreamGetCaptureInfo(stream, &status, &capture, &graph, NULL, NULL);
    if (!err && status == ACTIVE && !is_held(v, capture))
        err = give(cu, v, graph, capture);
    return err ? err | LAUNCH_NOT_HELD : 0; /* one that is invalid already is the launch's to refuse */
}
