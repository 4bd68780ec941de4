/* texture.h - textures and surfaces: objects by their handles, and what device code does with them.
 *
 * A handle is a number that device code may also make up: every number is safe to look up, at any time, by any thread. Slots are
 * never freed, only used again, and a slot says which handle it answers to. */
#ifndef SOFTCUDA_RUN_TEXTURE_H
#define SOFTCUDA_RUN_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "softcuda/run/warp.h"

enum sc_texel { SC_TEXEL_U8, SC_TEXEL_U16, SC_TEXEL_U32, SC_TEXEL_S8, SC_TEXEL_S16, SC_TEXEL_S32, SC_TEXEL_F16, SC_TEXEL_F32 };
unsigned sc_texel_bytes(enum sc_texel); /* of one channel */

/* Texels in device memory. */
struct sc_image {
    unsigned char *data;
    uint32_t width, height, depth; /* texels; 1 where there is no such dimension; depth: layers or faces as well */
    uint64_t pitch, slice;         /* bytes from row to row, and from slice to slice */
    enum sc_texel texel;
    uint8_t channels; /* 1, 2, 4 */
    bool linear;      /* plain memory, one row: what lies outside reads as 0 */
    bool flat;        /* of one dimension */
};

enum sc_address_mode { SC_ADDRESS_WRAP, SC_ADDRESS_CLAMP, SC_ADDRESS_MIRROR, SC_ADDRESS_BORDER };

struct sc_sampler {
    uint8_t address[3]; /* enum sc_address_mode, of x, y, z */
    bool filter;        /* linear, else the nearest texel */
    bool normalized;    /* coordinates run from 0 to 1 */
    bool as_integer;    /* integer texels stay integers, else they become 0 to 1, or -1 to 1 */
    bool srgb;
    float border[4];
};

struct sc_texture {
    _Atomic uint64_t handle; /* 0: free */
    struct sc_image image;
    struct sc_sampler sampler;
    bool surface;
    void *owner; /* the driver's own */
};

/* The handle, or 0 without memory. */
uint64_t sc_texture_add(const struct sc_image *, const struct sc_sampler *, bool surface, void *owner);
/* false: there is none of this kind; else *owner receives the driver's own. */
bool sc_texture_remove(uint64_t handle, bool surface, void **owner);
struct sc_texture *sc_texture_find(uint64_t handle); /* or NULL */

/* ---- for machine code
 *
 * form says which instruction it is; words are spilled vectors: word i of lane l at [i * SC_LANES + l]. */
enum sc_geometry { SC_1D, SC_2D, SC_3D, SC_1D_LAYERS, SC_2D_LAYERS, SC_CUBE, SC_CUBE_LAYERS };
#define SC_TEX_GEOMETRY(f) ((f)&7)
#define SC_TEX_FLOAT (1u << 3)  /* coordinates are f32, else s32 */
#define SC_TEX_HALVES (1u << 4) /* the result is f16, a word each */
#define SC_TEX_PAIRS (1u << 5)  /* the result is f16x2: two words */
#define SC_TEX_GATHER (1u << 6) /* tld4, of the channel ... */
#define SC_TEX_CHANNEL(f) ((f) >> 8 & 3)

void sc_rt_texture(
    struct sc_warp *, uint32_t lanes, uint32_t form, const uint64_t *object, const uint32_t *coords, uint32_t *result);

enum sc_outside { SC_OUTSIDE_TRAP, SC_OUTSIDE_CLAMP, SC_OUTSIDE_ZERO };
enum sc_surface_op {
    SC_SURFACE_LOAD,
    SC_SURFACE_STORE,
    SC_SURFACE_ADD,
    SC_SURFACE_MIN,
    SC_SURFACE_MAX,
    SC_SURFACE_AND,
    SC_SURFACE_OR
};
#define SC_SURF_GEOMETRY(f) ((f)&7)
#define SC_SURF_OUTSIDE(f) ((f) >> 3 & 3)
#define SC_SURF_OP(f) ((f) >> 5 & 7)
#define SC_SURF_TEXELS (1u << 8) /* .p: x counts texels and values are converted, else x counts bytes */
#define SC_SURF_SIGNED (1u << 9)
#define SC_SURF_VECTOR(f) ((f) >> 12 & 7) /* elements: 1, 2, 4 */
#define SC_SURF_BYTES(f) ((f) >> 16 & 15) /* of each: 1, 2, 4, 8 */

/* value: SC_SURF_VECTOR elements of a lane, in or out, as 64-bit words. */
void sc_rt_surface(
    struct sc_warp *, uint32_t lanes, uint32_t form, const uint64_t *object, const uint32_t *coords, uint64_t *value);

enum sc_query {
    SC_QUERY_WIDTH,
    SC_QUERY_HEIGHT,
    SC_QUERY_DEPTH,
    SC_QUERY_LEVELS,
    SC_QUERY_SAMPLES,
    SC_QUERY_NORMALIZED,
    SC_QUERY_FILTER,
    SC_QUERY_ADDRESS_0,
    SC_QUERY_ADDRESS_1,
    SC_QUERY_ADDRESS_2
};
void sc_rt_texture_query(struct sc_warp *, uint32_t lanes, uint32_t query, const uint64_t *object, uint32_t *result);

#endif
