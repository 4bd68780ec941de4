/* transfer.c - copies and fills. Every address is one of this process; what differs is who may still change it:
 * pageable host memory is read before an asynchronous call returns, and written before it returns, as CUDA has it. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/capture.h"
#include "softcuda/api/trace.h"

struct copy_op { struct op op; void *to; const void *from; size_t size; void *staged; };
struct fill_op { struct op op; struct sc_abi_memset_node set; };

static void *address(uint64_t p)
{
    return (void *)(uintptr_t)p;
}

static void copy_now(void *to, const void *from, size_t size, CUcontext c)
{
    uint64_t begin = sc_trace_begin();

    memmove(to, from, size);
    sc_trace_copy(begin, c, (uintptr_t)to, (uintptr_t)from, size);
}

static void run_copy(struct op *op, struct sc_worker *worker)
{
    struct copy_op *c = (struct copy_op *)op;
    CUcontext context = op->stream->context;

    (void)worker;
    if (sc_mem_there((uintptr_t)c->to, c->size) && sc_mem_there((uintptr_t)c->from, c->size))
        copy_now(c->to, c->from, c->size, context);
    else
        sc_poison(context, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void drop_copy(struct op *op)
{
    free(((struct copy_op *)op)->staged);
}

/* Copies what the caller may change as soon as the call returns. */
static int stage(struct copy_op *c)
{
    if (!(c->staged = malloc(c->size)))
        return -1;
    memcpy(c->staged, c->from, c->size);
    c->from = c->staged;
    return 0;
}

static CUresult finish(struct CUstream_st *s)
{
    sc_services_flush(&s->context->services);
    return sc_sticky(s->context);
}

static struct sc_abi_memcpy3d_side side(uint64_t p)
{
    struct mem_info info;

    if (sc_mem_find(p, &info))
        return (struct sc_abi_memcpy3d_side){ .type = CU_MEMORYTYPE_DEVICE, .device = p };
    return (struct sc_abi_memcpy3d_side){ .type = CU_MEMORYTYPE_HOST, .host = address(p) };
}

/* A graph reads and writes host memory when it is launched, pageable or not. */
static CUresult capture(uint64_t to, uint64_t from, size_t size, struct CUstream_st *s)
{
    const struct sc_abi_memcpy3d c = { .from = side(from), .to = side(to), .width = size, .height = 1, .depth = 1 };
    struct node_params p;
    CUresult r = sc_params_copy(&p, &c, s->context);

    return r ? r : sc_capture_node(s, &p);
}

static CUresult copy(uint64_t to, uint64_t from, size_t size, CUstream stream, bool wait)
{
    struct CUstream_st *s;
    struct mem_info info;
    struct copy_op *c;
    CUresult r = sc_stream_transfer(stream, wait, &s);

    if (r || !size)
        return r;
    if (sc_capturing(s))
        return capture(to, from, size, s);
    if (wait && sc_stream_idle(s)) {
        sc_trace_stream = s->id;
        copy_now(address(to), address(from), size, s->context);
        return finish(s);
    }
    if (!(c = sc_op_create(sizeof(*c), run_copy, drop_copy)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    c->to = address(to);
    c->from = address(from);
    c->size = size;
    wait = wait || !sc_mem_find(to, &info);
    if (!wait && !sc_mem_find(from, &info) && stage(c))
        wait = true;
    if (wait) {
        sc_op_perform(s, &c->op);
        return finish(s);
    }
    sc_op_enqueue(s, &c->op, NULL);
    return CUDA_SUCCESS;
}

static void fill_row(void *to, uint32_t value, unsigned width, size_t n)
{
    uint16_t *half = to;
    uint32_t *word = to;

    if (width == 1)
        memset(to, (int)(value & 0xff), n);
    else if (width == 2)
        for (size_t i = 0; i < n; i++)
            half[i] = (uint16_t)value;
    else
        for (size_t i = 0; i < n; i++)
            word[i] = value;
}

static size_t bytes_of(const struct sc_abi_memset_node *f)
{
    return (f->height - 1) * f->pitch + f->width * f->element;
}

static void fill(const struct sc_abi_memset_node *f, CUcontext c)
{
    uint64_t begin = sc_trace_begin();

    for (size_t y = 0; y < f->height; y++)
        fill_row(address(f->to + y * f->pitch), f->value, f->element, f->width);
    sc_trace_fill(begin, c, f->width * f->element * f->height);
}

void sc_fill_run(const struct sc_abi_memset_node *f, CUcontext c)
{
    if (sc_mem_there(f->to, bytes_of(f)))
        fill(f, c);
    else
        sc_poison(c, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void run_fill(struct op *op, struct sc_worker *worker)
{
    (void)worker;
    sc_fill_run(&((struct fill_op *)op)->set, op->stream->context);
}

static CUresult capture_fill(const struct sc_abi_memset_node *f, struct CUstream_st *s)
{
    struct node_params p;
    CUresult r = sc_params_set(&p, f, s->context);

    return r ? r : sc_capture_node(s, &p);
}

bool sc_fill_fits(const struct sc_abi_memset_node *f)
{
    size_t row, rows = 0;

    if (__builtin_mul_overflow(f->width, f->element, &row) || f->to % f->element)
        return false;
    if (f->height > 1 && (f->pitch < row || f->pitch % f->element || __builtin_mul_overflow(f->pitch, f->height - 1, &rows)))
        return false;
    return rows <= SIZE_MAX - row && sc_mem_holds(f->to, rows + row);
}

static CUresult set(const struct sc_abi_memset_node *f, CUstream stream, bool wait)
{
    struct CUstream_st *s;
    struct fill_op *op;
    CUresult r = sc_stream_transfer(stream, wait, &s);

    if (r || !f->width || !f->height)
        return r;
    if (!sc_fill_fits(f))
        return CUDA_ERROR_INVALID_VALUE;
    if (sc_capturing(s))
        return capture_fill(f, s);
    if (wait && sc_stream_idle(s)) {
        sc_trace_stream = s->id;
        fill(f, s->context);
        return CUDA_SUCCESS;
    }
    if (!(op = sc_op_create(sizeof(*op), run_fill, NULL)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    op->set = *f;
    if (!wait) {
        sc_op_enqueue(s, &op->op, NULL);
        return CUDA_SUCCESS;
    }
    sc_op_perform(s, &op->op);
    return finish(s);
}

CUresult sc_fill(uint64_t to, uint32_t value, unsigned width, size_t n, CUstream stream, bool wait)
{
    const struct sc_abi_memset_node f = { .to = to, .value = value, .element = width, .width = n, .height = 1 };

    return set(&f, stream, wait);
}

CUresult sc_fill2d(uint64_t to, size_t pitch, uint32_t value, unsigned element, size_t w, size_t h, CUstream stream, bool wait)
{
    const struct sc_abi_memset_node f = { to, pitch, value, element, w, h };

    return set(&f, stream, wait);
}

/* Neither side is host memory that only the host knows; from or to 0: not looked at. */
static CUresult device_side(uint64_t to, uint64_t from, size_t size)
{
    if (!size)
        return CUDA_SUCCESS;
    if ((to && !sc_mem_holds(to, size)) || (from && !sc_mem_holds(from, size)))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult sc_htod(uint64_t to, const void *from, size_t size, CUstream stream, bool wait)
{
    CUresult r = sc_ready();

    if (r || (r = from || !size ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE))
        return r;
    r = to || !size ? device_side(to, 0, size) : CUDA_ERROR_INVALID_VALUE;
    return r ? r : copy(to, (uint64_t)(uintptr_t)from, size, stream, wait);
}

CUresult sc_dtoh(void *to, uint64_t from, size_t size, CUstream stream, bool wait)
{
    CUresult r = sc_ready();

    if (r || (r = to || !size ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE))
        return r;
    r = from || !size ? device_side(0, from, size) : CUDA_ERROR_INVALID_VALUE;
    return r ? r : copy((uint64_t)(uintptr_t)to, from, size, stream, wait);
}

CUresult sc_dtod(uint64_t to, uint64_t from, size_t size, CUstream stream, bool wait)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    r = (to && from) || !size ? device_side(to, from, size) : CUDA_ERROR_INVALID_VALUE;
    return r ? r : copy(to, from, size, stream, wait);
}

/* Any direction; an address that no device knows is host memory, but never one inside a device's range. */
CUresult sc_any(uint64_t to, uint64_t from, size_t size, CUstream stream, bool wait)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    if (size && (!to || !from))
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < sc_device_count(); i++) {
        const struct sc_devmem *m = sc_device_at(i)->memory;

        if (size && sc_devmem_contains(m, to) && !sc_mem_holds(to, size))
            return CUDA_ERROR_INVALID_VALUE;
        if (size && sc_devmem_contains(m, from) && !sc_mem_holds(from, size))
            return CUDA_ERROR_INVALID_VALUE;
    }
    return copy(to, from, size, stream, wait);
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    return sc_any(to, from, size, NULL, true);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    return sc_any(to, from, size, stream, false);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size)
{
    CUresult r = sc_check_context(to_context);

    if (r || (r = sc_check_context(from_context)))
        return r;
    return sc_dtod(to, from, size, NULL, true);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size, CUstream s)
{
    CUresult r = sc_check_context(to_context);

    if (r || (r = sc_check_context(from_context)))
        return r;
    return sc_dtod(to, from, size, s, false);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
    return sc_htod(to, from, size, NULL, true);
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
    return sc_dtoh(to, from, size, NULL, true);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    return sc_dtod(to, from, size, NULL, true);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
    return sc_htod(to, from, size, stream, false);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
    return sc_dtoh(to, from, size, stream, false);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    return sc_dtod(to, from, size, stream, false);
}

CUresult cuMemsetD8_v2(CUdeviceptr p, unsigned char value, size_t n)
{
    return sc_fill(p, value, 1, n, NULL, true);
}

CUresult cuMemsetD16_v2(CUdeviceptr p, unsigned short value, size_t n)
{
    return sc_fill(p, value, 2, n, NULL, true);
}

CUresult cuMemsetD32_v2(CUdeviceptr p, unsigned int value, size_t n)
{
    return sc_fill(p, value, 4, n, NULL, true);
}

CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t n, CUstream stream)
{
    return sc_fill(p, value, 1, n, stream, false);
}

CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short value, size_t n, CUstream stream)
{
    return sc_fill(p, value, 2, n, stream, false);
}

CUresult cuMemsetD32Async(CUdeviceptr p, unsigned int value, size_t n, CUstream stream)
{
    return sc_fill(p, value, 4, n, stream, false);
}

/* Each with its forms for the legacy and the thread's own default stream. */
#define SET2D(bits, type)                                                                                                        \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr p, size_t pitch, type v, size_t w, size_t h)                                     \
    { return sc_fill2d(p, pitch, v, bits / 8, w, h, NULL, true); }                                                               \
    CUresult cuMemsetD2D##bits##_v2_ptds(CUdeviceptr p, size_t pitch, type v, size_t w, size_t h)                                \
    { return sc_fill2d(p, pitch, v, bits / 8, w, h, CU_STREAM_PER_THREAD, true); }                                               \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr p, size_t pitch, type v, size_t w, size_t h, CUstream s)                       \
    { return sc_fill2d(p, pitch, v, bits / 8, w, h, s, false); }                                                                 \
    CUresult cuMemsetD2D##bits##Async_ptsz(CUdeviceptr p, size_t pitch, type v, size_t w, size_t h, CUstream s)                  \
    { return sc_fill2d(p, pitch, v, bits / 8, w, h, s ? s : CU_STREAM_PER_THREAD, false); }

SET2D(8, unsigned char)
SET2D(16, unsigned short)
SET2D(32, unsigned int)
