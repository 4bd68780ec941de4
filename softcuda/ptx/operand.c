/* operand.c - what stands between the commas of an instruction. */
#include "softcuda/ptx/parse.h"

#include <string.h>

#define MAX_ELEMENTS 256        /* of one vector; the matrices of tensor cores have up to 128 */

/* .b0, .b3210, .h10 after a register: see PTX_PART_DIGIT. */
static uint32_t video_part(struct ptx_parser *p, struct ptx_slice part, struct ptx_pos pos)
{
    bool halves = part.text[0] == 'h';
    uint32_t bits = 0;

    if ((!halves && part.text[0] != 'b') || part.len < 2 || part.len > (halves ? 3 : 5))
        ptx_fail(p, pos, "a register has no part '.%.*s'", PTX_NAME(part));
    for (uint32_t i = 1; i < part.len; i++) {
        if (part.text[i] < '0' || part.text[i] > (halves ? '3' : '7'))
            ptx_fail(p, pos, "a register has no part '.%.*s'", PTX_NAME(part));
        bits = bits << 4 | (uint32_t)(part.text[i] - '0');
    }
    return bits | (part.len - 1) << 16 | (halves ? PTX_PART_HALVES : 0);
}

/* .x .y .z .w, or .r .g .b .a: 0 to 3. */
static uint32_t vector_part(struct ptx_parser *p, struct ptx_slice part, unsigned vec, struct ptx_pos pos)
{
    static const char letters[] = "xyzwrgba";
    const char *at = part.len == 1 ? memchr(letters, part.text[0], 8) : NULL;

    if (!at || (at - letters) % 4 >= (int)vec)
        ptx_fail(p, pos, "a vector of %u has no part '.%.*s'", vec, PTX_NAME(part));
    return (uint32_t)(at - letters) % 4;
}

/* A vector register is as many registers in a row. */
static void set_register(struct ptx_parser *p, struct ptx_operand *o, const struct ptx_symbol *s)
{
    struct ptx_token part = p->tok;

    o->kind = PTX_OP_REG;
    o->index = s->index;
    if (ptx_accept(p, TOK_WORD)) {
        if (s->vec > 1)
            o->index += vector_part(p, ptx_slice_of(&part), s->vec, part.pos);
        else
            o->part = video_part(p, ptx_slice_of(&part), part.pos);
        return;
    }
    if (s->vec == 1)
        return;
    o->kind = PTX_OP_VECTOR;
    o->nelems = s->vec;
    o->elems = ptx_alloc(p, s->vec, sizeof(*o->elems));
    for (uint32_t i = 0; i < s->vec; i++)
        o->elems[i] = (struct ptx_operand){ .kind = PTX_OP_REG, .index = s->index + i };
}

static void set_symbol(struct ptx_parser *p, struct ptx_operand *o, const struct ptx_symbol *s, struct ptx_pos pos)
{
    o->index = s->index;
    switch (s->kind) {
    case SYM_REG:
        set_register(p, o, s);
        break;
    case SYM_VAR:
        o->kind = PTX_OP_VAR;
        break;
    case SYM_LOCALVAR:
        o->kind = PTX_OP_LOCALVAR;
        break;
    case SYM_PARAM:
        o->kind = PTX_OP_PARAMVAR;
        break;
    case SYM_RET:
        o->kind = PTX_OP_RETVAR;
        break;
    case SYM_FUNC:
        o->kind = PTX_OP_FUNC;
        ((struct ptx_func *)p->funcs.data)[s->index].address_taken = true;
        break;
    case SYM_LABEL:
        o->kind = PTX_OP_LABEL;
        break;
    default:
        ptx_fail(p, pos, "'%.*s' is no operand", PTX_NAME(s->name));
    }
}

static void set_special(struct ptx_parser *p, struct ptx_operand *o, struct ptx_slice name, struct ptx_pos pos)
{
    struct ptx_slice part = { "", 0 };
    int special;

    if (p->tok.kind == TOK_WORD)
        part = ptx_slice_of(&p->tok);
    special = ptx_find_special(name, part);
    if (special == -1)
        ptx_fail(p, pos, name.text[0] == '%' ? "register '%.*s' is not declared" : "'%.*s' is not declared", PTX_NAME(name));
    if (special < 0)
        ptx_fail(p, pos, "special register '%.*s' has no part '.%.*s'", PTX_NAME(name), PTX_NAME(part));
    if (part.len)
        ptx_next(p);
    o->kind = PTX_OP_SPECIAL;
    o->index = (uint32_t)special;
}

/* array[2]: the element itself, but for mov its address. */
static void read_subscript(struct ptx_parser *p, struct ptx_operand *o, const struct ptx_symbol *s)
{
    uint64_t elem = ptx_type_bits(s->type) / 8 * (uint64_t)s->vec;

    if ((s->kind != SYM_VAR && s->kind != SYM_LOCALVAR) || !ptx_accept(p, '['))
        return;
    o->offset = (int64_t)(elem * ptx_read_count(p, "the index of an element"));
    o->memory = p->op != PTX_I_mov;
    ptx_expect(p, ']', "']'");
}

static void read_named(struct ptx_parser *p, struct ptx_operand *o)
{
    struct ptx_pos pos = p->tok.pos;
    struct ptx_slice name = ptx_expect_name(p, "an operand");
    struct ptx_symbol *s = ptx_lookup(p, name);

    if (s) {
        set_symbol(p, o, s, pos);
        read_subscript(p, o, s);
    } else if (ptx_slice_is(name, "_")) {
        o->kind = PTX_OP_SINK;
    } else {
        set_special(p, o, name, pos);
    }
    if (o->kind != PTX_OP_VECTOR && o->kind != PTX_OP_SINK)
        o->offset += ptx_read_offset(p);
}

static void read_constant(struct ptx_parser *p, struct ptx_operand *o)
{
    struct ptx_value v = ptx_read_value(p);

    o->kind = PTX_OP_IMM;
    o->imm = v.bits;
    o->is_float = v.is_float;
    o->imm_bits = v.width;
}

static bool at_name(const struct ptx_token *t)
{
    return t->kind == TOK_NAME && !ptx_slice_is(ptx_slice_of(t), "WARP_SZ");
}

/* A name, perhaps negated, or a constant. */
static void read_scalar(struct ptx_parser *p, struct ptx_operand *o)
{
    struct ptx_token after;

    if (p->tok.kind == '!' || p->tok.kind == '-') {
        after = ptx_peek(p);
        if (at_name(&after)) {
            ptx_next(p);
            o->negated = true;
        }
    }
    if (at_name(&p->tok))
        read_named(p, o);
    else
        read_constant(p, o);
}

/* The elements up to closing; every one may be a vector itself where nested is set. */
static void read_elements(struct ptx_parser *p, struct ptx_operand *o, int closing, bool nested)
{
    size_t from = p->operands.n;
    struct ptx_pos pos = p->tok.pos;

    do {
        struct ptx_operand element = { 0 };

        if (nested && ptx_accept(p, '{'))
            read_elements(p, &element, '}', false);
        else
            read_scalar(p, &element);
        if (p->operands.n - from == MAX_ELEMENTS)
            ptx_fail(p, pos, "more than %d elements", MAX_ELEMENTS);
        *(struct ptx_operand *)ptx_push(p, &p->operands, sizeof(element)) = element;
    } while (ptx_accept(p, ','));
    ptx_expect(p, closing, closing == '}' ? "',' or '}'" : "',' or ']'");
    o->kind = PTX_OP_VECTOR;
    o->nelems = (uint32_t)(p->operands.n - from);
    o->elems = ptx_keep(p, &p->operands, from, sizeof(*o->elems));
}

/* [x], [x+8], [tex, {x, y}] */
static void read_memory(struct ptx_parser *p, struct ptx_operand *o)
{
    read_elements(p, o, ']', true);
    if (o->nelems == 1)
        *o = o->elems[0];
    o->memory = true;
}

void ptx_read_operand(struct ptx_parser *p, struct ptx_operand *o)
{
    *o = (struct ptx_operand){ 0 };
    if (ptx_accept(p, '['))
        read_memory(p, o);
    else if (ptx_accept(p, '{'))
        read_elements(p, o, '}', false);
    else
        read_scalar(p, o);
}

void ptx_reference(struct ptx_parser *p, enum ptx_symbol_kind kind, uint32_t *index)
{
    struct ptx_reference r = { .kind = kind, .depth = p->symbols.depth, .index = index, .pos = p->tok.pos };

    r.name = ptx_expect_name(p, "a label");
    *(struct ptx_reference *)ptx_push(p, &p->references, sizeof(r)) = r;
}

void ptx_read_label(struct ptx_parser *p, struct ptx_operand *o, enum ptx_symbol_kind kind)
{
    *o = (struct ptx_operand){ .kind = PTX_OP_LABEL };
    ptx_reference(p, kind, &o->index);
}

/* A name that this scope does not have may be one of the scope around it. References of outer scopes lie before those of inner
 * ones, so the ones to look at are at the end. */
void ptx_resolve_references(struct ptx_parser *p)
{
    struct ptx_reference *all = p->references.data;
    uint32_t depth = p->symbols.depth;
    size_t first = p->references.n, left;

    while (first > 0 && all[first - 1].depth == depth)
        first--;
    left = first;
    for (size_t i = first; i < p->references.n; i++) {
        struct ptx_reference *r = &all[i];
        const struct ptx_symbol *s = ptx_symbol_find_at(&p->symbols, r->name, depth);

        if (s && s->kind == r->kind) {
            *r->index = s->index;
            continue;
        }
        if (depth == 1)
            ptx_fail(p, r->pos, "label '%.*s' is not found", PTX_NAME(r->name));
        r->depth--;
        all[left++] = *r;
    }
    p->references.n = left;
}
