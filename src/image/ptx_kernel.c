/* ptx_kernel.c - kernels of a PTX text: name, parameters, directives; where details are asked for, shared variables of the body,
 * too. */
#include "src/image/ptx_scan.h"

struct param {
    uint64_t size, align, count, pointee_align;
    enum image_type type;
    enum image_space space;
    struct span name;
    bool odd;               /* something that the offset rule does not cover */
};

/* .param [.align N] .TYPE [.ptr [.SPACE] [.align N]] NAME [[N]], up to ',' or ')'. Behind .ptr it is the pointee's alignment. */
static enum image_error read_param(struct scan *s, struct param *p)
{
    bool pointer = false;
    enum image_type type;
    enum image_error error = IMAGE_OK;

    *p = (struct param){ .count = 1 };
    for (; !gpudl__ptx_is_mark(&s->l, ',') && !gpudl__ptx_is_mark(&s->l, ')'); gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT || gpudl__ptx_is_mark(&s->l, ';') || gpudl__ptx_is_mark(&s->l, '{'))
            return gpudl__scan_unexpected(s, "')'");
        type = s->l.token == PTX_DIRECTIVE ? gpudl__ptx_type(s->l.word) : IMAGE_NO_TYPE;
        if (type) {
            p->type = type;
            p->size = gpudl__ptx_type_size(type);
        } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "ptr")) {
            pointer = true;
            p->space = IMAGE_GENERIC;
        } else if (gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "align"))
            p->odd = !gpudl__scan_align(s, pointer ? &p->pointee_align : &p->align) || p->odd;
        else if (s->l.token == PTX_WORD)
            p->name = s->l.word;
        else if (gpudl__ptx_is_mark(&s->l, '['))
            error = gpudl__scan_dimension(s, &p->count, &p->odd, &p->odd);
        else if (pointer && s->l.token == PTX_DIRECTIVE)
            p->space = gpudl__ptx_space(s->l.word);
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
        return gpudl__scan_overflows(s, p->name);
    if (p->odd || !size || s->nparams >= IMAGE_KERNEL_PARAMS_MOST)
        k->params_known = false;
    if (!gpudl__scan_reserve(s, (void **)&s->params, s->nparams, &s->params_room, sizeof(*s->params)))
        return gpudl__scan_no_memory(s);
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
    if (!k.name || !gpudl__scan_reserve(s, (void **)&out->kernels, out->nkernels, &s->kernels_room, sizeof(k)))
        return gpudl__scan_no_memory(s);
    if (k.params_known && s->nparams) {
        k.nparams = (uint32_t)s->nparams;
        k.params = gpudl__arena_grow(&out->arena, s->params, s->nparams * sizeof(*s->params), s->nparams * sizeof(*s->params));
        if (!k.params)
            return gpudl__scan_no_memory(s);
    }
    if (s->details) {
        if (!gpudl__scan_reserve(s, (void **)&s->resources, out->nkernels, &s->resources_room, sizeof(*s->resources)))
            return gpudl__scan_no_memory(s);
        s->head.max_threads = gpudl__threads_of(&s->head);
        s->resources[out->nkernels] = s->head;
    }
    out->kernels[out->nkernels++] = k;
    return IMAGE_OK;
}

static void begin_head(struct scan *s)
{
    s->head = (struct image_resources){
        .complete = true, .binding = (uint8_t)gpudl__scan_binding(s->linkage), .registers = IMAGE_NOT_KNOWN,
            .frame = IMAGE_NOT_KNOWN,
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
            odd = !gpudl__scan_align(s, &align) || odd;
        else if (gpudl__ptx_type(s->l.word))
            element = (element ? element : 1) * gpudl__ptx_type_size(gpudl__ptx_type(s->l.word));
        else if (s->l.word.size == 2 && s->l.word.data[0] == 'v')
            element = s->l.word.data[1] - '0';
    }
    while (s->l.token == PTX_WORD && !error) {
        count = 1;
        for (gpudl__ptx_next(&s->l); !error && gpudl__ptx_is_mark(&s->l, '['); gpudl__ptx_next(&s->l))
            error = gpudl__scan_dimension(s, &count, &odd, &odd);
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
    return gpudl__scan_cut_off(s, "the body of kernel", name);
}

/* .entry NAME [(params)] directives { body }, or ';' for a declaration, whose definition is elsewhere in the text. */
enum image_error gpudl__scan_entry(struct scan *s)
{
    struct image_kernel k = { .params_known = true };
    enum image_error error = IMAGE_OK;
    bool pragma = false;        /* the one directive that has a ';' of its own */
    struct span name;

    begin_head(s);
    s->nparams = 0;
    if (gpudl__ptx_next(&s->l) != PTX_WORD)
        return gpudl__scan_unexpected(s, "the name of a kernel");
    name = s->l.word;
    gpudl__ptx_next(&s->l);
    if (gpudl__ptx_is_mark(&s->l, '('))
        error = read_params(s, &k);
    if (error)
        return error;
    for (; !gpudl__ptx_is_mark(&s->l, '{'); gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT)
            return gpudl__scan_cut_off(s, "the head of kernel", name);
        if (gpudl__ptx_is_mark(&s->l, ';') && !pragma)
            return IMAGE_OK;
        pragma = gpudl__ptx_is(&s->l, PTX_DIRECTIVE, "pragma") || (pragma && !gpudl__ptx_is_mark(&s->l, ';'));
        if (s->details && s->l.token == PTX_DIRECTIVE)
            read_directive(s);
    }
    if (s->details)
        error = read_body(s, name);
    else if (!gpudl__ptx_skip_block(&s->l))
        error = gpudl__scan_cut_off(s, "the body of kernel", name);
    return error ? error : keep_kernel(s, k, name);
}
