#include "tests/kernels/kernel_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t type_bytes[] = { [KT_U8] = 1, [KT_U16] = 2, [KT_U32] = 4, [KT_U64] = 8, [KT_F32] = 4, [KT_F64] = 8 };

size_t kt_bytes(const struct kt_buffer *b)
{
    return b->count * type_bytes[b->type];
}

/* Zeroed memory; a test without it has no result and ends. */
static void *memory(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);

    if (!p)
        abort();
    return p;
}

/* ------------------------------------------------------------------------------------------------------------------- building */

static struct kt_buffer *add_buffer(struct kt *k, enum kt_type type, size_t count)
{
    struct kt_buffer *b = &k->buffers[k->nbuffers];

    if (k->nbuffers++ == KT_MAX_BUFFERS)
        abort();
    *b = (struct kt_buffer){ .type = type, .count = count, .in = memory(count * type_bytes[type]) };
    return b;
}

static void add_param(struct kt *k, int buffer, const void *scalar, size_t bytes)
{
    if (k->nparams == KT_MAX_PARAMS)
        abort();
    k->params[k->nparams].buffer = buffer;
    k->params[k->nparams].scalar = 0;
    memcpy(&k->params[k->nparams++].scalar, scalar, bytes);
}

void *kt_in(struct kt *k, enum kt_type type, size_t count)
{
    add_param(k, (int)k->nbuffers, "", 0);
    return add_buffer(k, type, count)->in;
}

void *kt_inout(struct kt *k, enum kt_type type, size_t count, struct kt_tolerance tolerance)
{
    struct kt_buffer *b;

    add_param(k, (int)k->nbuffers, "", 0);
    b = add_buffer(k, type, count);
    b->compared = true;
    b->tolerance = tolerance;
    return b->in;
}

void *kt_global(struct kt *k, const char *name, enum kt_type type, size_t count, struct kt_tolerance tolerance)
{
    struct kt_buffer *b = add_buffer(k, type, count);

    b->global = name;
    b->compared = true;
    b->tolerance = tolerance;
    return b->in;
}

void kt_u32(struct kt *k, uint32_t v)
{
    add_param(k, -1, &v, sizeof(v));
}

void kt_u64(struct kt *k, uint64_t v)
{
    add_param(k, -1, &v, sizeof(v));
}

void kt_f32(struct kt *k, float v)
{
    add_param(k, -1, &v, sizeof(v));
}

void kt_f64(struct kt *k, double v)
{
    add_param(k, -1, &v, sizeof(v));
}

void *kt_want(struct kt *k, const void *in)
{
    for (size_t i = 0; i < k->nbuffers; i++) {
        struct kt_buffer *b = &k->buffers[i];

        if (b->in != in)
            continue;
        if (!b->want) {
            b->want = memory(kt_bytes(b));
            memcpy(b->want, in, kt_bytes(b));
        }
        return b->want;
    }
    abort();
}

unsigned kt_block_threads(const struct kt *k)
{
    return k->block[0] * k->block[1] * k->block[2];
}

unsigned kt_threads(const struct kt *k)
{
    return k->grid[0] * k->grid[1] * k->grid[2] * kt_block_threads(k);
}

uint32_t kt_random(struct kt *k)
{
    k->random ^= k->random << 13;
    k->random ^= k->random >> 17;
    k->random ^= k->random << 5;
    return k->random;
}

float kt_random_float(struct kt *k, float low, float high)
{
    return low + (high - low) * ((float)(kt_random(k) >> 8) * 0x1p-24f);
}

void kt_fill_floats(struct kt *k, float *p, size_t n, float low, float high)
{
    for (size_t i = 0; i < n; i++)
        p[i] = kt_random_float(k, low, high);
}

void kt_fill_bits(struct kt *k, void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)p)[i] = (unsigned char)(kt_random(k) >> 11);
}

void kt_build(const struct kt_case *c, const struct kt_shape *shape, struct kt *k)
{
    memset(k, 0, sizeof(*k));
    memcpy(k->grid, shape->grid, sizeof(k->grid));
    memcpy(k->block, shape->block, sizeof(k->block));
    k->random = 2463534242u;
    c->build(k);
}

void kt_finish(struct kt *k)
{
    for (size_t i = 0; i < k->nbuffers; i++) {
        free(k->buffers[i].in);
        free(k->buffers[i].want);
        free(k->buffers[i].got[0]);
        free(k->buffers[i].got[1]);
    }
}

const char *kt_name(const struct kt_case *c, const struct kt *k, char *text, size_t size)
{
    snprintf(text, size, "%s.%s (%u,%u,%u)x(%u,%u,%u)", c->file, c->kernel, k->grid[0], k->grid[1], k->grid[2], k->block[0],
        k->block[1], k->block[2]);
    return text;
}

/* ------------------------------------------------------------------------------------------------------------------ comparing */

static bool is_nan(const struct kt_buffer *b, const void *values, size_t i)
{
    return b->type == KT_F32 ? isnan(((const float *)values)[i]) : b->type == KT_F64 && isnan(((const double *)values)[i]);
}

static double value(const struct kt_buffer *b, const void *values, size_t i)
{
    return b->type == KT_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

static bool is_exact(const struct kt_buffer *b)
{
    return b->tolerance.absolute == 0 && b->tolerance.relative == 0;
}

/* A NaN is as good as another. */
static bool close_enough(const struct kt_buffer *b, const void *got, const void *want, size_t i)
{
    double g, w;

    if (is_nan(b, got, i) && is_nan(b, want, i))
        return true;
    if (memcmp((const char *)got + i * type_bytes[b->type], (const char *)want + i * type_bytes[b->type], type_bytes[b->type]) ==
        0)
        return true;
    if (is_exact(b))
        return false;
    g = value(b, got, i);
    w = value(b, want, i);
    return fabs(g - w) <= b->tolerance.absolute + b->tolerance.relative * fabs(w);
}

static const char *show(const struct kt_buffer *b, const void *values, size_t i, char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)values + i * type_bytes[b->type];
    uint64_t bits = 0;

    memcpy(&bits, p, type_bytes[b->type]);
    if (b->type == KT_F32 || b->type == KT_F64)
        snprintf(text, size, "%.17g (0x%llx)", value(b, values, i), (unsigned long long)bits);
    else
        snprintf(text, size, "%llu (0x%llx)", (unsigned long long)bits, (unsigned long long)bits);
    return text;
}

static bool same(const struct kt_buffer *b, size_t index, const void *got, const void *want, char *error, size_t size)
{
    size_t wrong = 0, first = 0;
    char g[64], w[64];

    for (size_t i = 0; i < b->count; i++)
        if (!close_enough(b, got, want, i) && wrong++ == 0)
            first = i;
    if (wrong)
        snprintf(error, size, "buffer %zu: %zu of %zu values differ; [%zu] is %s, wanted %s", index, wrong, b->count, first,
            show(b, got, first, g, sizeof(g)), show(b, want, first, w, sizeof(w)));
    return wrong == 0;
}

bool kt_matches_reference(const struct kt *k, char *error, size_t size)
{
    for (size_t i = 0; i < k->nbuffers; i++) {
        const struct kt_buffer *b = &k->buffers[i];

        if (b->compared && !same(b, i, b->got[0], b->want ? b->want : b->in, error, size))
            return false;
    }
    return true;
}

bool kt_matches_each_other(const struct kt *k, char *error, size_t size)
{
    for (size_t i = 0; i < k->nbuffers; i++)
        if (k->buffers[i].compared && !same(&k->buffers[i], i, k->buffers[i].got[1], k->buffers[i].got[0], error, size))
            return false;
    return true;
}

static uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        digest = (digest ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return digest;
}

uint64_t kt_digest(const struct kt *k)
{
    uint64_t digest = 0xcbf29ce484222325u;

    for (size_t n = 0; n < k->nbuffers; n++) {
        const struct kt_buffer *b = &k->buffers[n];
        size_t each = type_bytes[b->type];

        for (size_t i = 0; b->compared && is_exact(b) && i < b->count; i++)
            digest = is_nan(b, b->got[0], i) ? digest_bytes(digest, "NaN", 3)
                                             : digest_bytes(digest, (const char *)b->got[0] + i * each, each);
    }
    return digest;
}
