/* graphmemory.c - see graphmemory.h. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/graphexec.h"
#include "softcuda/api/leaks.h"
#include "softcuda/api/pool.h"
#include "softcuda/run/range.h"

enum freed { BY_NOBODY, BY_ITS_GRAPH, BY_OTHERS };

struct graph_memory {
    struct sc_range range;
    unsigned refs;
    struct device *device;
    uint64_t graph;                     /* whose node allocates it, or 0 */
    enum freed freed;                   /* by free nodes */
    bool allocated;                     /* a reference */
    CUcontext context;                  /* of the stream that it was last allocated in */
    struct sc_abi_alloc_node params;
    struct sc_abi_access access[];
};

static struct {
    pthread_mutex_t lock;               /* all of them, and what they hold */
    struct sc_ranges ranges;
    uint64_t next_id;
    struct { uint64_t now, high; } used[SC_MAX_DEVICES];
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- made and gone ---- */

static CUresult check(const struct sc_abi_alloc_node *a, struct device **d)
{
    struct device *other;
    CUresult r;

    if (!a->bytes || a->props.type != CU_MEM_ALLOCATION_TYPE_PINNED || a->props.location.type != CU_MEM_LOCATION_TYPE_DEVICE
        || a->props.handles || a->naccess > (size_t)sc_device_count() || (a->naccess && !a->access))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < a->naccess; i++) {
        if (a->access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || a->access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_VALUE;
        if ((r = sc_device(a->access[i].location.id, &other)))
            return r;
    }
    return sc_device(a->props.location.id, d);
}

static uint64_t reserve(struct device *d, uint64_t bytes, struct graph_memory *m)
{
    uint64_t got = sc_devmem_alloc(d->memory, bytes, m, MEM_GRAPH);

    return !got && sc_pools_trim(d) ? sc_devmem_alloc(d->memory, bytes, m, MEM_GRAPH) : got;
}

CUresult sc_graph_memory_create(const struct sc_abi_alloc_node *a, struct graph_memory **out)
{
    struct graph_memory *m;
    struct device *d;
    uint64_t start;
    CUresult r = check(a, &d);

    if (r)
        return r;
    if (!(m = calloc(1, sizeof(*m) + a->naccess * sizeof(m->access[0]))))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (a->bytes > (size_t)1 << 48 || !(start = reserve(d, a->bytes, m))) {
        free(m);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    m->refs = 1;
    m->device = d;
    m->params = *a;
    m->params.p = start;
    m->params.access = a->naccess ? m->access : NULL;
    if (a->naccess)
        memcpy(m->access, a->access, a->naccess * sizeof(m->access[0]));
    pthread_mutex_lock(&memory.lock);
    m->range = (struct sc_range){ .start = start, .size = a->bytes, .owner = m, .id = ++memory.next_id };
    sc_ranges_insert(&memory.ranges, &m->range);
    memory.used[d->ordinal].now += a->bytes;
    if (memory.used[d->ordinal].now > memory.used[d->ordinal].high)
        memory.used[d->ordinal].high = memory.used[d->ordinal].now;
    pthread_mutex_unlock(&memory.lock);
    *out = m;
    return CUDA_SUCCESS;
}

struct graph_memory *sc_graph_memory_ref(struct graph_memory *m)
{
    if (!m)
        return NULL;
    pthread_mutex_lock(&memory.lock);
    m->refs++;
    pthread_mutex_unlock(&memory.lock);
    return m;
}

void sc_graph_memory_unref(struct graph_memory *m)
{
    bool last;

    if (!m)
        return;
    pthread_mutex_lock(&memory.lock);
    if ((last = --m->refs == 0)) {
        sc_ranges_remove(&memory.ranges, &m->range);
        memory.used[m->device->ordinal].now -= m->range.size;
    }
    pthread_mutex_unlock(&memory.lock);
    if (!last)
        return;
    sc_devmem_free(m->device->memory, m->range.start, MEM_GRAPH);
    free(m);
}

/* The lock is held. */
static struct graph_memory *around(uint64_t address)
{
    struct sc_range *r = sc_ranges_find(&memory.ranges, address);

    return r ? r->owner : NULL;
}

struct graph_memory *sc_graph_memory_at(uint64_t address)
{
    struct graph_memory *m;

    pthread_mutex_lock(&memory.lock);
    m = around(address);
    if (m && m->range.start != address)
        m = NULL;
    if (m)
        m->refs++;
    pthread_mutex_unlock(&memory.lock);
    return m;
}

const struct sc_abi_alloc_node *sc_graph_memory_params(const struct graph_memory *m)
{
    return &m->params;
}

bool sc_graph_memory_find(uint64_t address, struct mem_info *info)
{
    struct graph_memory *m;

    pthread_mutex_lock(&memory.lock);
    if ((m = around(address)))
        *info = (struct mem_info){ m->range.start, m->range.size, m->range.id, MEM_DEVICE, m->context, m->device->ordinal, 0 };
    pthread_mutex_unlock(&memory.lock);
    return m;
}

bool sc_graph_memory_allows(uint64_t address, const struct device *d)
{
    struct graph_memory *m;
    bool allows = false;

    pthread_mutex_lock(&memory.lock);
    if ((m = around(address))) {
        allows = m->device == d;
        for (size_t i = 0; !allows && i < m->params.naccess; i++)
            allows = m->access[i].location.id == d->ordinal;
    }
    pthread_mutex_unlock(&memory.lock);
    return allows;
}

/* ---- allocated and freed ---- */

void sc_graph_memory_belongs(struct graph_memory *m, uint64_t graph)
{
    pthread_mutex_lock(&memory.lock);
    m->graph = graph;
    pthread_mutex_unlock(&memory.lock);
}

CUresult sc_graph_memory_free_in(struct graph_memory *m, uint64_t graph, bool mark)
{
    bool own, may;

    pthread_mutex_lock(&memory.lock);
    own = m->graph == graph;
    may = own ? m->freed == BY_NOBODY : m->freed != BY_ITS_GRAPH;
    if (may && mark)
        m->freed = own ? BY_ITS_GRAPH : BY_OTHERS;
    pthread_mutex_unlock(&memory.lock);
    return may ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Steps on memory that comes and goes in one graph are each other's business alone. */
static bool concerns_others(const struct step *s)
{
    return s->memory && s->memory->freed != BY_ITS_GRAPH;
}

static bool fits(const struct step *s, bool auto_free)
{
    if (!concerns_others(s))
        return true;
    return s->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ? !s->memory->allocated || auto_free : s->memory->allocated;
}

/* The plan has a reference, so none of these is the last. */
static void take_place(const struct step *s, CUcontext c)
{
    bool allocate = s->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC;

    if (!concerns_others(s))
        return;
    s->memory->refs += (unsigned)allocate - s->memory->allocated;
    s->memory->allocated = allocate;
    s->memory->context = c;
}

CUresult sc_graph_memory_launch(const struct plan *p, bool auto_free, CUcontext c)
{
    bool fit = true;

    if (!p->memory)
        return CUDA_SUCCESS;
    pthread_mutex_lock(&memory.lock);
    for (size_t i = 0; i < p->n; i++)
        fit = fit && fits(&p->steps[i], auto_free);
    for (size_t i = 0; fit && i < p->n; i++)
        take_place(&p->steps[i], c);
    pthread_mutex_unlock(&memory.lock);
    return fit ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sc_graph_memory_free(uint64_t p, struct graph_memory **out)
{
    struct graph_memory *m;
    CUresult r = CUDA_ERROR_NOT_FOUND;

    pthread_mutex_lock(&memory.lock);
    if ((m = around(p)) && m->range.start == p && m->allocated) {
        m->allocated = false;
        *out = m;
        r = CUDA_SUCCESS;
    } else if (m) {
        r = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&memory.lock);
    return r;
}

/* The next one that is allocated in the context, with whose reference the caller may do something, or NULL. */
static struct graph_memory *next_of(CUcontext c, struct graph_memory *after)
{
    struct sc_range *r = sc_ranges_above(&memory.ranges, after ? after->range.start + 1 : 0);
    struct graph_memory *m;

    for (; r; r = sc_ranges_above(&memory.ranges, r->start + 1))
        if ((m = r->owner)->allocated && m->context == c)
            return m;
    return NULL;
}

void sc_graph_memory_leave(CUcontext c)
{
    struct graph_memory *m;

    do {
        pthread_mutex_lock(&memory.lock);
        if ((m = next_of(c, NULL)))
            m->allocated = false;
        pthread_mutex_unlock(&memory.lock);
        sc_graph_memory_unref(m);
    } while (m);
}

void sc_graph_memory_leaks(CUcontext c)
{
    pthread_mutex_lock(&memory.lock);
    for (struct graph_memory *m = NULL; (m = next_of(c, m));)
        sc_leak(c, "memory of a graph", m->range.start, m->range.size, m->range.id);
    pthread_mutex_unlock(&memory.lock);
}

/* ---- what a device's graphs have ---- */

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void *value)
{
    struct device *d;
    CUresult r = sc_device(device, &d);
    uint64_t v;

    if (r)
        return r;
    if (!value || (int)which < CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT || (int)which > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&memory.lock);           /* nothing is reserved beyond what is used */
    v = (int)which == CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT || (int)which == CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT
      ? memory.used[device].now : memory.used[device].high;
    pthread_mutex_unlock(&memory.lock);
    memcpy(value, &v, sizeof(v));
    return CUDA_SUCCESS;
}

/* The highest values can be put back to 0, that is, to what is there now. */
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void *value)
{
    struct device *d;
    CUresult r = sc_device(device, &d);
    uint64_t v;

    if (r)
        return r;
    if (!value || ((int)which != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH && (int)which != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&v, value, sizeof(v));
    if (v)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&memory.lock);
    memory.used[device].high = memory.used[device].now;
    pthread_mutex_unlock(&memory.lock);
    return CUDA_SUCCESS;
}

/* Nothing is kept that no graph needs. */
CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    struct device *d;

    return sc_device(device, &d);
}
