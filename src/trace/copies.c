/* Copies and fills that a program makes through the driver table, between events. These functions are handed out only where a trace
 * takes its times from events; what CUPTI and softcuda tell has them all. */
#include "src/trace/events.h"
#include "src/trace/times.h"

static gpudl_driver_table real, wrapped;

struct transfer {
    enum trace_kind kind;
    const char *name;
    size_t bytes;
    CUstream stream;
};

static void note(struct timed *t, const struct transfer *x, int err)
{
    struct trace_record r = { .kind = x->kind, .name = x->name, .bytes = x->bytes };

    gpudl__events_after(t, &r, err);
}

#define AROUND(what, words, size, where, call) \
    const struct transfer x = { what, words, size, where }; \
    struct timed *t = gpudl__events_before(x.stream); \
    int err = call; \
    note(t, &x, err); \
    return err

static int copy_any(CUdeviceptr to, CUdeviceptr from, size_t n)
{
    AROUND(TRACE_COPY, "copy", n, NULL, real.Memcpy(to, from, n));
}

static int copy_in(CUdeviceptr to, const void *from, size_t n)
{
    AROUND(TRACE_COPY, "copy HtoD", n, NULL, real.MemcpyHtoD(to, from, n));
}

static int copy_out(void *to, CUdeviceptr from, size_t n)
{
    AROUND(TRACE_COPY, "copy DtoH", n, NULL, real.MemcpyDtoH(to, from, n));
}

static int copy_within(CUdeviceptr to, CUdeviceptr from, size_t n)
{
    AROUND(TRACE_COPY, "copy DtoD", n, NULL, real.MemcpyDtoD(to, from, n));
}

static int copy_any_async(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
    AROUND(TRACE_COPY, "copy", n, s, real.MemcpyAsync(to, from, n, s));
}

static int copy_in_async(CUdeviceptr to, const void *from, size_t n, CUstream s)
{
    AROUND(TRACE_COPY, "copy HtoD", n, s, real.MemcpyHtoDAsync(to, from, n, s));
}

static int copy_out_async(void *to, CUdeviceptr from, size_t n, CUstream s)
{
    AROUND(TRACE_COPY, "copy DtoH", n, s, real.MemcpyDtoHAsync(to, from, n, s));
}

static int copy_within_async(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
    AROUND(TRACE_COPY, "copy DtoD", n, s, real.MemcpyDtoDAsync(to, from, n, s));
}

static int fill_8(CUdeviceptr to, unsigned char value, size_t n)
{
    AROUND(TRACE_FILL, "fill", n, NULL, real.MemsetD8(to, value, n));
}

static int fill_16(CUdeviceptr to, unsigned short value, size_t n)
{
    AROUND(TRACE_FILL, "fill", 2 * n, NULL, real.MemsetD16(to, value, n));
}

static int fill_32(CUdeviceptr to, unsigned value, size_t n)
{
    AROUND(TRACE_FILL, "fill", 4 * n, NULL, real.MemsetD32(to, value, n));
}

static int fill_8_async(CUdeviceptr to, unsigned char value, size_t n, CUstream s)
{
    AROUND(TRACE_FILL, "fill", n, s, real.MemsetD8Async(to, value, n, s));
}

static int fill_16_async(CUdeviceptr to, unsigned short value, size_t n, CUstream s)
{
    AROUND(TRACE_FILL, "fill", 2 * n, s, real.MemsetD16Async(to, value, n, s));
}

static int fill_32_async(CUdeviceptr to, unsigned value, size_t n, CUstream s)
{
    AROUND(TRACE_FILL, "fill", 4 * n, s, real.MemsetD32Async(to, value, n, s));
}

/* What the driver has not is not there either. */
#define WRAP(member, function) wrapped.member = real.member ? function : NULL

const gpudl_driver_table *gpudl__copies_wrap(const gpudl_driver_table *from)
{
    real = wrapped = *from;
    WRAP(Memcpy, copy_any);
    WRAP(MemcpyHtoD, copy_in);
    WRAP(MemcpyDtoH, copy_out);
    WRAP(MemcpyDtoD, copy_within);
    WRAP(MemcpyAsync, copy_any_async);
    WRAP(MemcpyHtoDAsync, copy_in_async);
    WRAP(MemcpyDtoHAsync, copy_out_async);
    WRAP(MemcpyDtoDAsync, copy_within_async);
    WRAP(MemsetD8, fill_8);
    WRAP(MemsetD16, fill_16);
    WRAP(MemsetD32, fill_32);
    WRAP(MemsetD8Async, fill_8_async);
    WRAP(MemsetD16Async, fill_16_async);
    WRAP(MemsetD32Async, fill_32_async);
    return &wrapped;
}
