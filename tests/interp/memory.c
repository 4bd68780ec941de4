/* memory.c - loads, stores, atomics and addresses. */
#include <stdlib.h>
#include <string.h>

#include "tests/interp/parts.h"

struct memory interp_take(struct interp *in, uint32_t size, bool defined)
{
    struct memory m = { NULL, size };

    if (!size)
        return m;
    m.bytes = aligned_alloc(64, (2 * (size_t)size + 63) / 64 * 64);
    if (!m.bytes)
        interp_stop(in, "no memory");
    memset(m.bytes, 0, size);
    memset(m.bytes + size, !defined, size);
    return m;
}

void interp_drop(struct memory m)
{
    free(m.bytes);
}

uint64_t interp_shared_base(struct interp *in)
{
    return (uint64_t)(uintptr_t)in->shared.bytes;
}

/* Addresses in .const count from the first variable there. */
uint64_t interp_const_base(struct interp *in)
{
    for (uint32_t i = 0; i < in->module->nvars; i++)
        if (in->module->vars[i].space == PTX_CONST)
            return (uint64_t)(uintptr_t)in->globals[i].bytes;
    return 0;
}

/* Bytes of a value, and their flags (NULL: always defined). */
struct spot { uint8_t *bytes, *any; };

static bool within(struct memory m, uint64_t offset, uint32_t size, struct spot *s)
{
    if (offset > m.size || size > m.size - offset)
        return false;
    *s = (struct spot){ m.bytes + offset, m.bytes + m.size + offset };
    return true;
}

static bool in_globals(struct interp *in, uint64_t address, uint32_t size, struct spot *s)
{
    for (uint32_t i = 0; i < in->launch->nregions; i++) {
        const struct interp_region *r = &in->launch->regions[i];
        uint64_t offset = address - (uint64_t)(uintptr_t)r->base;
        if (offset < r->size && size <= r->size - offset) {
            *s = (struct spot){ r->base + offset, r->any ? r->any + offset : NULL };
            return true;
        }
    }
    for (uint32_t i = 0; i < in->module->nvars; i++)
        if (in->globals[i].bytes && within(in->globals[i], address - (uint64_t)(uintptr_t)in->globals[i].bytes, size, s))
            return true;
    return false;
}

static struct spot find(struct thread *t, const struct ptx_insn *insn, const struct ptx_operand *o, uint32_t size)
{
    uint64_t address = interp_address(t, o);
    struct frame *f = interp_frame(t);
    struct spot s;
    bool ok;

    switch (insn->space) {
    case PTX_PARAM:
        ok = within(o->kind == PTX_OP_PARAMVAR ? f->params : o->kind == PTX_OP_RETVAR ? f->rets : f->vars, address, size, &s);
        break;
    case PTX_SHARED: ok = within(t->in->shared, address & 0xffffffff, size, &s); break;
    case PTX_LOCAL: ok = within(t->local, address & 0xffffffff, size, &s); break;
    case PTX_CONST: ok = in_globals(t->in, (address & 0xffffffff) + interp_const_base(t->in), size, &s); break;
    case PTX_GENERIC:
        ok = in_globals(t->in, address, size, &s) || within(t->in->shared, address - interp_shared_base(t->in), size, &s) ||
             within(t->local, address - (uint64_t)(uintptr_t)t->local.bytes, size, &s);
        break;
    default: ok = in_globals(t->in, address, size, &s); break;
    }
    if (!ok)
        interp_stop(t->in, "line %u: an access outside", insn->pos.line);
    if ((uintptr_t)s.bytes % size)
        interp_stop(t->in, "line %u: a misaligned access", insn->pos.line);
    return s;
}

static struct value read_spot(struct spot s, uint32_t size)
{
    struct value v = { 0, false };

    memcpy(&v.bits, s.bytes, size);
    for (uint32_t i = 0; s.any && i < size; i++)
        v.any |= s.any[i];
    return v;
}

static void write_spot(struct spot s, uint32_t size, struct value v)
{
    memcpy(s.bytes, &v.bits, size);
    if (s.any)
        memset(s.any, v.any, size);
}

static struct spot part(struct spot s, uint32_t offset)
{
    return (struct spot){ s.bytes + offset, s.any ? s.any + offset : NULL };
}

static const struct ptx_operand *element(const struct ptx_operand *o, uint32_t i)
{
    return o->kind == PTX_OP_VECTOR ? &o->elems[i] : o;
}

static void load(struct thread *t, const struct ptx_insn *insn)
{
    enum ptx_type type = insn->types[insn->ntypes - 1];
    uint32_t size = ptx_type_bits(type) / 8;
    struct spot s = find(t, insn, &insn->ops[1], size * insn->vec);

    for (uint32_t i = 0; i < insn->vec; i++)
        interp_set(t, element(&insn->ops[0], i), read_spot(part(s, i * size), size), type);
}

static void store(struct thread *t, const struct ptx_insn *insn)
{
    enum ptx_type type = insn->types[insn->ntypes - 1];
    uint32_t size = ptx_type_bits(type) / 8;
    struct spot s = find(t, insn, &insn->ops[0], size * insn->vec);

    for (uint32_t i = 0; i < insn->vec; i++) {
        struct value v = interp_get(t, element(&insn->ops[1], i), type);
        if (v.any && !s.any)
            interp_stop(t->in, "line %u: an undefined value is stored", insn->pos.line);
        write_spot(part(s, i * size), size, v);
    }
}

static uint64_t updated(struct thread *t, const struct ptx_insn *insn, uint64_t old, uint64_t b, uint64_t c)
{
    unsigned bits = ptx_type_bits(insn->types[0]);
    bool is_signed = ptx_type_is_signed(insn->types[0]);
    bool less = is_signed ? interp_signed(old, bits) < interp_signed(b, bits) : old < b;

    if (ptx_has(insn, PTX_M_add))
        return old + b;
    if (ptx_has(insn, PTX_M_min))
        return less ? old : b;
    if (ptx_has(insn, PTX_M_max))
        return less ? b : old;
    if (ptx_has(insn, PTX_M_and_))
        return old & b;
    if (ptx_has(insn, PTX_M_or_))
        return old | b;
    if (ptx_has(insn, PTX_M_xor_))
        return old ^ b;
    if (ptx_has(insn, PTX_M_exch))
        return b;
    if (ptx_has(insn, PTX_M_cas))
        return old == b ? c : old;
    if (ptx_has(insn, PTX_M_inc))
        return old >= b ? 0 : old + 1;
    if (ptx_has(insn, PTX_M_dec))
        return old == 0 || old > b ? b : old - 1;
    interp_stop(t->in, "line %u: '%s' is not known", insn->pos.line, insn->opcode);
}

static void atomic(struct thread *t, const struct ptx_insn *insn)
{
    bool returns = insn->op == PTX_I_atom;
    enum ptx_type type = insn->types[0];
    uint32_t size = ptx_type_bits(type) / 8;
    const struct ptx_operand *o = &insn->ops[returns];
    struct spot s = find(t, insn, &o[0], size);
    struct value old = read_spot(s, size), b = interp_get(t, &o[1], type), c = { 0, false }, now;

    if (ptx_has(insn, PTX_M_cas))
        c = interp_get(t, &o[2], type);
    if (old.any || b.any || c.any)
        interp_stop(t->in, "line %u: an undefined value in an atomic", insn->pos.line);
    now = (struct value){ updated(t, insn, old.bits, b.bits, c.bits), false };
    write_spot(s, size, now);
    if (returns)
        interp_set(t, &insn->ops[0], old, type);
}

static void convert_address(struct thread *t, const struct ptx_insn *insn)
{
    struct value v = interp_get(t, &insn->ops[1], PTX_U64);
    uint64_t base = insn->space == PTX_SHARED ? interp_shared_base(t->in) : insn->space == PTX_LOCAL ? (uint64_t)(uintptr_t)t->local.bytes
                  : insn->space == PTX_CONST ? interp_const_base(t->in) : 0;

    v.bits += ptx_has(insn, PTX_M_to) ? -base : base;
    interp_set(t, &insn->ops[0], v, PTX_U64);
}

bool interp_memory(struct thread *t, const struct ptx_insn *insn)
{
    switch (insn->op) {
    case PTX_I_ld: load(t, insn); return true;
    case PTX_I_st: store(t, insn); return true;
    case PTX_I_atom: case PTX_I_red: atomic(t, insn); return true;
    case PTX_I_cvta: convert_address(t, insn); return true;
    case PTX_I_membar: case PTX_I_fence: return true;
    default: return false;
    }
}
