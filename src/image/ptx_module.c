/* ptx_module.c - kernels and variables that a PTX text declares. Looks at module scope and, where details are asked for, for shared
 * variables in bodies; what it does not know it steps over, since telling right from wrong PTX is the compiler's work. */
#include "src/image/internal.h"
#include "src/image/ptx_lex.h"

enum linkage { INTERNAL, VISIBLE, WEAK, EXTERN };

struct scan {
    struct ptx_lexer l;
    struct contents *out;
    struct text *t;
    bool details;
    enum linkage linkage;               /* of the statement being read */
    size_t kernels_room, globals_room, params_room;
    struct image_param *params;         /* of the kernel being read */
    size_t nparams;
    struct image_resources *resources;  /* of all kernels, where details are asked for */
    struct image_resources head;        /* of the kernel being read */
    const char **externs, **functions;
    size_t resources_room, externs_room, functions_room;
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

static const struct { const char *name; unsigned bytes; } types[] = {
    [IMAGE_NO_TYPE] = { "", 0 }, [IMAGE_B8] = { "b8", 1 }, [IMAGE_U8] = { "u8", 1 }, [IMAGE_S8] = { "s8", 1 },
    [IMAGE_B16] = { "b16", 2 }, [IMAGE_U16] = { "u16", 2 }, [IMAGE_S16] = { "s16", 2 }, [IMAGE_F16] = { "f16", 2 },
    [IMAGE_BF16] = { "bf16", 2 }, [IMAGE_B32] = { "b32", 4 }, [IMAGE_U32] = { "u32", 4 }, [IMAGE_S32] = { "s32", 4 },
    [IMAGE_F32] = { "f32", 4 }, [IMAGE_F16X2] = { "f16x2", 4 }, [IMAGE_BF16X2] = { "bf16x2", 4 }, [IMAGE_B64] = { "b64", 8 },
    [IMAGE_U64] = { "u64", 8 }, [IMAGE_S64] = { "s64", 8 }, [IMAGE_F64] = { "f64", 8 }, [IMAGE_B128] = { "b128", 16 },
    [IMAGE_TEXREF] = { "texref", 8 }, [IMAGE_SAMPLERREF] = { "samplerref", 8 }, [IMAGE_SURFREF] = { "surfref", 8 },
};
#define TYPES (sizeof(types) / sizeof(types[0]))

static const char *const spaces[] = {
    [IMAGE_NO_SPACE] = "", [IMAGE_LOCAL] = "local", [IMAGE_SHARED] = "shared", [IMAGE_CONST] = "const", [IMAGE_GLOBAL] = "global",
    [IMAGE_GENERIC] = "generic",
};
#define SPACES (sizeof(spaces) / sizeof(spaces[0]))

const char *gpudl__image_type_name(enum image_type type)
{
    return (unsigned)type < TYPES ? types[type].name : "";
}

const char *gpudl__image_space_name(enum image_space space)
{
    return (unsigned)space < SPACES ? spaces[space] : "";
}

static bool word_is(struct span w, const char *what)
{
    return w.size == strlen(what) && memcmp(w.data, what, w.size) == 0;
}

/* .u32, .bf16x2, .texref (a handle); IMAGE_NO_TYPE: not one. */
static enum image_type type_of(struct span w)
{
    for (size_t i = 1; i < TYPES; i++)
        if (word_is(w, types[i].name))
            return (enum image_type)i;
    return IMAGE_NO_TYPE;
}

static enum image_space space_of(struct span w)
{
    for (size_t i = 1; i < SPACES; i++)
        if (word_is(w, spaces[i]))
            return (enum image_space)i;
    return IMAGE_NO_SPACE;
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
    uint64_t size, align, count, pointee_align;
    enum image_type type;
    enum image_space space;
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
    bool pointer = false;
    enum image_type type;
    enum image_error error = IMAGE_OK;

    *p = (struct param){ .count = 1 };
    for (; !gpudl__ptx_is_mark(&s->l, ',') && !gpudl__ptx_is_mark(&s->l, ')'); gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT || gpudl__ptx_is_mark(&s->l, ';') || gpudl__ptx_is_mark(&s->l, '{'))
            return unexpected(s, "')'");
        type = s->l.token == PTX_DIRECTIVE ? type_of(s->l.word) : IMAGE_NO_TYPE;
        if (type) {
            p->type = type;
            p->size = types[type].bytes;
        } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "ptr")) {
            pointer = true;
            p->space = IMAGE_GENERIC;
        } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "align"))
            p->odd = !read_align(s, pointer ? &p->pointee_align : &p->align) || p->odd;
        else if (s->l.token == PTX_WORD)
            p->name = s->l.word;
        else if (gpudl__ptx_is_mark(&s->l, '['))
            error = read_dimension(s, &p->count, &p->odd, &p->odd);
        else if (pointer && s->l.token == PTX_DIRECTIVE)
            p->space = space_of(s->l.word);
        else if (!gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "param"))
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
    s->params[s->nparams++] = (struct image_param){
        .offset = (uint32_t)at, .size = (uint32_t)size, .align = (uint32_t)p->align, .type = (uint8_t)p->type,
        .pointee_align = p->pointee_align <= UINT16_MAX ? (uint16_t)p->pointee_align : 0, .pointee_space = (uint8_t)p->space,
    };
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
    if (s->details) {
        if (!reserve(s, (void **)&s->resources, out->nkernels, &s->resources_room, sizeof(*s->resources)))
            return no_memory(s);
        s->head.max_threads = gpudl__threads_of(&s->head);
        s->resources[out->nkernels] = s->head;
    }
    out->kernels[out->nkernels++] = k;
    return IMAGE_OK;
}

static enum image_binding binding_of(enum linkage linkage)
{
    return linkage == INTERNAL ? IMAGE_BIND_LOCAL : linkage == WEAK ? IMAGE_BIND_WEAK : IMAGE_BIND_GLOBAL;
}

static void begin_head(struct scan *s)
{
    s->head = (struct image_resources){
        .complete = true, .binding = (uint8_t)binding_of(s->linkage), .registers = IMAGE_NOT_KNOWN, .frame = IMAGE_NOT_KNOWN,
        .stack = IMAGE_NOT_KNOWN, .stack_most = IMAGE_NOT_KNOWN, .constants = IMAGE_NOT_KNOWN, .barriers = IMAGE_NOT_KNOWN,
        .mbarriers = IMAGE_NOT_KNOWN, .param_base = IMAGE_NOT_KNOWN,
    };
}

static uint32_t number_of(struct span word)
{
    uint64_t v;

    return gpudl__ptx_number(word, &v) && v < IMAGE_NOT_KNOWN ? (uint32_t)v : IMAGE_NOT_KNOWN;
}

/* The numbers behind a directive, separated by commas; those that are not written are 1. Leaves the last of them as the token. */
static void read_numbers(struct scan *s, uint32_t out[3])
{
    struct ptx_lexer at = s->l;

    for (unsigned i = 0; i < 3; i++) {
        if (gpudl__ptx_next(&at) != PTX_NUMBER)
            return;
        if (!i)
            out[1] = out[2] = 1;
        out[i] = number_of(at.word);
        s->l = at;
        gpudl__ptx_next(&at);
        if (!gpudl__ptx_is_mark(&at, ','))
            return;
    }
}

static void read_directive(struct scan *s)
{
    static const struct { const char *name; size_t at; } triples[] = {
        { "maxntid", offsetof(struct image_resources, max_block) },
        { "reqntid", offsetof(struct image_resources, required_block) },
        { "reqnctapercluster", offsetof(struct image_resources, cluster) },
    }, singles[] = {
        { "maxnreg", offsetof(struct image_resources, register_limit) },
        { "minnctapersm", offsetof(struct image_resources, min_blocks) },
        { "maxclusterrank", offsetof(struct image_resources, max_cluster_rank) },
    };
    uint32_t v[3] = { 0 };

    for (size_t i = 0; i < 3; i++) {
        if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, triples[i].name))
            read_numbers(s, (uint32_t *)((unsigned char *)&s->head + triples[i].at));
        if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, singles[i].name)) {
            read_numbers(s, v);
            memcpy((unsigned char *)&s->head + singles[i].at, v, sizeof(v[0]));
        }
    }
    s->head.explicit_cluster = s->head.explicit_cluster || gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "explicitcluster");
    s->head.blocks_are_clusters = s->head.blocks_are_clusters || gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "blocksareclusters");
}

/* .shared [.align N] [.v2|.v4] .TYPE NAME [dims] [, NAME [dims]] ; what does not look like it counts nothing. */
static void read_shared(struct scan *s)
{
    uint64_t align = 0, element = 0, count, at = s->head.shared, size;
    enum image_error error = IMAGE_OK;
    bool odd = false;

    for (gpudl__ptx_next(&s->l); s->l.token == PTX_DIRECTIVE; gpudl__ptx_next(&s->l)) {
        if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "align"))
            odd = !read_align(s, &align) || odd;
        else if (type_of(s->l.word))
            element = (element ? element : 1) * types[type_of(s->l.word)].bytes;
        else if (s->l.word.size == 2 && s->l.word.data[0] == 'v')
            element = s->l.word.data[1] - '0';
    }
    while (s->l.token == PTX_WORD && !error) {
        count = 1;
        for (gpudl__ptx_next(&s->l); !error && gpudl__ptx_is_mark(&s->l, '['); gpudl__ptx_next(&s->l))
            error = read_dimension(s, &count, &odd, &odd);
        align = align ? align : element ? element : 1;
        at = (at + align - 1) / align * align;
        if (odd || __builtin_mul_overflow(element, count, &size) || size > IMAGE_NOT_KNOWN || at + size >= IMAGE_NOT_KNOWN)
            break;
        s->head.shared = (uint32_t)(at += size);
        if (!gpudl__ptx_is_mark(&s->l, ','))
            break;
        gpudl__ptx_next(&s->l);
    }
}

/* As gpudl__ptx_skip_block(), word by word. A statement begins behind a brace, a semicolon or a label. */
static enum image_error read_body(struct scan *s, struct span name)
{
    bool begins = true;
    size_t depth = 1;

    while (gpudl__ptx_next(&s->l) != PTX_END && s->l.token != PTX_CUT) {
        if (begins && gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "shared"))
            read_shared(s);
        depth += gpudl__ptx_is_mark(&s->l, '{');
        if (gpudl__ptx_is_mark(&s->l, '}') && --depth == 0)
            return IMAGE_OK;
        begins = s->l.token == PTX_MARK && strchr("{};:", s->l.word.data[0]) && s->l.word.data[0];
    }
    return cut_off(s, "the body of kernel", name);
}

/* .entry NAME [(params)] directives { body }, or ';' for a declaration, whose definition is elsewhere in the text. */
static enum image_error read_entry(struct scan *s)
{
    struct image_kernel k = { .params_known = true };
    enum image_error error = IMAGE_OK;
    bool pragma = false;        /* the one directive that has a ';' of its own */
    struct span name;

    begin_head(s);
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
        if (s->details && s->l.token == PTX_DIRECTIVE)
            read_directive(s);
    }
    if (s->details)
        error = read_body(s, name);
    else if (!gpudl__ptx_skip_block(&s->l))
        error = cut_off(s, "the body of kernel", name);
    return error ? error : keep_kernel(s, k, name);
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
    uint64_t align;
    bool constant, managed, initialised;
};

static enum image_error keep_name(struct scan *s, const char ***names, size_t *n, size_t *room, struct span name)
{
    if (!reserve(s, (void **)names, *n, room, sizeof(**names)))
        return no_memory(s);
    (*names)[*n] = gpudl__arena_string(&s->out->arena, name.data, name.size);
    if (!(*names)[*n])
        return no_memory(s);
    ++*n;
    return IMAGE_OK;
}

static enum image_error keep_extern(struct scan *s, struct span name)
{
    return s->details ? keep_name(s, &s->externs, &s->out->details.nexterns, &s->externs_room, name) : IMAGE_OK;
}

static enum image_error keep_variable(struct scan *s, const struct variable *v, struct span name, uint64_t count)
{
    struct contents *out = s->out;
    struct image_global g = {
        .constant = v->constant, .managed = v->managed, .initialised = v->initialised,
        .binding = (uint8_t)binding_of(s->linkage), .align = v->align <= UINT32_MAX ? (uint32_t)v->align : 0,
    };

    if (__builtin_mul_overflow(v->element, count, &g.size) || g.size > INT64_MAX)
        return overflows(s, name);
    if (s->linkage == EXTERN)
        return keep_extern(s, name);
    if (!v->element || name.data[0] == '$')
        return IMAGE_OK;
    if (v->constant && s->details)
        out->details.constant_bytes += g.size;
    g.name = gpudl__arena_string(&out->arena, name.data, name.size);
    if (!g.name || !reserve(s, (void **)&out->globals, out->nglobals, &s->globals_room, sizeof(g)))
        return no_memory(s);
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
        error = read_dimension(s, &count, &open, &odd);
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
            return unexpected(s, "the name of a variable");
        if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "managed"))
            v.managed = true;
        else if (s->l.token == PTX_DIRECTIVE && s->l.word.size == 2 && s->l.word.data[0] == 'v')
            lanes = s->l.word.data[1] - '0';        /* .v2, .v4 */
        else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "align"))
            read_align(s, &v.align);
        else if (s->l.token == PTX_DIRECTIVE && type_of(s->l.word))
            v.element = is_handle(s->l.word) ? 0 : types[type_of(s->l.word)].bytes;
    }
    v.element *= lanes;
    v.align = v.align ? v.align : v.element;
    for (;;) {
        error = read_declarator(s, &v);
        if (error || gpudl__ptx_is_mark(&s->l, ';'))
            return error;
        if (gpudl__ptx_next(&s->l) != PTX_WORD)
            return unexpected(s, "the name of a variable");
    }
}

/* [(ret)] NAME [(params)] { body } or ';'. Its head may name state spaces, which are no variables. */
static enum image_error read_function(struct scan *s)
{
    struct image_details *d = &s->out->details;
    struct span name = { 0 };
    size_t parens = 0;

    for (gpudl__ptx_next(&s->l); !gpudl__ptx_is_mark(&s->l, ';'); gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT)
            return unexpected(s, "the body of a function");
        parens += gpudl__ptx_is_mark(&s->l, '(');
        parens -= parens && gpudl__ptx_is_mark(&s->l, ')');
        if (s->l.token == PTX_WORD && !parens && !name.data)
            name = s->l.word;
        if (!gpudl__ptx_is_mark(&s->l, '{'))
            continue;
        if (!gpudl__ptx_skip_block(&s->l))
            return unexpected(s, "the end of a function");
        return s->details && name.data ? keep_name(s, &s->functions, &d->nfunctions, &s->functions_room, name) : IMAGE_OK;
    }
    return s->linkage == EXTERN && name.data ? keep_extern(s, name) : IMAGE_OK;
}

static bool read_linkage(struct scan *s)
{
    if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "extern"))
        s->linkage = EXTERN;
    else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "visible") || gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "common"))
        s->linkage = VISIBLE;
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
        error = read_entry(s);
    } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "global") || gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "const")) {
        error = read_variables(s);
    } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "func")) {
        error = read_function(s);
    } else if (gpudl__ptx_is_mark(&s->l, '{')) {
        if (!gpudl__ptx_skip_block(&s->l))
            error = unexpected(s, "the end of a block");
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
    for (size_t i = 0; i < d->nexterns; i++)
        d->needs_linking = d->needs_linking || !is_system_call(d->externs[i]);
}

enum image_error gpudl__ptx_contents(struct span text, bool details, struct contents *out, struct text *t)
{
    struct scan s = { .l = { .text = text }, .out = out, .t = t, .details = details };
    enum image_error error = IMAGE_OK;

    while (!error && gpudl__ptx_next(&s.l) != PTX_END)
        error = s.l.token == PTX_CUT ? unexpected(&s, "a statement") : read_statement(&s);
    if (details)
        finish_details(&s);
    return error;
}
