/* texture.c - arrays, textures and surfaces through the driver: what is copied in comes out of a fetch, and what a kernel stores is
 * copied out. */
#include "cuda.h.inc"
#include <stdbool.h>

/* fetch(out, object, coordinates): out[4 * i] = tex of coordinates[i] and coordinates[n + i]; one block. */
#define FETCH(insn) \
    PTX_HEAD \
        ".visible .entry fetch(.param .u64 o, .param .u64 t, .param .u64 c)\n{\n" \
        ".reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %d<8>;\n" \
        "ld.param.u64 %d1, [o]; ld.param.u64 %d2, [t]; ld.param.u64 %d3, [c];\n" \
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mul.wide.u32 %d4, %r1, 4; add.s64 %d5, %d3, %d4; ld.global.f32 %f1, [%d5]; ld.global.b32 %r7, [%d5];\n" \
        "mul.wide.u32 %d6, %r2, 4; add.s64 %d5, %d5, %d6; ld.global.f32 %f2, [%d5];\n" insn \
        "\nmul.wide.u32 %d4, %r1, 16; add.s64 %d1, %d1, %d4; st.global.v4.b32 [%d1], {%r3, %r4, %r5, %r6};\nret;\n}\n"
#define TEX_2D FETCH("tex.2d.v4.f32.f32 {%r3, %r4, %r5, %r6}, [%d2, {%f1, %f2}];")

#define N 64
static float got[4 * N];

static void fetch(const char *ptx, CUtexObject t, const void *coordinates)
{
    CUdeviceptr o, c;
    CUmodule m;
    CUfunction f = function_of(&m, ptx, "fetch");
    void *args[] = { &o, &t, &c };

    CU(MemAlloc_v2, &o, sizeof(got));
    CU(MemAlloc_v2, &c, 2 * N * 4);
    CU(MemcpyHtoD_v2, c, coordinates, 2 * N * 4);
    CU(LaunchKernel, f, 1, 1, 1, N, 1, 1, 0, NULL, args, NULL);
    CU(MemcpyDtoH_v2, got, o, sizeof(got));
    CU(MemFree_v2, o);
    CU(MemFree_v2, c);
    CU(ModuleUnload, m);
}

static CUarray array_of(size_t width, size_t height, size_t depth, int format, unsigned channels, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d = { width, height, depth, format, channels, flags };
    CUarray a;

    CU(Array3DCreate_v2, &a, &d);
    return a;
}

static void fill(CUarray a, const void *from, size_t row, size_t height, size_t depth)
{
    CUDA_MEMCPY3D c = { .from = { .type = CU_MEMORYTYPE_HOST, .host = (void *)(uintptr_t)from, .pitch = row, .height = height },
        .to = { .type = CU_MEMORYTYPE_ARRAY, .array = a },
        .width = row,
        .height = height,
        .depth = depth };

    CU(Memcpy3D_v2, &c);
}

static CUtexObject texture_of(CUarray a, int filter, unsigned flags, int mode)
{
    CUDA_RESOURCE_DESC r = { .type = CU_RESOURCE_TYPE_ARRAY, .of.array = a };
    CUDA_TEXTURE_DESC d = { .address = { mode, mode, mode }, .filter = filter, .flags = flags, .border = { 9, 8, 7, 6 } };
    CUtexObject t;

    CU(TexObjectCreate, &t, &r, &d, NULL);
    return t;
}

static int wrapped(int i, int n, int mode)
{
    int m = ((i % (2 * n)) + 2 * n) % (2 * n);

    switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP:
        return m % n;
    case CU_TR_ADDRESS_MODE_MIRROR:
        return m < n ? m : 2 * n - 1 - m;
    case CU_TR_ADDRESS_MODE_CLAMP:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    default:
        return i < 0 || i >= n ? -1 : i;
    }
}

#define W 8
#define H 4
static void nearest_texels_by_every_address_mode(void **state)
{
    float texels[H][W], c[2][N];
    CUarray a;

    (void)state;
    start();
    for (int i = 0; i < W * H; i++)
        texels[i / W][i % W] = (float)i * 1.5f;
    for (int i = 0; i < N; i++) { /* in quarters of a texel, outside on both sides */
        c[0][i] = ((float)i - 24) / 4 / W;
        c[1][i] = ((float)(i * 7 % N) - 24) / 4 / H;
    }
    a = array_of(W, H, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    fill(a, texels, sizeof(texels[0]), H, 1);
    for (int mode = CU_TR_ADDRESS_MODE_WRAP; mode <= CU_TR_ADDRESS_MODE_BORDER; mode++) {
        CUtexObject t = texture_of(a, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES, mode);
        fetch(TEX_2D, t, c);
        for (int i = 0; i < N; i++) {
            int x = wrapped((i + 40) / 4 - 16, W, mode), y = wrapped((i * 7 % N + 40) / 4 - 16, H, mode);
            assert_true(got[4 * i] == (x < 0 || y < 0 ? 9 : texels[y][x]));
            assert_true(got[4 * i + 1] == 0 && got[4 * i + 3] == 0); /* channels that are not there */
        }
        CU(TexObjectDestroy, t);
    }
    CU(ArrayDestroy, a);
    stop();
}

static void filters_blend_neighbours(void **state)
{
    unsigned char texels[H][W][4];
    float c[2][N];
    CUtexObject t;
    CUarray a;

    (void)state;
    start();
    for (int i = 0; i < W * H * 4; i++)
        texels[i / 4 / W][i / 4 % W][i % 4] = (unsigned char)(i * 37);
    for (int i = 0; i < N; i++) {
        c[0][i] = (float)(i % 13) / 2 + 0.75f;
        c[1][i] = (float)(i % 5) / 2 + 1;
    }
    a = array_of(W, H, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0);
    fill(a, texels, sizeof(texels[0]), H, 1);
    t = texture_of(a, CU_TR_FILTER_MODE_LINEAR, 0, CU_TR_ADDRESS_MODE_CLAMP);
    fetch(TEX_2D, t, c);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++) {
            double x = c[0][i] - 0.5, y = c[1][i] - 0.5, fx = x - (int)x, fy = y - (int)y, want;
            int x0 = (int)x, y0 = (int)y, x1 = x0 + 1 < W ? x0 + 1 : W - 1, y1 = y0 + 1 < H ? y0 + 1 : H - 1;
            want = (texels[y0][x0][k] * (1 - fx) + texels[y0][x1][k] * fx) * (1 - fy) +
                (texels[y1][x0][k] * (1 - fx) + texels[y1][x1][k] * fx) * fy;
            assert_true(got[4 * i + k] > want / 255 - 0.003 && got[4 * i + k] < want / 255 + 0.003);
        }
    CU(TexObjectDestroy, t);
    CU(ArrayDestroy, a);
    stop();
}

static void integers_stay_integers_where_asked(void **state)
{
    int16_t texels[H][W][2];
    float c[2][N];
    uint32_t word;
    CUtexObject t;
    CUarray a;

    (void)state;
    start();
    for (int i = 0; i < W * H * 2; i++)
        texels[i / 2 / W][i / 2 % W][i % 2] = (int16_t)(i * 1237);
    for (int i = 0; i < N; i++) {
        c[0][i] = (float)(i % W);
        c[1][i] = (float)(i / W % H);
    }
    a = array_of(W, H, 0, CU_AD_FORMAT_SIGNED_INT16, 2, 0);
    fill(a, texels, sizeof(texels[0]), H, 1);
    t = texture_of(a, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER, CU_TR_ADDRESS_MODE_CLAMP);
    fetch(FETCH("tex.2d.v4.s32.f32 {%r3, %r4, %r5, %r6}, [%d2, {%f1, %f2}];"), t, c);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++) {
            memcpy(&word, &got[4 * i + k], sizeof(word));
            assert_int_equal((int32_t)word, texels[i / W % H][i % W][k]);
        }
    CU(TexObjectDestroy, t);
    t = texture_of(a, CU_TR_FILTER_MODE_POINT, 0, CU_TR_ADDRESS_MODE_CLAMP);
    fetch(TEX_2D, t, c);
    for (int i = 0; i < N; i++)
        assert_true(got[4 * i] == (texels[i / W % H][i % W][0] < -32767 ? -1 : (float)texels[i / W % H][i % W][0] / 32767));
    CU(TexObjectDestroy, t);
    CU(ArrayDestroy, a);
    stop();
}

static void plain_memory_may_be_a_texture(void **state)
{
    float values[256];
    int32_t c[2][N];
    CUDA_RESOURCE_DESC r = { .type = CU_RESOURCE_TYPE_LINEAR,
        .of.linear = { .format = CU_AD_FORMAT_FLOAT, .channels = 2, .size = 160 } },
                       back;
    CUDA_TEXTURE_DESC d = { .flags = 0 };
    CUtexObject t;
    CUdeviceptr p;

    (void)state;
    start();
    for (int i = 0; i < 256; i++)
        values[i] = (float)i + 0.5f;
    for (int i = 0; i < N; i++)
        c[0][i] = i - 20;
    CU(MemAlloc_v2, &p, sizeof(values));
    CU(MemcpyHtoD_v2, p, values, sizeof(values));
    r.of.linear.data = p;
    CU(TexObjectCreate, &t, &r, &d, NULL);
    fetch(FETCH("tex.1d.v4.f32.s32 {%r3, %r4, %r5, %r6}, [%d2, {%r7}];"), t, c);
    for (int i = 0; i < N; i++) {
        bool inside = i >= 20 && i < 40; /* what lies outside reads as 0, though the memory goes on */
        assert_true(got[4 * i] == (inside ? values[2 * (i - 20)] : 0));
        assert_true(got[4 * i + 1] == (inside ? values[2 * (i - 20) + 1] : 0));
    }
    CU(TexObjectGetResourceDesc, &back, t);
    assert_true(back.type == CU_RESOURCE_TYPE_LINEAR && back.of.linear.data == p && back.of.linear.size == 160);
    CU(TexObjectDestroy, t);
    r.of.linear.size = 2000; /* more than there is */
    assert_int_equal(CALL(TexObjectCreate)(&t, &r, &d, NULL), CUDA_ERROR_INVALID_VALUE);
    CU(MemFree_v2, p);
    stop();
}

#define SURFACE \
    PTX_HEAD ".visible .entry turn(.param .u64 s, .param .u32 past)\n{\n" \
             ".reg .b32 %r<8>; .reg .b16 %h<4>; .reg .b64 %d<4>;\nld.param.u64 %d1, [s]; ld.param.u32 %r5, [past];\n" \
             "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 3; and.b32 %r1, %r1, 7; shl.b32 %r3, %r1, 2;\n" \
             "suld.b.2d.v4.b8.trap {%h0, %h1, %h2, %h3}, [%d1, {%r3, %r2}];\nbar.sync 0;\n" \
             "add.u32 %r3, %r3, %r5;\nsust.b.2d.v4.b8.trap [%d1, {%r3, %r2}], {%h3, %h2, %h1, %h0};\nret;\n}\n"

static void surfaces_are_read_and_written(void **state)
{
    uint32_t texels[H][W], back[H][W], past = 0;
    CUDA_RESOURCE_DESC r = { .type = CU_RESOURCE_TYPE_ARRAY };
    CUDA_MEMCPY2D c = { .from = { .type = CU_MEMORYTYPE_ARRAY },
        .to = { .type = CU_MEMORYTYPE_HOST, .host = back, .pitch = sizeof(back[0]) },
        .width = sizeof(back[0]),
        .height = H };
    CUsurfObject s;
    CUfunction f;
    CUmodule m;
    void *args[] = { &s, &past };

    (void)state;
    start();
    for (unsigned i = 0; i < W * H; i++)
        texels[i / W][i % W] = i * 0x01030507;
    r.of.array = array_of(W, H, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0);
    assert_int_equal(CALL(SurfObjectCreate)(&s, &r), CUDA_ERROR_INVALID_VALUE); /* not made for it */
    CU(ArrayDestroy, r.of.array);
    c.from.array = r.of.array = array_of(W, H, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST);
    fill(r.of.array, texels, sizeof(texels[0]), H, 1);
    CU(SurfObjectCreate, &s, &r);
    f = function_of(&m, SURFACE, "turn");
    CU(LaunchKernel, f, 1, 1, 1, W * H, 1, 1, 0, NULL, args, NULL);
    CU(Memcpy2D_v2, &c);
    for (unsigned i = 0; i < W * H; i++)
        assert_int_equal(back[i / W][i % W], __builtin_bswap32(i * 0x01030507));
    CU(SurfObjectDestroy, s);
    assert_int_equal(CALL(SurfObjectDestroy)(s), CUDA_ERROR_INVALID_VALUE);
    CU(ArrayDestroy, r.of.array);
    CU(ModuleUnload, m);
    stop();
}

static void boxes_are_copied_between_all_kinds_of_memory(void **state)
{
    unsigned char in[3][5][7], back[3][5][7] = { { { 0 } } };
    CUDA_MEMCPY3D c = { .from = { .type = CU_MEMORYTYPE_HOST, .host = in, .pitch = 7, .height = 5 },
        .to = { .x = 1, .y = 2, .z = 1, .type = CU_MEMORYTYPE_ARRAY },
        .width = 7,
        .height = 5,
        .depth = 3 };
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUdeviceptr p;
    CUarray a;

    (void)state;
    start();
    for (unsigned i = 0; i < sizeof(in); i++)
        ((unsigned char *)in)[i] = (unsigned char)(i * 3);
    c.to.array = a = array_of(9, 8, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
    CU(Array3DGetDescriptor_v2, &d, a);
    assert_true(d.width == 9 && d.height == 8 && d.depth == 4 && d.channels == 1);
    CU(Memcpy3D_v2, &c);
    CU(MemAlloc_v2, &p, 16 * 6 * 3);
    c.from = c.to;
    c.to = (struct sc_abi_memcpy3d_side){ .type = CU_MEMORYTYPE_DEVICE, .device = p, .pitch = 16, .height = 6 };
    CU(Memcpy3D_v2, &c);
    c.from = c.to;
    c.to = (struct sc_abi_memcpy3d_side){ .type = CU_MEMORYTYPE_HOST, .host = back, .pitch = 7, .height = 5 };
    CU(Memcpy3DAsync_v2, &c, NULL);
    assert_memory_equal(in, back, sizeof(in));
    c.from.height = 7; /* the last slice would end behind the memory */
    assert_int_equal(CALL(Memcpy3D_v2)(&c), CUDA_ERROR_INVALID_VALUE);
    c.from = (struct sc_abi_memcpy3d_side){ .x = 3, .type = CU_MEMORYTYPE_ARRAY, .array = a };
    assert_int_equal(CALL(Memcpy3D_v2)(&c), CUDA_ERROR_INVALID_VALUE);
    CU(MemFree_v2, p);
    CU(ArrayDestroy, a);
    assert_int_equal(CALL(ArrayDestroy)(a), CUDA_ERROR_INVALID_HANDLE);
    stop();
}

static void a_context_takes_its_textures_along(void **state)
{
    CUDA_RESOURCE_DESC r;
    CUcontext own;
    CUtexObject t;
    CUarray a;

    (void)state;
    start();
    create_context(&own);
    a = array_of(4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    t = texture_of(a, CU_TR_FILTER_MODE_POINT, 0, CU_TR_ADDRESS_MODE_CLAMP);
    CU(CtxDestroy_v2, own);
    assert_int_equal(CALL(TexObjectGetResourceDesc)(&r, t), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(CALL(ArrayDestroy)(a), CUDA_ERROR_INVALID_HANDLE);
    stop();
}

static void who_writes_past_a_surface_is_told(void **state)
{
    CUDA_RESOURCE_DESC r = { .type = CU_RESOURCE_TYPE_ARRAY };
    uint32_t past = 4;
    CUsurfObject s;
    CUfunction f;
    CUmodule m;
    void *args[] = { &s, &past };

    (void)state;
    start();
    r.of.array = array_of(W, H, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST);
    CU(SurfObjectCreate, &s, &r);
    f = function_of(&m, SURFACE, "turn");
    CU(LaunchKernel, f, 1, 1, 1, W * H, 1, 1, 0, NULL, args, NULL);
    assert_int_equal(CALL(CtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_texels_by_every_address_mode), cmocka_unit_test(filters_blend_neighbours),
        cmocka_unit_test(integers_stay_integers_where_asked), cmocka_unit_test(plain_memory_may_be_a_texture),
        cmocka_unit_test(surfaces_are_read_and_written), cmocka_unit_test(boxes_are_copied_between_all_kinds_of_memory),
        cmocka_unit_test(a_context_takes_its_textures_along),
        cmocka_unit_test(who_writes_past_a_surface_is_told), /* the last: after a fault nothing works any more */
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
