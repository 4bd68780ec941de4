/* Launches into a capture: the graph holds the version for as long as it, or an executable graph made of it, is there. */
#include "src/loader/launch/launch.h"

enum { ACTIVE = 1, NO_DESTRUCTOR_SYNC = 1, MOVE = 1 }; /* as CUDA numbers them */

/* Called by the driver on a thread of its own, where its functions must not be called: what is to be unloaded is parked. */
static void let_go(void *user)
{
    struct version *v = user;
    gpudl_loader *l = v->loader;

    pthread_mutex_lock(&l->lock);
    gpudl__version_let_go(v);
    l->graphs--;
    pthread_mutex_unlock(&l->lock);
}

/* A reference for the graph of this capture, unless it has one: then false. */
static bool hold(struct version *v, uint64_t capture)
{
    gpudl_loader *l = v->loader;
    bool first;

    pthread_mutex_lock(&l->lock);
    first = v->capture != capture;
    if (first) {
        v->capture = capture;
        gpudl__version_hold(v);
        l->graphs++;
        l->counts.captured++;
    }
    pthread_mutex_unlock(&l->lock);
    return first;
}

static void forget(struct version *v)
{
    pthread_mutex_lock(&v->loader->lock);
    v->capture = 0;
    pthread_mutex_unlock(&v->loader->lock);
}

static int give(const gpudl_driver_table *cu, struct version *v, CUgraph graph)
{
    CUuserObject object;
    int err = cu->UserObjectCreate(&object, v, let_go, 1, NO_DESTRUCTOR_SYNC);

    if (err) {
        forget(v);
        let_go(v);
        return err;
    }
    err = cu->GraphRetainUserObject(graph, object, 1, MOVE);
    if (err) {
        forget(v);
        cu->UserObjectRelease(object, 1);
    }
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
    if (!err && status == ACTIVE && hold(v, capture))
        err = give(cu, v, graph);
    return err ? err | LAUNCH_NOT_HELD : 0; /* one that is invalid already is the launch's to refuse */
}
