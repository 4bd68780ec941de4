/* words.c - tables. They are searched from the front: every distinct opcode is taken apart once (opcode.c). */
#include "softcuda/ptx/words.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct type_word {
    const char *name;
    uint8_t bits;
    char kind;                  /* f: floating-point, s: signed, else 0 */
} types[PTX_TYPE_COUNT] = {
    [PTX_NONE] = { "none", 0, 0 }, [PTX_PRED] = { "pred", 1, 0 },
    [PTX_B8] = { "b8", 8, 0 }, [PTX_B16] = { "b16", 16, 0 }, [PTX_B32] = { "b32", 32, 0 }, [PTX_B64] = { "b64", 64, 0 },
    [PTX_B128] = { "b128", 128, 0 },
    [PTX_U8] = { "u8", 8, 0 }, [PTX_U16] = { "u16", 16, 0 }, [PTX_U32] = { "u32", 32, 0 }, [PTX_U64] = { "u64", 64, 0 },
    [PTX_S8] = { "s8", 8, 's' }, [PTX_S16] = { "s16", 16, 's' }, [PTX_S32] = { "s32", 32, 's' }, [PTX_S64] = { "s64", 64, 's' },
    [PTX_F16] = { "f16", 16, 'f' }, [PTX_F16X2] = { "f16x2", 32, 'f' }, [PTX_BF16] = { "bf16", 16, 'f' },
    [PTX_BF16X2] = { "bf16x2", 32, 'f' }, [PTX_TF32] = { "tf32", 32, 'f' }, [PTX_F32] = { "f32", 32, 'f' },
    [PTX_F64] = { "f64", 64, 'f' },
    [PTX_E4M3] = { "e4m3", 8, 'f' }, [PTX_E5M2] = { "e5m2", 8, 'f' }, [PTX_E4M3X2] = { "e4m3x2", 16, 'f' },
    [PTX_E5M2X2] = { "e5m2x2", 16, 'f' },
    [PTX_U16X2] = { "u16x2", 32, 0 }, [PTX_S16X2] = { "s16x2", 32, 's' }, [PTX_F32X2] = { "f32x2", 64, 'f' },
    [PTX_U8X4] = { "u8x4", 32, 0 }, [PTX_S8X4] = { "s8x4", 32, 's' },
    [PTX_S4] = { "s4", 4, 's' }, [PTX_U4] = { "u4", 4, 0 }, [PTX_B1] = { "b1", 1, 0 },
    [PTX_E2M1] = { "e2m1", 4, 'f' }, [PTX_E2M3] = { "e2m3", 6, 'f' }, [PTX_E3M2] = { "e3m2", 6, 'f' },
    [PTX_UE4M3] = { "ue4m3", 8, 'f' }, [PTX_UE8M0] = { "ue8m0", 8, 'f' },
    [PTX_E2M1X2] = { "e2m1x2", 8, 'f' }, [PTX_E2M3X2] = { "e2m3x2", 16, 'f' }, [PTX_E3M2X2] = { "e3m2x2", 16, 'f' },
    [PTX_UE8M0X2] = { "ue8m0x2", 16, 'f' }, [PTX_E2M1X4] = { "e2m1x4", 16, 'f' }, [PTX_E2M3X4] = { "e2m3x4", 32, 'f' },
    [PTX_E3M2X4] = { "e3m2x4", 32, 'f' }, [PTX_E4M3X4] = { "e4m3x4", 32, 'f' }, [PTX_E5M2X4] = { "e5m2x4", 32, 'f' },
    [PTX_TEXREF] = { "texref", 64, 0 }, [PTX_SAMPLERREF] = { "samplerref", 64, 0 }, [PTX_SURFREF] = { "surfref", 64, 0 },
};

static const char *const spaces[] = {
    [PTX_GENERIC] = "generic", [PTX_PARAM] = "param", [PTX_CONST] = "const", [PTX_GLOBAL] = "global",
    [PTX_LOCAL] = "local", [PTX_SHARED] = "shared", [PTX_TEX] = "tex",
};

#define ROOT_TEXT(root) #root,
static const char *const roots[] = { PTX_OPS(ROOT_TEXT) };
#undef ROOT_TEXT

#define MOD_TEXT(id, text) text,
static const char *const mods[] = { PTX_MODS(MOD_TEXT) };
#undef MOD_TEXT

static const struct special_word {
    const char *name;
    uint16_t first;             /* the register; of its .x if there are parts */
    uint8_t parts;              /* 3: needs .x .y or .z */
    uint8_t count;              /* numbered from 0, follows name: %envreg0 */
    const char *suffix;         /* after the number */
} specials[] = {
    { "%tid", PTX_SR_TID_X, 3, 0, 0 }, { "%ntid", PTX_SR_NTID_X, 3, 0, 0 },
    { "%ctaid", PTX_SR_CTAID_X, 3, 0, 0 }, { "%nctaid", PTX_SR_NCTAID_X, 3, 0, 0 },
    { "%laneid", PTX_SR_LANEID, 0, 0, 0 }, { "%warpid", PTX_SR_WARPID, 0, 0, 0 }, { "%nwarpid", PTX_SR_NWARPID, 0, 0, 0 },
    { "%smid", PTX_SR_SMID, 0, 0, 0 }, { "%nsmid", PTX_SR_NSMID, 0, 0, 0 }, { "%gridid", PTX_SR_GRIDID, 0, 0, 0 },
    { "%lanemask_eq", PTX_SR_LANEMASK_EQ, 0, 0, 0 }, { "%lanemask_le", PTX_SR_LANEMASK_LE, 0, 0, 0 },
    { "%lanemask_lt", PTX_SR_LANEMASK_LT, 0, 0, 0 }, { "%lanemask_ge", PTX_SR_LANEMASK_GE, 0, 0, 0 },
    { "%lanemask_gt", PTX_SR_LANEMASK_GT, 0, 0, 0 },
    { "%clock", PTX_SR_CLOCK, 0, 0, 0 }, { "%clock_hi", PTX_SR_CLOCK_HI, 0, 0, 0 }, { "%clock64", PTX_SR_CLOCK64, 0, 0, 0 },
    { "%globaltimer", PTX_SR_GLOBALTIMER, 0, 0, 0 }, { "%globaltimer_lo", PTX_SR_GLOBALTIMER_LO, 0, 0, 0 },
    { "%globaltimer_hi", PTX_SR_GLOBALTIMER_HI, 0, 0, 0 },
    { "%dynamic_smem_size", PTX_SR_DYNAMIC_SMEM_SIZE, 0, 0, 0 }, { "%total_smem_size", PTX_SR_TOTAL_SMEM_SIZE, 0, 0, 0 },
    { "%aggr_smem_size", PTX_SR_AGGR_SMEM_SIZE, 0, 0, 0 },
    { "%clusterid", PTX_SR_CLUSTERID_X, 3, 0, 0 }, { "%nclusterid", PTX_SR_NCLUSTERID_X, 3, 0, 0 },
    { "%cluster_ctaid", PTX_SR_CLUSTER_CTAID_X, 3, 0, 0 }, { "%cluster_nctaid", PTX_SR_CLUSTER_NCTAID_X, 3, 0, 0 },
    { "%cluster_ctarank", PTX_SR_CLUSTER_CTARANK, 0, 0, 0 }, { "%cluster_nctarank", PTX_SR_CLUSTER_NCTARANK, 0, 0, 0 },
    { "%is_explicit_cluster", PTX_SR_IS_EXPLICIT_CLUSTER, 0, 0, 0 },
    { "%reserved_smem_offset_begin", PTX_SR_RESERVED_SMEM_BEGIN, 0, 0, 0 },
    { "%reserved_smem_offset_end", PTX_SR_RESERVED_SMEM_END, 0, 0, 0 },
    { "%reserved_smem_offset_cap", PTX_SR_RESERVED_SMEM_CAP, 0, 0, 0 },
    { "%reserved_smem_offset_", PTX_SR_RESERVED_SMEM_OFFSET0, 0, 2, "" },
    { "%current_graph_exec", PTX_SR_CURRENT_GRAPH_EXEC, 0, 0, 0 },
    { "%envreg", PTX_SR_ENVREG0, 0, 32, "" }, { "%pm", PTX_SR_PM0, 0, 8, "" }, { "%pm", PTX_SR_PM0_64, 0, 8, "_64" },
};

bool ptx_slice_is(struct ptx_slice s, const char *word)
{
    return strlen(word) == s.len && !memcmp(s.text, word, s.len);
}

static int find(const char *const *words, size_t n, struct ptx_slice s)
{
    for (size_t i = 0; i < n; i++)
        if (ptx_slice_is(s, words[i]))
            return (int)i;
    return -1;
}

enum ptx_type ptx_find_type(struct ptx_slice s)
{
    for (int t = PTX_PRED; t < PTX_TYPE_COUNT; t++)
        if (ptx_slice_is(s, types[t].name))
            return t;
    return PTX_NONE;
}

bool ptx_find_space(struct ptx_slice s, enum ptx_space *space)
{
    const char *colons = memchr(s.text, ':', s.len);
    int found;

    /* only these two spaces have parts; "global::x" is no word */
    if (colons) {
        s.len = (uint32_t)(colons - s.text);
        if (!ptx_slice_is(s, "shared") && !ptx_slice_is(s, "param"))
            return false;
    }
    found = find(spaces + 1, COUNT(spaces) - 1, s);
    *space = (enum ptx_space)(found + 1);
    return found >= 0;
}

int ptx_find_op(struct ptx_slice s)
{
    return find(roots, COUNT(roots), s);
}

int ptx_find_mod(struct ptx_slice s)
{
    return find(mods, COUNT(mods), s);
}

/* The number of %envreg31 and %pm0_64; -1: not of this word. */
static int special_number(const struct special_word *w, struct ptx_slice name)
{
    size_t len = strlen(w->name), at = len, suffix = strlen(w->suffix);
    unsigned n = 0;

    if (name.len <= len + suffix || name.len > len + suffix + 2 || memcmp(name.text, w->name, len) ||
        memcmp(name.text + name.len - suffix, w->suffix, suffix))
        return -1;
    for (; at < name.len - suffix; at++) {
        if (name.text[at] < '0' || name.text[at] > '9')
            return -1;
        n = n * 10 + (unsigned)(name.text[at] - '0');
    }
    return n < w->count ? (int)n : -1;
}

int ptx_find_special(struct ptx_slice name, struct ptx_slice part)
{
    for (size_t i = 0; i < COUNT(specials); i++) {
        const struct special_word *w = &specials[i];

        if (w->count) {
            int n = special_number(w, name);

            if (n >= 0)
                return part.len ? -2 : w->first + n;
        } else if (ptx_slice_is(name, w->name)) {
            if (!w->parts)
                return part.len ? -2 : w->first;
            if (part.len != 1 || part.text[0] < 'x' || part.text[0] > 'z')
                return -2;
            return w->first + (part.text[0] - 'x');
        }
    }
    return -1;
}

unsigned ptx_type_bits(enum ptx_type t)
{
    return t < PTX_TYPE_COUNT ? types[t].bits : 0;
}

bool ptx_type_is_float(enum ptx_type t)
{
    return t < PTX_TYPE_COUNT && types[t].kind == 'f';
}

bool ptx_type_is_signed(enum ptx_type t)
{
    return t < PTX_TYPE_COUNT && types[t].kind == 's';
}

const char *ptx_type_name(enum ptx_type t)
{
    return t < PTX_TYPE_COUNT ? types[t].name : "?";
}

const char *ptx_space_name(enum ptx_space s)
{
    return s < COUNT(spaces) ? spaces[s] : "?";
}
