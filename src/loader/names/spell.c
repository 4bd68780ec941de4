#include <ctype.h>
#include <string.h>

#include "src/loader/names/names.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Keeps a space only between two words: "unsigned int". */
static void squeeze(char *s)
{
    char *to = s;

    for (const char *from = s; *from; from++) {
        if (!isspace((unsigned char)*from)) {
            *to++ = *from;
            continue;
        }
        while (isspace((unsigned char)from[1]))
            from++;
        if (to > s && is_word(to[-1]) && is_word(from[1]))
            *to++ = ' ';
    }
    *to = '\0';
}

/* "k<4u>" is "k<4>": the demangler writes the suffix of an argument's type, the source seldom does. */
static void drop_suffixes(char *s)
{
    char *to = s;

    for (const char *from = s; *from;) {
        bool starts = isdigit((unsigned char)*from) && (to == s || !is_word(to[-1]));
        if (!starts) {
            *to++ = *from++;
            continue;
        }
        while (isdigit((unsigned char)*from))
            *to++ = *from++;
        size_t suffix = strspn(from, "uUlL");
        if (!is_word(from[suffix]))
            from += suffix;
    }
    *to = '\0';
}

/* Where the type that begins at s ends: at a pointer, a reference, or the end of the argument. */
static char *type_end(char *s)
{
    int depth = 0;

    for (; *s && (depth || !strchr("*&,()>", *s)); s++)
        depth += (*s == '<') - (*s == '>');
    return s;
}

/* "const float*" becomes the demangler's "float const*". */
static void move_const(char *name)
{
    static const char before[] = "const ", after[] = " const";
    const size_t n = sizeof(before) - 1;

    for (char *s = name; (s = strstr(s, before));) {
        if (s > name && !strchr("(<,", s[-1])) {
            s += n;
            continue;
        }
        char *end = type_end(s + n);
        memmove(s, s + n, (size_t)(end - s) - n);
        memcpy(end - n, after, n);
    }
}

void gpudl__spell_normalise(char *name)
{
    squeeze(name);
    move_const(name);
    squeeze(name);
    drop_suffixes(name);
}

/* Where the bracket that closes at s[at] opens; 0 when it does not. */
static size_t opening(const char *s, size_t at)
{
    int depth = 0;

    for (size_t i = at + 1; i-- > 0;) {
        if (strchr(")>]}", s[i]))
            depth++;
        else if (strchr("(<[{", s[i]) && --depth == 0)
            return i;
    }
    return 0;
}

/* The last space outside of all brackets ends a return type. */
static size_t after_return_type(const char *s, size_t end)
{
    int depth = 0;

    for (size_t i = end; i-- > 0;) {
        if (strchr(")>]}", s[i]))
            depth++;
        else if (strchr("(<[{", s[i]))
            depth--;
        else if (s[i] == ' ' && depth == 0)
            return i + 1;
    }
    return 0;
}

struct spelled gpudl__spell_split(const char *s)
{
    size_t end = strlen(s), start;
    struct spelled out;

    if (end && s[end - 1] == ')')
        end = opening(s, end - 1);
    if (!end)
        end = strlen(s);
    start = after_return_type(s, end);
    out.plain = s + start;
    out.plain_size = end - start;
    out.parameters = s + end;
    out.family_size = out.plain_size;
    if (out.plain_size && s[end - 1] == '>') {
        size_t open = opening(s, end - 1);
        if (open > start)
            out.family_size = open - start;
    }
    return out;
}

enum { LONGEST = 128 };

/* Levenshtein's, a row at a time. Long names are compared by their beginnings. */
size_t gpudl__spell_distance(const char *a, size_t na, const char *b, size_t nb, size_t most)
{
    unsigned row[LONGEST + 1];

    na = na < LONGEST ? na : LONGEST;
    nb = nb < LONGEST ? nb : LONGEST;
    if ((na > nb ? na - nb : nb - na) >= most)
        return most;
    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diagonal = row[0], up;
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned cost = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            up = row[j];
            diagonal = up;
            row[j] = row[j - 1] + 1 < up + 1 ? row[j - 1] + 1 : up + 1;
            if (cost < row[j])
                row[j] = cost;
        }
    }
    return row[nb] < most ? row[nb] : most;
}
