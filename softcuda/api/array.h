/* array.h - arrays, the textures and surfaces on them, and copies of boxes. Private to api/. */
#ifndef SOFTCUDA_API_ARRAY_H
#define SOFTCUDA_API_ARRAY_H

#include "softcuda/api/objects.h"
#include "softcuda/run/texture.h"

enum { SC_ARRAY = 0x61727279, SC_TEXTURE = 0x74657874 };
#define SC_KIND_ARRAY 0x61727279u /* sc_devmem's kind of an array's memory */

struct CUarray_st {
    uint32_t magic;
    CUcontext context;
    struct sc_abi_array3d description;
    struct sc_image image;
    struct CUarray_st *next; /* of those that are dropped */
};

/* array.c */
CUresult sc_array_check(CUarray); /* it exists, and so does its context */
bool sc_texel_of(int format, enum sc_texel *);
void sc_arrays_drop(CUcontext); /* arrays, textures and surfaces of a context that goes; its memory goes otherwise */

/* texture.c */
void sc_textures_drop(CUcontext);

/* copy3d.c: a box of bytes between two sides, each any memory or an array. */
struct sc_box {
    unsigned char *to, *from;
    size_t to_pitch, from_pitch, to_slice, from_slice, width, height, depth;
    bool pageable;
};
CUresult sc_box(const struct sc_abi_memcpy3d *, struct sc_box *); /* checked */
void sc_box_copy(const struct sc_box *);
void sc_box_run(const struct sc_box *, CUcontext); /* the same; memory that is gone poisons the context */

#endif
