/* library.c - libraries: programs without a context, placed in each context that uses them.
 *
 * As with the real driver, loading succeeds for almost any bytes: what cannot run gives a library without kernels, and only
 * the log says why. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/capture.h"

static CUresult check(CUlibrary l)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return l && l->magic == SC_LIBRARY ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult make_kernels(struct CUlib_st *l)
{
    l->kernels = calloc(l->program->nkernels + 1, sizeof(*l->kernels));
    if (!l->kernels)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < l->program->nkernels; i++) {
        struct CUkern_st *k = l->kernels[i] = sc_handle_new(&sc_kernels, SC_KERNEL);

        if (!k)
            return CUDA_ERROR_OUT_OF_MEMORY;
        k->library = l;
        k->index = i;
        for (int d = 0; d < SC_MAX_DEVICES; d++)
            atomic_init(&k->max_dynamic[d], -1);
    }
    return CUDA_SUCCESS;
}

/* The library's module of which the context is asked for; any context: NULL. sc_objects is held. */
static struct CUmod_st *module_in(const struct CUlib_st *l, CUcontext c)
{
    struct CUmod_st *m;

    for (m = l->modules; m && c && m->context != c; m = m->sibling)
        ;
    return m;
}

/* A context in which the library has a module, or NULL. */
static CUcontext used_in(CUlibrary l)
{
    struct CUmod_st *m;

    pthread_mutex_lock(&sc_objects);
    l->unloading = true;
    m = module_in(l, NULL);
    pthread_mutex_unlock(&sc_objects);
    return m ? m->context : NULL;
}

static void leave(CUlibrary l, CUcontext c)
{
    struct CUmod_st *m;

    pthread_mutex_lock(&sc_objects);
    if ((m = module_in(l, c)))
        sc_module_destroy(m);
    pthread_mutex_unlock(&sc_objects);
}

static void library_destroy(struct CUlib_st *l)
{
    CUcontext c;

    while ((c = used_in(l))) {
        sc_hold(c);
        leave(l, c);
        sc_unhold(c);
    }
    for (int i = 0; i < SC_MAX_DEVICES; i++)
        sc_program_unref(l->programs[i]);
    sc_program_unref(l->program);
    for (uint32_t i = 0; l->kernels && l->kernels[i]; i++)
        sc_handle_free(&sc_kernels, l->kernels[i]);
    free(l->kernels);
    sc_handle_free(&sc_libraries, l);
}

/* An image has the same kernels for every device that it is for. */
static bool has_same_kernels(const struct program *a, const struct program *b)
{
    bool same = a->nkernels == b->nkernels;

    for (uint32_t i = 0; i < a->nkernels && same; i++)
        same = !strcmp(a->kernels[i].func->name, b->kernels[i].func->name);
    return same;
}

/* What an image is read from. */
struct origin {
    const void *code;
    const char *file; /* NULL: code */
};

static CUresult read_for(const struct origin *o, int device, struct load_log *log, struct program **out)
{
    unsigned sm = sc_device_sm(device);

    return o->file ? sc_program_load_file(o->file, sm, log, out) : sc_program_load(o->code, 0, sm, log, out);
}

/* Where devices differ, what each takes; those that have nothing are told when they are asked to run it. */
static void read_for_each(struct CUlib_st *l, const struct origin *o)
{
    struct load_log quiet;
    struct program *p;

    sc_load_log_init(&quiet, 0, NULL, NULL);
    for (int i = 0; i < sc_device_count() && sc_devices_differ(); i++) {
        if (read_for(o, i, &quiet, &p))
            continue;
        if (has_same_kernels(p, l->program))
            l->programs[i] = p;
        else
            sc_program_unref(p);
    }
}

/* What the first device takes that takes any. */
static CUresult read_first(const struct origin *o, struct load_log *log, struct program **out)
{
    CUresult r = read_for(o, 0, log, out);
    struct load_log quiet;

    sc_load_log_init(&quiet, 0, NULL, NULL);
    for (int i = 1; r && i < sc_device_count() && sc_devices_differ(); i++)
        r = read_for(o, i, &quiet, out) ? r : CUDA_SUCCESS;
    return r;
}

/* Where loading is eager. A device that has no code of it is let be. */
static CUresult enter_now(struct CUlib_st *l, CUcontext c)
{
    struct CUmod_st *m;
    CUresult r = sc_library_module(l, c, &m);

    return r == CUDA_ERROR_NO_BINARY_FOR_GPU ? CUDA_SUCCESS : r;
}

/* Takes the program over. */
static CUresult library_create(struct program *p, const struct origin *o, CUlibrary *out)
{
    struct CUlib_st *l = sc_handle_new(&sc_libraries, SC_LIBRARY);
    CUresult r;

    if (!l) {
        sc_program_unref(p);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    l->program = p;
    read_for_each(l, o);
    r = make_kernels(l);
    for (CUcontext c = NULL; !r && sc_eager() && (c = sc_context_next(c));)
        r = atomic_load(&c->alive) ? enter_now(l, c) : CUDA_SUCCESS;
    if (r)
        library_destroy(l);
    else
        *out = l;
    return r;
}

/* The real driver says nothing of images that merely do not fit. */
static CUresult forgive(CUresult r, struct program **p)
{
    if (r == CUDA_SUCCESS || r == CUDA_ERROR_OUT_OF_MEMORY)
        return r;
    *p = sc_program_empty();
    return *p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult begin(
    CUlibrary *library, const void *what, struct load_log *log, unsigned n, CUjit_option *options, void **values)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return library && what ? sc_load_log_init(log, n, options, values) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values, unsigned int n,
                           CUlibraryOption *library_options, void **library_values, unsigned int library_n)
{
    const struct origin o = { code, NULL };
    struct load_log log;
    struct program *p;
    CUresult r = begin(library, code, &log, n, options, values);

    (void)library_options, (void)library_values, (void)library_n;
    if (r)
        return r;
    r = forgive(read_first(&o, &log, &p), &p);
    sc_load_log_finish(&log);
    return r ? r : library_create(p, &o, library);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *options, void **values, unsigned int n,
                               CUlibraryOption *library_options, void **library_values, unsigned int library_n)
{
    const struct origin o = { NULL, file };
    struct load_log log;
    struct program *p;
    CUresult r = begin(library, file, &log, n, options, values);

    (void)library_options, (void)library_values, (void)library_n;
    if (r)
        return r;
    r = read_first(&o, &log, &p);
    sc_load_log_finish(&log);
    if (r == CUDA_ERROR_FILE_NOT_FOUND || (r = forgive(r, &p)))
        return r;
    return library_create(p, &o, library);
}

CUresult cuLibraryUnload(CUlibrary l)
{
    CUresult r = check(l);

    if (r || (r = sc_capture_unsafe()))
        return r;
    library_destroy(l);
    return CUDA_SUCCESS;
}

/* Of the library on this device, or NULL. */
static struct program *program_on(const struct CUlib_st *l, const struct device *d)
{
    return sc_devices_differ() && l->program->nkernels ? l->programs[d->ordinal] : l->program;
}

CUresult sc_library_module(struct CUlib_st *l, CUcontext c, struct CUmod_st **out)
{
    struct program *p = program_on(l, c->device);
    struct CUmod_st *m;
    CUresult r = CUDA_SUCCESS;

    pthread_mutex_lock(&sc_objects);
    m = module_in(l, c);
    if (l->unloading)
        r = CUDA_ERROR_INVALID_HANDLE;
    else if (!m)
        r = p ? sc_module_create(c, p, l, &m) : CUDA_ERROR_NO_BINARY_FOR_GPU;
    pthread_mutex_unlock(&sc_objects);
    if (!r)
        sc_make_resident(m);
    *out = m;
    return r;
}

struct entering { CUcontext context; CUresult result; };

static void enter(void *library, void *arg)
{
    struct entering *e = arg;

    if (!e->result)
        e->result = enter_now(library, e->context);
}

CUresult sc_libraries_enter(CUcontext c)
{
    struct entering e = { .context = c };

    if (sc_eager())
        sc_handles_each(&sc_libraries, enter, &e);
    return e.result;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary l, const char *name)
{
    uint32_t i;
    CUresult r = check(l);

    if (r)
        return r;
    if (!kernel)
        return CUDA_ERROR_INVALID_VALUE;
    if ((r = sc_program_find(l->program, name, &i)))
        return r;
    *kernel = l->kernels[i];
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernelCount(unsigned int *n, CUlibrary l)
{
    CUresult r = check(l);

    return r ? r : sc_program_count(l->program, n);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int n, CUlibrary l)
{
    CUresult r = check(l);

    return r ? r : sc_program_list(l->program, l->kernels, kernels, n);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary l)
{
    CUcontext c;
    CUresult r = check(l);

    if (r || (r = sc_enter(&c)))
        return r;
    return module ? sc_library_module(l, c, module) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult global(CUdeviceptr *p, size_t *size, CUlibrary l, const char *name, bool managed)
{
    struct CUmod_st *m;
    CUcontext c;
    CUresult r = check(l);

    if (r || (r = sc_enter(&c)))
        return r;
    if ((!p && !size) || !name)
        return CUDA_ERROR_INVALID_VALUE;
    r = sc_library_module(l, c, &m);
    return r ? r : sc_module_global(m, name, managed, p, size);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *p, size_t *size, CUlibrary l, const char *name)
{
    return global(p, size, l, name, false);
}

CUresult cuLibraryGetManaged(CUdeviceptr *p, size_t *size, CUlibrary l, const char *name)
{
    return global(p, size, l, name, true);
}

CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary l, const char *name)
{
    CUresult r = check(l);

    if (r)
        return r;
    return function && name ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
}
