/* ptx_module.c - kernels and variables that a PTX text declares. Looks at module scope only and skips bodies; what it does not
 * know it steps over, since telling right from wrong PTX is the compiler's work. */
#include "src/image/internal.h"
#include "src/image/ptx_lex.h"

struct scan {
    struct ptx_lexer l;
    struct contents *out;
    struct text *t;
    bool is_extern;                     /* the linkage of the statement being read */
    size_t kernels_room, globals_room, params_room;
    struct image_param *params;         /* of the kernel being read */
    size_t nparams;
};

static enum image_error no_memory(struct scan *s)
{
    return gpudl__image_no_memory(s->t);
}

static enum image_error cut_off(struct scan *s, const char *where, struct span name)
{
    if (s->l.token == PTX_CUT)
        return gpudl__ptx_unexpected(&s->l, where, s->t);
    gpudl__image_fail(s->t, IMAGE_TRUNCATED, "PTX: ends inside %s ", where);
    gpudl__text_quote(s->t, name.data, name.size);
    gpudl__text_add(s->t, " (line %u): the text is cut off", gpudl__ptx_line(&s->l));
    return IMAGE_TRUNCATED;
}

static enum image_error unexpected(struct scan *s, const char *wanted)
{
    return gpudl__ptx_unexpected(&s->l, wanted, s->t);
}

static enum image_error overflows(struct scan *s, struct span name)
{
    gpudl__image_fail(s->t, IMAGE_DAMAGED, "PTX: line %u: the declaration of ", gpudl__ptx_line(&s->l));
    gpudl__text_quote(s->t, name.data, name.size);
    gpudl__text_add(s->t, " overflows");
    return IMAGE_DAMAGED;
}

/* Room for one more; arrays double, so that what they leave behind in the arena is no more than they are. */
static bool reserve(struct scan *s, void **array, size_t used, size_t *room, size_t item)
{
    size_t more = *room ? 2 * *room : 8;
    void *p;

    if (used < *room)
        return true;
    p = gpudl__arena_grow(&s->out->arena, *array, used * item, more * item);
    if (!p)
        return false;
    *array = p;
    *room = more;
    return true;
}

/* Bytes of a type, 0 for what is not one: .u32, .bf16x2, .texref (a handle). */
static unsigned type_size(struct span w)
{
    static const struct { const char *name; unsigned bytes; } types[] = {
        { "b8", 1 }, { "u8", 1 }, { "s8", 1 }, { "b16", 2 }, { "u16", 2 }, { "s16", 2 }, { "f16", 2 }, { "bf16", 2 },
        { "b32", 4 }, { "u32", 4 }, { "s32", 4 }, { "f32", 4 }, { "f16x2", 4 }, { "bf16x2", 4 },
        { "b64", 8 }, { "u64", 8 }, { "s64", 8 }, { "f64", 8 }, { "b128", 16 },
        { "texref", 8 }, { "samplerref", 8 }, { "surfref", 8 },
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (span_is(w, 0, types[i].name, strlen(types[i].name)) && w.size == strlen(types[i].name))
            return types[i].bytes;
    return 0;
}

/* After '[', to ']': a number, or nothing (*open); an expression is *odd. An overflow sticks at UINT64_MAX. */
static enum image_error read_dimension(struct scan *s, uint64_t *count, bool *open, bool *odd)
{
    unsigned words = 0;
    uint64_t n = 1;

    for (gpudl__ptx_next(&s->l); !gpudl__ptx_is_mark(&s->l, ']'); gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT || gpudl__ptx_is_mark(&s->l, ';') || gpudl__ptx_is_mark(&s->l, '{'))
            return unexpected(s, "']'");
        if (words++ || s->l.token != PTX_NUMBER)
            *odd = true;
        else if (!gpudl__ptx_number(s->l.word, &n))
            n = UINT64_MAX;
    }
    if (!words)
        *open = true;
    if (__builtin_mul_overflow(*count, n, count) || n == UINT64_MAX)
        *count = UINT64_MAX;
    return IMAGE_OK;
}

struct param {
    uint64_t size, align, count;
    struct span name;
    bool odd;               /* something that the offset rule does not cover */
};

/* After ".align": a power of two. */
static bool read_align(struct scan *s, uint64_t *align)
{
    gpudl__ptx_next(&s->l);
    return s->l.token == PTX_NUMBER && gpudl__ptx_number(s->l.word, align) && *align && !(*align & (*align - 1));
}

/* .param [.align N] .TYPE [.ptr [.SPACE] [.align N]] NAME [[N]], up to ',' or ')'. Behind .ptr it is the pointee's alignment. */
static enum image_error read_param(struct scan *s, struct param *p)
{
    uint64_t pointee;
    bool pointer = false;
    enum image_error error = IMAGE_OK;

    *p = (struct param){ .count = 1 };
    for (; !gpudl__ptx_is_mark(&s->l, ',') && !gpudl__ptx_is_mark(&s->l, ')'); gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT || gpudl__ptx_is_mark(&s->l, ';') || gpudl__ptx_is_mark(&s->l, '{'))
            return unexpected(s, "')'");
        if (s->l.token == PTX_DIRECTIVE && type_size(s->l.word))
            p->size = type_size(s->l.word);
        else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "ptr"))
            pointer = true;
        else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "align"))
            p->odd = !read_align(s, pointer ? &pointee : &p->align) || p->odd;
        else if (s->l.token == PTX_WORD)
            p->name = s->l.word;
        else if (gpudl__ptx_is_mark(&s->l, '['))
            error = read_dimension(s, &p->count, &p->odd, &p->odd);
        else if (!gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "param") && !(pointer && s->l.token == PTX_DIRECTIVE))
            p->odd = true;
        if (error)
            return error;
    }
    p->odd = p->odd || !p->size;
    p->align = p->align && !p->odd ? p->align : p->size;
    return IMAGE_OK;
}

/* Each goes to the next multiple of its alignment. */
static enum image_error place_param(struct scan *s, const struct param *p, struct image_kernel *k)
{
    uint64_t at = k->param_bytes, size;

    if (p->align)
        at = (at + p->align - 1) & ~(p->align - 1);
    if (__builtin_mul_overflow(p->size, p->count, &size) || at > UINT32_MAX || size > UINT32_MAX - at || p->align > UINT32_MAX)
        return overflows(s, p->name);
    if (p->odd || !size || s->nparams >= IMAGE_KERNEL_PARAMS_MOST)
        k->params_known = false;
    if (!reserve(s, (void **)&s->params, s->nparams, &s->params_room, sizeof(*s->params)))
        return no_memory(s);
    s->params[s->nparams++] = (struct image_param){ .offset = (uint32_t)at, .size = (uint32_t)size };
    k->param_bytes = (uint32_t)(at + size);
    return IMAGE_OK;
}

static enum image_error read_params(struct scan *s, struct image_kernel *k)
{
    enum image_error error;
    struct param p;

    gpudl__ptx_next(&s->l);
    while (!gpudl__ptx_is_mark(&s->l, ')')) {
        error = read_param(s, &p);
        if (!error)
            error = place_param(s, &p, k);
        if (error)
            return error;
        if (gpudl__ptx_is_mark(&s->l, ','))
            gpudl__ptx_next(&s->l);
    }
    gpudl__ptx_next(&s->l);
    return IMAGE_OK;
}

static enum image_error keep_kernel(struct scan *s, struct image_kernel k, struct span name)
{
    struct contents *out = s->out;

    k.name = gpudl__arena_string(&out->arena, name.data, name.size);
    if (!k.name || !reserve(s, (void **)&out->kernels, out->nkernels, &s->kernels_room, sizeof(k)))
        return no_memory(s);
    if (k.params_known && s->nparams) {
        k.nparams = (uint32_t)s->nparams;
        k.params = gpudl__arena_grow(&out->arena, s->params, s->nparams * sizeof(*s->params), s->nparams * sizeof(*s->params));
        if (!k.params)
            return no_memory(s);
    }
    out->kernels[out->nkernels++] = k;
    return IMAGE_OK;
}

/* .entry NAME [(params)] directives { body }, or ';' for a declaration, whose definition is elsewhere in the text. */
static enum image_error read_entry(struct scan *s)
{
    struct image_kernel k = { .params_known = true };
    enum image_error error = IMAGE_OK;
    bool pragma = false;        /* the one directive that has a ';' of its own */
    struct span name;

    s->nparams = 0;
    if (gpudl__ptx_next(&s->l) != PTX_WORD)
        return unexpected(s, "the name of a kernel");
    name = s->l.word;
    gpudl__ptx_next(&s->l);
    if (gpudl__ptx_is_mark(&s->l, '('))
        error = read_params(s, &k);
    if (error)
        return error;
    for (; !gpudl__ptx_is_mark(&s->l, '{'); gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT)
            return cut_off(s, "the head of kernel", name);
        if (gpudl__ptx_is_mark(&s->l, ';') && !pragma)
            return IMAGE_OK;
        pragma = gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "pragma") || (pragma && !gpudl__ptx_is_mark(&s->l, ';'));
    }
    if (!gpudl__ptx_skip_block(&s->l))
        return cut_off(s, "the body of kernel", name);
    return keep_kernel(s, k, name);
}

/* From '=' to the ',' or ';' that ends it. Counts the items of the outermost braces. */
static enum image_error read_initializer(struct scan *s, uint64_t *items, struct span name)
{
    size_t braces = 0, parens = 0;

    *items = 1;
    for (;; gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT)
            return cut_off(s, "the declaration of", name);
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
    bool constant, managed;
};

static enum image_error keep_variable(struct scan *s, const struct variable *v, struct span name, uint64_t count)
{
    struct contents *out = s->out;
    struct image_global g = { .constant = v->constant, .managed = v->managed };

    if (__builtin_mul_overflow(v->element, count, &g.size) || g.size > INT64_MAX)
        return overflows(s, name);
    if (s->is_extern || !v->element || name.data[0] == '$')
        return IMAGE_OK;
    g.name = gpudl__arena_string(&out->arena, name.data, name.size);
    if (!g.name || !reserve(s, (void **)&out->globals, out->nglobals, &s->globals_room, sizeof(g)))
        return no_memory(s);
    out->globals[out->nglobals++] = g;
    return IMAGE_OK;
}

/* NAME [dims] [= init], up to ',' or ';'. An open first dimension is as long as the initializer. */
static enum image_error read_declarator(struct scan *s, const struct variable *v)
{
    struct span name = s->l.word;
    uint64_t count = 1, items = 0;
    bool open = false, odd = false;
    enum image_error error = IMAGE_OK;

    for (gpudl__ptx_next(&s->l); !error && gpudl__ptx_is_mark(&s->l, '['); gpudl__ptx_next(&s->l))
        error = read_dimension(s, &count, &open, &odd);
    if (error)
        return error;
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
            return unexpected(s, "the name of a variable");
        if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "managed"))
            v.managed = true;
        else if (s->l.token == PTX_DIRECTIVE && s->l.word.size == 2 && s->l.word.data[0] == 'v')
            lanes = s->l.word.data[1] - '0';        /* .v2, .v4 */
        else if (s->l.token == PTX_DIRECTIVE && type_size(s->l.word))
            v.element = is_handle(s->l.word) ? 0 : type_size(s->l.word);
    }
    v.element *= lanes;
    for (;;) {
        error = read_declarator(s, &v);
        if (error || gpudl__ptx_is_mark(&s->l, ';'))
            return error;
        if (gpudl__ptx_next(&s->l) != PTX_WORD)
            return unexpected(s, "the name of a variable");
    }
}

/* Its head may name state spaces, which are no variables. */
static enum image_error skip_function(struct scan *s)
{
    for (gpudl__ptx_next(&s->l); !gpudl__ptx_is_mark(&s->l, ';'); gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT)
            return unexpected(s, "the body of a function");
        if (gpudl__ptx_is_mark(&s->l, '{'))
            return gpudl__ptx_skip_block(&s->l) ? IMAGE_OK : unexpected(s, "the end of a function");
    }
    return IMAGE_OK;
}

/* One statement, or a part of one that matters nothing here. */
static enum image_error read_statement(struct scan *s)
{
    enum image_error error = IMAGE_OK;
    bool linkage = false;

    if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "extern")) {
        s->is_extern = linkage = true;
    } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "entry")) {
        error = read_entry(s);
    } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "global") || gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "const")) {
        error = read_variables(s);
    } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "func")) {
        error = skip_function(s);
    } else if (gpudl__ptx_is_mark(&s->l, '{')) {
        if (!gpudl__ptx_skip_block(&s->l))
            error = unexpected(s, "the end of a block");
    } else {
        linkage = !gpudl__ptx_is_mark(&s->l, ';');
    }
    if (!linkage)
        s->is_extern = false;
    return error;
}

enum image_error gpudl__ptx_contents(struct span text, struct contents *out, struct text *t)
{
    struct scan s = { .l = { .text = text }, .out = out, .t = t };
    enum image_error error = IMAGE_OK;

    while (!error && gpudl__ptx_next(&s.l) != PTX_END)
        error = s.l.token == PTX_CUT ? unexpected(&s, "a statement") : read_statement(&s);
    return error;
}
