/* Locks, barriers, and threads that leave early. */
#include "tests/kernels/cases.h"

#include <string.h>

static int *small_ints(struct kt *k, unsigned n, unsigned end)
{
    int *p = kt_in(k, KT_U32, n);

    for (unsigned i = 0; i < n; i++)
        p[i] = (int)((kt_random(k) >> 7) % end);
    return p;
}

static const struct kt_shape shapes_1d[] = { KT_SHAPE_1D(3, 1), KT_SHAPE_1D(3, 31), KT_SHAPE_1D(3, 32), KT_SHAPE_1D(3, 33),
    KT_SHAPE_1D(3, 100), KT_SHAPE_1D(2, 256), KT_SHAPE_1D(1, 1000) };

/* ---------------------------------------------------------------------------------------------------------------------- locks */

static const struct kt_shape lock_shapes[] = { KT_SHAPE_1D(1, 1), KT_SHAPE_1D(1, 32), KT_SHAPE_1D(4, 31), KT_SHAPE_1D(4, 100) };
static const struct kt_shape turn_shapes[] = { KT_SHAPE_1D(1, 1), KT_SHAPE_1D(1, 32), KT_SHAPE_1D(1, 33), KT_SHAPE_1D(1, 100) };

static void lock_spin(struct kt *k)
{
    int *count;

    kt_inout(k, KT_U32, 1, KT_EXACT);
    count = kt_want(k, kt_inout(k, KT_U32, 1, KT_EXACT));
    *count = (int)kt_threads(k);
}

static void lock_try(struct kt *k)
{
    int *counts;

    kt_inout(k, KT_U32, 7, KT_EXACT);
    counts = kt_want(k, kt_inout(k, KT_U32, 7, KT_EXACT));
    for (unsigned i = 0; i < kt_threads(k); i++)
        counts[i % k->block[0] % 7] += (int)(i / k->block[0] + 1);
}

static void lock_shared(struct kt *k)
{
    int *counts = kt_want(k, kt_inout(k, KT_U32, k->grid[0], KT_EXACT));

    for (unsigned b = 0; b < k->grid[0]; b++)
        counts[b] = (int)(k->block[0] * (k->block[0] - 1) / 2);
}

static void lock_turns(struct kt *k)
{
    int n = (int)k->block[0], *turn, *order;

    turn = kt_want(k, kt_inout(k, KT_U32, 1, KT_EXACT));
    order = kt_want(k, kt_inout(k, KT_U32, (size_t)n, KT_EXACT));
    *turn = n;
    for (int i = 0; i < n; i++)
        order[i] = n - 1 - i;
}

/* ------------------------------------------------------------------------------------------------------------------- barriers */

static void barrier_tree(struct kt *k)
{
    unsigned n = kt_threads(k);
    int *x = small_ints(k, n, 100000), *sums = kt_want(k, kt_inout(k, KT_U32, k->grid[0], KT_EXACT));

    k->shared_bytes = k->block[0] * sizeof(int);
    for (unsigned i = 0; i < n; i++)
        sums[i / k->block[0]] += x[i];
}

static void barrier_rounds(struct kt *k)
{
    unsigned n = kt_threads(k), threads = k->block[0];
    uint32_t old[1024], *x;

    k->shared_bytes = threads * sizeof(int);
    kt_u32(k, 10);
    kt_fill_bits(k, x = kt_inout(k, KT_U32, n, KT_EXACT), n * sizeof(*x));
    x = kt_want(k, x);
    for (uint32_t *v = x; v < x + n; v += threads)
        for (uint32_t r = 0; r < 10; r++) {
            memcpy(old, v, threads * sizeof(*v));
            for (unsigned t = 0; t < threads; t++)
                v[t] = old[t] * 3 + old[(t + 1) % threads];
            if (r % 3 == 1)
                continue;
            memcpy(old, v, threads * sizeof(*v));
            for (unsigned t = 0; t < threads; t++)
                v[t] += old[(t + threads - 1) % threads] ^ r;
        }
}

static void barrier_votes(struct kt *k)
{
    unsigned n = kt_threads(k), threads = k->block[0];
    int *x = small_ints(k, n, 1010), *out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));

    for (unsigned first = 0; first < n; first += threads) {
        int thirds = 0, all = 1, any = 0;

        for (unsigned i = first; i < first + threads; i++) {
            thirds += x[i] % 3 == 0;
            all &= x[i] < 1000;
            any |= x[i] == 7;
        }
        for (unsigned i = first; i < first + threads; i++)
            out[i] = thirds * 4 + all * 2 + any;
    }
}

static void barrier_from_two_places(struct kt *k)
{
    unsigned n = kt_threads(k), threads = k->block[0];
    int *x = small_ints(k, n, 1000), *out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));

    k->shared_bytes = threads * sizeof(int);
    for (unsigned i = 0; i < n; i++) {
        unsigned t = threads - 1 - i % threads, other = i - i % threads + t;

        out[i] = t & 1 ? x[other] * 2 : x[other] + 1;
    }
}

static const struct kt_shape pair_shapes[] = { KT_SHAPE_1D(2, 64), KT_SHAPE_1D(1, 128), KT_SHAPE_1D(2, 384) };

static void barrier_pairs(struct kt *k)
{
    const unsigned rounds = 6;
    unsigned n = kt_threads(k);
    int *x, *out;

    kt_u32(k, rounds);
    x = small_ints(k, n * rounds, 1000);
    out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned i = 0; i < n; i++) {
        unsigned producer = i - 32 + 31 - 2 * (i % 32);

        for (unsigned r = 0; r < rounds && i / 32 % 2; r++)
            out[i] = out[i] * 5 + x[producer * rounds + r];
    }
}

static void barrier_warp(struct kt *k)
{
    unsigned n = kt_threads(k), threads = k->block[0];
    int *x = small_ints(k, n, 1000), *out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));

    for (unsigned i = 0; i < n; i++) {
        unsigned lane = i % threads % 32, middle = lane / 4, from = middle / 2, warp = i - lane;

        out[i] = (from % 3 == 0 ? x[warp + from] : -x[warp + from]) + 1;
    }
}

/* ---------------------------------------------------------------------------------------------------------------------- exits */

static void exit_in_loop(struct kt *k)
{
    unsigned n = kt_threads(k) - kt_threads(k) / 6;
    int *x, *in, *out;

    kt_u32(k, n);
    x = small_ints(k, n, 100000);
    in = kt_inout(k, KT_U32, n, KT_EXACT);
    for (unsigned i = 0; i < n; i++)
        in[i] = 12345;
    out = kt_want(k, in);
    for (unsigned i = 0; i < n; i++) {
        int v = x[i], r;

        for (r = 0; r < 50 && v % 5 != 3 && v % 7 != 6; r++)
            v = (v * 3 + 1) & 0xffffff;
        if (r == 50)
            out[i] = -v;
        else if (v % 5 == 3)
            out[i] = r;
    }
}

static void exit_before_barrier(struct kt *k)
{
    unsigned n = kt_threads(k), threads = k->block[0];
    int *x = small_ints(k, n, 100000), *out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));

    k->shared_bytes = threads * sizeof(int);
    for (unsigned i = 0; i < n; i++) {
        unsigned t = i % threads, writer = t - t % 3;
        int odd = 0;

        for (unsigned o = 0; o < threads; o++)
            odd += o % 3 != 2 && o % 2;
        if (t % 3 != 2)
            out[i] = x[i - t + threads - 1 - writer] * 2 + odd;
    }
}

static void exit_warps(struct kt *k)
{
    unsigned n = kt_threads(k), threads = k->block[0];
    int *x, *out;

    kt_fill_bits(k, x = kt_in(k, KT_U32, n), n * sizeof(*x));
    out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned first = 0; first < n; first += threads) {
        int total = 0;

        for (unsigned t = 0; t < threads; t++)
            total += t / 32 % 2 ? 0 : x[first + t] & 0xffff;
        for (unsigned t = 0; t < threads; t++)
            out[first + t] = t / 32 % 2 ? 0 : total;
    }
}

static const struct kt_case cases[] = {
    { "locks", "lock_spin", lock_spin, KT_SHAPES(lock_shapes) },
    { "locks", "lock_try", lock_try, KT_SHAPES(lock_shapes) },
    { "locks", "lock_shared", lock_shared, KT_SHAPES(lock_shapes) },
    { "locks", "lock_turns", lock_turns, KT_SHAPES(turn_shapes) },
    { "barriers", "barrier_tree", barrier_tree, KT_SHAPES(shapes_1d) },
    { "barriers", "barrier_rounds", barrier_rounds, KT_SHAPES(shapes_1d) },
    { "barriers", "barrier_votes", barrier_votes, KT_SHAPES(shapes_1d) },
    { "barriers", "barrier_from_two_places", barrier_from_two_places, KT_SHAPES(shapes_1d) },
    { "barriers", "barrier_pairs", barrier_pairs, KT_SHAPES(pair_shapes) },
    { "barriers", "barrier_warp", barrier_warp, KT_SHAPES(shapes_1d) },
    { "exits", "exit_in_loop", exit_in_loop, KT_SHAPES(shapes_1d) },
    { "exits", "exit_before_barrier", exit_before_barrier, KT_SHAPES(shapes_1d) },
    { "exits", "exit_warps", exit_warps, KT_SHAPES(kt_whole_warps) },
};
const struct kt_table kt_cases_sync = KT_TABLE(cases);
