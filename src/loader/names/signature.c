#include "src/loader/names/signature.h"

#include <stdlib.h>
#include <string.h>

#include <gpudl/gpudl.h>

#include "src/loader/names/names.h"

#define BIT(type) (1u << GPUDL_ARG_##type)

static const uint32_t anything = (BIT(POINTER) << 1) - 1;
static const uint32_t reals = BIT(FLOAT) | BIT(DOUBLE) | BIT(BYTES);
static const uint32_t integers = (BIT(ULLONG) << 1) - 1; /* and BYTES */
static const uint32_t pointers = ((BIT(ULLONG) << 1) - 1) | BIT(POINTER);

const char *gpudl__arg_type_name(unsigned type)
{
    static const char *const names[] = { "a block of bytes", "bool", "char", "signed char", "unsigned char", "short",
        "unsigned short", "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float", "double",
        "a pointer" };

    return type < sizeof(names) / sizeof(*names) ? names[type] : NULL;
}

void gpudl__arg_add(const gpudl_arg *a, struct text *t)
{
    const char *type = gpudl__arg_type_name(a->type);

    if (!type)
        gpudl__text_add(t, "of type %u, which this gpudl does not know", a->type);
    else if (a->type == GPUDL_ARG_BYTES)
        gpudl__text_add(t, "a block of %u bytes", a->size);
    else
        gpudl__text_add(t, "%s (%u byte%s)", type, a->size, a->size == 1 ? "" : "s");
}

/* ------------------------------------------------------------------------------------------------------- of the C++ name */

/* Where the parameter that begins at s ends: at a comma or the bracket that closes the list. */
static const char *end_of(const char *s)
{
    int depth = 0;

    for (; *s && (depth || !strchr(",)", *s)); s++)
        depth += (strchr("(<[{", *s) != NULL) - (strchr(")>]}", *s) != NULL);
    return s;
}

/* The i-th of "(int,float*)"; an empty span past the end. */
static struct span piece(const char *parameters, size_t i)
{
    const char *s = parameters + 1, *end = end_of(s);

    for (; i && *end == ','; i--)
        end = end_of(s = end + 1);
    return i ? (struct span){ 0 } : (struct span){ (const unsigned char *)s, (size_t)(end - s) };
}

struct span gpudl__signature_piece(const struct signature *s, size_t i)
{
    return s->parameters ? piece(s->parameters, i) : (struct span){ 0 };
}

static size_t count_pieces(const char *parameters)
{
    size_t n = 0;

    while (piece(parameters, n).size)
        n++;
    return n;
}

static bool is(struct span s, const char *word)
{
    return s.size == strlen(word) && memcmp(s.data, word, s.size) == 0;
}

static bool drop_end(struct span *s, const char *word)
{
    size_t n = strlen(word);

    if (s->size <= n || memcmp(s->data + s->size - n, word, n) != 0)
        return false;
    s->size -= n;
    return true;
}

static bool is_integer(struct span s)
{
    static const char *const names[] = { "wchar_t", "char16_t", "char32_t", "char8_t" };

    for (unsigned type = GPUDL_ARG_BOOL; type <= GPUDL_ARG_ULLONG; type++)
        if (is(s, gpudl__arg_type_name(type)))
            return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (is(s, names[i]))
            return true;
    return false;
}

static uint32_t accepts_of_name(struct span s)
{
    while (drop_end(&s, "__restrict") || drop_end(&s, "__restrict__") || drop_end(&s, " const") || drop_end(&s, " volatile"))
        ;
    if (s.size && (s.data[s.size - 1] == '*' || s.data[s.size - 1] == '&'))
        return pointers;
    if (is(s, "float") || is(s, "double"))
        return reals;
    return is_integer(s) ? integers : anything;
}

/* -------------------------------------------------------------------------------------------------------- of the image */

/* b32 says nothing, an array is a struct. A 64-bit integer may be a pointer all the same. */
static uint32_t accepts_of_ptx(const struct image_param *p)
{
    if (p->pointee_space != IMAGE_NO_SPACE)
        return pointers;
    switch ((enum image_type)p->type) {
    case IMAGE_F32:
        return p->size == 4 ? reals : anything;
    case IMAGE_F64:
        return p->size == 8 ? reals : anything;
    case IMAGE_U8:
    case IMAGE_S8:
        return p->size == 1 ? integers : anything;
    case IMAGE_U16:
    case IMAGE_S16:
        return p->size == 2 ? integers : anything;
    case IMAGE_U32:
    case IMAGE_S32:
        return p->size == 4 ? integers : anything;
    case IMAGE_U64:
    case IMAGE_S64:
        return p->size == 8 ? pointers : anything;
    default:
        return anything;
    }
}

struct signature gpudl__signature_open(const struct image_kernel *kernel)
{
    struct signature s = { .kernel = kernel, .spelled = gpudl__demangle(kernel->name) };
    struct spelled parts;

    if (!s.spelled)
        return s;
    gpudl__spell_normalise(s.spelled);
    parts = gpudl__spell_split(s.spelled);
    if (kernel->params_known && *parts.parameters && count_pieces(parts.parameters) == kernel->nparams)
        s.parameters = parts.parameters;
    return s;
}

void gpudl__signature_close(struct signature *s)
{
    free(s->spelled);
}

uint32_t gpudl__signature_accepts(const struct signature *s, size_t i)
{
    uint32_t image = accepts_of_ptx(&s->kernel->params[i]);
    uint32_t name = s->parameters ? accepts_of_name(piece(s->parameters, i)) : anything;

    /* They may contradict each other in BYTES alone: then the image is right. */
    return (image & name) == BIT(BYTES) ? image : image & name;
}

void gpudl__signature_add_param(const struct signature *s, size_t i, struct text *t)
{
    const struct image_param *p = &s->kernel->params[i];
    const char *type = gpudl__image_type_name((enum image_type)p->type);
    struct span piece_of_name;

    if (s->parameters) {
        piece_of_name = piece(s->parameters, i);
        gpudl__text_add(t, "%.*s", (int)piece_of_name.size, (const char *)piece_of_name.data);
    } else if (p->pointee_space != IMAGE_NO_SPACE) {
        gpudl__text_add(t, "%s*", gpudl__image_space_name((enum image_space)p->pointee_space));
    } else if (accepts_of_ptx(p) != anything) {
        gpudl__text_add(t, "%s", type);
    } else {
        gpudl__text_add(t, "%u bytes", p->size);
    }
}

void gpudl__signature_add(const struct signature *s, struct text *t)
{
    struct spelled parts;

    if (s->spelled) {
        parts = gpudl__spell_split(s->spelled);
        gpudl__text_add(t, "%.*s", (int)parts.plain_size, parts.plain);
    } else {
        gpudl__text_add(t, "%s", s->kernel->name);
    }
    if (!s->kernel->params_known) {
        gpudl__text_add(t, "(...)");
        return;
    }
    gpudl__text_add(t, "(");
    for (size_t i = 0; i < s->kernel->nparams; i++) {
        gpudl__text_add(t, i ? ", " : "");
        gpudl__signature_add_param(s, i, t);
    }
    gpudl__text_add(t, ")");
}
