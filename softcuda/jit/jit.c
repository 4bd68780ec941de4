/* jit.c - a module's machine code: found by kernel and block shape, made once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/jit/emit.h"
#include "softcuda/jit/engine.h"
#include "softcuda/jit/jit.h"
#include "softcuda/jit/reach.h"

enum state { MAKING, MADE, FAILED };

struct entry {
    const struct ptx_func *kernel;
    uint32_t ntid[3];
    enum state state;
    struct jit_code code;
    LLVMOrcResourceTrackerRef memory;
    struct jit_error error;
    struct entry *next;
};

struct jit_unit {
    const struct ptx_module *module;
    pthread_mutex_t lock;       /* of entries and their states; not held while code is made */
    pthread_cond_t made;
    struct entry *entries;
};

int jit_unit_create(const struct ptx_module *module, struct jit_unit **out, struct jit_error *err)
{
    struct jit_unit *unit;

    memset(err, 0, sizeof(*err));
    if (!engine_get(err->text, sizeof(err->text)))
        return -1;
    unit = calloc(1, sizeof(*unit));
    if (!unit) {
        snprintf(err->text, sizeof(err->text), "out of host memory");
        return -1;
    }
    unit->module = module;
    pthread_mutex_init(&unit->lock, NULL);
    pthread_cond_init(&unit->made, NULL);
    *out = unit;
    return 0;
}

void jit_unit_destroy(struct jit_unit *unit)
{
    struct entry *e, *next;

    if (!unit)
        return;
    for (e = unit->entries; e; e = next) {
        next = e->next;
        engine_release(e->memory);
        free(e);
    }
    pthread_cond_destroy(&unit->made);
    pthread_mutex_destroy(&unit->lock);
    free(unit);
}

int jit_kernel_info(struct jit_unit *unit, const struct ptx_func *kernel, struct jit_kernel_info *info)
{
    struct reach r;
    int err = reach_find(unit->module, kernel, &r);

    if (!err) {
        info->static_shared_bytes = r.shared_used;
        info->recursive = r.recursive;
        info->local_bytes = reach_local_bytes(unit->module, kernel, &r, 0);
    }
    reach_release(&r);
    return err;
}

uint64_t jit_function_address(const struct jit_unit *unit, uint32_t func_index)
{
    (void)unit;
    return JIT_FUNCTION_BASE + 16ull * func_index;
}

/* ---- making code */

static void set_attribute(struct emit_unit *u, LLVMValueRef function, const char *name, const char *value)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(u->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));

    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

void emit_set_attributes(struct emit_unit *u, LLVMValueRef function)
{
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
    unsigned dereferenceable = LLVMGetEnumAttributeKindForName("dereferenceable", 15);

    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(u->context, nounwind, 0));
    set_attribute(u, function, "target-cpu", u->cpu);
    set_attribute(u, function, "target-features", u->features);
    /* The warp's structure may be read at any time, so what is read of it leaves loops. */
    LLVMAddAttributeAtIndex(function, 1, LLVMCreateEnumAttribute(u->context, dereferenceable, sizeof(struct sc_warp)));
    LLVMAddAttributeAtIndex(function, 1, LLVMCreateEnumAttribute(u->context, align, _Alignof(struct sc_warp)));
    if (u->avx512) {
        set_attribute(u, function, "prefer-vector-width", "512");
        set_attribute(u, function, "min-legal-vector-width", "512");
    }
}

static LLVMValueRef declare(struct emit_unit *u, uint32_t index)
{
    const struct ptx_func *f = &u->ptx->funcs[index];
    unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMValueRef function;
    char name[32];

    snprintf(name, sizeof(name), "f%u", index);
    function = LLVMAddFunction(u->module, name, f->entry ? emit_kernel_type(u) : emit_function_type(u));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    emit_set_attributes(u, function);
    if (f->entry)
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(u->context, always, 0));
    return function;
}

static int emit_all(struct emit_unit *u, const struct reach *r, const char *name)
{
    for (uint32_t i = 0; i < u->ptx->nfuncs; i++)
        if (r->functions[i])
            u->functions[i] = declare(u, i);
    for (uint32_t i = 0; i < u->ptx->nfuncs; i++)
        if (r->functions[i] && emit_function(u, i))
            return -1;
    emit_wrapper(u, u->functions[u->kernel - u->ptx->funcs], name);
    return 0;
}

static int no_memory(struct jit_error *err)
{
    snprintf(err->text, sizeof(err->text), "out of host memory while machine code was made");
    return -1;
}

static int make_reached(struct jit_unit *unit, struct entry *e, const struct engine *engine, const struct reach *r)
{
    static unsigned serial;
    struct emit_unit u = { .ptx = unit->module, .kernel = e->kernel, .avx512 = engine->avx512, .cpu = engine->cpu,
                           .features = engine->features, .shared_offset = r->shared_offset, .func_shared = r->func_shared,
                           .static_shared = r->static_shared, .calls_exit = r->calls_exit };
    void *address;
    char name[32];
    int err;

    memcpy(u.ntid, e->ntid, sizeof(u.ntid));
    u.functions = calloc(unit->module->nfuncs, sizeof(*u.functions));
    if (!u.functions)
        return no_memory(&e->error);
    snprintf(name, sizeof(name), "kernel%u", __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
    u.context = LLVMContextCreate();
    u.module = LLVMModuleCreateWithNameInContext("ptx", u.context);
    u.builder = LLVMCreateBuilderInContext(u.context);
    err = emit_all(&u, r, name);
    LLVMDisposeBuilder(u.builder);
    free(u.functions);
    gpudl__arena_free(&u.arena);
    if (err) {
        LLVMDisposeModule(u.module);
        LLVMContextDispose(u.context);
        return no_memory(&e->error);
    }
    e->code.may_wait = u.may_wait;
    err = engine_compile(u.context, u.module, name, &address, &e->memory, e->error.text, sizeof(e->error.text));
    if (!err && u.may_wait)
        e->code.run = (void (*)(struct sc_warp *))(uintptr_t)address;
    else if (!err)
        e->code.run_blocks = (void (*)(struct sc_warp *, uint32_t))(uintptr_t)address;
    return err;
}

static int make(struct jit_unit *unit, struct entry *e)
{
    const struct engine *engine = engine_get(e->error.text, sizeof(e->error.text));
    struct reach r;
    int err;

    if (!engine)
        return -1;
    err = reach_find(unit->module, e->kernel, &r);
    err = err ? no_memory(&e->error) : make_reached(unit, e, engine, &r);
    reach_release(&r);
    return err;
}

/* ---- finding it */

static struct entry *find(struct jit_unit *unit, const struct ptx_func *kernel, const uint32_t ntid[3])
{
    struct entry *e = unit->entries;

    while (e && (e->kernel != kernel || memcmp(e->ntid, ntid, sizeof(e->ntid))))
        e = e->next;
    return e;
}

static struct entry *add(struct jit_unit *unit, const struct ptx_func *kernel, const uint32_t ntid[3])
{
    struct entry *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    e->kernel = kernel;
    memcpy(e->ntid, ntid, sizeof(e->ntid));
    e->next = unit->entries;
    unit->entries = e;
    return e;
}

int jit_compile(struct jit_unit *unit, const struct ptx_func *kernel, const uint32_t ntid[3], struct jit_code *code, struct jit_error *err)
{
    struct entry *e;
    int result;

    memset(err, 0, sizeof(*err));
    pthread_mutex_lock(&unit->lock);
    e = find(unit, kernel, ntid);
    if (!e) {
        e = add(unit, kernel, ntid);
        if (!e) {
            pthread_mutex_unlock(&unit->lock);
            return no_memory(err);
        }
        pthread_mutex_unlock(&unit->lock);
        result = make(unit, e);
        pthread_mutex_lock(&unit->lock);
        e->state = result ? FAILED : MADE;
        pthread_cond_broadcast(&unit->made);
    }
    while (e->state == MAKING)
        pthread_cond_wait(&unit->made, &unit->lock);
    result = e->state == MADE ? 0 : -1;
    *code = e->code;
    *err = e->error;
    pthread_mutex_unlock(&unit->lock);
    return result;
}
