/* array.c - arrays: texels in device memory, row by row. */
#include <string.h>

#include "softcuda/api/array.h"

#define ROW_ALIGN 64u
#define FLAGS \
    (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER | \
        CUDA_ARRAY3D_COLOR_ATTACHMENT)
#define MOST_WIDTH 131072u
#define MOST_HEIGHT 65536u
#define MOST_DEPTH 16384u

static struct sc_handles arrays = SC_HANDLES(struct CUarray_st);

CUresult sc_array_check(CUarray a)
{
    return a && a->magic == SC_ARRAY ? sc_check_context(a->context) : CUDA_ERROR_INVALID_HANDLE;
}

bool sc_texel_of(int format, enum sc_texel *texel)
{
    static const struct {
        int format;
        enum sc_texel texel;
    } table[] = {
        { CU_AD_FORMAT_UNSIGNED_INT8, SC_TEXEL_U8 },
        { CU_AD_FORMAT_UNSIGNED_INT16, SC_TEXEL_U16 },
        { CU_AD_FORMAT_UNSIGNED_INT32, SC_TEXEL_U32 },
        { CU_AD_FORMAT_SIGNED_INT8, SC_TEXEL_S8 },
        { CU_AD_FORMAT_SIGNED_INT16, SC_TEXEL_S16 },
        { CU_AD_FORMAT_SIGNED_INT32, SC_TEXEL_S32 },
        { CU_AD_FORMAT_HALF, SC_TEXEL_F16 },
        { CU_AD_FORMAT_FLOAT, SC_TEXEL_F32 },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (table[i].format == format) {
            *texel = table[i].texel;
            return true;
        }
    return false;
}

static bool faces_are_right(const struct sc_abi_array3d *d)
{
    bool layered = d->flags & CUDA_ARRAY3D_LAYERED;

    if (!(d->flags & CUDA_ARRAY3D_CUBEMAP))
        return !layered || d->depth;
    return d->width == d->height && (layered ? d->depth && d->depth % 6 == 0 : d->depth == 6);
}

/* What the description means, but for memory. */
static CUresult shape(const struct sc_abi_array3d *d, struct sc_image *m)
{
    enum sc_texel texel;

    if (!d->width || !faces_are_right(d) || (d->depth && !d->height && !(d->flags & CUDA_ARRAY3D_LAYERED)))
        return CUDA_ERROR_INVALID_VALUE;
    if (d->channels != 1 && d->channels != 2 && d->channels != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (d->flags & ~(unsigned)FLAGS || !sc_texel_of(d->format, &texel))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (d->width > MOST_WIDTH || d->height > MOST_HEIGHT || d->depth > MOST_DEPTH)
        return CUDA_ERROR_INVALID_VALUE;
    *m = (struct sc_image){ .width = (uint32_t)d->width,
        .height = d->height ? (uint32_t)d->height : 1,
        .depth = d->depth ? (uint32_t)d->depth : 1,
        .texel = texel,
        .channels = (uint8_t)d->channels,
        .flat = !d->height };
    m->pitch = ((uint64_t)m->width * m->channels * sc_texel_bytes(texel) + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    m->slice = m->pitch * m->height;
    return CUDA_SUCCESS;
}

static CUresult create(CUarray *array, const struct sc_abi_array3d *d)
{
    struct sc_image image;
    CUcontext c;
    CUarray a;
    CUresult r = sc_enter(&c);
    uint64_t data;

    if (r || (r = array ? shape(d, &image) : CUDA_ERROR_INVALID_VALUE))
        return r;
    if (!(data = sc_devmem_alloc(c->device->memory, image.slice * image.depth, c, SC_KIND_ARRAY)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!(a = sc_handle_new(&arrays, SC_ARRAY))) {
        sc_devmem_free(c->device->memory, data, SC_KIND_ARRAY);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    image.data = (unsigned char *)(uintptr_t)data;
    a->context = c;
    a->description = *d;
    a->image = image;
    *array = a;
    return CUDA_SUCCESS;
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
    struct sc_abi_array3d full;

    if (!d)
        return CUDA_ERROR_INVALID_VALUE;
    full = (struct sc_abi_array3d){ .width = d->width, .height = d->height, .format = d->format, .channels = d->channels };
    return create(array, &full);
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    return d ? create(array, d) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArrayDestroy(CUarray a)
{
    CUresult r = sc_ready();

    if (r || (r = sc_array_check(a)))
        return r;
    sc_context_drain(a->context);
    sc_devmem_free(a->context->device->memory, (uint64_t)(uintptr_t)a->image.data, SC_KIND_ARRAY);
    sc_handle_free(&arrays, a);
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray a)
{
    CUresult r = sc_ready();

    if (r || (r = sc_array_check(a)))
        return r;
    if (!d)
        return CUDA_ERROR_INVALID_VALUE;
    *d = (CUDA_ARRAY_DESCRIPTOR){ a->description.width, a->description.height, a->description.format, a->description.channels };
    return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray a)
{
    CUresult r = sc_ready();

    if (r || (r = sc_array_check(a)))
        return r;
    if (!d)
        return CUDA_ERROR_INVALID_VALUE;
    *d = a->description;
    return CUDA_SUCCESS;
}

/* The names that cuda.h renames. */
#define SAME(name, original, params, args) \
    CUresult name params \
    { \
        return original args; \
    }
SAME(cuArrayCreate, cuArrayCreate_v2, (CUarray * array, const CUDA_ARRAY_DESCRIPTOR *d), (array, d))
SAME(cuArray3DCreate, cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *d), (array, d))
SAME(cuArrayGetDescriptor, cuArrayGetDescriptor_v2, (CUDA_ARRAY_DESCRIPTOR * d, CUarray array), (d, array))
SAME(cuArray3DGetDescriptor, cuArray3DGetDescriptor_v2, (CUDA_ARRAY3D_DESCRIPTOR * d, CUarray array), (d, array))

struct dropped {
    CUcontext context;
    struct CUarray_st *first;
};

static void drop(void *object, void *arg)
{
    struct CUarray_st *a = object;
    struct dropped *d = arg;

    if (a->context != d->context)
        return;
    a->next = d->first;
    d->first = a;
}

void sc_arrays_drop(CUcontext c)
{
    struct dropped d = { c, NULL };
    struct CUarray_st *a;

    sc_textures_drop(c);
    sc_handles_each(&arrays, drop, &d);
    while ((a = d.first)) {
        d.first = a->next;
        sc_handle_free(&arrays, a);
    }
}
