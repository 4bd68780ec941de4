/* Loads, stores, local arrays, shared memory, variables of the image. */
#include "tests/kernels/cases.h"

static void *bits(struct kt *k, enum kt_type type, size_t count, size_t bytes)
{
    void *p = kt_in(k, type, count);

    kt_fill_bits(k, p, bytes);
    return p;
}

static void memory_widths(struct kt *k)
{
    unsigned n = kt_threads(k) - kt_threads(k) / 6;
    unsigned short *d, *od;
    unsigned char *b;
    signed char *a, *oa;
    long long *e, *oe;
    short *c;

    kt_u32(k, n);
    a = bits(k, KT_U8, n, n);
    b = bits(k, KT_U8, n, n);
    c = bits(k, KT_U16, n, 2 * n);
    d = bits(k, KT_U16, n, 2 * n);
    e = bits(k, KT_U64, n, 8 * n);
    oa = kt_want(k, kt_inout(k, KT_U8, n, KT_EXACT));
    od = kt_want(k, kt_inout(k, KT_U16, n, KT_EXACT));
    oe = kt_want(k, kt_inout(k, KT_U64, n, KT_EXACT));
    for (unsigned i = 0; i < n; i++) {
        unsigned long long sum = (unsigned long long)(a[i] * 3 + b[i] - c[i] + d[i] * 2) + (unsigned long long)e[i];

        oa[i] = (signed char)sum;
        od[i] = (unsigned short)(sum >> 3);
        oe[i] = (long long)sum ^ e[n - 1 - i] ^ c[n - 1 - i];
    }
}

static void memory_vectors(struct kt *k)
{
    unsigned n = kt_threads(k) - kt_threads(k) / 6;
    unsigned char(*a)[4];
    unsigned(*d)[4], (*out)[4];
    double(*e)[2];
    short(*b)[2];
    int(*c)[2];

    kt_u32(k, n);
    a = bits(k, KT_U8, 4 * n, 4 * n);
    b = bits(k, KT_U16, 2 * n, 4 * n);
    c = bits(k, KT_U32, 2 * n, 8 * n);
    d = bits(k, KT_U32, 4 * n, 16 * n);
    e = kt_in(k, KT_F64, 2 * n);
    for (unsigned i = 0; i < 2 * n; i++)
        e[i / 2][i % 2] = (kt_random(k) >> 9) * 0.25;
    out = kt_want(k, kt_inout(k, KT_U32, 4 * n, KT_EXACT));
    for (unsigned i = 0; i < n; i++) {
        const short *vb = b[n - 1 - i];
        const unsigned *vd = d[i * 3 % n];

        out[i][0] = a[i][0] + (unsigned)vb[0] + (unsigned)c[i][0] + vd[0];
        out[i][1] = (unsigned)(a[i][1] * vb[1]) + vd[1];
        out[i][2] = a[i][2] - (unsigned)c[i][1] + vd[2];
        out[i][3] = a[i][3] + vd[3] + (unsigned)(e[i][0] + 2 * e[i][1]);
    }
}

static const struct kt_shape shapes[] = { KT_SHAPE_1D(2, 1), KT_SHAPE_1D(2, 31), KT_SHAPE_1D(2, 32), KT_SHAPE_1D(3, 33),
    KT_SHAPE_1D(3, 100), KT_SHAPE_1D(2, 256) };

static void memory_shared(struct kt *k)
{
    unsigned n = k->block[0], all = kt_threads(k);
    double *out;
    float *x;

    k->shared_bytes = n * (sizeof(float) + sizeof(double));
    kt_u32(k, n);
    kt_fill_floats(k, x = kt_in(k, KT_F32, all), all, -8, 8);
    out = kt_want(k, kt_inout(k, KT_F64, all, KT_EXACT));
    for (unsigned i = 0; i < all; i++) {
        const float *block = x + (i - i % n);

        out[i] = (double)block[n - 1 - i % n] + block[i % n * 7 % n] * 2.0;
    }
}

static void memory_variables(struct kt *k)
{
    static const short steps[4][2] = { { -1, 0 }, { 1, 2 }, { 3, 5 }, { 7, -9 } };
    unsigned n = kt_threads(k), *counter;
    int *x, *out, *weights, *table;

    x = kt_in(k, KT_U32, n);
    for (unsigned i = 0; i < n; i++)
        x[i] = (int)(kt_random(k) & 0xffffff);
    out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));
    weights = kt_global(k, "weights", KT_U32, 9, KT_EXACT);
    for (int w = 0; w < 9; w++)
        weights[w] = w * w - 20;
    counter = kt_global(k, "counter", KT_U32, 1, KT_EXACT);
    *counter = 1000;
    counter = kt_want(k, counter);
    table = kt_want(k, kt_global(k, "table", KT_U32, 64, KT_EXACT));
    for (unsigned i = 0; i < n; i++) {
        for (int w = 0; w < 9; w++)
            out[i] += weights[w] * (x[i] >> w);
        out[i] += steps[x[i] & 3][0] * 10 + steps[x[i] & 3][1];
        *counter += 2;
        table[32 + (x[i] & 31) - 16]++;
    }
}

/* --------------------------------------------------------------------------------------------------------------- local arrays */

static void local_sort(struct kt *k)
{
    unsigned n = kt_threads(k);
    int *x = bits(k, KT_U32, 24 * n, 96 * n), *out = kt_want(k, kt_inout(k, KT_U32, 24 * n, KT_EXACT)), a[24];

    for (unsigned i = 0; i < n; i++) {
        for (int m = 0; m < 24; m++) {
            int at = m;

            for (; at > 0 && a[at - 1] > x[24 * i + (unsigned)m]; at--)
                a[at] = a[at - 1];
            a[at] = x[24 * i + (unsigned)m];
        }
        for (unsigned m = 0; m < 24; m++)
            out[24 * i + m] = a[(m * 5 + i) % 24];
    }
}

static void rotate(unsigned char *p, int n, int by)
{
    unsigned char first = p[0];

    for (int i = 0; i + 1 < n; i++)
        p[i] = (unsigned char)(p[i + 1] + by);
    p[n - 1] = first;
}

static unsigned escaped(unsigned x)
{
    unsigned long long wide[5];
    unsigned char bytes[13];
    unsigned sum = 0;

    for (int i = 0; i < 13; i++)
        bytes[i] = (unsigned char)(x >> i);
    for (unsigned i = 0; i < 5; i++)
        wide[i] = (unsigned long long)x * (i + 1) << i;
    for (int i = 0; i < (int)(3 + x % 5); i++)
        rotate(i & 1 ? (unsigned char *)&wide[1] : bytes, i & 1 ? 24 : 13, i);
    for (int i = 0; i < 13; i++)
        sum = sum * 31 + bytes[i];
    for (unsigned i = 0; i < 5; i++)
        sum = sum * 31 + (unsigned)(wide[(i + x) % 5] ^ wide[i] >> 32);
    return sum;
}

static void local_escapes(struct kt *k)
{
    unsigned n = kt_threads(k), *x = bits(k, KT_U32, n, 4 * n), *out = kt_want(k, kt_inout(k, KT_U32, n, KT_EXACT));

    for (unsigned i = 0; i < n; i++)
        out[i] = escaped(x[i]);
}

static const struct kt_case cases[] = {
    { "memory", "memory_widths", memory_widths, KT_SHAPES(shapes) },
    { "memory", "memory_vectors", memory_vectors, KT_SHAPES(shapes) },
    { "memory", "memory_shared", memory_shared, KT_SHAPES(shapes) },
    { "memory", "memory_variables", memory_variables, KT_SHAPES(shapes) },
    { "locals", "local_sort", local_sort, KT_SHAPES(shapes) },
    { "locals", "local_escapes", local_escapes, KT_SHAPES(shapes) },
};
const struct kt_table kt_cases_memory = KT_TABLE(cases);
