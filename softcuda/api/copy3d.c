/* copy3d.c - copies of boxes: rows and slices of any memory or array. */
#include <string.h>

#include "softcuda/api/array.h"
#include "softcuda/api/capture.h"
#include "softcuda/api/trace.h"

struct box_op {
    struct op op;
    struct sc_box box;
};

struct place {
    unsigned char *data;
    size_t pitch, slice;
    bool pageable;
};

/* Bytes from the side's address to the end of the box. */
static bool extent(const struct sc_abi_memcpy3d_side *s, const struct sc_abi_memcpy3d *c, const struct place *p, size_t *bytes)
{
    size_t slices, rows;

    return !__builtin_mul_overflow(s->z + c->depth - 1, p->slice, &slices) &&
        !__builtin_mul_overflow(s->y + c->height - 1, p->pitch, &rows) && !__builtin_add_overflow(slices, rows, bytes) &&
        !__builtin_add_overflow(*bytes, s->x + c->width, bytes);
}

static CUresult place_array(const struct sc_abi_memcpy3d_side *s, const struct sc_abi_memcpy3d *c, struct place *p)
{
    CUresult r = sc_array_check(s->array);
    const struct sc_image *m;

    if (r)
        return r;
    m = &s->array->image;
    if (s->x > SIZE_MAX - c->width || s->x + c->width > (size_t)m->width * m->channels * sc_texel_bytes(m->texel) ||
        s->y >= m->height || c->height > m->height - s->y || s->z >= m->depth || c->depth > m->depth - s->z)
        return CUDA_ERROR_INVALID_VALUE;
    *p = (struct place){ m->data, m->pitch, m->slice, false };
    return CUDA_SUCCESS;
}

static CUresult place_memory(const struct sc_abi_memcpy3d_side *s, const struct sc_abi_memcpy3d *c, struct place *p)
{
    uint64_t base = s->type == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)s->host : s->device;
    struct mem_info info;
    size_t bytes, rows = s->height ? s->height : s->y + c->height;
    bool known = sc_mem_find(base, &info);

    p->data = (unsigned char *)(uintptr_t)base;
    p->pitch = s->pitch ? s->pitch : s->x + c->width;
    p->pageable = !known;
    if (!base || s->x > SIZE_MAX - c->width || s->x + c->width > p->pitch || (c->depth > 1 && s->y + c->height > rows) ||
        __builtin_mul_overflow(p->pitch, rows, &p->slice) || !extent(s, c, p, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (s->type == CU_MEMORYTYPE_DEVICE || known)
        return sc_mem_holds(base, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < sc_device_count(); i++)
        if (sc_devmem_contains(sc_device_at(i)->memory, base))
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult place(const struct sc_abi_memcpy3d_side *s, const struct sc_abi_memcpy3d *c, struct place *p)
{
    CUresult r;

    if (s->lod)
        return CUDA_ERROR_INVALID_VALUE;
    switch (s->type) {
    case CU_MEMORYTYPE_ARRAY:
        r = place_array(s, c, p);
        break;
    case CU_MEMORYTYPE_HOST:
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        r = place_memory(s, c, p);
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!r)
        p->data += s->z * p->slice + s->y * p->pitch + s->x;
    return r;
}

CUresult sc_box(const struct sc_abi_memcpy3d *c, struct sc_box *box)
{
    struct place from, to;
    CUresult r;

    *box = (struct sc_box){ .width = c->width, .height = c->height, .depth = c->depth };
    if (!c->width || !c->height || !c->depth)
        return CUDA_SUCCESS;
    if ((r = place(&c->from, c, &from)) || (r = place(&c->to, c, &to)))
        return r;
    box->from = from.data;
    box->from_pitch = from.pitch;
    box->from_slice = from.slice;
    box->to = to.data;
    box->to_pitch = to.pitch;
    box->to_slice = to.slice;
    box->pageable = from.pageable || to.pageable;
    return CUDA_SUCCESS;
}

void sc_box_copy(const struct sc_box *b)
{
    for (size_t z = 0; z < b->depth; z++)
        for (size_t y = 0; y < b->height; y++)
            memmove(b->to + z * b->to_slice + y * b->to_pitch, b->from + z * b->from_slice + y * b->from_pitch, b->width);
}

static bool is_there(const struct sc_box *b, const unsigned char *p, size_t pitch, size_t slice)
{
    return sc_mem_there((uintptr_t)p, (b->depth - 1) * slice + (b->height - 1) * pitch + b->width);
}

void sc_box_run(const struct sc_box *b, CUcontext c)
{
    uint64_t begin = sc_trace_begin();

    if (!is_there(b, b->to, b->to_pitch, b->to_slice) || !is_there(b, b->from, b->from_pitch, b->from_slice)) {
        sc_poison(c, CUDA_ERROR_ILLEGAL_ADDRESS);
        return;
    }
    sc_box_copy(b);
    sc_trace_copy(begin, c, (uintptr_t)b->to, (uintptr_t)b->from, b->width * b->height * b->depth);
}

static void run(struct op *op, struct sc_worker *worker)
{
    (void)worker;
    sc_box_run(&((struct box_op *)op)->box, op->stream->context);
}

static CUresult capture(const struct sc_abi_memcpy3d *c, struct CUstream_st *s)
{
    struct node_params p;
    CUresult r = sc_params_copy(&p, c, s->context);

    return r ? r : sc_capture_node(s, &p);
}

/* Memory that the caller may change or free as soon as the call returns is waited for. */
static CUresult copy(const struct sc_abi_memcpy3d *c, CUstream stream, bool wait)
{
    struct CUstream_st *s;
    struct box_op *op;
    struct sc_box box;
    CUresult r = sc_ready();

    if (r || (r = c ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE) || (r = sc_stream_transfer(stream, wait, &s)) ||
        (r = sc_box(c, &box)))
        return r;
    if (!box.width || !box.height || !box.depth)
        return CUDA_SUCCESS;
    if (sc_capturing(s))
        return capture(c, s);
    if (!(op = sc_op_create(sizeof(*op), run, NULL)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    op->box = box;
    if (!wait && !box.pageable) {
        sc_op_enqueue(s, &op->op, NULL);
        return CUDA_SUCCESS;
    }
    sc_op_perform(s, &op->op);
    return sc_sticky(s->context);
}

static struct sc_abi_memcpy3d_side side_of(const struct sc_abi_memcpy2d_side *s)
{
    return (struct sc_abi_memcpy3d_side){
        .x = s->x, .y = s->y, .type = s->type, .host = s->host, .device = s->device, .array = s->array, .pitch = s->pitch
    };
}

static CUresult copy2d(const struct sc_abi_memcpy2d *c, CUstream stream, bool wait)
{
    struct sc_abi_memcpy3d full;

    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    full = (struct sc_abi_memcpy3d){ side_of(&c->from), side_of(&c->to), c->width, c->height, 1 };
    return copy(&full, stream, wait);
}

static struct sc_abi_memcpy3d_side array_side(CUarray a, size_t offset)
{
    return (struct sc_abi_memcpy3d_side){ .type = CU_MEMORYTYPE_ARRAY, .array = a, .x = offset };
}

static struct sc_abi_memcpy3d_side device_side(CUdeviceptr p)
{
    return (struct sc_abi_memcpy3d_side){ .type = CU_MEMORYTYPE_DEVICE, .device = p };
}

static struct sc_abi_memcpy3d_side host_side(const void *p)
{
    return (struct sc_abi_memcpy3d_side){ .type = CU_MEMORYTYPE_HOST, .host = (void *)(uintptr_t)p };
}

static CUresult copy_row(struct sc_abi_memcpy3d_side to, struct sc_abi_memcpy3d_side from, size_t n, CUstream stream, bool wait)
{
    struct sc_abi_memcpy3d c = { from, to, n, 1, 1 };

    return copy(&c, stream, wait);
}

static CUstream mine(CUstream s)
{
    return s ? s : CU_STREAM_PER_THREAD;
}

/* Each with its forms for the legacy and the thread's own default stream. */
#define WAITS(name, params, call, ...) \
    CUresult name params \
    { \
        return call(__VA_ARGS__, NULL, true); \
    } \
    CUresult name##_ptds params \
    { \
        return call(__VA_ARGS__, CU_STREAM_PER_THREAD, true); \
    }
#define QUEUES(name, params, call, ...) \
    CUresult name params \
    { \
        return call(__VA_ARGS__, s, false); \
    } \
    CUresult name##_ptsz params \
    { \
        return call(__VA_ARGS__, mine(s), false); \
    }

WAITS(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *c), copy2d, (const struct sc_abi_memcpy2d *)c)
WAITS(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *c), copy2d, (const struct sc_abi_memcpy2d *)c)
WAITS(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *c), copy, (const struct sc_abi_memcpy3d *)c)
QUEUES(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *c, CUstream s), copy2d, (const struct sc_abi_memcpy2d *)c)
QUEUES(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *c, CUstream s), copy, (const struct sc_abi_memcpy3d *)c)
WAITS(cuMemcpyHtoA_v2, (CUarray to, size_t at, const void *from, size_t n), copy_row, array_side(to, at), host_side(from), n)
WAITS(cuMemcpyAtoH_v2, (void *to, CUarray from, size_t at, size_t n), copy_row, host_side(to), array_side(from, at), n)
WAITS(cuMemcpyDtoA_v2, (CUarray to, size_t at, CUdeviceptr from, size_t n), copy_row, array_side(to, at), device_side(from), n)
WAITS(cuMemcpyAtoD_v2, (CUdeviceptr to, CUarray from, size_t at, size_t n), copy_row, device_side(to), array_side(from, at), n)
WAITS(cuMemcpyAtoA_v2, (CUarray to, size_t to_at, CUarray from, size_t from_at, size_t n), copy_row, array_side(to, to_at),
    array_side(from, from_at), n)
QUEUES(cuMemcpyHtoAAsync_v2, (CUarray to, size_t at, const void *from, size_t n, CUstream s), copy_row, array_side(to, at),
    host_side(from), n)
QUEUES(cuMemcpyAtoHAsync_v2, (void *to, CUarray from, size_t at, size_t n, CUstream s), copy_row, host_side(to),
    array_side(from, at), n)

/* The names that cuda.h renames. */
#define SAME(name, original, params, args) \
    CUresult name params \
    { \
        return original args; \
    }
SAME(cuMemcpy2D, cuMemcpy2D_v2, (const CUDA_MEMCPY2D *c), (c))
SAME(cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *c), (c))
SAME(cuMemcpy3D, cuMemcpy3D_v2, (const CUDA_MEMCPY3D *c), (c))
SAME(cuMemcpyHtoA, cuMemcpyHtoA_v2, (CUarray to, size_t at, const void *from, size_t size), (to, at, from, size))
SAME(cuMemcpyAtoH, cuMemcpyAtoH_v2, (void *to, CUarray from, size_t at, size_t size), (to, from, at, size))
SAME(cuMemcpyDtoA, cuMemcpyDtoA_v2, (CUarray to, size_t at, CUdeviceptr from, size_t size), (to, at, from, size))
SAME(cuMemcpyAtoD, cuMemcpyAtoD_v2, (CUdeviceptr to, CUarray from, size_t at, size_t size), (to, from, at, size))
SAME(cuMemcpyAtoA, cuMemcpyAtoA_v2, (CUarray to, size_t to_at, CUarray from, size_t from_at, size_t size),
    (to, to_at, from, from_at, size))
SAME(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *c, CUstream stream), (c, stream))
SAME(cuMemcpy3DAsync, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *c, CUstream stream), (c, stream))
SAME(cuMemcpyHtoAAsync, cuMemcpyHtoAAsync_v2, (CUarray to, size_t at, const void *from, size_t size, CUstream stream),
    (to, at, from, size, stream))
SAME(cuMemcpyAtoHAsync, cuMemcpyAtoHAsync_v2, (void *to, CUarray from, size_t at, size_t size, CUstream stream),
    (to, from, at, size, stream))
