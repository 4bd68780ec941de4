/* matrix.c - see matrix.h. Fragments are gathered to whole matrices of floats, doubles or integers, multiplied, and spread again. */
#include "softcuda/run/matrix.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "softcuda/run/half.h"

#define MOST_A 1024 /* 16 x 64 of 4 bits */
#define MOST_B 512

static const struct {
    uint8_t bits;
} elements[] = {
    [SC_ELEMENT_F16] = { 16 },
    [SC_ELEMENT_BF16] = { 16 },
    [SC_ELEMENT_TF32] = { 32 },
    [SC_ELEMENT_F32] = { 32 },
    [SC_ELEMENT_F64] = { 64 },
    [SC_ELEMENT_S32] = { 32 },
    [SC_ELEMENT_S8] = { 8 },
    [SC_ELEMENT_U8] = { 8 },
    [SC_ELEMENT_S4] = { 4 },
    [SC_ELEMENT_U4] = { 4 },
    [SC_ELEMENT_B1] = { 32 },
    [SC_ELEMENT_E4M3] = { 8 },
    [SC_ELEMENT_E5M2] = { 8 },
};

/* ---- who holds what: element j of register r of a lane */

struct place {
    unsigned row, column;
};

/* Registers of f64 are pairs of 32-bit ones; all others hold 32 / bits elements. Here a register is one f64, too, and 32 single bits
 * are one element: k counts such elements. */
static unsigned elements_of(enum sc_element type)
{
    return type == SC_ELEMENT_F64 ? 1 : 32 / elements[type].bits;
}

static unsigned length_of(uint64_t form)
{
    return SC_MATRIX_A(form) == SC_ELEMENT_B1 ? SC_MATRIX_K(form) / 32 : SC_MATRIX_K(form);
}

/* A factor: tiles of 16 (or 8) outer rows by k; for b the roles of row and column are exchanged and tiles have 8. In a tile, lane
 * l has row l / 4, and of every four registers' width of k its quarter l % 4. Registers go down first, then along k. */
static struct place factor_place(unsigned outer, unsigned tile, unsigned k, unsigned each, unsigned lane, unsigned r, unsigned j)
{
    unsigned halves = tile / 8, chunk = 4 * each, per_tile = halves * (k / chunk), natural = per_tile * (outer / tile), in_tile;

    r %= natural; /* what is held more than once */
    in_tile = r % per_tile;
    return (
        struct place){ r / per_tile * tile + in_tile % halves * 8 + lane / 4, in_tile / halves * chunk + lane % 4 * each + j };
}

static unsigned factor_registers(unsigned outer, unsigned k, unsigned each)
{
    return outer / 8 * (k / (4 * each));
}

/* Of 8 x 32 all is as of 32 x 8 with the roles of the two factors exchanged. */
static bool is_lying(unsigned m, unsigned n)
{
    return m == 8 && n == 32;
}

static unsigned tile_of_a(unsigned m)
{
    return m >= 16 ? 16 : 8;
}

static unsigned tile_of_b(unsigned m, unsigned n)
{
    return is_lying(m, n) ? 16 : 8;
}

/* An accumulator: tiles of 16 (or 8) by 8; two neighbours in a row are a lane's. */
static struct place upright_place(unsigned m, unsigned n, unsigned lane, unsigned i)
{
    unsigned tile = tile_of_a(m), per_tile = 2 * (tile / 8), t = i / per_tile, in_tile = i % per_tile, across = n / 8;

    return (struct place){ t / across * tile + in_tile / 2 * 8 + lane / 4, t % across * 8 + lane % 4 * 2 + in_tile % 2 };
}

static struct place sum_place(unsigned m, unsigned n, unsigned lane, unsigned i)
{
    struct place at;

    if (is_lying(m, n)) {
        at = upright_place(n, m, lane, i);
        return (struct place){ at.column, at.row };
    }
    return upright_place(m, n, lane, i);
}

/* ---- numbers */

static uint32_t element_bits(const uint32_t *regs, unsigned lane, unsigned r, unsigned j, unsigned bits)
{
    uint32_t word = regs[r * SC_LANES + lane];

    return bits == 32 ? word : word >> j * bits & ((1u << bits) - 1);
}

static float word_as_float(uint32_t word)
{
    float f;

    memcpy(&f, &word, sizeof(f));
    return f;
}

static double real(uint32_t v, enum sc_element type)
{
    switch (type) {
    case SC_ELEMENT_F16:
        return sc_half_to_float((uint16_t)v);
    case SC_ELEMENT_BF16:
        return sc_bfloat_to_float((uint16_t)v);
    case SC_ELEMENT_TF32:
        return word_as_float(v & 0xffffe000u);
    case SC_ELEMENT_E4M3:
        return sc_small_to_float(v, 4, 3, 1);
    case SC_ELEMENT_E5M2:
        return sc_small_to_float(v, 5, 2, 0);
    default:
        return word_as_float(v);
    }
}

static double integer(uint32_t v, enum sc_element type)
{
    switch (type) {
    case SC_ELEMENT_S8:
        return (int8_t)v;
    case SC_ELEMENT_S4:
        return (int32_t)(v << 28) >> 28;
    case SC_ELEMENT_S32:
        return (int32_t)v;
    default:
        return v;
    }
}

static bool is_real(enum sc_element type)
{
    return type <= SC_ELEMENT_F64 || type >= SC_ELEMENT_E4M3;
}

static double get_double(const uint32_t *regs, unsigned r, unsigned lane)
{
    uint64_t word = (uint64_t)regs[(2 * r + 1) * SC_LANES + lane] << 32 | regs[2 * r * SC_LANES + lane];
    double d;

    memcpy(&d, &word, sizeof(d));
    return d;
}

static void put_double(uint32_t *regs, unsigned r, unsigned lane, double d)
{
    uint64_t word;

    memcpy(&word, &d, sizeof(word));
    regs[2 * r * SC_LANES + lane] = (uint32_t)word;
    regs[(2 * r + 1) * SC_LANES + lane] = (uint32_t)(word >> 32);
}

static double number(const uint32_t *regs, unsigned lane, unsigned r, unsigned j, enum sc_element type)
{
    uint32_t bits;

    if (type == SC_ELEMENT_F64)
        return get_double(regs, r, lane);
    bits = element_bits(regs, lane, r, j, elements[type].bits);
    return is_real(type) ? real(bits, type) : integer(bits, type);
}

/* i: number of the element in the lane's part of the accumulator. */
static void put_sum(uint32_t *regs, unsigned lane, unsigned i, enum sc_element type, double v)
{
    uint32_t word = 0, *at;
    float f = (float)v;

    switch (type) {
    case SC_ELEMENT_F64:
        put_double(regs, i, lane, v);
        return;
    case SC_ELEMENT_F16:
        at = &regs[i / 2 * SC_LANES + lane];
        word = sc_float_to_half(f);
        *at = i % 2 ? (*at & 0xffff) | word << 16 : word;
        return;
    case SC_ELEMENT_S32:
        word = (uint32_t)(int64_t)v;
        break;
    default:
        memcpy(&word, &f, sizeof(word));
    }
    regs[i * SC_LANES + lane] = word;
}

/* ---- multiplication */

struct product {
    unsigned m, n, k;
    enum sc_element ta, tb;
    uint64_t form;
    double a[MOST_A], b[MOST_B], c[64];
};

static double f32_sum(const struct product *p, unsigned row, unsigned column, double c)
{
    float sum = (float)c;

    for (unsigned i = 0; i < p->k; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): no form has a matrix without elements */
        sum = (float)(p->a[row * p->k + i] * p->b[column * p->k + i] + (double)sum); /* the product is exact in a double */
    return sum;
}

static double f64_sum(const struct product *p, unsigned row, unsigned column, double c)
{
    for (unsigned i = 0; i < p->k; i++)
        c = fma(p->a[row * p->k + i], p->b[column * p->k + i], c);
    return c;
}

static double integer_sum(const struct product *p, unsigned row, unsigned column, double c)
{
    int64_t sum = (int64_t)c;

    for (unsigned i = 0; i < p->k; i++) {
        int64_t x = (int64_t)p->a[row * p->k + i], y = (int64_t)p->b[column * p->k + i];
        sum += p->ta != SC_ELEMENT_B1 ? x * y : __builtin_popcount((uint32_t)(p->form & SC_MATRIX_AND ? x & y : x ^ y));
    }
    if (p->form & SC_MATRIX_SATURATE)
        return (double)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
    return (double)(int32_t)(uint32_t)sum;
}

static double sum_of(const struct product *p, unsigned row, unsigned column, double c)
{
    return p->ta == SC_ELEMENT_F64 ? f64_sum(p, row, column, c)
        : is_real(p->ta)           ? f32_sum(p, row, column, c)
                                   : integer_sum(p, row, column, c);
}

static void gather_factor(double *out, const uint32_t *regs, unsigned outer, unsigned tile, unsigned k, enum sc_element type)
{
    unsigned each = elements_of(type), n = factor_registers(outer, k, each);

    for (unsigned r = 0; r < n; r++)
        for (unsigned lane = 0; lane < SC_LANES; lane++)
            for (unsigned j = 0; j < each; j++) {
                struct place at = factor_place(outer, tile, k, each, lane, r, j);
                out[at.row * k + at.column] = number(regs, lane, r, j, type);
            }
}

static double old_sum(const uint32_t *c, unsigned lane, unsigned i, enum sc_element type)
{
    return type == SC_ELEMENT_F16 ? number(c, lane, i / 2, i % 2, type) : number(c, lane, i, 0, type);
}

static void multiply_warp(struct product *p, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    gather_factor(p->a, a, p->m, tile_of_a(p->m), p->k, p->ta);
    gather_factor(p->b, b, p->n, tile_of_b(p->m, p->n), p->k, p->tb);
    for (unsigned lane = 0; lane < SC_LANES; lane++)
        for (unsigned i = 0; i < p->m * p->n / SC_LANES; i++) {
            struct place at = sum_place(p->m, p->n, lane, i);
            double old = old_sum(c, lane, i, SC_MATRIX_C(p->form));
            put_sum(d, lane, i, SC_MATRIX_D(p->form), sum_of(p, at.row, at.column, old));
        }
}

/* m8n8k4: lanes 4q to 4q + 3 and 16 + 4q to 16 + 4q + 3 hold one product; upper is the second four. */
static struct place quad_sum_place(unsigned in_quad, unsigned upper, unsigned i, enum sc_element type)
{
    if (type == SC_ELEMENT_F16)
        return (struct place){ in_quad + 4 * upper, i };
    return (struct place){ (in_quad & 1) + (i & 2) + 4 * upper, (i & 4) + (in_quad & 2) + (i & 1) };
}

static void multiply_quads(struct product *p, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    for (unsigned q = 0; q < 4; q++) {
        for (unsigned l = 0; l < 8; l++)
            for (unsigned i = 0; i < 4; i++) {
                unsigned lane = l % 4 + 4 * q + 16 * (l / 4), upper = l / 4 * 4;
                unsigned ar = p->form & SC_MATRIX_A_COLUMNS ? i + upper : l % 4 + upper,
                         ak = p->form & SC_MATRIX_A_COLUMNS ? l % 4 : i;
                unsigned bc = p->form & SC_MATRIX_B_ROWS ? i + upper : l % 4 + upper, bk = p->form & SC_MATRIX_B_ROWS ? l % 4 : i;
                p->a[ar * 4 + ak] = number(a, lane, i / 2, i % 2, p->ta);
                p->b[bc * 4 + bk] = number(b, lane, i / 2, i % 2, p->tb);
            }
        for (unsigned l = 0; l < 8; l++)
            for (unsigned i = 0; i < 8; i++) {
                unsigned lane = l % 4 + 4 * q + 16 * (l / 4);
                struct place from = quad_sum_place(l % 4, l / 4, i, SC_MATRIX_C(p->form));
                p->c[from.row * 8 + from.column] = old_sum(c, lane, i, SC_MATRIX_C(p->form));
            }
        for (unsigned l = 0; l < 8; l++)
            for (unsigned i = 0; i < 8; i++) {
                unsigned lane = l % 4 + 4 * q + 16 * (l / 4);
                struct place to = quad_sum_place(l % 4, l / 4, i, SC_MATRIX_D(p->form));
                put_sum(d, lane, i, SC_MATRIX_D(p->form), sum_of(p, to.row, to.column, p->c[to.row * 8 + to.column]));
            }
    }
}

void sc_rt_matrix_multiply(uint64_t form, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    struct product p; /* 13 KB of the fiber's stack */

    p.m = SC_MATRIX_M(form);
    p.n = SC_MATRIX_N(form);
    p.k = length_of(form);
    p.ta = SC_MATRIX_A(form);
    p.tb = SC_MATRIX_B(form);
    p.form = form;
    if (form & SC_MATRIX_QUADS)
        multiply_quads(&p, a, b, c, d);
    else
        multiply_warp(&p, a, b, c, d);
}

/* ---- wmma.load and wmma.store */

/* Where in memory, in elements, and how many bits from there. */
static uint64_t element_number(uint32_t how, uint32_t stride, struct place at)
{
    return how & SC_MATRIX_COLUMNS ? (uint64_t)at.column * stride + at.row : (uint64_t)at.row * stride + at.column;
}

static void move_register(struct sc_warp *w, uint32_t lanes, unsigned char *p, uint32_t *word, bool store, unsigned bytes)
{
    sc_rt_check_one(w, (uint64_t)(uintptr_t)p, bytes, lanes, 0, 0);
    if (store)
        memcpy(p, word, bytes);
    else
        memcpy(word, p, bytes);
}

struct move {
    enum sc_element type;
    uint32_t how, stride;
    unsigned m, n, k;
};

static struct place place_of(const struct move *v, unsigned lane, unsigned r, unsigned j)
{
    unsigned each = elements_of(v->type);
    struct place at;

    switch (SC_MATRIX_WHICH(v->how)) {
    case SC_MATRIX_WHICH_A:
        return factor_place(v->m, tile_of_a(v->m), v->k, each, lane, r, j);
    case SC_MATRIX_WHICH_B:
        at = factor_place(v->n, tile_of_b(v->m, v->n), v->k, each, lane, r, j);
        return (struct place){ at.column, at.row };
    default:
        return sum_place(v->m, v->n, lane, r * each + j);
    }
}

/* Whole registers lie together in memory where elements are smaller than a byte: such matrices lie along k. */
static unsigned step_of(enum sc_element type)
{
    return elements[type].bits < 8 ? elements_of(type) : 1;
}

static void move_double(struct sc_warp *w, uint32_t lanes, unsigned char *p, uint32_t *regs, bool store)
{
    move_register(w, lanes, p, regs, store, 4);
    move_register(w, lanes, p + 4, regs + SC_LANES, store, 4);
}

void sc_rt_matrix_move(
    struct sc_warp *w, uint32_t lanes, uint64_t form, uint32_t how, const uint64_t *address, uint32_t stride, uint32_t *regs)
{
    unsigned char *base = (unsigned char *)(uintptr_t)address[__builtin_ctz(lanes)];
    struct move v = { SC_MATRIX_A(form), how, stride, SC_MATRIX_M(form), SC_MATRIX_N(form), length_of(form) };
    unsigned bits = elements[v.type].bits, each = elements_of(v.type), wide = v.type == SC_ELEMENT_F64 ? 2 : 1;
    bool store = how & SC_MATRIX_STORE;

    if (v.type == SC_ELEMENT_B1)
        v.stride /= 32; /* it counts bits */
    for (unsigned r = 0; r < SC_MATRIX_REGISTERS(how) / wide; r++)
        for (unsigned lane = 0; lane < SC_LANES; lane++)
            for (unsigned j = 0; j < each; j += step_of(v.type)) {
                unsigned char *p = base + element_number(how, v.stride, place_of(&v, lane, r, j)) * bits / 8;
                uint32_t *reg = &regs[wide * r * SC_LANES + lane];
                if (wide == 2)
                    move_double(w, lanes, p, reg, store);
                else
                    move_register(w, lanes, p, (uint32_t *)((unsigned char *)reg + j * bits / 8), store, bits < 8 ? 4 : bits / 8);
            }
}

/* ---- 8 x 8 matrices of 16-bit elements */

/* Row and column of half h of a lane's register. */
static struct place half_place(unsigned lane, unsigned h, bool transposed)
{
    struct place at = { lane / 4, lane % 4 * 2 + h };

    return transposed ? (struct place){ at.column, at.row } : at;
}

void sc_rt_matrix_rows(struct sc_warp *w, uint32_t lanes, uint32_t how, const uint64_t *address, uint32_t *regs)
{
    unsigned n = how & 7;

    for (unsigned i = 0; i < 8 * n; i++)
        sc_rt_check_one(w, address[i], 16, lanes, 0, 0);
    for (unsigned i = 0; i < n; i++)
        for (unsigned lane = 0; lane < SC_LANES; lane++)
            for (unsigned h = 0; h < 2; h++) {
                struct place at = half_place(lane, h, how & SC_ROWS_TRANSPOSED);
                unsigned char *p = (unsigned char *)(uintptr_t)address[8 * i + at.row] + 2 * at.column;
                unsigned char *reg = (unsigned char *)&regs[i * SC_LANES + lane] + 2 * h;
                if (how & SC_ROWS_STORE)
                    memcpy(p, reg, 2);
                else
                    memcpy(reg, p, 2);
            }
}

void sc_rt_matrix_transpose(const uint32_t *from, uint32_t *to)
{
    for (unsigned lane = 0; lane < SC_LANES; lane++)
        for (unsigned h = 0; h < 2; h++) {
            struct place at = half_place(lane, h, true);
            memcpy((unsigned char *)&to[lane] + 2 * h,
                (const unsigned char *)&from[at.row * 4 + at.column / 2] + 2 * (at.column % 2), 2);
        }
}
