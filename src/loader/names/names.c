#include "src/loader/names/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/util/alloc.h"

enum { LISTED = 6, NEAREST = 3 };

/* What is looked for, in one spelling. */
struct wanted {
    char *text;
    size_t size;
    char needle[160]; /* its last word as the mangled name has it, "5saxpy"; "" when there is none */
};

enum match { MATCH_NONE, MATCH_FAMILY, MATCH_EXACT };

/* A demangled, normalised name; free() it. */
static char *spell(const char *name)
{
    char *s = gpudl__demangle(name);

    if (s)
        gpudl__spell_normalise(s);
    return s;
}

/* Mangled names write every identifier with its length in front; only names with that in them are worth demangling. */
static void make_needle(struct wanted *w)
{
    struct spelled s = gpudl__spell_split(w->text);
    size_t end = s.family_size, start;

    while (end && !isalnum((unsigned char)s.plain[end - 1]) && s.plain[end - 1] != '_')
        end--;
    for (start = end; start && (isalnum((unsigned char)s.plain[start - 1]) || s.plain[start - 1] == '_'); start--)
        ;
    w->needle[0] = '\0';
    if (end > start && end - start < sizeof(w->needle) - 16)
        snprintf(w->needle, sizeof(w->needle), "%zu%.*s", end - start, (int)(end - start), s.plain + start);
}

static bool prepare(struct wanted *w, const char *text)
{
    if (strncmp(text, "::", 2) == 0)
        text += 2;
    w->text = gpudl__alloc_string(text);
    if (!w->text)
        return false;
    gpudl__spell_normalise(w->text);
    w->size = strlen(w->text);
    make_needle(w);
    return true;
}

static bool equals(const struct wanted *w, const char *s, size_t size)
{
    return w->size == size && memcmp(w->text, s, size) == 0;
}

static enum match compare(const struct wanted *w, const char *name)
{
    enum match match = MATCH_NONE;
    struct spelled s;
    char *spelled;

    if (!*w->needle || !strstr(name, w->needle) || !(spelled = spell(name)))
        return MATCH_NONE;
    s = gpudl__spell_split(spelled);
    if (equals(w, spelled, strlen(spelled)) || equals(w, s.plain, s.plain_size) || equals(w, s.plain, strlen(s.plain)))
        match = MATCH_EXACT;
    else if (equals(w, s.plain, s.family_size))
        match = MATCH_FAMILY;
    free(spelled);
    return match;
}

/* "saxpy (_Z5saxpyPKfPfi)", or the name alone where it is not mangled. */
static void describe(const char *name, struct text *t)
{
    char *spelled = spell(name);
    struct spelled s;

    if (!spelled) {
        gpudl__text_add(t, "%s", name);
        return;
    }
    s = gpudl__spell_split(spelled);
    gpudl__text_add(t, "%.*s%s (%s)", (int)s.plain_size, s.plain, s.parameters, name);
    free(spelled);
}

static void list_matches(const struct names *names, const struct wanted *w, enum match match, struct text *t)
{
    size_t found = 0;

    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->at(names->list, i);
        if (compare(w, name) != match || found++ >= LISTED)
            continue;
        gpudl__text_add(t, found > 1 ? ", " : "");
        describe(name, t);
    }
    if (found > LISTED)
        gpudl__text_add(t, " and %zu more", found - LISTED);
}

/* The smaller of the distances to the name in the image and to the source's. */
static size_t distance(const struct wanted *w, const char *name, size_t most)
{
    size_t best = gpudl__spell_distance(w->text, w->size, name, strlen(name), most);
    char *spelled = spell(name);
    struct spelled s;

    if (!spelled)
        return best;
    s = gpudl__spell_split(spelled);
    best = gpudl__spell_distance(w->text, w->size, s.plain, s.plain_size, best);
    best = gpudl__spell_distance(w->text, w->size, s.plain, s.family_size, best);
    for (size_t i = s.family_size; i-- > 2;) /* without its namespaces */
        if (s.plain[i - 1] == ':') {
            best = gpudl__spell_distance(w->text, w->size, s.plain + i, s.family_size - i, best);
            break;
        }
    free(spelled);
    return best;
}

void gpudl__name_list(const struct names *names, struct text *t)
{
    for (size_t i = 0; i < names->count && i < LISTED; i++) {
        gpudl__text_add(t, i ? ", " : "");
        describe(names->at(names->list, i), t);
    }
    if (names->count > LISTED)
        gpudl__text_add(t, " and %zu more", names->count - LISTED);
}

static void list_nearest(const struct names *names, const struct wanted *w, struct text *t)
{
    struct {
        size_t index, distance;
    } best[NEAREST];
    size_t n = 0, most = w->size / 2 + 2;

    for (size_t i = 0; i < names->count; i++) {
        size_t d = distance(w, names->at(names->list, i), most), at;
        if (d >= most || (n == NEAREST && d >= best[n - 1].distance))
            continue;
        n += n < NEAREST;
        for (at = n - 1; at && best[at - 1].distance > d; at--)
            best[at] = best[at - 1];
        best[at].index = i;
        best[at].distance = d;
    }
    for (size_t i = 0; i < n; i++) {
        gpudl__text_add(t, i ? ", " : "; did you mean ");
        describe(names->at(names->list, best[i].index), t);
    }
    if (n)
        gpudl__text_add(t, "?");
    else if (names->count) {
        gpudl__text_add(t, ": ");
        gpudl__name_list(names, t);
    }
}

/* How many names match, and the first of them. */
static size_t count_matches(const struct names *names, const struct wanted *w, enum match match, size_t *index)
{
    size_t found = 0;

    for (size_t i = 0; i < names->count; i++)
        if (compare(w, names->at(names->list, i)) == match && !found++)
            *index = i;
    return found;
}

static enum name_result find_spelled(const struct names *names, const struct wanted *w, size_t *index, struct text *t)
{
    for (enum match match = MATCH_EXACT; match > MATCH_NONE; match--) {
        size_t found = count_matches(names, w, match, index);
        if (found == 1)
            return NAME_FOUND;
        if (found) {
            list_matches(names, w, match, t);
            return NAME_AMBIGUOUS;
        }
    }
    list_nearest(names, w, t);
    return NAME_NONE;
}

enum name_result gpudl__name_find(
    const struct names *names, const struct name_index *x, const char *wanted, size_t *index, struct text *t)
{
    enum name_result result;
    struct wanted w;

    if (gpudl__index_find(x, names, wanted, index))
        return NAME_FOUND;
    if (!prepare(&w, wanted))
        return NAME_NO_MEMORY;
    result = find_spelled(names, &w, index, t);
    gpudl__free(w.text);
    return result;
}
