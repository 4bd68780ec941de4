/* A parameter's type as a program spells it beside the one in the kernel's name. Wrong are those that cannot be meant: names of classes and
 * enumerations are not compared, as the program's own may be called otherwise, nor is the sign of integers. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <gpudl/gpudl.h>

#include "src/loader/names/names.h"
#include "src/loader/names/signature.h"

enum kind { KIND_OTHER, KIND_VOID, KIND_INTEGER, KIND_REAL, KIND_POINTER };

/* A type without its outer const and volatile. */
struct type {
    enum kind kind;
    unsigned size; /* of INTEGER and REAL */
    bool constant;
    struct span pointee; /* of POINTER */
};

static const struct {
    const char *name;
    enum kind kind;
    unsigned size;
} known[] = {
    { "void", KIND_VOID, 0 },
    { "bool", KIND_INTEGER, 1 },
    { "char", KIND_INTEGER, 1 },
    { "signed char", KIND_INTEGER, 1 },
    { "unsigned char", KIND_INTEGER, 1 },
    { "short", KIND_INTEGER, 2 },
    { "unsigned short", KIND_INTEGER, 2 },
    { "int", KIND_INTEGER, 4 },
    { "unsigned int", KIND_INTEGER, 4 },
    { "unsigned", KIND_INTEGER, 4 },
    { "long", KIND_INTEGER, 8 },
    { "unsigned long", KIND_INTEGER, 8 },
    { "long long", KIND_INTEGER, 8 },
    { "unsigned long long", KIND_INTEGER, 8 },
    { "wchar_t", KIND_INTEGER, 4 },
    { "char8_t", KIND_INTEGER, 1 },
    { "char16_t", KIND_INTEGER, 2 },
    { "char32_t", KIND_INTEGER, 4 },
    { "float", KIND_REAL, 4 },
    { "double", KIND_REAL, 8 },
};

/* A word at the end, and the space before it. */
static bool drop_word(struct span *s, const char *word)
{
    size_t n = strlen(word);

    if (s->size <= n || memcmp(s->data + s->size - n, word, n) != 0)
        return false;
    if (isalnum(s->data[s->size - n - 1]) || s->data[s->size - n - 1] == '_')
        return false;
    s->size -= n;
    s->size -= s->data[s->size - 1] == ' ';
    return true;
}

static struct type look_up(struct span s)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (s.size == strlen(known[i].name) && memcmp(s.data, known[i].name, s.size) == 0)
            return (struct type){ .kind = known[i].kind, .size = known[i].size };
    return (struct type){ .kind = KIND_OTHER };
}

static struct type parse(struct span s)
{
    bool constant = false, more = true;
    struct type t;

    while (more) {
        more = drop_word(&s, "const");
        constant |= more;
        more |= drop_word(&s, "volatile") || drop_word(&s, "__restrict") || drop_word(&s, "__restrict__");
    }
    if (s.size && (s.data[s.size - 1] == '*' || s.data[s.size - 1] == '&'))
        t = (struct type){ .kind = KIND_POINTER, .pointee = { s.data, s.size - 1 } };
    else
        t = look_up(s);
    t.constant = constant;
    return t;
}

/* An array of addresses may be one of CUdeviceptr; an enumeration is an integer to the program. */
static bool is_address(const struct type *t)
{
    return t->kind == KIND_POINTER || (t->kind == KIND_INTEGER && t->size == 8);
}

static bool points_to_same(struct type given, struct type wanted)
{
    while (given.kind == KIND_POINTER && wanted.kind == KIND_POINTER) {
        given = parse(given.pointee);
        wanted = parse(wanted.pointee);
    }
    if (given.kind == KIND_VOID || wanted.kind == KIND_VOID || (is_address(&given) && is_address(&wanted)))
        return true;
    if (wanted.kind == KIND_OTHER)
        return given.kind == KIND_OTHER || given.kind == KIND_INTEGER;
    return given.kind == wanted.kind && given.size == wanted.size;
}

static enum spelled_fit pointers_fit(const struct type *given, const struct type *wanted)
{
    struct type from = parse(given->pointee), to = parse(wanted->pointee);

    if (!points_to_same(*given, *wanted))
        return SPELLED_OTHER;
    return from.constant && !to.constant ? SPELLED_CONST : SPELLED_FITS;
}

static bool is_function(struct span s)
{
    return s.size && memchr(s.data, '(', s.size);
}

enum spelled_fit gpudl__signature_fits(const struct signature *s, size_t i, unsigned type, const char *given)
{
    struct span name = gpudl__signature_piece(s, i);
    struct type wanted = parse(name), mine;
    enum spelled_fit fit = SPELLED_FITS;
    char *spelled;

    if (!name.size || !given || is_function(name))
        return SPELLED_FITS;
    if (wanted.kind == KIND_OTHER)
        return type == GPUDL_ARG_FLOAT || type == GPUDL_ARG_DOUBLE || type == GPUDL_ARG_POINTER ? SPELLED_OTHER : SPELLED_FITS;
    spelled = strdup(given);
    if (!spelled)
        return SPELLED_FITS; /* what it is by itself is checked all the same */
    gpudl__spell_normalise(spelled);
    mine = parse((struct span){ (const unsigned char *)spelled, strlen(spelled) });
    if (mine.kind == KIND_POINTER && wanted.kind == KIND_POINTER)
        fit = pointers_fit(&mine, &wanted);
    free(spelled);
    return fit;
}
