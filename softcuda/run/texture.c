/* texture.c - the table of texture and surface objects, and texture fetches: one lane after another, in C.
 *
 * Filtering is the CUDA programming guide's: weights have 8 bits of fraction. Coordinates are rounded as an H200 does it; what it does
 * inside a filter is not known, so that filtered values differ in their last bits (of 8-bit texels: in the 16th bit). Texels are read
 * through pointers that the driver checked when the object was made; memory that was freed since then faults. */
#include "softcuda/run/texture.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/run/half.h"

#define CHUNK 256u /* slots */
#define CHUNKS 4096u
#define FRACTION 256            /* of a filter's weight */
#define NORMALIZED_UNITS 0x1p21 /* what a GPU keeps of a normalised coordinate: seen on an H200 */

static struct sc_texture *_Atomic chunks[CHUNKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* who takes and frees slots */
static uint32_t used;                                    /* slots that were ever taken */
static uint64_t serial;

/* ---- objects */

static struct sc_texture *slot(uint32_t i)
{
    struct sc_texture *chunk = i / CHUNK < CHUNKS ? atomic_load(&chunks[i / CHUNK]) : NULL;

    return chunk ? &chunk[i % CHUNK] : NULL;
}

static struct sc_texture *free_slot(uint32_t *index)
{
    struct sc_texture *chunk;

    for (*index = 0; *index < used; ++*index)
        if (!atomic_load(&slot(*index)->handle))
            return slot(*index);
    if (used == CHUNK * CHUNKS)
        return NULL;
    if (used % CHUNK == 0) {
        if (!(chunk = calloc(CHUNK, sizeof(*chunk))))
            return NULL;
        atomic_store(&chunks[used / CHUNK], chunk);
    }
    return slot(used++);
}

uint64_t sc_texture_add(const struct sc_image *image, const struct sc_sampler *sampler, bool surface, void *owner)
{
    static const struct sc_sampler none;
    struct sc_texture *t;
    uint64_t handle = 0;
    uint32_t index;

    pthread_mutex_lock(&lock);
    if ((t = free_slot(&index))) {
        t->image = *image;
        t->sampler = sampler ? *sampler : none;
        t->surface = surface;
        t->owner = owner;
        handle = ++serial << 20 | index;
        atomic_store(&t->handle, handle);
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

struct sc_texture *sc_texture_find(uint64_t handle)
{
    struct sc_texture *t = handle ? slot((uint32_t)handle & (CHUNK * CHUNKS - 1)) : NULL;

    return t && atomic_load(&t->handle) == handle ? t : NULL;
}

bool sc_texture_remove(uint64_t handle, bool surface, void **owner)
{
    struct sc_texture *t;

    pthread_mutex_lock(&lock);
    t = sc_texture_find(handle);
    if (t && t->surface != surface)
        t = NULL;
    if (t) {
        *owner = t->owner;
        atomic_store(&t->handle, 0);
    }
    pthread_mutex_unlock(&lock);
    return t;
}

unsigned sc_texel_bytes(enum sc_texel texel)
{
    static const uint8_t bytes[] = { 1, 2, 4, 1, 2, 4, 2, 4 };

    return bytes[texel];
}

/* ---- one texel as four words: floats, or integers where the sampler says so */

static uint32_t word_of(float f)
{
    uint32_t word;

    memcpy(&word, &f, sizeof(word));
    return word;
}

static float float_of(uint32_t word)
{
    float f;

    memcpy(&f, &word, sizeof(f));
    return f;
}

static int32_t integer_channel(const unsigned char *p, enum sc_texel texel)
{
    uint16_t half;
    int32_t word;

    switch (texel) {
    case SC_TEXEL_U8:
        return p[0];
    case SC_TEXEL_S8:
        return (int8_t)p[0];
    case SC_TEXEL_U16:
    case SC_TEXEL_S16:
    case SC_TEXEL_F16:
        memcpy(&half, p, sizeof(half));
        return texel == SC_TEXEL_S16 ? (int16_t)half : half;
    default:
        memcpy(&word, p, sizeof(word));
        return word;
    }
}

static float linear_of_srgb(float c)
{
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

static float normalize(int32_t v, enum sc_texel texel)
{
    switch (texel) {
    case SC_TEXEL_U8:
        return (float)v / 255.0f;
    case SC_TEXEL_S8:
        return v < -127 ? -1.0f : (float)v / 127.0f;
    case SC_TEXEL_U16:
        return (float)v / 65535.0f;
    default:
        return v < -32767 ? -1.0f : (float)v / 32767.0f;
    }
}

/* Integers of 32 bits are never normalised. */
static bool is_normalized(const struct sc_texture *t)
{
    return !t->sampler.as_integer &&
        (t->image.texel <= SC_TEXEL_U16 || t->image.texel == SC_TEXEL_S8 || t->image.texel == SC_TEXEL_S16);
}

static uint32_t channel(const struct sc_texture *t, const unsigned char *p, unsigned which)
{
    int32_t v = integer_channel(p, t->image.texel);
    float f;

    if (t->image.texel == SC_TEXEL_F16)
        return word_of(sc_half_to_float((uint16_t)v));
    if (!is_normalized(t))
        return (uint32_t)v;
    f = normalize(v, t->image.texel);
    return word_of(t->sampler.srgb && which < 3 ? linear_of_srgb(f) : f);
}

struct texel {
    uint32_t word[4];
};

/* A negative coordinate: outside, by sc_address. */
static struct texel texel_at(const struct sc_texture *t, int64_t x, int64_t y, int64_t z)
{
    const struct sc_image *m = &t->image;
    unsigned bytes = sc_texel_bytes(m->texel);
    struct texel out = { { 0 } };
    const unsigned char *p;

    if (x < 0 || y < 0 || z < 0) {
        for (unsigned i = 0; i < m->channels && !m->linear; i++)
            out.word[i] = word_of(t->sampler.border[i]);
        return out;
    }
    p = m->data + (uint64_t)z * m->slice + (uint64_t)y * m->pitch + (uint64_t)x * bytes * m->channels;
    for (unsigned i = 0; i < m->channels; i++)
        out.word[i] = channel(t, p + i * bytes, i);
    return out;
}

/* ---- coordinates */

static int64_t modulo(int64_t i, int64_t n)
{
    return (i % n + n) % n;
}

/* The texel that stands for number i of n; -1: none does. */
static int64_t address(int64_t i, uint32_t n, enum sc_address_mode mode)
{
    int64_t m;

    switch (mode) {
    case SC_ADDRESS_WRAP:
        return modulo(i, n);
    case SC_ADDRESS_MIRROR:
        m = modulo(i, 2 * (int64_t)n);
        return m < n ? m : 2 * (int64_t)n - 1 - m;
    case SC_ADDRESS_BORDER:
        return i < 0 || i >= n ? -1 : i;
    default:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

/* Where a coordinate falls among n texels: the lower of two neighbours, and the weight of the upper one in FRACTIONs. */
struct place {
    int64_t at[2];
    int weight;
};

static double bounded(double x)
{
    return x != x ? 0 : x < -1e9 ? -1e9 : x > 1e9 ? 1e9 : x;
}

static enum sc_address_mode mode_of(const struct sc_sampler *s, unsigned axis)
{
    enum sc_address_mode mode = s->address[axis];

    /* Coordinates that are not normalised cannot wrap. */
    return !s->normalized && (mode == SC_ADDRESS_WRAP || mode == SC_ADDRESS_MIRROR) ? SC_ADDRESS_CLAMP : mode;
}

static struct place place_float(const struct sc_sampler *s, float coordinate, uint32_t n, unsigned axis, bool between)
{
    enum sc_address_mode mode = mode_of(s, axis);
    double x = coordinate;
    int64_t fixed;
    struct place p = { .weight = 0 };

    x = bounded(x);
    if (s->normalized)
        x = floor(x * NORMALIZED_UNITS) / NORMALIZED_UNITS * n;
    if (!between) {
        p.at[0] = p.at[1] = address((int64_t)floor(x), n, mode);
        return p;
    }
    fixed = (int64_t)floor((x - 0.5) * FRACTION + 0.5);
    p.at[0] = address(fixed >> 8, n, mode);
    p.at[1] = address((fixed >> 8) + 1, n, mode);
    p.weight = (int)(fixed & (FRACTION - 1));
    return p;
}

static struct place place_integer(const struct sc_texture *t, int32_t i, uint32_t n, unsigned axis)
{
    struct place p = { .weight = 0 };

    p.at[0] = p.at[1] = t->image.linear ? (i < 0 || (uint32_t)i >= n ? -1 : i) : address(i, n, mode_of(&t->sampler, axis));
    return p;
}

/* ---- a fetch */

struct fetch {
    struct place x, y, z;
};

/* A cube's direction: the face, and where on it, from 0 to 1. */
static unsigned face_of(const float d[3], float *s, float *t)
{
    float ax = fabsf(d[0]), ay = fabsf(d[1]), az = fabsf(d[2]), m, u, v;
    unsigned face;

    if (ax >= ay && ax >= az) {
        face = d[0] < 0;
        m = ax;
        u = face ? d[2] : -d[2];
        v = -d[1];
    } else if (ay >= az) {
        face = 2 + (d[1] < 0);
        m = ay;
        u = d[0];
        v = face == 3 ? -d[2] : d[2];
    } else {
        face = 4 + (d[2] < 0);
        m = az;
        u = face == 5 ? -d[0] : d[0];
        v = -d[1];
    }
    *s = (u / m + 1.0f) / 2.0f;
    *t = (v / m + 1.0f) / 2.0f;
    return face;
}

static struct place layer(const struct sc_texture *t, uint32_t i)
{
    uint32_t last = t->image.depth - 1;

    return (struct place){ .at = { i > last ? last : i, i > last ? last : i } };
}

static struct fetch locate_cube(const struct sc_texture *t, const uint32_t *c, bool layers, bool between)
{
    struct sc_sampler s = t->sampler;
    float d[3] = { float_of(c[layers]), float_of(c[layers + 1]), float_of(c[layers + 2]) }, u, v;
    unsigned face = face_of(d, &u, &v);
    struct fetch f;

    s.normalized = true;
    s.address[0] = s.address[1] = SC_ADDRESS_CLAMP;
    f.x = place_float(&s, u, t->image.width, 0, between);
    f.y = place_float(&s, v, t->image.height, 1, between);
    f.z = layer(t, (layers ? 6 * c[0] : 0) + face);
    return f;
}

static struct place along(const struct sc_texture *t, uint32_t form, uint32_t word, uint32_t n, unsigned axis, bool between)
{
    return form & SC_TEX_FLOAT ? place_float(&t->sampler, float_of(word), n, axis, between)
                               : place_integer(t, (int32_t)word, n, axis);
}

static struct fetch locate(const struct sc_texture *t, uint32_t form, const uint32_t *c, bool between)
{
    enum sc_geometry g = SC_TEX_GEOMETRY(form);
    unsigned layers = g == SC_1D_LAYERS || g == SC_2D_LAYERS;
    const struct sc_image *m = &t->image;
    struct fetch f = { .x = { .weight = 0 } };

    if (g == SC_CUBE || g == SC_CUBE_LAYERS)
        return locate_cube(t, c, g == SC_CUBE_LAYERS, between);
    f.x = along(t, form, c[layers], m->width, 0, between);
    if (g != SC_1D && g != SC_1D_LAYERS)
        f.y = along(t, form, c[layers + 1], m->height, 1, between);
    else if (between) /* a GPU filters between the row and what lies above it: seen where that is a border */
        f.y = place_float(&t->sampler, 0.0f, 1, 1, true);
    if (g == SC_3D)
        f.z = along(t, form, c[2], m->depth, 2, between);
    if (layers)
        f.z = layer(t, c[0]);
    return f;
}

static struct texel blend(const struct sc_texture *t, const struct fetch *f)
{
    float sum[4] = { 0 };
    struct texel out;

    for (unsigned corner = 0; corner < 8; corner++) {
        unsigned x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        int weight = (x ? f->x.weight : FRACTION - f->x.weight) * (y ? f->y.weight : FRACTION - f->y.weight);
        struct texel part;
        weight *= z ? f->z.weight : FRACTION - f->z.weight;
        if (!weight)
            continue;
        part = texel_at(t, f->x.at[x], f->y.at[y], f->z.at[z]);
        for (unsigned i = 0; i < 4; i++)
            sum[i] += float_of(part.word[i]) * ((float)weight / (FRACTION * FRACTION * FRACTION));
    }
    for (unsigned i = 0; i < 4; i++)
        out.word[i] = word_of(t->image.texel == SC_TEXEL_F16 ? sc_half_to_float(sc_float_to_half(sum[i])) : sum[i]);
    return out;
}

static struct texel gather(const struct sc_texture *t, const struct fetch *f, unsigned which)
{
    const struct place *x = &f->x, *y = &f->y;
    int64_t z = f->z.at[0];

    return (struct texel){ { texel_at(t, x->at[0], y->at[1], z).word[which], texel_at(t, x->at[1], y->at[1], z).word[which],
        texel_at(t, x->at[1], y->at[0], z).word[which], texel_at(t, x->at[0], y->at[0], z).word[which] } };
}

static struct texel fetch(const struct sc_texture *t, uint32_t form, const uint32_t *c)
{
    bool floats = is_normalized(t) || t->image.texel >= SC_TEXEL_F16;
    bool between = (t->sampler.filter && floats && form & SC_TEX_FLOAT) || form & SC_TEX_GATHER;
    struct fetch f = locate(t, form, c, between);

    if (form & SC_TEX_GATHER)
        return gather(t, &f, SC_TEX_CHANNEL(form));
    if (SC_TEX_GEOMETRY(form) == SC_1D && !(form & SC_TEX_FLOAT) && !t->image.linear)
        return (struct texel){ { 0 } }; /* an array is no linear memory: a GPU reads zeroes */
    return between ? blend(t, &f) : texel_at(t, f.x.at[0], f.y.at[0], f.z.at[0]);
}

static struct sc_texture *object_of(struct sc_warp *w, uint64_t handle)
{
    struct sc_texture *t = sc_texture_find(handle);

    if (!t)
        sc_rt_fault(w, SC_FAULT_ILLEGAL_ADDRESS, handle);
    return t;
}

void sc_rt_texture(
    struct sc_warp *w, uint32_t lanes, uint32_t form, const uint64_t *object, const uint32_t *coords, uint32_t *result)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        uint32_t c[4] = { coords[l], coords[SC_LANES + l], coords[2 * SC_LANES + l], coords[3 * SC_LANES + l] };
        struct texel x = fetch(object_of(w, object[l]), form, c);

        for (unsigned i = 0; i < 4 && form & (SC_TEX_HALVES | SC_TEX_PAIRS); i++)
            x.word[i] = sc_float_to_half(float_of(x.word[i]));
        for (unsigned i = 0; i < 2 && form & SC_TEX_PAIRS; i++)
            x.word[i] = x.word[2 * i] | x.word[2 * i + 1] << 16;
        for (unsigned i = 0; i < 4; i++)
            result[i * SC_LANES + l] = x.word[i];
    }
}

static uint32_t answer(const struct sc_texture *t, enum sc_query query)
{
    switch (query) {
    case SC_QUERY_WIDTH:
        return t->image.width;
    case SC_QUERY_HEIGHT:
        return t->image.flat ? 0 : t->image.height;
    case SC_QUERY_DEPTH:
        return t->image.depth;
    case SC_QUERY_NORMALIZED:
        return t->sampler.normalized;
    case SC_QUERY_FILTER:
        return t->sampler.filter;
    case SC_QUERY_ADDRESS_0:
    case SC_QUERY_ADDRESS_1:
    case SC_QUERY_ADDRESS_2:
        return t->sampler.address[query - SC_QUERY_ADDRESS_0];
    default:
        return 1;
    }
}

void sc_rt_texture_query(struct sc_warp *w, uint32_t lanes, uint32_t query, const uint64_t *object, uint32_t *result)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);

        result[l] = answer(object_of(w, object[l]), query);
    }
}
