/* ptx_scan.c - words that all PTX declarations are made of. */
#include "src/image/ptx_scan.h"

enum image_error gpudl__scan_no_memory(struct scan *s)
{
    return gpudl__image_no_memory(s->t);
}

enum image_error gpudl__scan_cut_off(struct scan *s, const char *where, struct span name)
{
    if (s->l.token == PTX_CUT)
        return gpudl__ptx_unexpected(&s->l, where, s->t);
    gpudl__image_fail(s->t, IMAGE_TRUNCATED, "PTX: ends inside %s ", where);
    gpudl__text_quote(s->t, name.data, name.size);
    gpudl__text_add(s->t, " (line %u): the text is cut off", gpudl__ptx_line(&s->l));
    return IMAGE_TRUNCATED;
}

enum image_error gpudl__scan_unexpected(struct scan *s, const char *wanted)
{
    return gpudl__ptx_unexpected(&s->l, wanted, s->t);
}

enum image_error gpudl__scan_overflows(struct scan *s, struct span name)
{
    gpudl__image_fail(s->t, IMAGE_DAMAGED, "PTX: line %u: the declaration of ", gpudl__ptx_line(&s->l));
    gpudl__text_quote(s->t, name.data, name.size);
    gpudl__text_add(s->t, " overflows");
    return IMAGE_DAMAGED;
}

/* Arrays double, so that what they leave behind in the arena is no more than they are. */
bool gpudl__scan_reserve(struct scan *s, void **array, size_t used, size_t *room, size_t item)
{
    size_t more = *room ? 2 * *room : 8;
    void *p;

    if (used < *room)
        return true;
    p = gpudl__arena_grow(&s->out->arena, *array, used * item, more * item);
    if (!p)
        return false;
    *array = p;
    *room = more;
    return true;
}

static const struct { const char *name; unsigned bytes; } types[] = {
    [IMAGE_NO_TYPE] = { "", 0 }, [IMAGE_B8] = { "b8", 1 }, [IMAGE_U8] = { "u8", 1 }, [IMAGE_S8] = { "s8", 1 },
    [IMAGE_B16] = { "b16", 2 }, [IMAGE_U16] = { "u16", 2 }, [IMAGE_S16] = { "s16", 2 }, [IMAGE_F16] = { "f16", 2 },
    [IMAGE_BF16] = { "bf16", 2 }, [IMAGE_B32] = { "b32", 4 }, [IMAGE_U32] = { "u32", 4 }, [IMAGE_S32] = { "s32", 4 },
    [IMAGE_F32] = { "f32", 4 }, [IMAGE_F16X2] = { "f16x2", 4 }, [IMAGE_BF16X2] = { "bf16x2", 4 }, [IMAGE_B64] = { "b64", 8 },
    [IMAGE_U64] = { "u64", 8 }, [IMAGE_S64] = { "s64", 8 }, [IMAGE_F64] = { "f64", 8 }, [IMAGE_B128] = { "b128", 16 },
    [IMAGE_TEXREF] = { "texref", 8 }, [IMAGE_SAMPLERREF] = { "samplerref", 8 }, [IMAGE_SURFREF] = { "surfref", 8 },
};
#define TYPES (sizeof(types) / sizeof(types[0]))

static const char *const spaces[] = {
    [IMAGE_NO_SPACE] = "", [IMAGE_LOCAL] = "local", [IMAGE_SHARED] = "shared", [IMAGE_CONST] = "const", [IMAGE_GLOBAL] = "global",
    [IMAGE_GENERIC] = "generic",
};
#define SPACES (sizeof(spaces) / sizeof(spaces[0]))

unsigned gpudl__ptx_type_size(enum image_type type)
{
    return types[type].bytes;
}

const char *gpudl__image_type_name(enum image_type type)
{
    return (unsigned)type < TYPES ? types[type].name : "";
}

const char *gpudl__image_space_name(enum image_space space)
{
    return (unsigned)space < SPACES ? spaces[space] : "";
}

static bool word_is(struct span w, const char *what)
{
    return w.size == strlen(what) && memcmp(w.data, what, w.size) == 0;
}

enum image_type gpudl__ptx_type(struct span w)
{
    for (size_t i = 1; i < TYPES; i++)
        if (word_is(w, types[i].name))
            return (enum image_type)i;
    return IMAGE_NO_TYPE;
}

enum image_space gpudl__ptx_space(struct span w)
{
    for (size_t i = 1; i < SPACES; i++)
        if (word_is(w, spaces[i]))
            return (enum image_space)i;
    return IMAGE_NO_SPACE;
}

enum image_error gpudl__scan_dimension(struct scan *s, uint64_t *count, bool *open, bool *odd)
{
    unsigned words = 0;
    uint64_t n = 1;

    for (gpudl__ptx_next(&s->l); !gpudl__ptx_is_mark(&s->l, ']'); gpudl__ptx_next(&s->l)) {
        if (s->l.token == PTX_END || s->l.token == PTX_CUT || gpudl__ptx_is_mark(&s->l, ';') || gpudl__ptx_is_mark(&s->l, '{'))
            return gpudl__scan_unexpected(s, "']'");
        if (words++ || s->l.token != PTX_NUMBER)
            *odd = true;
        else if (!gpudl__ptx_number(s->l.word, &n))
            n = UINT64_MAX;
    }
    if (!words)
        *open = true;
    if (__builtin_mul_overflow(*count, n, count) || n == UINT64_MAX)
        *count = UINT64_MAX;
    return IMAGE_OK;
}

bool gpudl__scan_align(struct scan *s, uint64_t *align)
{
    gpudl__ptx_next(&s->l);
    return s->l.token == PTX_NUMBER && gpudl__ptx_number(s->l.word, align) && *align && !(*align & (*align - 1));
}

enum image_binding gpudl__scan_binding(enum linkage linkage)
{
    return linkage == INTERNAL ? IMAGE_BIND_LOCAL : linkage == WEAK || linkage == COMMON ? IMAGE_BIND_WEAK : IMAGE_BIND_GLOBAL;
}
