/* ptx_module.c - what a PTX text declares at module scope. What it does not know it steps over, since telling right from wrong
 * PTX is the compiler's work. */
#include "src/image/ptx_scan.h"

/* From '=' to the ',' or ';' that ends it. Counts the items of the outermost braces. */
static enum image_error read_initializer(struct scan *s, uint64_t *items, struct span name)
{
    size_t braces = 0, parens = 0;

    *items = 1;
    for (;; gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT)
            return gpudl__scan_cut_off(s, "the declaration of", name);
        if (s->l.token != PTX_MARK)
            continue;
        switch (s->l.word.data[0]) {
        case '{': braces++; break;
        case '}': braces -= braces > 0; break;
        case '(': parens++; break;
        case ')': parens -= parens > 0; break;
        case ';': return IMAGE_OK;
        case ',':
            if (!braces && !parens)
                return IMAGE_OK;
            *items += braces == 1 && !parens;
        }
    }
}

static bool is_handle(struct span type)
{
    return type.size > 3 && memcmp(type.data + type.size - 3, "ref", 3) == 0;
}

struct variable {
    uint64_t element;       /* bytes; 0: not one that holds bytes of the program (a texture reference) */
    uint64_t align;
    bool constant, managed, initialised;
};

static enum image_error keep_name(struct scan *s, const char ***names, size_t *n, size_t *room, struct span name)
{
    if (!gpudl__scan_reserve(s, (void **)names, *n, room, sizeof(**names)))
        return gpudl__scan_no_memory(s);
    (*names)[*n] = gpudl__arena_string(&s->out->arena, name.data, name.size);
    if (!(*names)[*n])
        return gpudl__scan_no_memory(s);
    ++*n;
    return IMAGE_OK;
}

static enum image_error keep_extern(struct scan *s, struct span name)
{
    return s->details ? keep_name(s, &s->externs, &s->out->details.nexterns, &s->externs_room, name) : IMAGE_OK;
}

static enum image_error keep_function(struct scan *s, struct span name)
{
    struct image_details *d = &s->out->details;

    if (!s->details || !name.data)
        return IMAGE_OK;
    if (!gpudl__scan_reserve(s, (void **)&s->bindings, d->nfunctions, &s->bindings_room, sizeof(*s->bindings)))
        return gpudl__scan_no_memory(s);
    s->bindings[d->nfunctions] = (uint8_t)gpudl__scan_binding(s->linkage);
    return keep_name(s, &s->functions, &d->nfunctions, &s->functions_room, name);
}

static enum image_error keep_variable(struct scan *s, const struct variable *v, struct span name, uint64_t count)
{
    struct contents *out = s->out;
    struct image_global g = {
        .constant = v->constant, .managed = v->managed, .initialised = v->initialised,
        .binding = (uint8_t)gpudl__scan_binding(s->linkage), .align = v->align <= UINT32_MAX ? (uint32_t)v->align : 0,
    };

    if (__builtin_mul_overflow(v->element, count, &g.size) || g.size > INT64_MAX)
        return gpudl__scan_overflows(s, name);
    if (s->linkage == EXTERN)
        return keep_extern(s, name);
    if (!v->element || name.data[0] == '$')
        return IMAGE_OK;
    if (v->constant && s->details)
        out->details.constant_bytes += g.size;
    g.name = gpudl__arena_string(&out->arena, name.data, name.size);
    if (!g.name || !gpudl__scan_reserve(s, (void **)&out->globals, out->nglobals, &s->globals_room, sizeof(g)))
        return gpudl__scan_no_memory(s);
    out->globals[out->nglobals++] = g;
    return IMAGE_OK;
}

/* NAME [dims] [= init], up to ',' or ';'. An open first dimension is as long as the initializer. */
static enum image_error read_declarator(struct scan *s, struct variable *v)
{
    struct span name = s->l.word;
    uint64_t count = 1, items = 0;
    bool open = false, odd = false;
    enum image_error error = IMAGE_OK;

    for (gpudl__ptx_next(&s->l); !error && gpudl__ptx_is_mark(&s->l, '['); gpudl__ptx_next(&s->l))
        error = gpudl__scan_dimension(s, &count, &open, &odd);
    if (error)
        return error;
    v->initialised = gpudl__ptx_is_mark(&s->l, '=');
    if (!gpudl__ptx_is_mark(&s->l, ',') && !gpudl__ptx_is_mark(&s->l, ';')) {
        odd = odd || !gpudl__ptx_is_mark(&s->l, '=');
        error = read_initializer(s, &items, name);
    }
    if (open && __builtin_mul_overflow(count, items, &count))
        count = UINT64_MAX;
    return error ? error : keep_variable(s, v, name, odd ? 0 : count);
}

/* .global|.const [.attribute(...)] [.align N] [.v2|.v4] .TYPE declarators ; */
static enum image_error read_variables(struct scan *s)
{
    struct variable v = { .constant = gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "const") };
    unsigned lanes = 1;
    enum image_error error;

    for (gpudl__ptx_next(&s->l); s->l.token != PTX_WORD; gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT || gpudl__ptx_is_mark(&s->l, ';') || gpudl__ptx_is_mark(&s->l, '{'))
            return gpudl__scan_unexpected(s, "the name of a variable");
        if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "managed"))
            v.managed = true;
        else if (s->l.token == PTX_DIRECTIVE && s->l.word.size == 2 && s->l.word.data[0] == 'v')
            lanes = s->l.word.data[1] - '0';        /* .v2, .v4 */
        else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "align"))
            gpudl__scan_align(s, &v.align);
        else if (s->l.token == PTX_DIRECTIVE && gpudl__ptx_type(s->l.word))
            v.element = is_handle(s->l.word) ? 0 : gpudl__ptx_type_size(gpudl__ptx_type(s->l.word));
    }
    v.element *= lanes;
    v.align = v.align ? v.align : v.element;
    for (;;) {
        error = read_declarator(s, &v);
        if (error || gpudl__ptx_is_mark(&s->l, ';'))
            return error;
        if (gpudl__ptx_next(&s->l) != PTX_WORD)
            return gpudl__scan_unexpected(s, "the name of a variable");
    }
}

/* [(ret)] NAME [(params)] { body } or ';'. Its head may name state spaces, which are no variables. */
static enum image_error read_function(struct scan *s)
{
    struct span name = { 0 };
    size_t parens = 0;

    for (gpudl__ptx_next(&s->l); !gpudl__ptx_is_mark(&s->l, ';'); gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT)
            return gpudl__scan_unexpected(s, "the body of a function");
        parens += gpudl__ptx_is_mark(&s->l, '(');
        parens -= parens && gpudl__ptx_is_mark(&s->l, ')');
        if (s->l.token == PTX_WORD && !parens && !name.data)
            name = s->l.word;
        if (!gpudl__ptx_is_mark(&s->l, '{'))
            continue;
        if (!gpudl__ptx_skip_block(&s->l))
            return gpudl__scan_unexpected(s, "the end of a function");
        return keep_function(s, name);
    }
    return s->linkage == EXTERN && name.data ? keep_extern(s, name) : IMAGE_OK;
}

static bool read_linkage(struct scan *s)
{
    if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "extern"))
        s->linkage = EXTERN;
    else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "visible"))
        s->linkage = VISIBLE;
    else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "common"))
        s->linkage = COMMON;
    else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "weak"))
        s->linkage = WEAK;
    else
        return false;
    return true;
}

/* One statement, or a part of one that matters nothing here. */
static enum image_error read_statement(struct scan *s)
{
    enum image_error error = IMAGE_OK;

    if (read_linkage(s))
        return IMAGE_OK;
    if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "entry")) {
        error = gpudl__scan_entry(s);
    } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "global") || gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "const")) {
        error = read_variables(s);
    } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "func")) {
        error = read_function(s);
    } else if (gpudl__ptx_is_mark(&s->l, '{')) {
        if (!gpudl__ptx_skip_block(&s->l))
            error = gpudl__scan_unexpected(s, "the end of a block");
    } else if (!gpudl__ptx_is_mark(&s->l, ';')) {
        return IMAGE_OK;
    }
    s->linkage = INTERNAL;
    return error;
}

/* What a driver's compiler knows by itself. */
static bool is_system_call(const char *name)
{
    static const char *const calls[] = { "vprintf", "malloc", "free", "__assertfail", "__nv_alloca" };

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (strcmp(name, calls[i]) == 0)
            return true;
    return false;
}

static void finish_details(struct scan *s)
{
    struct image_details *d = &s->out->details;

    d->kernels = s->resources;
    d->nkernels = s->out->nkernels;
    d->externs = s->externs;
    d->functions = s->functions;
    d->function_bindings = s->bindings;
    for (size_t i = 0; i < d->nexterns; i++)
        d->needs_linking = d->needs_linking || !is_system_call(d->externs[i]);
}

enum image_error gpudl__ptx_contents(struct span text, bool details, struct contents *out, struct text *t)
{
    struct scan s = { .l = { .text = text }, .out = out, .t = t, .details = details };
    enum image_error error = IMAGE_OK;

    while (!error && gpudl__ptx_next(&s.l) != PTX_END)
        error = s.l.token == PTX_CUT ? gpudl__scan_unexpected(&s, "a statement") : read_statement(&s);
    if (details)
        finish_details(&s);
    return error;
}
