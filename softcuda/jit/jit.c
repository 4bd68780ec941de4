/* jit.c - a module's machine code: for each kernel and block shape found in this process, else on disk, else made. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/jit/code.h"
#include "softcuda/jit/disk.h"
#include "softcuda/jit/emit.h"
#include "softcuda/jit/engine.h"
#include "softcuda/jit/inline.h"
#include "softcuda/jit/jit.h"
#include "softcuda/jit/reach.h"

struct entry {
    const struct ptx_func *kernel;
    uint32_t ntid[3];
    struct code *code;
    struct entry *next;
};

struct jit_unit {
    const struct ptx_module *given, *module;    /* as parsed; with barriers' functions inlined: the same indices */
    struct arena arena;         /* of module, where it is not the given one */
    bool has_text;
    struct cache_key text;      /* what the module was parsed from; without it nobody else's code is the same */
    pthread_mutex_t lock;       /* of entries; not held while code is made */
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
    unit->given = module;
    unit->module = inline_barriers(module, &unit->arena);
    if (!unit->module) {
        gpudl__arena_free(&unit->arena);
        free(unit);
        snprintf(err->text, sizeof(err->text), "out of host memory");
        return -1;
    }
    pthread_mutex_init(&unit->lock, NULL);
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
        code_release(e->code);
        free(e);
    }
    pthread_mutex_destroy(&unit->lock);
    gpudl__arena_free(&unit->arena);
    free(unit);
}

static const struct ptx_func *own(const struct jit_unit *unit, const struct ptx_func *given)
{
    return &unit->module->funcs[given - unit->given->funcs];
}

void jit_unit_set_text(struct jit_unit *unit, const void *text, size_t size)
{
    struct cache_key_maker m;

    gpudl__key_begin(&m, "PTX", 1);
    gpudl__key_add(&m, "text", (struct span){ text, size });
    gpudl__key_end(&m, &unit->text);
    unit->has_text = true;
}

int jit_kernel_info(struct jit_unit *unit, const struct ptx_func *kernel, struct jit_kernel_info *info)
{
    struct reach r;
    int err = reach_find(unit->module, own(unit, kernel), &r);

    if (!err) {
        info->static_shared_bytes = r.shared_used;
        info->recursive = r.recursive;
        info->local_bytes = reach_local_bytes(unit->module, own(unit, kernel), &r, 0);
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
    set_attribute(u, function, "probe-stack", "inline-asm");   /* a large frame must not step over the guard below a fiber's stack */
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

static uint32_t first_constant(const struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->nvars; i++)
        if (m->vars[i].space == PTX_CONST)
            return i;
    return UINT32_MAX;
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

struct job {
    struct jit_unit *unit;
    const struct engine *engine;
    const struct ptx_func *kernel;
    const uint32_t *ntid;
};

static void name_of(const struct cache_key *key, char name[CACHE_KEY_TEXT + 1])
{
    name[0] = 'k';
    gpudl__key_print(key, name + 1);
}

static LLVMMemoryBufferRef compile_reached(const struct job *job, const struct reach *r, const char *name, bool *may_wait, struct jit_error *err)
{
    const struct engine *engine = job->engine;
    struct emit_unit u = { .ptx = job->unit->module, .kernel = job->kernel, .avx512 = engine->avx512, .cpu = engine->cpu,
                           .features = engine->features, .shared_offset = r->shared_offset, .func_shared = r->func_shared,
                           .static_shared = r->static_shared, .calls_exit = r->calls_exit, .first_constant = first_constant(job->unit->module) };
    int failed;

    memcpy(u.ntid, job->ntid, sizeof(u.ntid));
    u.functions = calloc(u.ptx->nfuncs, sizeof(*u.functions));
    if (!u.functions) {
        no_memory(err);
        return NULL;
    }
    u.context = LLVMContextCreate();
    u.module = LLVMModuleCreateWithNameInContext("ptx", u.context);
    u.builder = LLVMCreateBuilderInContext(u.context);
    failed = emit_all(&u, r, name);
    LLVMDisposeBuilder(u.builder);
    free(u.functions);
    gpudl__arena_free(&u.arena);
    if (failed) {
        LLVMDisposeModule(u.module);
        LLVMContextDispose(u.context);
        no_memory(err);
        return NULL;
    }
    *may_wait = u.may_wait;
    return engine_compile(u.context, u.module, err->text, sizeof(err->text));
}

static LLVMMemoryBufferRef compile(const struct job *job, const char *name, bool *may_wait, struct jit_error *err)
{
    LLVMMemoryBufferRef object = NULL;
    struct reach r;

    if (reach_find(job->unit->module, job->kernel, &r))
        no_memory(err);
    else
        object = compile_reached(job, &r, name, may_wait, err);
    reach_release(&r);
    return object;
}

/* Takes the object. */
static int load(struct code *c, LLVMMemoryBufferRef object, const char *name, bool may_wait, struct jit_error *err)
{
    void *address;

    if (engine_load(object, name, &address, &c->memory, err->text, sizeof(err->text)))
        return -1;
    c->jit.may_wait = may_wait;
    if (may_wait)
        c->jit.run = (void (*)(struct sc_warp *))(uintptr_t)address;
    else
        c->jit.run_blocks = (void (*)(struct sc_warp *, uint32_t))(uintptr_t)address;
    return 0;
}

static bool load_kept(struct code *c, const char *name, struct jit_error *err)
{
    bool may_wait;
    LLVMMemoryBufferRef object = disk_find(&c->key, &may_wait);

    if (!object)
        return false;
    if (!load(c, object, name, may_wait, err))
        return true;
    disk_drop(&c->key);
    return false;
}

static void keep(const struct job *job, const struct cache_key *key, LLVMMemoryBufferRef object, bool may_wait)
{
    char label[128];

    snprintf(label, sizeof(label), "softcuda %ux%ux%u %s", job->ntid[0], job->ntid[1], job->ntid[2], job->kernel->name);
    disk_keep(key, label, object, may_wait);
}

static int make(void *arg, struct code *c, struct jit_error *err)
{
    const struct job *job = arg;
    LLVMMemoryBufferRef object;
    bool may_wait;
    char name[CACHE_KEY_TEXT + 1];

    name_of(&c->key, name);
    if (job->unit->has_text && load_kept(c, name, err))
        return 0;
    object = compile(job, name, &may_wait, err);
    if (!object)
        return -1;
    if (job->unit->has_text)
        keep(job, &c->key, object, may_wait);
    return load(c, object, name, may_wait, err);
}

/* ---- finding it */

static struct entry *find(struct jit_unit *unit, const struct ptx_func *kernel, const uint32_t ntid[3])
{
    struct entry *e = unit->entries;

    while (e && (e->kernel != kernel || memcmp(e->ntid, ntid, sizeof(e->ntid))))
        e = e->next;
    return e;
}

/* Everything that machine code depends on: whatever emit.h's functions come to read must be in here. */
static void key_of(const struct job *job, struct cache_key *key)
{
    const struct jit_unit *unit = job->unit;
    struct cache_key_maker m;

    gpudl__key_begin(&m, "softcuda code", 1);
    gpudl__key_add(&m, "text", (struct span){ unit->text.bytes, sizeof(unit->text.bytes) });
    gpudl__key_add_number(&m, "unit", unit->has_text ? 0 : (uintptr_t)unit);
    gpudl__key_add_text(&m, "kernel", job->kernel->name);
    for (int i = 0; i < 3; i++)
        gpudl__key_add_number(&m, "ntid", job->ntid[i]);
    gpudl__key_add_text(&m, "cpu", job->engine->cpu);
    gpudl__key_add_text(&m, "features", job->engine->features);
    gpudl__key_add_text(&m, "passes", job->engine->passes);
    disk_add_maker(&m);
    gpudl__key_end(&m, key);
}

/* Takes the code over. NULL: no memory, or another thread was here first, and then its entry is found. */
static struct entry *add(struct jit_unit *unit, const struct job *job, struct code *code)
{
    struct entry *e = find(unit, job->kernel, job->ntid) ? NULL : calloc(1, sizeof(*e));

    if (!e) {
        code_release(code);
        return find(unit, job->kernel, job->ntid);
    }
    e->kernel = job->kernel;
    memcpy(e->ntid, job->ntid, sizeof(e->ntid));
    e->code = code;
    e->next = unit->entries;
    unit->entries = e;
    return e;
}

static int make_entry(struct jit_unit *unit, const struct ptx_func *kernel, const uint32_t ntid[3], struct jit_code *out, struct jit_error *err)
{
    struct job job = { .unit = unit, .kernel = kernel, .ntid = ntid, .engine = engine_get(err->text, sizeof(err->text)) };
    struct cache_key key;
    struct code *code;
    struct entry *e;

    if (!job.engine)
        return -1;
    key_of(&job, &key);
    code = code_get(&key, make, &job, err);
    if (!code)
        return -1;
    pthread_mutex_lock(&unit->lock);
    e = add(unit, &job, code);
    if (e)
        *out = e->code->jit;
    pthread_mutex_unlock(&unit->lock);
    return e ? 0 : no_memory(err);
}

int jit_compile(struct jit_unit *unit, const struct ptx_func *kernel, const uint32_t ntid[3], struct jit_code *code, struct jit_error *err)
{
    const struct entry *e;

    memset(err, 0, sizeof(*err));
    pthread_mutex_lock(&unit->lock);
    e = find(unit, own(unit, kernel), ntid);
    if (e)
        *code = e->code->jit;
    pthread_mutex_unlock(&unit->lock);
    return e ? 0 : make_entry(unit, own(unit, kernel), ntid, code, err);
}
