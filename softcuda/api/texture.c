/* texture.c - texture and surface objects: what they say, checked, and put into run/'s table. */
#include <string.h>

#include "softcuda/api/array.h"

#define FLAGS \
    (CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | \
        CU_TRSF_SEAMLESS_CUBEMAP)
#define MOST_LINEAR ((size_t)1 << 27) /* texels */

/* What the object was made of, for who asks. */
struct texture {
    uint32_t magic;
    CUcontext context;
    uint64_t handle;
    bool surface, has_view;
    struct sc_abi_resource resource;
    struct sc_abi_sampler sampler;
    struct sc_abi_view view;
    struct texture *next; /* of those that are dropped */
};

static struct sc_handles textures = SC_HANDLES(struct texture);

/* ---- descriptions to images and samplers */

static CUresult image_of_memory(
    int format, unsigned channels, uint64_t data, size_t width, size_t height, size_t pitch, struct sc_image *m)
{
    enum sc_texel texel;

    if (!sc_texel_of(format, &texel) || (channels != 1 && channels != 2 && channels != 4) || !width || !height)
        return CUDA_ERROR_INVALID_VALUE;
    if (width > MOST_LINEAR || height > MOST_LINEAR || pitch < width * channels * sc_texel_bytes(texel) ||
        data % (channels * sc_texel_bytes(texel)) ||
        !sc_mem_holds(data, (height - 1) * pitch + width * channels * sc_texel_bytes(texel)))
        return CUDA_ERROR_INVALID_VALUE;
    *m = (struct sc_image){ .data = (unsigned char *)(uintptr_t)data,
        .width = (uint32_t)width,
        .height = (uint32_t)height,
        .depth = 1,
        .pitch = pitch,
        .slice = pitch * height,
        .texel = texel,
        .channels = (uint8_t)channels };
    return CUDA_SUCCESS;
}

static CUresult image_of_row(const struct sc_abi_resource *d, struct sc_image *m)
{
    enum sc_texel texel;
    size_t each = sc_texel_of(d->of.linear.format, &texel) ? sc_texel_bytes(texel) * (size_t)d->of.linear.channels : 0, width;
    CUresult r;

    if (!each)
        return CUDA_ERROR_INVALID_VALUE;
    width = d->of.linear.size / each;
    r = image_of_memory(d->of.linear.format, d->of.linear.channels, d->of.linear.data, width, 1, width * each, m);
    m->linear = m->flat = true;
    return r;
}

static CUresult image_of(const struct sc_abi_resource *d, struct sc_image *m)
{
    CUresult r;

    if (d->flags)
        return CUDA_ERROR_INVALID_VALUE;
    switch (d->type) {
    case CU_RESOURCE_TYPE_ARRAY:
        if ((r = sc_array_check(d->of.array)))
            return r;
        *m = d->of.array->image;
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
        return image_of_row(d, m);
    case CU_RESOURCE_TYPE_PITCH2D:
        return image_of_memory(d->of.pitch2d.format, d->of.pitch2d.channels, d->of.pitch2d.data, d->of.pitch2d.width,
            d->of.pitch2d.height, d->of.pitch2d.pitch, m);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static bool stays_integer(const struct sc_abi_sampler *d, enum sc_texel texel)
{
    return texel == SC_TEXEL_U32 || texel == SC_TEXEL_S32 || (texel < SC_TEXEL_F16 && d->flags & CU_TRSF_READ_AS_INTEGER);
}

static CUresult sampler_of(const struct sc_abi_sampler *d, const struct sc_image *m, struct sc_sampler *s)
{
    if (d->flags & ~(unsigned)FLAGS || d->filter < CU_TR_FILTER_MODE_POINT || d->filter > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    *s = (struct sc_sampler){ .filter = d->filter == CU_TR_FILTER_MODE_LINEAR,
        .normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES,
        .as_integer = d->flags & CU_TRSF_READ_AS_INTEGER,
        .srgb = d->flags & CU_TRSF_SRGB };
    for (unsigned i = 0; i < 3; i++) {
        if (d->address[i] < CU_TR_ADDRESS_MODE_WRAP || d->address[i] > CU_TR_ADDRESS_MODE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        s->address[i] = (uint8_t)d->address[i]; /* the numbers are the same */
    }
    memcpy(s->border, d->border, sizeof(s->border));
    return s->filter && stays_integer(d, m->texel) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* A view may say what is the case. */
static CUresult check_view(const struct sc_abi_view *v, const struct sc_image *m)
{
    if (v->format || v->first_level || v->last_level)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (v->width > m->width || v->height > m->height || v->depth > m->depth)
        return CUDA_ERROR_INVALID_VALUE;
    return v->first_layer ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

/* ---- objects */

static CUresult enter(
    const struct texture *model, const struct sc_image *image, const struct sc_sampler *sampler, uint64_t *handle)
{
    struct texture *t = sc_handle_new(&textures, SC_TEXTURE);

    if (!t)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy((char *)t + sizeof(t->magic), (const char *)model + sizeof(t->magic), sizeof(*t) - sizeof(t->magic));
    t->handle = *handle = sc_texture_add(image, sampler, t->surface, t);
    if (*handle)
        return CUDA_SUCCESS;
    sc_handle_free(&textures, t);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult find(uint64_t handle, bool surface, struct texture **t)
{
    struct sc_texture *found = sc_texture_find(handle);
    CUresult r = sc_ready();

    if (r)
        return r;
    if (!found || found->surface != surface)
        return CUDA_ERROR_INVALID_VALUE;
    *t = found->owner;
    return sc_check_context((*t)->context);
}

static CUresult destroy(uint64_t handle, bool surface)
{
    struct texture *t;
    void *owner;
    CUresult r = find(handle, surface, &t);

    if (r)
        return r;
    sc_context_drain(t->context);
    if (!sc_texture_remove(handle, surface, &owner))
        return CUDA_ERROR_INVALID_VALUE;
    sc_handle_free(&textures, owner);
    return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
    const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct texture t = { .has_view = view };
    struct sc_sampler sampler;
    struct sc_image image;
    uint64_t handle;
    CUresult r = sc_enter(&t.context);

    if (r)
        return r;
    if (!object || !resource || !texture)
        return CUDA_ERROR_INVALID_VALUE;
    t.resource = *resource;
    t.sampler = *texture;
    if (view)
        t.view = *view;
    if ((r = image_of(&t.resource, &image)) || (r = sampler_of(&t.sampler, &image, &sampler)) ||
        (r = view ? check_view(&t.view, &image) : CUDA_SUCCESS) || (r = enter(&t, &image, &sampler, &handle)))
        return r;
    *object = handle;
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    struct texture t = { .surface = true };
    struct sc_image image;
    uint64_t handle;
    CUresult r = sc_enter(&t.context);

    if (r)
        return r;
    if (!object || !resource || resource->type != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    t.resource = *resource;
    if ((r = image_of(&t.resource, &image)))
        return r;
    if (!(t.resource.of.array->description.flags & CUDA_ARRAY3D_SURFACE_LDST))
        return CUDA_ERROR_INVALID_VALUE;
    if ((r = enter(&t, &image, NULL, &handle)))
        return r;
    *object = handle;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    return destroy(object, false);
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    return destroy(object, true);
}

/* there: does the object have one? */
#define GET(name, type, is_surface, there, member) \
    CUresult name(type *d, unsigned long long object) \
    { \
        struct texture *t; \
        CUresult r = find(object, is_surface, &t); \
        if (r || !d || !(there)) \
            return r ? r : CUDA_ERROR_INVALID_VALUE; \
        *d = t->member; \
        return CUDA_SUCCESS; \
    }
GET(cuTexObjectGetResourceDesc, CUDA_RESOURCE_DESC, false, true, resource)
GET(cuSurfObjectGetResourceDesc, CUDA_RESOURCE_DESC, true, true, resource)
GET(cuTexObjectGetTextureDesc, CUDA_TEXTURE_DESC, false, true, sampler)
GET(cuTexObjectGetResourceViewDesc, CUDA_RESOURCE_VIEW_DESC, false, t->has_view, view)

struct dropped {
    CUcontext context;
    struct texture *first;
};

static void drop(void *object, void *arg)
{
    struct texture *t = object;
    struct dropped *d = arg;

    if (t->context != d->context)
        return;
    t->next = d->first;
    d->first = t;
}

void sc_textures_drop(CUcontext c)
{
    struct dropped d = { c, NULL };
    struct texture *t;
    void *owner;

    sc_handles_each(&textures, drop, &d);
    while ((t = d.first)) {
        d.first = t->next;
        sc_texture_remove(t->handle, t->surface, &owner);
        sc_handle_free(&textures, t);
    }
}
