#include "bench/opencl.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/device.h"

#define DEVICE_TYPE_CPU 2
#define MEM_READ_WRITE_COPY (1 | 32)
#define PROGRAM_BUILD_LOG 0x1183

/* X(member, symbol, result, parameters) */
#define CALLS(X) \
    X(platforms, "clGetPlatformIDs", int, (unsigned, void **, unsigned *)) \
    X(devices, "clGetDeviceIDs", int, (void *, uint64_t, unsigned, void **, unsigned *)) \
    X(context, "clCreateContext", void *, (const intptr_t *, unsigned, void **, void *, void *, int *)) \
    X(queue, "clCreateCommandQueue", void *, (void *, void *, uint64_t, int *)) \
    X(program, "clCreateProgramWithSource", void *, (void *, unsigned, const char **, const size_t *, int *)) \
    X(build, "clBuildProgram", int, (void *, unsigned, void **, const char *, void *, void *)) \
    X(build_info, "clGetProgramBuildInfo", int, (void *, void *, unsigned, size_t, void *, size_t *)) \
    X(kernel, "clCreateKernel", struct opencl_kernel *, (void *, const char *, int *)) \
    X(argument, "clSetKernelArg", int, (struct opencl_kernel *, unsigned, size_t, const void *)) \
    X(buffer, "clCreateBuffer", struct opencl_buffer *, (void *, uint64_t, size_t, void *, int *)) \
    X(launch, "clEnqueueNDRangeKernel", int, \
        (void *, struct opencl_kernel *, unsigned, const size_t *, const size_t *, const size_t *, unsigned, void *, void *)) \
    X(finish, "clFinish", int, (void *)) \
    X(release_kernel, "clReleaseKernel", int, (struct opencl_kernel *)) \
    X(release_buffer, "clReleaseMemObject", int, (struct opencl_buffer *)) \
    X(release_program, "clReleaseProgram", int, (void *)) \
    X(release_queue, "clReleaseCommandQueue", int, (void *)) \
    X(release_context, "clReleaseContext", int, (void *))

struct opencl {
#define MEMBER(name, symbol, result, params) result(*name) params;
    CALLS(MEMBER)
#undef MEMBER
    void *the_context, *the_queue, *the_program, *the_device;
};

static bool check(int code, const char *what)
{
    if (code != 0)
        fprintf(stderr, "OpenCL: %s: error %d\n", what, code);
    return code == 0;
}

static bool fill_calls(struct opencl *o)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL), *symbol;

    if (!library)
        return false;
#define FIND(name, text, result, params) \
    symbol = dlsym(library, text); \
    if (!symbol) \
        return false; \
    memcpy(&o->name, &symbol, sizeof(symbol));
    CALLS(FIND)
#undef FIND
    return true;
}

static bool choose_device(struct opencl *o)
{
    void *platforms[8];
    unsigned n = 0;

    if (o->platforms(8, platforms, &n) != 0)
        return false;
    for (unsigned i = 0; i < n && i < 8; i++)
        if (o->devices(platforms[i], DEVICE_TYPE_CPU, 1, &o->the_device, NULL) == 0)
            return true;
    return false;
}

static bool build(struct opencl *o, const char *file)
{
    static char text[32768];
    const char *lines = text;
    char path[4096], log[4096] = "";
    FILE *f = bench_data(file, path, sizeof(path)) ? fopen(path, "r") : NULL;
    size_t size = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
    int code;

    if (f)
        fclose(f);
    o->the_program = size ? o->program(o->the_context, 1, &lines, &size, &code) : NULL;
    if (!o->the_program)
        return check(-1, file);
    code = o->build(o->the_program, 1, &o->the_device, "-cl-fast-relaxed-math", NULL, NULL);
    if (code != 0 && o->build_info(o->the_program, o->the_device, PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL) == 0)
        fprintf(stderr, "%s\n", log);
    return check(code, "clBuildProgram");
}

struct opencl *opencl_open(const char *file)
{
    struct opencl *o = calloc(1, sizeof(*o));
    int code;

    if (!o || !fill_calls(o) || !choose_device(o)) {
        free(o);
        return NULL;
    }
    o->the_context = o->context(NULL, 1, &o->the_device, NULL, NULL, &code);
    if (o->the_context)
        o->the_queue = o->queue(o->the_context, o->the_device, 0, &code);
    if (o->the_queue && build(o, file))
        return o;
    opencl_close(o);
    return NULL;
}

void opencl_close(struct opencl *o)
{
    if (!o)
        return;
    if (o->the_program)
        o->release_program(o->the_program);
    if (o->the_queue)
        o->release_queue(o->the_queue);
    if (o->the_context)
        o->release_context(o->the_context);
    free(o);
}

struct opencl_kernel *opencl_kernel(struct opencl *o, const char *name)
{
    int code = 0;
    struct opencl_kernel *k = o->kernel(o->the_program, name, &code);

    check(code, name);
    return k;
}

struct opencl_buffer *opencl_buffer(struct opencl *o, const void *bytes, size_t size)
{
    void *from;
    int code = 0;

    memcpy(&from, &bytes, sizeof(from)); /* OpenCL's parameter is not const, but only read */
    return o->buffer(o->the_context, MEM_READ_WRITE_COPY, size, from, &code);
}

bool opencl_argument(struct opencl *o, struct opencl_kernel *k, unsigned index, const void *value, size_t size)
{
    return check(o->argument(k, index, size, value), "clSetKernelArg");
}

bool opencl_launch(struct opencl *o, struct opencl_kernel *k, const unsigned grid[3], const unsigned block[3])
{
    const size_t global[3] = { (size_t)grid[0] * block[0], (size_t)grid[1] * block[1], (size_t)grid[2] * block[2] };
    const size_t local[3] = { block[0], block[1], block[2] };

    return check(o->launch(o->the_queue, k, 3, NULL, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

bool opencl_wait(struct opencl *o)
{
    return check(o->finish(o->the_queue), "clFinish");
}

void opencl_release_kernel(struct opencl *o, struct opencl_kernel *k)
{
    if (k)
        o->release_kernel(k);
}

void opencl_release_buffer(struct opencl *o, struct opencl_buffer *b)
{
    if (b)
        o->release_buffer(b);
}
