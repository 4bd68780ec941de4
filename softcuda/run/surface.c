/* surface.c - surface loads, stores and reductions: one lane after another, in C. */
#include <stdatomic.h>
#include <string.h>

#include "softcuda/run/half.h"
#include "softcuda/run/texture.h"

/* One access: so many elements of so many bytes at a place of the image. */
struct access {
    const struct sc_image *image;
    uint32_t form;
    unsigned n, bytes; /* elements, and bytes of each in memory */
};

static int64_t clamp(int64_t v, int64_t most)
{
    return v < 0 ? 0 : v > most ? most : v;
}

/* The place, or NULL: outside, and nothing is to be done there. */
static unsigned char *place(struct sc_warp *w, const struct access *a, const uint32_t *c)
{
    const struct sc_image *m = a->image;
    enum sc_geometry g = SC_SURF_GEOMETRY(a->form);
    bool layers = g == SC_1D_LAYERS || g == SC_2D_LAYERS;
    unsigned texel = sc_texel_bytes(m->texel) * m->channels;
    int64_t x = (int32_t)c[layers], y = 0, z = layers ? (int32_t)c[0] : 0;
    int64_t last_x = (int64_t)m->width * texel - (int64_t)a->n * a->bytes, last_y = (int64_t)m->height - 1,
            last_z = (int64_t)m->depth - 1;

    if (g == SC_2D || g == SC_3D || g == SC_2D_LAYERS)
        y = (int32_t)c[layers + 1];
    if (g == SC_3D)
        z = (int32_t)c[2];
    if (a->form & SC_SURF_TEXELS)
        x *= texel;
    if (x % a->bytes)
        sc_rt_fault(w, SC_FAULT_MISALIGNED, (uint64_t)x);
    if (x < 0 || y < 0 || z < 0 || x > last_x || y > last_y || z > last_z) {
        if (SC_SURF_OUTSIDE(a->form) == SC_OUTSIDE_TRAP)
            sc_rt_fault(w, SC_FAULT_ILLEGAL_ADDRESS,
                (uint64_t)(uintptr_t)m->data + (uint64_t)(z * (int64_t)m->slice + y * (int64_t)m->pitch + x));
        if (SC_SURF_OUTSIDE(a->form) == SC_OUTSIDE_ZERO || last_x < 0)
            return NULL;
        x = clamp(x, last_x);
        y = clamp(y, last_y);
        z = clamp(z, last_z);
    }
    return m->data + (uint64_t)z * m->slice + (uint64_t)y * m->pitch + (uint64_t)x;
}

/* .p: f32, s32 or u32, as the surface's texels are, to what a texel holds. */
static uint64_t to_texel(uint32_t word, enum sc_texel texel)
{
    int32_t s = (int32_t)word;
    float f;

    switch (texel) {
    case SC_TEXEL_U8:
        return word > 0xff ? 0xff : word;
    case SC_TEXEL_U16:
        return word > 0xffff ? 0xffff : word;
    case SC_TEXEL_S8:
        return (uint64_t)(s < -128 ? -128 : s > 127 ? 127 : s);
    case SC_TEXEL_S16:
        return (uint64_t)(s < -32768 ? -32768 : s > 32767 ? 32767 : s);
    case SC_TEXEL_F16:
        memcpy(&f, &word, sizeof(f));
        return sc_float_to_half(f);
    default:
        return word;
    }
}

static uint64_t combine(uint64_t old, uint64_t v, uint32_t form)
{
    bool narrow = SC_SURF_BYTES(form) == 4, is_signed = form & SC_SURF_SIGNED;
    int64_t so = narrow ? (int32_t)old : (int64_t)old, sv = narrow ? (int32_t)v : (int64_t)v;
    bool less = is_signed ? sv < so : v < old;

    switch (SC_SURF_OP(form)) {
    case SC_SURFACE_ADD:
        return old + v;
    case SC_SURFACE_MIN:
        return less ? v : old;
    case SC_SURFACE_MAX:
        return less ? old : v;
    case SC_SURFACE_AND:
        return old & v;
    default:
        return old | v;
    }
}

static void reduce(unsigned char *p, uint64_t v, uint32_t form)
{
    if (SC_SURF_BYTES(form) == 8) {
        _Atomic uint64_t *at = (_Atomic uint64_t *)(void *)p;
        uint64_t old = atomic_load(at);
        while (!atomic_compare_exchange_weak(at, &old, combine(old, v, form))) {
        }
    } else {
        _Atomic uint32_t *at = (_Atomic uint32_t *)(void *)p;
        uint32_t old = atomic_load(at);
        while (!atomic_compare_exchange_weak(at, &old, (uint32_t)combine(old, (uint32_t)v, form))) {
        }
    }
}

static void access_lane(struct sc_warp *w, const struct access *a, const uint32_t *c, uint64_t *value)
{
    unsigned char *p = place(w, a, c);
    bool load = SC_SURF_OP(a->form) == SC_SURFACE_LOAD;

    for (unsigned i = 0; i < a->n; i++) {
        uint64_t *v = &value[i * SC_LANES];
        if (load) {
            *v = 0;
            if (p)
                memcpy(v, p + i * a->bytes, a->bytes);
        } else if (p && SC_SURF_OP(a->form) == SC_SURFACE_STORE) {
            uint64_t x = a->form & SC_SURF_TEXELS ? to_texel((uint32_t)*v, a->image->texel) : *v;
            memcpy(p + i * a->bytes, &x, a->bytes);
        } else if (p) {
            reduce(p, *v, a->form);
        }
    }
}

void sc_rt_surface(
    struct sc_warp *w, uint32_t lanes, uint32_t form, const uint64_t *object, const uint32_t *coords, uint64_t *value)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        uint32_t c[4] = { coords[l], coords[SC_LANES + l], coords[2 * SC_LANES + l], coords[3 * SC_LANES + l] };
        const struct sc_texture *t = sc_texture_find(object[l]);
        struct access a = { .form = form, .n = SC_SURF_VECTOR(form), .bytes = SC_SURF_BYTES(form) };

        if (!t || !t->surface)
            sc_rt_fault(w, SC_FAULT_ILLEGAL_ADDRESS, object[l]);
        a.image = &t->image;
        if (form & SC_SURF_TEXELS && SC_SURF_OP(form) == SC_SURFACE_STORE) {
            a.bytes = sc_texel_bytes(t->image.texel);
            if (a.n > t->image.channels)
                a.n = t->image.channels;
        }
        access_lane(w, &a, c, value + l);
    }
}
