/* Contexts that code of ours is in, and having one current. */
#include "src/driver/legacy.h"

enum { BUFFER_ID = 7, TOKEN_BYTES = 1 }; /* CU_POINTER_ATTRIBUTE_BUFFER_ID */

/* What else the driver may answer is for the call to say that comes after. */
bool gpudl__legacy_alive(struct legacy_driver *d, const struct legacy_context *c)
{
    unsigned long long number = 0;
    int err;

    if (!c->token)
        return true;
    err = d->real.PointerGetAttribute(&number, BUFFER_ID, c->token);
    return err ? err != GPUDL_CU_INVALID_VALUE : number == c->number;
}

/* Without one the context is taken for alive. */
static void take_token(struct legacy_driver *d, struct legacy_context *c)
{
    if (!d->real.PointerGetAttribute || d->real.MemAlloc(&c->token, TOKEN_BYTES)) {
        c->token = 0;
        return;
    }
    if (d->real.PointerGetAttribute(&c->number, BUFFER_ID, c->token)) {
        d->real.MemFree(c->token);
        c->token = 0;
    }
}

/* Under the driver's lock. */
static struct legacy_context *find(struct legacy_driver *d, CUcontext handle)
{
    struct legacy_context *c = d->contexts;

    while (c && (c->handle != handle || !gpudl__legacy_alive(d, c)))
        c = c->next;
    return c;
}

/* Contexts outlive loaders, and so their allocators. */
static struct legacy_context *create(struct legacy_driver *d, CUcontext handle, int *err)
{
    const struct allocator *before = gpudl__alloc_use(NULL);
    struct legacy_context *c = gpudl__alloc_zero(sizeof(*c));

    gpudl__alloc_use(before);
    *err = c ? d->real.CtxGetDevice(&c->device) : GPUDL_CU_OUT_OF_MEMORY;
    if (*err) {
        gpudl__free(c);
        return NULL;
    }
    c->handle = handle;
    take_token(d, c);
    c->next = d->contexts;
    d->contexts = c;
    return c;
}

int gpudl__legacy_context_take(struct legacy_driver *d, CUcontext current, struct legacy_context **out)
{
    struct legacy_context *c;
    int err = 0;

    pthread_mutex_lock(&d->lock);
    c = find(d, current);
    if (!c)
        c = create(d, current, &err);
    if (c)
        c->uses++;
    pthread_mutex_unlock(&d->lock);
    *out = c;
    return err;
}

void gpudl__legacy_context_give(struct legacy_driver *d, struct legacy_context *c)
{
    struct legacy_context **p = &d->contexts;
    bool last;

    pthread_mutex_lock(&d->lock);
    last = --c->uses == 0;
    while (last && *p != c)
        p = &(*p)->next;
    if (last)
        *p = c->next;
    pthread_mutex_unlock(&d->lock);
    if (!last)
        return;
    if (c->token && gpudl__legacy_alive(d, c))
        d->real.MemFree(c->token);
    gpudl__free(c);
}

/* ------------------------------------------------------------------------------------------------------------ having one current */

int gpudl__legacy_push(struct legacy_driver *d, CUcontext context, struct legacy_entered *e)
{
    CUcontext current = NULL;
    int err = d->real.CtxGetCurrent(&current);

    *e = (struct legacy_entered){ .context = context };
    if (!err && current != context) {
        err = d->real.CtxPushCurrent(context);
        e->pushed = !err;
    }
    return err;
}

void gpudl__legacy_leave(struct legacy_driver *d, struct legacy_entered *e)
{
    CUcontext context;

    if (e->pushed)
        d->real.CtxPopCurrent(&context);
    if (e->retained)
        d->real.DevicePrimaryCtxRelease(e->device);
}

static int enter_primary(struct legacy_driver *d, CUdevice device, struct legacy_entered *e)
{
    CUcontext context;
    int err = d->real.DevicePrimaryCtxRetain(&context, device);

    if (err)
        return err;
    err = gpudl__legacy_push(d, context, e);
    e->device = device;
    e->retained = true;
    if (err)
        gpudl__legacy_leave(d, e);
    return err;
}

int gpudl__legacy_enter_any(struct legacy_driver *d, struct legacy_entered *e)
{
    CUdevice device;
    int err;

    *e = (struct legacy_entered){ 0 };
    err = d->real.CtxGetCurrent(&e->context);
    if (err || e->context)
        return err;
    err = d->real.DeviceGet(&device, 0);
    return err ? err : enter_primary(d, device, e);
}

int gpudl__legacy_enter_device(struct legacy_driver *d, CUdevice device, struct legacy_entered *e)
{
    CUdevice here;

    *e = (struct legacy_entered){ 0 };
    if (d->real.CtxGetDevice(&here) == 0 && here == device)
        return d->real.CtxGetCurrent(&e->context);
    return enter_primary(d, device, e);
}

int gpudl__legacy_enter_stream(struct legacy_driver *d, CUstream stream, struct legacy_entered *e)
{
    CUcontext current = NULL, wanted;
    int err = d->real.CtxGetCurrent(&current);

    *e = (struct legacy_entered){ 0 };
    wanted = current;
    if (!err && (uintptr_t)stream > (uintptr_t)GPUDL_STREAM_PER_THREAD)
        err = d->real.StreamGetCtx(stream, &wanted);
    if (!err && !wanted)
        err = GPUDL_CU_INVALID_CONTEXT;
    if (!err && wanted != current) {
        err = d->real.CtxPushCurrent(wanted);
        e->pushed = !err;
    }
    e->context = wanted;
    return err;
}
