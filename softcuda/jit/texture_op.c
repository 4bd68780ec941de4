/* texture_op.c - textures and surfaces. */
#include "softcuda/jit/device_op.h"
#include "softcuda/run/texture.h"

#define B(e) ((e)->v.builder)

/* ---- what the words of an instruction say */

static int geometry(const struct ptx_insn *in)
{
    static const struct {
        enum ptx_mod mod;
        enum sc_geometry geometry;
    } table[] = {
        { PTX_M_d1, SC_1D },
        { PTX_M_d2, SC_2D },
        { PTX_M_d3, SC_3D },
        { PTX_M_a1d, SC_1D_LAYERS },
        { PTX_M_a2d, SC_2D_LAYERS },
        { PTX_M_cube, SC_CUBE },
        { PTX_M_acube, SC_CUBE_LAYERS },
    };

    for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (ptx_has(in, table[i].mod))
            return table[i].geometry;
    return -1;
}

static unsigned coordinates_needed(int geometry)
{
    static const uint8_t needed[] = {
        [SC_1D] = 1, [SC_2D] = 2, [SC_3D] = 3, [SC_1D_LAYERS] = 2, [SC_2D_LAYERS] = 3, [SC_CUBE] = 3, [SC_CUBE_LAYERS] = 4
    };

    return needed[geometry];
}

static bool is_fetch(const struct ptx_insn *in)
{
    return in->op == PTX_I_tex || in->op == PTX_I_tld4;
}

static bool is_query(const struct ptx_insn *in)
{
    return in->op == PTX_I_txq || in->op == PTX_I_suq;
}

/* [object, {x, y}] */
static const struct ptx_operand *place_operand(const struct ptx_insn *in)
{
    return in->op == PTX_I_sust || in->op == PTX_I_sured ? &in->ops[0] : &in->ops[1];
}

static int query(const struct ptx_insn *in)
{
    static const struct {
        enum ptx_mod mod;
        enum sc_query query;
    } table[] = {
        { PTX_M_width, SC_QUERY_WIDTH },
        { PTX_M_height, SC_QUERY_HEIGHT },
        { PTX_M_depth, SC_QUERY_DEPTH },
        { PTX_M_array_size, SC_QUERY_DEPTH },
        { PTX_M_num_mipmap_levels, SC_QUERY_LEVELS },
        { PTX_M_num_samples, SC_QUERY_SAMPLES },
        { PTX_M_normalized_coords, SC_QUERY_NORMALIZED },
        { PTX_M_filter_mode, SC_QUERY_FILTER },
        { PTX_M_addr_mode_0, SC_QUERY_ADDRESS_0 },
        { PTX_M_addr_mode_1, SC_QUERY_ADDRESS_1 },
        { PTX_M_addr_mode_2, SC_QUERY_ADDRESS_2 },
    };

    for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (ptx_has(in, table[i].mod))
            return table[i].query;
    return -1;
}

/* ---- what is refused */

static const char *fetch_refusal(const struct ptx_insn *in)
{
    unsigned extra = ptx_has(in, PTX_M_grad) ? 2 : ptx_has(in, PTX_M_level) ? 1 : 0;

    if (in->ntypes != 2 || in->ops[0].kind != PTX_OP_VECTOR)
        return "the form without a vector";
    if (in->types[0] != PTX_F32 && in->types[0] != PTX_S32 && in->types[0] != PTX_U32 && in->types[0] != PTX_F16 &&
        in->types[0] != PTX_F16X2)
        return "this type of result";
    if (in->ops[0].nelems != (in->types[0] == PTX_F16X2 ? 2 : 4))
        return "a result of other than four elements";
    if (in->types[1] != PTX_F32 && in->types[1] != PTX_S32)
        return "this type of coordinates";
    if (in->nops > 2 + extra)
        return "offsets and comparisons of depth";
    return NULL;
}

static const char *surface_refusal(const struct ptx_insn *in, int g)
{
    unsigned bits = in->ntypes ? ptx_type_bits(in->types[0]) : 0;
    const struct ptx_operand *value = &in->ops[in->op == PTX_I_suld ? 0 : 1];

    if (in->nops != 2 || bits < 8 || bits > 64 || operand_count(value) > 4)
        return "this form";
    if (ptx_has(in, PTX_M_p) && bits != 32)
        return "formatted access of other than 32 bits";
    if (in->op == PTX_I_sured && bits < 32)
        return "reductions of less than 32 bits";
    return g == SC_CUBE || g == SC_CUBE_LAYERS ? "cubes" : NULL;
}

const char *texture_refusal(const struct ptx_insn *in)
{
    int g = geometry(in);
    const struct ptx_operand *at;

    if (in->nops < 2)
        return "too few operands";
    if (is_query(in))
        return query(in) < 0                ? "this query"
            : in->ops[1].kind != PTX_OP_REG ? "references, which CUDA 12 removed: use objects"
                                            : NULL;
    at = place_operand(in);
    if (g < 0)
        return "this geometry";
    if (at->kind != PTX_OP_VECTOR || at->nelems != 2)
        return "samplers apart from textures";
    if (at->elems[0].kind != PTX_OP_REG)
        return "references, which CUDA 12 removed: use objects";
    if (operand_count(&at->elems[1]) < coordinates_needed(g) || operand_count(&at->elems[1]) > 4)
        return "so many coordinates";
    return is_fetch(in) ? fetch_refusal(in) : surface_refusal(in, g);
}

/* ---- code */

static LLVMValueRef spill_coordinates(struct emit *e, const struct ptx_operand *c)
{
    LLVMValueRef room = words_room(e, 4, 32);

    for (unsigned i = 0; i < 4; i++)
        words_put(e, room, i, i < operand_count(c) ? v_vector(e, operand_element(c, i), 32) : arith_const(&e->v, 32, 0));
    return room;
}

static uint32_t fetch_form(const struct ptx_insn *in)
{
    uint32_t form = (uint32_t)geometry(in);

    form |= in->types[1] == PTX_F32 ? SC_TEX_FLOAT : 0;
    form |= in->types[0] == PTX_F16 ? SC_TEX_HALVES : in->types[0] == PTX_F16X2 ? SC_TEX_PAIRS : 0;
    if (in->op == PTX_I_tld4)
        form |= SC_TEX_GATHER | (ptx_has(in, PTX_M_g) ? 1u : ptx_has(in, PTX_M_b) ? 2u : ptx_has(in, PTX_M_a) ? 3u : 0) << 8;
    return form;
}

/* tex.geometry.v4.type.coordinates {a, b, c, d}, [object, {x, y}]{, level}: there is one level */
static void emit_fetch(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    const struct ptx_operand *at = place_operand(in);
    LLVMValueRef result = words_room(e, 4, 32);
    LLVMValueRef args[] = { e->warp, b_bits(e, e->mask), b_i32(e, fetch_form(in)), b_spill(e, v_vector(e, &at->elems[0], 64)),
        spill_coordinates(e, &at->elems[1]), result };

    call_if_any(e, "sc_rt_texture", args, 6);
    for (unsigned i = 0; i < in->ops[0].nelems; i++)
        v_set(e, &in->ops[0].elems[i], words_get(e, result, i, 32));
}

static enum sc_surface_op surface_op(const struct ptx_insn *in)
{
    if (in->op != PTX_I_sured)
        return in->op == PTX_I_suld ? SC_SURFACE_LOAD : SC_SURFACE_STORE;
    return ptx_has(in, PTX_M_min) ? SC_SURFACE_MIN
        : ptx_has(in, PTX_M_max)  ? SC_SURFACE_MAX
        : ptx_has(in, PTX_M_and_) ? SC_SURFACE_AND
        : ptx_has(in, PTX_M_or_)  ? SC_SURFACE_OR
                                  : SC_SURFACE_ADD;
}

static uint32_t surface_form(const struct ptx_insn *in, unsigned n)
{
    uint32_t outside = ptx_has(in, PTX_M_clamp) ? SC_OUTSIDE_CLAMP : ptx_has(in, PTX_M_zero) ? SC_OUTSIDE_ZERO : SC_OUTSIDE_TRAP;

    return (uint32_t)geometry(in) | outside << 3 | (uint32_t)surface_op(in) << 5 | (ptx_has(in, PTX_M_p) ? SC_SURF_TEXELS : 0) |
        (ptx_type_is_signed(in->types[0]) ? SC_SURF_SIGNED : 0) | n << 12 | ptx_type_bits(in->types[0]) / 8 << 16;
}

static void emit_surface(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    const struct ptx_operand *at = place_operand(in), *value = &in->ops[in->op == PTX_I_suld ? 0 : 1];
    unsigned n = operand_count(value), bits = ptx_type_bits(in->types[0]);
    LLVMValueRef words = words_room(e, n, 64);
    LLVMValueRef args[] = { e->warp, b_bits(e, e->mask), b_i32(e, surface_form(in, n)),
        b_spill(e, v_vector(e, &at->elems[0], 64)), spill_coordinates(e, &at->elems[1]), words };

    for (unsigned i = 0; i < n && in->op != PTX_I_suld; i++)
        words_put(e, words, i, b_resize(e, v_vector(e, operand_element(value, i), bits), 64, false));
    call_if_any(e, "sc_rt_surface", args, 6);
    for (unsigned i = 0; i < n && in->op == PTX_I_suld; i++)
        v_set(e, operand_element(value, i), b_resize(e, words_get(e, words, i, 64), bits, false));
}

static void emit_query(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    LLVMValueRef result = words_room(e, 1, 32);
    LLVMValueRef args[] = { e->warp, b_bits(e, e->mask), b_i32(e, (uint64_t)query(in)), b_spill(e, v_vector(e, &in->ops[1], 64)),
        result };

    call_if_any(e, "sc_rt_texture_query", args, 5);
    v_set(e, &in->ops[0], words_get(e, result, 0, 32));
}

void emit_texture(struct emit *e)
{
    if (is_fetch(e->in))
        emit_fetch(e);
    else if (is_query(e->in))
        emit_query(e);
    else
        emit_surface(e);
}
