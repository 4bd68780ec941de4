/* Control flow and calls. */
#include "tests/kernels/cases.h"

static int *numbers(struct kt *k, unsigned n, unsigned mask)
{
    int *p = kt_in(k, KT_U32, n);

    for (unsigned i = 0; i < n; i++)
        p[i] = (int)((kt_random(k) >> 5) & mask);
    return p;
}

/* ----------------------------------------------------------------------------------------------------------------------- flow */

static int loops(int x)
{
    int sum = 0;

    for (int a = 0; a < x % 13; a++) {
        if (a == 9)
            break;
        for (int b = a; b < 12; b++) {
            if ((b + x) % 4 == 0)
                continue;
            sum += a * b;
            if (sum % 11 == 10)
                return sum;
        }
        do {
            sum++;
        } while (sum % 3);
    }
    return sum;
}

static void flow_loops(struct kt *k)
{
    unsigned n = kt_threads(k) - kt_threads(k) / 6;
    int *x, *out;

    kt_u32(k, n);
    x = numbers(k, n, 0xffff);
    out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned i = 0; i < n; i++)
        out[i] = loops(x[i]);
}

static void flow_collatz(struct kt *k)
{
    unsigned n = kt_threads(k) - kt_threads(k) / 6, *steps;
    int *x;

    kt_u32(k, n);
    x = numbers(k, n, 0xfffff);
    steps = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned i = 0; i < n; i++)
        for (unsigned v = (unsigned)x[i] % 10000 + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
            steps[i]++;
}

static uint32_t switched(int op, uint32_t v, unsigned i)
{
    switch (op) {
    case 0: return v + 7;
    case 1: return v * v;
    case 2: return -v ^ 0x5a5a;
    case 3: return v ^ 0x5a5a;
    case 4:
        for (unsigned r = 0; r < i % 20; r++)
            v = v * 3 + r;
        return v;
    case 5: return (int32_t)v < 0 ? ~v : v >> 3;
    case 6: return 1;
    case 9: return (uint32_t)((int32_t)v % 10);
    default: return 0;
    }
}

static void flow_switch(struct kt *k)
{
    unsigned n = kt_threads(k) - kt_threads(k) / 6;
    uint32_t *x;
    int *ops;

    kt_u32(k, n);
    ops = numbers(k, n, 0xff);
    for (unsigned i = 0; i < n; i++)
        ops[i] %= 11;
    kt_fill_bits(k, x = kt_inout(k, KT_U32, n, KT_EXACT), n * sizeof(*x));
    x = kt_want(k, x);
    for (unsigned i = 0; i < n; i++)
        x[i] = switched(ops[i], x[i], i);
}

static void flow_irreducible(struct kt *k)
{
    unsigned n = kt_threads(k) - kt_threads(k) / 6;
    int *x, *out;

    kt_u32(k, n);
    x = numbers(k, n, 0xffff);
    out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    for (unsigned i = 0; i < n; i++) {
        int v = x[i] & 0xff, count = 0;

        for (bool first = !(v & 1);; first = true) {
            if (first) {
                v += 5;
                count++;
            }
            count += 100;
            v -= 7;
            if (v <= 20)
                break;
        }
        out[i] = v * 100000 + count;
    }
}

/* ---------------------------------------------------------------------------------------------------------------------- calls */

struct record {
    double a;
    int b[5];
};

static float polynomial(float x, int n)
{
    float r = 0;

    for (int i = 0; i < n; i++)
        r = r * x + (float)i;
    return r;
}

static void call_values(struct kt *k)
{
    unsigned n = kt_threads(k);
    int *x = numbers(k, n, 0xff);
    struct record *r;
    float *f;

    kt_fill_floats(k, f = kt_inout(k, KT_F32, n, KT_EXACT), n, -2, 2);
    f = kt_want(k, f);
    r = kt_inout(k, KT_U32, n * sizeof(*r) / 4, KT_EXACT);
    for (unsigned i = 0; i < n; i++) {
        r[i].a = i * 0.7;
        for (int b = 0; b < 5; b++)
            r[i].b[b] = (int)i * b;
    }
    r = kt_want(k, r);
    for (unsigned i = 0; i < n; i++) {
        int m = x[i] & 15;

        f[i] = polynomial(f[i], m);
        if (m > 3) {
            r[i].a *= m;
            r[i].b[m % 5] += m;
        } else {
            f[i] += polynomial(0.5f, m + 2);
        }
    }
}

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int odd(unsigned n);

static int even(unsigned n)
{
    return n == 0 ? 1 : odd(n - 1) * 3;
}

static int odd(unsigned n)
{
    return n == 0 ? 0 : even(n - 1) + 1;
}

static int digits(unsigned v, int depth)
{
    int counts[10];

    for (int i = 0; i < 10; i++)
        counts[i] = i * depth;
    if (v == 0)
        return depth;
    counts[v % 10] += digits(v / 10, depth + 1);
    return counts[v % 10] + counts[(v + 1) % 10];
}

static void call_recursion(struct kt *k)
{
    unsigned n = kt_threads(k);
    int *x = numbers(k, n, 0xffffff), *out = kt_want(k, kt_inout(k, KT_U32, 4 * n, KT_EXACT));

    for (unsigned i = 0; i < n; i++) {
        out[4 * i] = fibonacci(x[i] & 7);
        out[4 * i + 1] = even((unsigned)x[i] & 15);
        out[4 * i + 2] = odd((unsigned)x[i] % 11);
        out[4 * i + 3] = digits((unsigned)x[i], 1);
    }
}

static const struct kt_shape call_shapes[] = { KT_SHAPE_1D(2, 1), KT_SHAPE_1D(2, 31), KT_SHAPE_1D(2, 64), KT_SHAPE_1D(2, 100) };

static void call_barrier(struct kt *k)
{
    unsigned n = kt_threads(k), threads = k->block[0];
    int *x = numbers(k, n, 0xffff), *out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));

    k->shared_bytes = threads * sizeof(int);
    for (unsigned i = 0; i < n; i++) {
        unsigned other = threads - 1 - i % threads;

        out[i] = x[i - i % threads + other] * 2 + (int)other;
    }
}

static int table(int which, int v)
{
    return which == 0 ? v * 2 : which == 1 ? v + 1 : v * v;
}

static void call_table(struct kt *k)
{
    unsigned n = kt_threads(k);
    int *x = numbers(k, n, 0xffff), *out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));

    for (unsigned i = 0; i < n; i++) {
        int v = x[i] & 0x7fff;

        out[i] = table((int)(i / k->block[0] % 3), v) + table(v % 3, v);
    }
}

static void call_virtual(struct kt *k)
{
    unsigned n = kt_threads(k);
    int *x = numbers(k, n, 0xffff), *out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));

    for (unsigned i = 0; i < n; i++) {
        int size = x[i] & 0xff;

        out[i] = x[i] % 3 == 0 ? size * size : x[i] % 3 == 1 ? size * 3 : 0;
    }
}

static const struct kt_case cases[] = {
    { "flow", "flow_loops", flow_loops, KT_SHAPES(call_shapes) },
    { "flow", "flow_collatz", flow_collatz, KT_SHAPES(call_shapes) },
    { "flow", "flow_switch", flow_switch, KT_SHAPES(call_shapes) },
    { "flow", "flow_irreducible", flow_irreducible, KT_SHAPES(call_shapes) },
    { "calls", "call_values", call_values, KT_SHAPES(call_shapes) },
    { "calls", "call_recursion", call_recursion, KT_SHAPES(call_shapes) },
    { "calls", "call_barrier", call_barrier, KT_SHAPES(call_shapes) },
    { "pointers", "call_table", call_table, KT_SHAPES(call_shapes) },
    { "pointers", "call_virtual", call_virtual, KT_SHAPES(call_shapes) },
};
const struct kt_table kt_cases_control = KT_TABLE(cases);
