/* module.c - a program in a context: its globals placed and initialised. */
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/capture.h"

static bool placed(const struct ptx_var *v)
{
    return (v->space == PTX_GLOBAL || v->space == PTX_CONST) && !v->managed;
}

/* All globals lie in one allocation, in order. Writes their offsets to globals, returns its size. */
static uint64_t lay_out(const struct ptx_module *m, uint64_t *globals)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < m->nvars; i++) {
        uint64_t align = m->vars[i].align ? m->vars[i].align : 1;

        if (!placed(&m->vars[i]))
            continue;
        at = (at + align - 1) / align * align;
        globals[i] = at;
        at += m->vars[i].size ? m->vars[i].size : 1;
    }
    return at;
}

/* What addresses in .const count from. */
static uint64_t first_constant(const struct CUmod_st *mod)
{
    uint32_t i = 0;

    while (mod->program->ptx->vars[i].space != PTX_CONST)
        i++;
    return mod->globals[i];
}

static void apply(const struct CUmod_st *mod, const struct ptx_var *v, unsigned char *at)
{
    for (size_t i = 0; i < v->nrelocs; i++) {
        const struct ptx_reloc *r = &v->relocs[i];
        uint64_t value = r->is_func ? jit_function_address(mod->program->unit, r->index) : mod->globals[r->index];

        if (!r->is_func && !r->generic && mod->program->ptx->vars[r->index].space == PTX_CONST)
            value -= first_constant(mod);
        value = (value + (uint64_t)r->addend) >> r->shift;
        if (r->size <= sizeof(value) && r->offset <= v->size && r->size <= v->size - r->offset)
            memcpy(at + r->offset, &value, r->size);
    }
}

static CUresult place_globals(struct CUmod_st *mod)
{
    const struct ptx_module *m = mod->program->ptx;
    uint64_t size = lay_out(m, mod->globals), base = 0;

    if (size && !(base = sc_devmem_alloc(mod->context->device->memory, size, mod, MEM_MODULE)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (size)
        memset((void *)(uintptr_t)base, 0, size);
    for (uint32_t i = 0; i < m->nvars; i++)
        mod->globals[i] = placed(&m->vars[i]) ? base + mod->globals[i] : mod->program->managed[i];
    for (uint32_t i = 0; i < m->nvars; i++) {
        unsigned char *at = (unsigned char *)(uintptr_t)mod->globals[i];

        if (placed(&m->vars[i]) && m->vars[i].init)
            memcpy(at, m->vars[i].init, m->vars[i].size);
        if (at)
            apply(mod, &m->vars[i], at);
    }
    return CUDA_SUCCESS;
}

static void free_module(struct CUmod_st *m)
{
    sc_life_end(m->life);
    sc_devmem_free_owned(m->context->device->memory, m);
    sc_program_unref(m->program);
    free(m->globals);
    for (uint32_t i = 0; m->functions && m->functions[i]; i++)
        sc_handle_free(&sc_functions, m->functions[i]);
    free(m->functions);
    sc_handle_free(&sc_modules, m);
}

static CUresult fill_in(struct CUmod_st *m)
{
    struct program *p = m->program;

    m->globals = calloc((p->ptx ? p->ptx->nvars : 0) + 1, sizeof(*m->globals));
    m->functions = calloc(p->nkernels + 1, sizeof(*m->functions));
    m->life = sc_life_create();
    if (!m->globals || !m->functions || !m->life)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < p->nkernels; i++) {
        struct CUfunc_st *f = m->functions[i] = sc_handle_new(&sc_functions, SC_FUNCTION);

        if (!f)
            return CUDA_ERROR_OUT_OF_MEMORY;
        f->module = m;
        f->kernel = &p->kernels[i];
        f->from = m->library ? m->library->kernels[i] : NULL;
        atomic_init(&f->max_dynamic, -1);
    }
    return p->ptx ? place_globals(m) : CUDA_SUCCESS;
}

CUresult sc_module_create(CUcontext c, struct program *p, struct CUlib_st *library, struct CUmod_st **out)
{
    struct CUmod_st *m = sc_handle_new(&sc_modules, SC_MODULE);
    CUresult r;

    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    m->context = c;
    m->program = p;
    m->library = library;
    sc_program_ref(p);
    if ((r = fill_in(m))) {
        free_module(m);
        return r;
    }
    m->next = c->modules;
    c->modules = m;
    if (library) {
        m->sibling = library->modules;
        library->modules = m;
    }
    *out = m;
    return CUDA_SUCCESS;
}

void sc_module_destroy(struct CUmod_st *m)
{
    struct CUmod_st **at = &m->context->modules;

    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    if (m->library) {
        for (at = &m->library->modules; *at != m; at = &(*at)->sibling)
            ;
        *at = m->sibling;
    }
    free_module(m);
}

static CUresult check(CUmodule m)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!m || m->magic != SC_MODULE)
        return CUDA_ERROR_INVALID_HANDLE;
    return sc_check_context(m->context);
}

/* Takes the program over. */
static CUresult publish(CUcontext c, struct program *p, CUmodule *out)
{
    CUresult r;

    pthread_mutex_lock(&sc_objects);
    r = sc_module_create(c, p, NULL, out);
    pthread_mutex_unlock(&sc_objects);
    sc_program_unref(p);
    if (!r)
        sc_make_resident(*out);
    return r;
}

static unsigned sm_of(CUcontext c)
{
    return c->device->major * 10 + c->device->minor;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int n, CUjit_option *options, void **values)
{
    struct load_log log;
    struct program *p;
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (!module || !image || sc_load_log_init(&log, n, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    r = sc_program_load(image, 0, sm_of(c), &log, &p);
    sc_load_log_finish(&log);
    return r ? r : publish(c, p, module);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoad(CUmodule *module, const char *file)
{
    struct load_log log;
    struct program *p;
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (!module || !file)
        return CUDA_ERROR_INVALID_VALUE;
    sc_load_log_init(&log, 0, NULL, NULL);
    r = sc_program_load_file(file, sm_of(c), &log, &p);
    return r ? r : publish(c, p, module);
}

CUresult cuModuleUnload(CUmodule m)
{
    CUcontext c;
    CUresult r = check(m);

    if (r)
        return r;
    if (m->library)
        return CUDA_ERROR_NOT_PERMITTED;
    if ((r = sc_capture_unsafe()))
        return r;
    c = m->context;
    sc_hold(c);
    pthread_mutex_lock(&sc_objects);
    sc_module_destroy(m);
    pthread_mutex_unlock(&sc_objects);
    sc_unhold(c);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule m, const char *name)
{
    uint32_t i;
    CUresult r = check(m);

    if (r)
        return r;
    if (!function)
        return CUDA_ERROR_INVALID_VALUE;
    if ((r = sc_program_find(m->program, name, &i)))
        return r;
    *function = m->functions[i];
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned int *n, CUmodule m)
{
    CUresult r = check(m);

    return r ? r : sc_program_count(m->program, n);
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int n, CUmodule m)
{
    CUresult r = check(m);

    return r ? r : sc_program_list(m->program, m->functions, functions, n);
}

CUresult sc_module_global(const struct CUmod_st *m, const char *name, bool managed, CUdeviceptr *p, size_t *size)
{
    const struct ptx_module *ptx = m->program->ptx;

    for (uint32_t i = 0; ptx && i < ptx->nvars; i++) {
        const struct ptx_var *v = &ptx->vars[i];

        if (!m->globals[i] || (managed && !v->managed) || strcmp(v->name, name))
            continue;
        if (p)
            *p = m->globals[i];
        if (size)
            *size = v->size;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *size, CUmodule m, const char *name)
{
    CUresult r = check(m);

    if (r)
        return r;
    if ((!p && !size) || !name)
        return CUDA_ERROR_INVALID_VALUE;
    return sc_module_global(m, name, false, p, size);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = sc_eager() ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}
