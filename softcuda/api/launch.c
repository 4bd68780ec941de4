/* launch.c - launches: checked, their parameters copied, put into the stream. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/capture.h"
#include "softcuda/api/report.h"
#include "softcuda/api/trace.h"

#define MAX_PARAM_BYTES 32764
#define RECURSION_ROOM  ((size_t)64 << 10)      /* local memory a thread, at least, where its depth is not known */

struct launch_op {
    struct op op;
    struct sc_kernel_work work;
    _Alignas(64) unsigned char params[];
};

static CUresult of_fault(int fault)
{
    switch (fault) {
    case SC_FAULT_ILLEGAL_ADDRESS:      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case SC_FAULT_MISALIGNED:           return CUDA_ERROR_MISALIGNED_ADDRESS;
    case SC_FAULT_ASSERT:               return CUDA_ERROR_ASSERT;
    case SC_FAULT_STACK_OVERFLOW:       return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case SC_FAULT_ILLEGAL_INSTRUCTION:  return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case SC_FAULT_BAD_CALL:             return CUDA_ERROR_INVALID_PC;
    case SC_FAULT_DEADLOCK: case SC_FAULT_TIMEOUT: return CUDA_ERROR_LAUNCH_TIMEOUT;
    case SC_FAULT_RESOURCES:            return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    default:                            return CUDA_ERROR_LAUNCH_FAILED;
    }
}

void sc_kernel_work_run(struct sc_kernel_work *w, struct sc_worker *worker)
{
    CUcontext c = w->f->module->context;
    uint64_t begin;

    if (!worker) {
        sc_poison(c, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
        return;
    }
    begin = sc_trace_begin();
    sc_grid_run(&w->grid, worker);
    sc_trace_kernel(begin, c, &(struct sc_launch_shape){ w->f->kernel->func->name, w->grid.nctaid, w->grid.ntid,
                                                         w->grid.static_shared, w->grid.dynamic_shared });
    if (w->grid.fault >= 0) {
        sc_report_fault(w);
        sc_poison(c, of_fault(w->grid.fault));
    }
}

static void run_launch(struct op *op, struct sc_worker *worker)
{
    sc_kernel_work_run(&((struct launch_op *)op)->work, worker);
}

static CUresult check_block(const struct sc_launch *l)
{
    const struct ptx_func *f = l->f->kernel->func;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t most = (uint64_t)f->maxntid[0] * f->maxntid[1] * f->maxntid[2];

    if (!threads || l->block[0] > 1024 || l->block[1] > 1024 || l->block[2] > 64 || threads > 1024)
        return CUDA_ERROR_INVALID_VALUE;
    if (f->reqntid[0] && memcmp(l->block, f->reqntid, sizeof(l->block)))
        return CUDA_ERROR_INVALID_VALUE;
    return most && threads > most ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_SUCCESS;
}

/* A cluster is one block here; a kernel that is declared for more would wait for others that never come. */
static bool wants_cluster(const struct ptx_func *f)
{
    for (int i = 0; i < 3; i++)
        if (f->reqnctapercluster[i] > 1)
            return true;
    return false;
}

CUresult sc_launch_check(const struct sc_launch *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    CUresult r = check_block(l);

    if (r)
        return r;
    if (wants_cluster(l->f->kernel->func))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!l->grid[0] || !l->grid[1] || !l->grid[2] || l->grid[0] > 0x7fffffff || l->grid[1] > 65535 || l->grid[2] > 65535)
        return CUDA_ERROR_INVALID_VALUE;
    if (l->f->kernel->func->param_bytes > MAX_PARAM_BYTES || l->dynamic > (uint32_t)sc_max_dynamic(l->f))
        return CUDA_ERROR_INVALID_VALUE;
    if (l->cooperative && blocks > (uint64_t)sc_active_blocks(l->f, (int)threads, l->dynamic) * sc_pool_threads())
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    return CUDA_SUCCESS;
}

CUresult sc_launch_params(unsigned char *to, const struct ptx_func *f, void **params, void **extra)
{
    const void *buffer = NULL;
    size_t size = 0;

    if (params && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (!extra) {
        if (!params && f->nparams)
            return CUDA_ERROR_INVALID_VALUE;
        for (uint32_t i = 0; i < f->nparams; i++) {
            if (!params[i])
                return CUDA_ERROR_INVALID_VALUE;
            memcpy(to + f->params[i].offset, params[i], f->params[i].size);
        }
        return CUDA_SUCCESS;
    }
    for (; extra[0]; extra += 2) {
        if ((uintptr_t)extra[0] == 1)
            buffer = extra[1];
        else if ((uintptr_t)extra[0] == 2 && extra[1])
            size = *(const size_t *)extra[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if ((!buffer && f->param_bytes) || size < f->param_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (f->param_bytes)
        memcpy(to, buffer, f->param_bytes);
    return CUDA_SUCCESS;
}

/* Local memory of a warp. */
static size_t local_bytes(const struct CUfunc_st *f)
{
    const struct jit_kernel_info *info = &f->kernel->info;
    size_t a_thread = info->local_bytes, limit = atomic_load(&f->module->context->stack_limit);

    if (info->recursive)
        a_thread += limit > RECURSION_ROOM ? limit : RECURSION_ROOM;
    return a_thread ? a_thread * SC_LANES + 4096 : 0;
}

/* Host memory that device code may use, and other devices'. */
static bool may_touch(void *owner, uint64_t address, uint32_t bytes)
{
    return sc_mem_reachable(owner, address, bytes);
}

static void fill_grid(struct sc_kernel_work *w, const struct sc_launch *l, const struct jit_code *code, const unsigned char *params)
{
    static _Atomic uint64_t next_gridid;
    struct sc_grid *g = &w->grid;

    g->code = code->run;
    g->code_blocks = code->run_blocks;
    g->may_wait = code->may_wait;
    g->cooperative = l->cooperative;
    memcpy(g->nctaid, l->grid, sizeof(g->nctaid));
    memcpy(g->ntid, l->block, sizeof(g->ntid));
    g->params = params;
    g->globals = l->f->module->globals;
    g->static_shared = l->f->kernel->info.static_shared_bytes;
    g->dynamic_shared = l->dynamic;
    g->local_bytes = local_bytes(l->f);
    g->gridid = atomic_fetch_add(&next_gridid, 1) + 1;
    g->envreg1_2 = l->cooperative ? (uint64_t)(uintptr_t)w->workspace : 0;
    g->services = &l->f->module->context->services;
    sc_devmem_range(l->f->module->context->device->memory, &g->memory_base, &g->memory_size);
    g->may_touch = may_touch;
    g->may_touch_owner = l->f->module->context;
    g->also[0].from = params;
    g->also[0].size = l->f->kernel->func->param_bytes;
    g->also[1].from = w->workspace;
    g->also[1].size = sizeof(w->workspace);
}

CUresult sc_kernel_work_init(struct sc_kernel_work *w, const struct sc_launch *l, const unsigned char *params)
{
    struct jit_code code;
    CUresult r = sc_program_code(l->f->kernel, l->block, &code);

    if (r)
        return r;
    w->f = l->f;
    fill_grid(w, l, &code, params);
    return CUDA_SUCCESS;
}

static CUresult capture(const struct sc_launch *l, struct CUstream_st *s, void **params, void **extra, CUevent event)
{
    struct node_params p;
    CUresult r = sc_params_kernel(&p, l, params, extra);

    if (!r)
        p.u.kernel.priority = s->priority;
    if (r || (r = sc_capture_node(s, &p)))
        return r;
    return event ? sc_capture_record(s, event, false) : CUDA_SUCCESS;
}

/* event: to record behind it, or NULL. */
static CUresult enqueue(const struct sc_launch *l, struct CUstream_st *s, void **params, void **extra, CUevent event)
{
    const struct ptx_func *f = l->f->kernel->func;
    struct launch_op *op;
    CUresult r = sc_launch_check(l);

    if (r)
        return r;
    if (sc_capturing(s))
        return capture(l, s, params, extra, event);
    if (!(op = sc_op_create(sizeof(*op) + f->param_bytes, run_launch, NULL)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if ((r = sc_kernel_work_init(&op->work, l, op->params)) || (r = sc_launch_params(op->params, f, params, extra))) {
        free(op);
        return r;
    }
    sc_hold_wait(s->context);
    sc_op_enqueue(s, &op->op, NULL);
    return event ? sc_event_record(event, s) : CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,
                        unsigned int bz, unsigned int shared, CUstream stream, void **params, void **extra)
{
    struct sc_launch l = { .grid = { gx, gy, gz }, .block = { bx, by, bz }, .dynamic = shared };
    struct CUstream_st *s;
    CUresult r = sc_stream_work(stream, &s);

    if (r || (r = sc_function(f, s->context, &l.f)))
        return r;
    return enqueue(&l, s, params, extra, NULL);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
    unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void **params)
{
    struct sc_launch l = { .grid = { gx, gy, gz }, .block = { bx, by, bz }, .dynamic = shared, .cooperative = true };
    struct CUstream_st *s;
    CUresult r = sc_stream_work(stream, &s);

    if (r || (r = sc_function(f, s->context, &l.f)))
        return r;
    return enqueue(&l, s, params, NULL, NULL);
}

/* Attributes that change what a program sees are heeded; the others are hints. */
static CUresult heed(const CUlaunchAttribute *a, struct sc_launch *l, CUevent *event)
{
    switch (a->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        l->cooperative = a->value.cooperative;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        return a->value.cluster.x * a->value.cluster.y * a->value.cluster.z > 1 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        *event = a->value.event.event;
        return *event && (*event)->magic == SC_EVENT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    default:
        return CUDA_SUCCESS;
    }
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra)
{
    struct sc_launch l = { 0 };
    struct CUstream_st *s;
    CUevent event = NULL;
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!config || (config->nattrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    if ((r = sc_stream_work(config->stream, &s)) || (r = sc_function(f, s->context, &l.f)))
        return r;
    memcpy(l.grid, config->grid, sizeof(l.grid));
    memcpy(l.block, config->block, sizeof(l.block));
    l.dynamic = config->shared_bytes;
    for (unsigned i = 0; i < config->nattrs; i++)
        if ((r = heed(&config->attrs[i], &l, &event)))
            return r;
    return enqueue(&l, s, params, extra, event);
}
