/* matrix_op.c - wmma, mma, ldmatrix, stmatrix, movmatrix. */
#include <string.h>

#include "softcuda/jit/device_op.h"
#include "softcuda/run/matrix.h"

#define B(e) ((e)->v.builder)

struct size {
    unsigned m, n, k;
};

static bool size_of(const struct ptx_insn *in, struct size *s)
{
    static const struct {
        enum ptx_mod mod;
        struct size size;
    } table[] = {
        { PTX_M_m16n16k16, { 16, 16, 16 } },
        { PTX_M_m32n8k16, { 32, 8, 16 } },
        { PTX_M_m8n32k16, { 8, 32, 16 } },
        { PTX_M_m16n16k8, { 16, 16, 8 } },
        { PTX_M_m8n8k4, { 8, 8, 4 } },
        { PTX_M_m8n8k16, { 8, 8, 16 } },
        { PTX_M_m8n8k32, { 8, 8, 32 } },
        { PTX_M_m8n8k128, { 8, 8, 128 } },
        { PTX_M_m16n8k4, { 16, 8, 4 } },
        { PTX_M_m16n8k8, { 16, 8, 8 } },
        { PTX_M_m16n8k16, { 16, 8, 16 } },
        { PTX_M_m16n8k32, { 16, 8, 32 } },
        { PTX_M_m16n8k64, { 16, 8, 64 } },
        { PTX_M_m16n8k128, { 16, 8, 128 } },
        { PTX_M_m16n8k256, { 16, 8, 256 } },
    };

    for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (ptx_has(in, table[i].mod)) {
            *s = table[i].size;
            return true;
        }
    return false;
}

static int element_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
        return SC_ELEMENT_F16;
    case PTX_BF16:
        return SC_ELEMENT_BF16;
    case PTX_TF32:
        return SC_ELEMENT_TF32;
    case PTX_F32:
        return SC_ELEMENT_F32;
    case PTX_F64:
        return SC_ELEMENT_F64;
    case PTX_S32:
        return SC_ELEMENT_S32;
    case PTX_S8:
        return SC_ELEMENT_S8;
    case PTX_U8:
        return SC_ELEMENT_U8;
    case PTX_S4:
        return SC_ELEMENT_S4;
    case PTX_U4:
        return SC_ELEMENT_U4;
    case PTX_B1:
        return SC_ELEMENT_B1;
    case PTX_E4M3:
        return SC_ELEMENT_E4M3;
    case PTX_E5M2:
        return SC_ELEMENT_E5M2;
    default:
        return -1;
    }
}

/* Elements of a 32-bit register; 1 for f64. */
static unsigned elements_in(int element)
{
    switch (element) {
    case SC_ELEMENT_F16:
    case SC_ELEMENT_BF16:
        return 2;
    case SC_ELEMENT_S8:
    case SC_ELEMENT_U8:
    case SC_ELEMENT_E4M3:
    case SC_ELEMENT_E5M2:
        return 4;
    case SC_ELEMENT_S4:
    case SC_ELEMENT_U4:
        return 8;
    case SC_ELEMENT_B1:
        return 32;
    default:
        return 1;
    }
}

static bool is_load_store(const struct ptx_insn *in)
{
    return in->op == PTX_I_wmma && !ptx_has(in, PTX_M_mma);
}

/* ---- multiplications */

struct product {
    struct size size;
    int a, b, c, d;
    bool quads;
};

/* wmma's f16 forms name the types of d and c alone; all others name d, a, b and c. */
static bool product_of(const struct ptx_insn *in, struct product *p)
{
    bool four = in->ntypes == 4;

    if (!size_of(in, &p->size) || in->nops != 4 || (!four && in->ntypes != 2))
        return false;
    p->d = element_of(in->types[0]);
    p->a = four ? element_of(in->types[1]) : SC_ELEMENT_F16;
    p->b = four ? element_of(in->types[2]) : SC_ELEMENT_F16;
    p->c = element_of(in->types[four ? 3 : 1]);
    p->quads = p->size.k == 4 && p->a == SC_ELEMENT_F16;
    return p->a >= 0 && p->b >= 0 && p->c >= 0 && p->d >= 0;
}

static bool whole_times(unsigned n, unsigned of)
{
    return of && n && n % of == 0;
}

static unsigned factor_registers(unsigned outer, unsigned k, int element)
{
    return outer / 8 * (k / (4 * elements_in(element)));
}

static unsigned sum_registers(struct size s, int element)
{
    return s.m * s.n / SC_LANES / elements_in(element);
}

static const char *product_refusal(const struct ptx_insn *in)
{
    struct product p;

    if (ptx_has(in, PTX_M_sp) || ptx_has(in, PTX_M_sp_ordered_metadata))
        return "sparse matrices";
    if (ptx_has(in, PTX_M_block_scale))
        return "scaled blocks";
    if (!product_of(in, &p))
        return "this shape or type";
    if (p.c > SC_ELEMENT_S32 || p.d > SC_ELEMENT_S32 || p.a == SC_ELEMENT_F32 || p.a == SC_ELEMENT_S32 ||
        (p.a == SC_ELEMENT_F64) != (p.d == SC_ELEMENT_F64) ||
        (p.a >= SC_ELEMENT_S8 && p.a <= SC_ELEMENT_B1) != (p.d == SC_ELEMENT_S32) || elements_in(p.a) != elements_in(p.b))
        return "these types together";
    if (p.quads)
        return operand_count(&in->ops[1]) == 2 && operand_count(&in->ops[2]) == 2 &&
                operand_count(&in->ops[0]) * elements_in(p.d) == 8 && operand_count(&in->ops[3]) * elements_in(p.c) == 8
            ? NULL
            : "fragments of this size";
    if (!whole_times(operand_count(&in->ops[1]), factor_registers(p.size.m, p.size.k, p.a)) ||
        !whole_times(operand_count(&in->ops[2]), factor_registers(p.size.n, p.size.k, p.b)) ||
        operand_count(&in->ops[0]) != sum_registers(p.size, p.d) || operand_count(&in->ops[3]) != sum_registers(p.size, p.c))
        return "fragments of this size";
    return NULL;
}

static void emit_product(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    struct product p;
    struct fragment_target d;
    uint64_t form;
    LLVMValueRef args[5];

    product_of(in, &p);
    form = SC_MATRIX_FORM(p.size.m, p.size.n, p.size.k, p.a, p.b, p.c, p.d);
    form |= ptx_has(in, PTX_M_satfinite) ? SC_MATRIX_SATURATE : 0;
    form |= ptx_has(in, PTX_M_and_) ? SC_MATRIX_AND : 0;
    if (p.quads) { /* the words of an opcode are a set; which of .row and .col came first is in its text */
        form |= SC_MATRIX_QUADS;
        form |= strstr(in->opcode, ".col.row") || strstr(in->opcode, ".col.col") ? SC_MATRIX_A_COLUMNS : 0;
        form |= strstr(in->opcode, ".row.row") || strstr(in->opcode, ".col.row") ? SC_MATRIX_B_ROWS : 0;
    }
    args[0] = b_i64(e, form);
    args[1] = fragment_source(e, &in->ops[1], p.a == SC_ELEMENT_F64);
    args[2] = fragment_source(e, &in->ops[2], p.b == SC_ELEMENT_F64);
    args[3] = fragment_source(e, &in->ops[3], p.c == SC_ELEMENT_F64);
    d = fragment_target(e, &in->ops[0], p.d == SC_ELEMENT_F64);
    args[4] = d.room;
    call_if_any(e, "sc_rt_matrix_multiply", args, 5);
    fragment_set(e, &in->ops[0], d);
}

/* ---- wmma.load and wmma.store */

static unsigned which(const struct ptx_insn *in)
{
    return ptx_has(in, PTX_M_a) ? SC_MATRIX_WHICH_A : ptx_has(in, PTX_M_b) ? SC_MATRIX_WHICH_B : SC_MATRIX_WHICH_C;
}

static const struct ptx_operand *fragment_operand(const struct ptx_insn *in)
{
    return &in->ops[ptx_has(in, PTX_M_store) ? 1 : 0];
}

static unsigned natural_registers(const struct ptx_insn *in, struct size s, int element)
{
    switch (which(in)) {
    case SC_MATRIX_WHICH_A:
        return factor_registers(s.m, s.k, element);
    case SC_MATRIX_WHICH_B:
        return factor_registers(s.n, s.k, element);
    default:
        return sum_registers(s, element);
    }
}

static const char *move_refusal(const struct ptx_insn *in)
{
    struct size s;
    int element = in->ntypes ? element_of(in->types[0]) : -1;
    unsigned n;

    if (in->nops < 2 || element < 0 || !size_of(in, &s))
        return "this shape or type";
    n = operand_count(fragment_operand(in));
    if (n * (element == SC_ELEMENT_F64 ? 2 : 1) > 63 || !whole_times(n, natural_registers(in, s, element)))
        return "fragments of this size";
    if (elements_in(element) > 4 && ptx_has(in, which(in) == SC_MATRIX_WHICH_A ? PTX_M_col : PTX_M_row))
        return "elements of less than a byte across k";
    return NULL;
}

/* Of matrices that all lanes must name alike: the lowest lane's. */
static LLVMValueRef first_lane(struct emit *e, const struct ptx_operand *o)
{
    LLVMTypeRef i32 = b_int(e, 32);
    LLVMValueRef args[] = { b_bits(e, e->mask), LLVMConstInt(b_int(e, 1), 0, false) }, first;

    if (v_shape(e, o).kind <= SHAPE_UNIFORM)
        return v_scalar(e, o, 32);
    first = LLVMBuildAnd(B(e), b_intrinsic(e, "llvm.cttz", &i32, 1, args, 2), b_i32(e, SC_LANES - 1), "");
    return LLVMBuildExtractElement(B(e), v_vector(e, o, 32), first, "");
}

/* Without a stride rows lie one behind the other. */
static unsigned dense_stride(const struct ptx_insn *in, struct size s)
{
    bool columns = ptx_has(in, PTX_M_col);

    switch (which(in)) {
    case SC_MATRIX_WHICH_A:
        return columns ? s.m : s.k;
    case SC_MATRIX_WHICH_B:
        return columns ? s.k : s.n;
    default:
        return columns ? s.m : s.n;
    }
}

static void emit_move(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    bool store = ptx_has(in, PTX_M_store);
    const struct ptx_operand *o = fragment_operand(in);
    int element = element_of(in->types[0]);
    bool wide = element == SC_ELEMENT_F64;
    unsigned regs = operand_count(o) * (wide ? 2 : 1);
    struct fragment_target d;
    struct size s = { 0 };
    uint32_t how;
    LLVMValueRef args[7];

    size_of(in, &s);
    how = which(in) | (ptx_has(in, PTX_M_col) ? SC_MATRIX_COLUMNS : 0) | (store ? SC_MATRIX_STORE : 0) | regs << 8;
    args[0] = e->warp;
    args[1] = b_bits(e, e->mask);
    args[2] = b_i64(e, SC_MATRIX_FORM(s.m, s.n, s.k, element, 0, 0, 0));
    args[3] = b_i32(e, how);
    args[4] = spill_addresses(e, &in->ops[store ? 0 : 1], in->space);
    args[5] = in->nops > 2 ? first_lane(e, &in->ops[2]) : b_i32(e, dense_stride(in, s));
    if (!store)
        d = fragment_target(e, o, wide);
    args[6] = store ? fragment_source(e, o, wide) : d.room;
    call_if_any(e, "sc_rt_matrix_move", args, 7);
    if (!store)
        fragment_set(e, o, d);
}

/* ---- ldmatrix, stmatrix, movmatrix */

static const char *rows_refusal(const struct ptx_insn *in)
{
    unsigned n = ptx_has(in, PTX_M_x4) ? 4 : ptx_has(in, PTX_M_x2) ? 2 : 1;

    if (!ptx_has(in, PTX_M_m8n8) || !in->ntypes || in->types[0] != PTX_B16)
        return "other than m8n8 of b16";
    if (in->op == PTX_I_movmatrix)
        return NULL;
    return in->nops == 2 && operand_count(&in->ops[in->op == PTX_I_stmatrix ? 1 : 0]) == n ? NULL : "so many registers";
}

static void emit_rows(struct emit *e)
{
    const struct ptx_insn *in = e->in;
    bool store = in->op == PTX_I_stmatrix;
    const struct ptx_operand *o = &in->ops[store ? 1 : 0];
    struct fragment_target d;
    uint32_t how = operand_count(o) | (ptx_has(in, PTX_M_trans) ? SC_ROWS_TRANSPOSED : 0) | (store ? SC_ROWS_STORE : 0);
    LLVMValueRef args[5];

    args[0] = e->warp;
    args[1] = b_bits(e, e->mask);
    args[2] = b_i32(e, how);
    args[3] = spill_addresses(e, &in->ops[store ? 0 : 1], in->space);
    if (!store)
        d = fragment_target(e, o, false);
    args[4] = store ? fragment_source(e, o, false) : d.room;
    call_if_any(e, "sc_rt_matrix_rows", args, 5);
    if (!store)
        fragment_set(e, o, d);
}

static void emit_transpose(struct emit *e)
{
    LLVMValueRef source = fragment_source(e, &e->in->ops[1], false);
    struct fragment_target d = fragment_target(e, &e->in->ops[0], false);
    LLVMValueRef args[] = { source, d.room };

    call_if_any(e, "sc_rt_matrix_transpose", args, 2);
    fragment_set(e, &e->in->ops[0], d);
}

const char *matrix_refusal(const struct ptx_insn *in)
{
    if (in->op != PTX_I_wmma && in->op != PTX_I_mma)
        return rows_refusal(in);
    return is_load_store(in) ? move_refusal(in) : product_refusal(in);
}

void emit_matrix(struct emit *e)
{
    if (e->in->op == PTX_I_movmatrix)
        emit_transpose(e);
    else if (e->in->op != PTX_I_wmma && e->in->op != PTX_I_mma)
        emit_rows(e);
    else if (is_load_store(e->in))
        emit_move(e);
    else
        emit_product(e);
}
