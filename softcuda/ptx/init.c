/* init.c - initialisers: numbers, and addresses that only the loader knows. */
#include "softcuda/ptx/parse.h"

#include <string.h>

struct init {
    struct ptx_parser *p;
    struct ptx_var *v;
    uint64_t elem;                          /* bytes of one number */
    unsigned ndims;
    uint64_t stride[PTX_MAX_DIMS + 2];      /* bytes of what stands in braces at this depth; the last one: elem */
    uint64_t limit;                         /* bytes */
    size_t bytes_from, relocs_from;         /* where this variable's begin in the parser's vectors */
};

/* The outermost stride may be 0, for "[]"; nothing is nested around it. */
static void set_strides(struct init *in, const uint64_t *dims, unsigned ndims)
{
    uint64_t stride = in->elem;

    in->ndims = ndims;
    for (unsigned i = ndims + 1; i-- > 0;) {
        in->stride[i] = stride;
        if (i > 0)
            stride *= dims[i - 1];
    }
}

static void check_room(struct init *in, uint64_t at, uint64_t end, struct ptx_pos pos)
{
    if (end - at < in->elem)
        ptx_fail(in->p, pos, "too many values for '%.100s'", in->v->name);
}

static void store(struct init *in, uint64_t at, uint64_t bits)
{
    struct ptx_vec *bytes = &in->p->bytes;
    uint64_t end = in->bytes_from + at + in->elem;

    if (bytes->n < end)
        ptx_extend(in->p, bytes, 1, (size_t)(end - bytes->n));
    for (uint64_t i = 0; i < in->elem; i++)
        ((uint8_t *)bytes->data)[in->bytes_from + at + i] = i < 8 ? (uint8_t)(bits >> 8 * i) : 0;
}

static uint64_t narrow(double d)
{
    float f = (float)d;
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static double number(struct ptx_value v)
{
    uint32_t low = (uint32_t)v.bits;
    double d;
    float f;

    if (!v.is_float)
        return v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;
    memcpy(&d, &v.bits, sizeof(d));
    memcpy(&f, &low, sizeof(f));
    return v.width == 64 ? d : (double)f;
}

/* The bits of a value in the variable's type. A floating-point literal in an untyped variable of its width is its bits. */
static uint64_t convert(struct init *in, struct ptx_value v, struct ptx_pos pos)
{
    enum ptx_type type = in->v->type;
    double d = number(v);
    uint64_t bits;

    if (type == PTX_F32)
        return v.is_float && v.width == 32 ? v.bits : narrow(d);
    if (type == PTX_F64) {
        memcpy(&bits, &d, sizeof(bits));
        return bits;
    }
    if (v.is_float && v.width != ptx_type_bits(type))
        ptx_fail(in->p, pos, "a floating-point value for '%.100s' of type .%s", in->v->name, ptx_type_name(type));
    return v.bits;
}

/* name, name+8, generic(name)+8 */
static struct ptx_reloc read_address(struct ptx_parser *p)
{
    struct ptx_reloc r = { 0 };
    struct ptx_pos pos = p->tok.pos;
    struct ptx_slice name = ptx_expect_name(p, "a name");
    const struct ptx_symbol *s;

    if (ptx_slice_is(name, "generic") && ptx_accept(p, '(')) {
        r.generic = true;
        pos = p->tok.pos;
        name = ptx_expect_name(p, "the name of a variable");
        ptx_expect(p, ')', "')'");
    }
    s = ptx_lookup(p, name);
    if (!s)
        ptx_fail(p, pos, "'%.*s' is not declared", PTX_NAME(name));
    if (s->kind != SYM_VAR && s->kind != SYM_FUNC)
        ptx_fail(p, pos, "'%.*s' has no address that is known in advance", PTX_NAME(name));
    r.is_func = s->kind == SYM_FUNC;
    r.index = s->index;
    if (r.is_func)
        ((struct ptx_func *)p->funcs.data)[s->index].address_taken = true;
    r.addend = ptx_read_offset(p);
    return r;
}

static void add_reloc(struct init *in, struct ptx_reloc r, uint64_t at, struct ptx_pos pos)
{
    if (in->elem > 8)
        ptx_fail(in->p, pos, "an address in '%.100s' of type .%s", in->v->name, ptx_type_name(in->v->type));
    r.offset = at;
    r.size = (uint8_t)in->elem;
    store(in, at, 0);
    *(struct ptx_reloc *)ptx_push(in->p, &in->p->relocs, sizeof(r)) = r;
}

/* 0xff00(name): the second byte of an address. */
static void read_masked(struct init *in, uint64_t at)
{
    struct ptx_token mask = in->p->tok;
    struct ptx_reloc r;
    unsigned shift = 0;

    ptx_next(in->p);
    ptx_next(in->p);
    while (shift < 64 && mask.value != 0xffull << shift)
        shift += 8;
    if (shift == 64)
        ptx_fail(in->p, mask.pos, "a mask of an address selects one byte of it");
    r = read_address(in->p);
    ptx_expect(in->p, ')', "')'");
    r.shift = (uint8_t)shift;
    if (in->elem != 1)
        ptx_fail(in->p, mask.pos, "a byte of an address in '%.100s', which has elements of %d", in->v->name, (int)in->elem);
    add_reloc(in, r, at, mask.pos);
}

static bool at_mask(const struct ptx_parser *p)
{
    return p->tok.kind == TOK_INT && ptx_peek(p).kind == '(';
}

static void read_element(struct init *in, uint64_t at)
{
    struct ptx_parser *p = in->p;
    struct ptx_pos pos = p->tok.pos;

    if (at_mask(p))
        read_masked(in, at);
    else if (p->tok.kind == TOK_NAME && !ptx_slice_is(ptx_slice_of(&p->tok), "WARP_SZ"))
        add_reloc(in, read_address(p), at, pos);
    else
        store(in, at, convert(in, ptx_read_value(p), pos));
}

/* The values up to "}", which fill [at, end); level: how many braces are open. */
static void read_list(struct init *in, unsigned level, uint64_t at, uint64_t end)
{
    struct ptx_parser *p = in->p;

    while (p->tok.kind != '}') {
        struct ptx_pos pos = p->tok.pos;

        check_room(in, at, end, pos);
        if (ptx_accept(p, '{')) {
            if (level >= in->ndims || end - at < in->stride[level])
                ptx_fail(p, pos, "too many braces for '%.100s'", in->v->name);
            read_list(in, level + 1, at, at + in->stride[level]);
            at += in->stride[level];
        } else {
            read_element(in, at);
            at += in->elem;
        }
        if (!ptx_accept(p, ','))
            break;
    }
    ptx_expect(p, '}', "',' or '}'");
}

/* { addr_mode_0 = wrap, ... } of a sampler: no bytes. */
static void skip_fields(struct ptx_parser *p)
{
    do {
        ptx_expect_name(p, "a field");
        ptx_expect(p, '=', "'='");
        if (!ptx_accept(p, TOK_INT))
            ptx_expect_name(p, "a value");
    } while (ptx_accept(p, ','));
    ptx_expect(p, '}', "',' or '}'");
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return unit ? (n + unit - 1) / unit * unit : n;
}

/* Moves what was read from the parser's vectors to the variable. */
static void finish(struct init *in)
{
    struct ptx_parser *p = in->p;
    uint64_t written = p->bytes.n - in->bytes_from;

    if (!in->v->size)
        in->v->size = round_up(written, in->stride[in->ndims ? 1 : 0]);
    p->init_bytes += in->v->size;
    if (in->v->size > PTX_MAX_INIT_BYTES || p->init_bytes > PTX_MAX_INIT_BYTES)
        ptx_fail(p, in->v->pos, "more than %llu initialised bytes", PTX_MAX_INIT_BYTES);
    if (in->v->size)
        in->v->init = ptx_alloc(p, (size_t)in->v->size, 1);
    if (written)
        memcpy(in->v->init, (uint8_t *)p->bytes.data + in->bytes_from, (size_t)written);
    p->bytes.n = in->bytes_from;
    in->v->nrelocs = p->relocs.n - in->relocs_from;
    in->v->relocs = ptx_keep(p, &p->relocs, in->relocs_from, sizeof(*in->v->relocs));
}

void ptx_read_initialiser(struct ptx_parser *p, struct ptx_var *v, const uint64_t *dims, unsigned ndims)
{
    struct init in = { .p = p, .v = v, .bytes_from = p->bytes.n, .relocs_from = p->relocs.n };
    bool reference = v->type == PTX_TEXREF || v->type == PTX_SAMPLERREF || v->type == PTX_SURFREF;

    if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
        ptx_fail(p, v->pos, "'%.100s' cannot be initialised in .%s", v->name, ptx_space_name(v->space));
    if (reference) {
        ptx_expect(p, '{', "'{'");
        skip_fields(p);
        return;
    }
    in.elem = ptx_type_bits(v->type) / 8;
    in.limit = v->size ? v->size : PTX_MAX_INIT_BYTES;
    set_strides(&in, dims, ndims);
    if (ptx_accept(p, '{'))
        read_list(&in, 1, 0, in.limit);
    else if (ndims)
        ptx_fail_expected(p, "'{'");
    else
        read_element(&in, 0);
    finish(&in);
}
