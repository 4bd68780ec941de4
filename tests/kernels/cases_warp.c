/* What the lanes of a warp do together, and atomics. */
#include "tests/kernels/cases.h"

/* n small numbers below end. */
static int *small_ints(struct kt *k, int *p, unsigned n, unsigned end)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = (int)((kt_random(k) >> 7) % end);
    return p;
}

/* ------------------------------------------------------------------------------------------------------------------- shuffles */

enum mode { UP, DOWN, XOR, INDEX };

/* The lane that a shuffle of this mode and width reads: its own where the source lies outside its segment. */
static int source(enum mode mode, int lane, int by, int width)
{
    int first = lane & ~(width - 1), end = first + width;
    int from = mode == UP ? lane - by : mode == DOWN ? lane + by : mode == XOR ? lane ^ by : first + (by & (width - 1));

    if (mode == UP)
        return from < first ? lane : from;
    return from >= end ? lane : from;
}

static void shuffle_modes(struct kt *k)
{
    unsigned n = kt_threads(k);
    int *x, *out;

    kt_fill_bits(k, x = kt_in(k, KT_U32, n), n * sizeof(*x));
    out = kt_want(k, kt_inout(k, KT_U32, 8 * n, KT_EXACT));
    for (unsigned i = 0; i < n; i++) {
        int l = (int)(i % 32);
        const int *warp = x + (i - i % 32);
        const int from[8] = { source(INDEX, l, l * 7 + 3, 32), source(INDEX, l, 5, 8), source(UP, l, 3, 32), source(UP, l, 1, 4),
            source(DOWN, l, 5, 32), source(DOWN, l, 9, 16), source(XOR, l, 17, 32), source(XOR, l, 2, 4) };

        for (int m = 0; m < 8; m++)
            out[8 * i + m] = warp[from[m]];
    }
}

static void shuffle_wide(struct kt *k)
{
    unsigned n = kt_threads(k);
    double *x = kt_in(k, KT_F64, n), *out = kt_want(k, kt_inout(k, KT_F64, 2 * n, KT_EXACT));
    int *in_range = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));

    for (unsigned i = 0; i < n; i++)
        x[i] = (kt_random(k) >> 8) * 0.125;
    for (unsigned i = 0; i < n; i++) {
        unsigned warp = i - i % 32, lane = i % 32;

        out[2 * i] = x[warp + (lane ^ 1)] + x[i];
        out[2 * i + 1] = x[warp + ((unsigned)x[i] & 31)];
        in_range[i] = lane >= 4 ? 1000 - 4 : 0;
    }
}

static void shuffle_halves(struct kt *k)
{
    unsigned n = kt_threads(k);
    int *x, *out;

    small_ints(k, x = kt_in(k, KT_U32, n), n, 1000);
    out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned warp = 0; warp < n; warp += 32) {
        int v[32], odd[32];

        for (int l = 0; l < 32; l++)
            odd[l] = x[warp + l] + x[warp + (l ^ 2)];
        for (int l = 0, sum = 0; l < 32; l++)
            if (l & 1)
                v[l] = l > 16 ? odd[l] - 3 * odd[31 - (l & 14)] : odd[l] * 5;
            else
                v[l] = sum += x[warp + l];
        for (int l = 0; l < 32; l++)
            out[warp + l] = v[l] + v[31 - l];
    }
}

static void shuffle_some(struct kt *k)
{
    unsigned threads = kt_block_threads(k), n = kt_threads(k);
    int *x, *out;

    kt_u32(k, threads);
    small_ints(k, x = kt_in(k, KT_U32, n), n, 1000);
    out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned i = 0; i < n; i++) {
        unsigned t = i % threads, warp = i - t % 32, lanes = threads - (t - t % 32) < 32 ? threads - (t - t % 32) : 32;
        unsigned first_odd = 32, last_odd = 0;

        for (unsigned l = 0; l < lanes; l++)
            if (x[warp + l] & 1) {
                first_odd = first_odd == 32 ? l : first_odd;
                last_odd = l;
            }
        out[i] = x[warp] + (x[i] & 1 ? x[warp + last_odd] * 2 + (int)first_odd : x[i]);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------- votes */

static unsigned ballot(const int *warp, unsigned mask, int above)
{
    unsigned lanes = 0;

    for (unsigned l = 0; l < 32; l++)
        if (mask >> l & 1 && warp[l] > above)
            lanes |= 1u << l;
    return lanes;
}

static void vote(struct kt *k)
{
    unsigned threads = kt_block_threads(k), n = kt_threads(k), *in, *out;
    int *x;

    kt_u32(k, threads);
    small_ints(k, x = kt_in(k, KT_U32, n), n, 100);
    in = kt_inout(k, KT_U32, 4 * n, KT_EXACT);
    out = kt_want(k, in);
    for (unsigned i = 0; i < n; i++) {
        unsigned t = i % threads, warp = i - t % 32, lanes = threads - (t - t % 32),
                 mask = 0xffffffffu >> (lanes < 32 ? 32 - lanes : 0);
        unsigned thirds = 0, over40;

        for (unsigned l = 0; l < 32; l++)
            if (mask >> l & 1 && x[warp + l] % 3 == 0)
                thirds |= 1u << l;
        in[4 * i + 3] = thirds;
        over40 = ballot(x + warp, mask, 40);
        out[4 * i] = ballot(x + warp, mask, 3);
        out[4 * i + 1] = (ballot(x + warp, mask, 90) != 0) * 2 + 1;
        if (x[i] % 3 == 0) {
            unsigned third = ballot(x + warp, thirds, 50);

            out[4 * i + 2] = third + (unsigned)__builtin_popcount(third);
        } else {
            out[4 * i + 2] = ballot(x + warp, mask & ~thirds, 95) != 0;
        }
        out[4 * i + 3] = over40 == 0 || over40 == mask;
    }
}

/* -------------------------------------------------------------------------------------------------------------------- atomics */

static void atomics_32(struct kt *k)
{
    unsigned n = kt_threads(k), *u = kt_inout(k, KT_U32, 12, KT_EXACT), *want;
    int *s, *s_want;
    float *f, *f_want;

    u[0] = 100, u[1] = 5, u[2] = 90, u[3] = 7, u[4] = 0xffffffffu, u[7] = 0x80000000u, u[8] = 12, u[9] = 1000, u[10] = 0,
    u[11] = 3;
    s = kt_inout(k, KT_U32, 3, KT_EXACT);
    f = kt_inout(k, KT_F32, 2, KT_EXACT);
    f[0] = 10.25f;
    want = kt_want(k, u);
    s_want = kt_want(k, s);
    f_want = kt_want(k, f);
    for (unsigned i = 0; i < n; i++) {
        unsigned mixed = i * 2654435761u;

        want[0] += i;
        want[1] -= 3;
        want[2] = want[2] >= 99 ? 0 : want[2] + 1;
        want[3] = want[3] == 0 || want[3] > 99 ? 99 : want[3] - 1;
        want[4] &= ~(1u << i % 32);
        want[5] |= 1u << i % 29;
        want[6] ^= mixed;
        want[7] = mixed < want[7] ? mixed : want[7];
        want[8] = mixed > want[8] ? mixed : want[8];
        want[11] = want[11] * 5 + 1;
        s_want[0] = (int)mixed < s_want[0] ? (int)mixed : s_want[0];
        s_want[1] = (int)mixed > s_want[1] ? (int)mixed : s_want[1];
        s_want[2] -= (int)i;
        f_want[0] += 0.5f;
    }
    want[9] = 5;
    want[10] = 1000 + 5 * (n - 1);
    f_want[1] = 3;
}

static const struct kt_shape atomic_shapes[] = { KT_SHAPE_1D(1, 1), KT_SHAPE_1D(3, 31), KT_SHAPE_1D(2, 32), KT_SHAPE_1D(3, 100),
    KT_SHAPE_1D(4, 256) };

static void atomics_64(struct kt *k)
{
    unsigned long long *u = kt_inout(k, KT_U64, 8, KT_EXACT), *want;
    long long *s = kt_inout(k, KT_U64, 2, KT_EXACT), *s_want;
    double *d = kt_inout(k, KT_F64, 2, KT_EXACT), *d_want;
    unsigned n = kt_threads(k);

    u[1] = ~0ull, u[4] = ~0ull, u[6] = 1ull << 40;
    d[1] = 0.5;
    want = kt_want(k, u);
    s_want = kt_want(k, s);
    d_want = kt_want(k, d);
    for (unsigned i = 0; i < n; i++) {
        unsigned long long mixed = (i + 1) * 0x9e3779b97f4a7c15ull;

        want[0] += mixed;
        want[1] &= ~(1ull << i % 64);
        want[2] |= 1ull << i % 61;
        want[3] ^= mixed;
        want[4] = mixed < want[4] ? mixed : want[4];
        want[5] = mixed > want[5] ? mixed : want[5];
        s_want[0] = (long long)mixed < s_want[0] ? (long long)mixed : s_want[0];
        s_want[1] = (long long)mixed > s_want[1] ? (long long)mixed : s_want[1];
        d_want[0] += 0.25;
        d_want[1] += 2.0;
    }
    want[6] = 1ull << 33;
    want[7] = (1ull << 40) + ((unsigned long long)(n - 1) << 33);
}

static void atomics_tickets(struct kt *k)
{
    unsigned n = kt_threads(k), *next, *out;

    next = kt_want(k, kt_inout(k, KT_U32, 1, KT_EXACT));
    out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    *next = n;
    for (unsigned i = 0; i < n; i++)
        out[i] = 1;
}

static void atomics_shared(struct kt *k)
{
    unsigned n = kt_threads(k), threads = k->block[0], *x, *out;
    float *sums;

    kt_fill_bits(k, x = kt_in(k, KT_U32, n), n * sizeof(*x));
    out = kt_want(k, kt_inout(k, KT_U32, 10 * k->grid[0], KT_EXACT));
    sums = kt_want(k, kt_inout(k, KT_F32, k->grid[0], KT_EXACT));
    for (unsigned b = 0; b < k->grid[0]; b++) {
        unsigned *u = out + 10 * b;
        unsigned long long wide = 0;

        u[4] = 0xffffffffu;
        for (unsigned i = b * threads; i < (b + 1) * threads; i++) {
            u[x[i] % 3] += x[i];
            u[3] = x[i] > u[3] ? x[i] : u[3];
            u[4] = x[i] < u[4] ? x[i] : u[4];
            u[5] ^= x[i];
            u[6] += x[i] & 1;
            u[7] += 7;
            wide += (unsigned long long)x[i] << 20;
        }
        u[8] = (unsigned)wide;
        u[9] = (unsigned)(wide >> 32);
        sums[b] = (float)threads;
    }
}

static const struct kt_case cases[] = {
    { "shuffle", "shuffle_modes", shuffle_modes, KT_SHAPES(kt_whole_warps) },
    { "shuffle", "shuffle_wide", shuffle_wide, KT_SHAPES(kt_whole_warps) },
    { "shuffle", "shuffle_halves", shuffle_halves, KT_SHAPES(kt_whole_warps) },
    { "shuffle", "shuffle_some", shuffle_some, KT_SHAPES(kt_any_shapes) },
    { "vote", "vote", vote, KT_SHAPES(kt_any_shapes) },
    { "atomics", "atomics_32", atomics_32, KT_SHAPES(atomic_shapes) },
    { "atomics", "atomics_64", atomics_64, KT_SHAPES(atomic_shapes) },
    { "atomics", "atomics_tickets", atomics_tickets, KT_SHAPES(atomic_shapes) },
    { "atomics", "atomics_shared", atomics_shared, KT_SHAPES(kt_whole_warps) },
};
const struct kt_table kt_cases_warp = KT_TABLE(cases);
