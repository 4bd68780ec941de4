/* macros.c - what a macro may expand to, without preprocessing. Any of its definitions in the texts may be the one that holds, and those of the
 * macros in its body likewise: all combinations are gone through. Macros with parameters, and bodies that are pasted together, are not known. */
#include "src/compile/macros.h"

#include <ctype.h>
#include <stdio.h>

enum { DEPTH_MOST = 8, WORDS_MOST = 64, NAME_MOST = 512, HEADERS_MOST = 256, DEFINITIONS_MOST = 16 };

struct search {
    const struct macro_texts *in;
    macro_each *each;
    void *user;
    size_t found, words; /* words: on the way to where we are */
    bool unknown;
};

static bool is_word(int c)
{
    return isalnum(c) || c == '_';
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* ---- definitions */

struct bodies {
    struct span list[DEFINITIONS_MOST];
    size_t n;
    bool unknown;
};

static void add_body(struct bodies *b, const unsigned char *at, const unsigned char *end)
{
    const unsigned char *comment = memmem(at, (size_t)(end - at), "//", 2);

    if (memmem(at, (size_t)(end - at), "/*", 2)) {
        b->unknown = true;
        return;
    }
    if (comment)
        end = comment;
    while (at < end && is_blank(*at))
        at++;
    while (end > at && is_blank(end[-1]))
        end--;
    for (size_t i = 0; i < b->n; i++)
        if (b->list[i].size == (size_t)(end - at) && !memcmp(b->list[i].data, at, b->list[i].size))
            return;
    if (b->n == DEFINITIONS_MOST)
        b->unknown = true;
    else
        b->list[b->n++] = (struct span){ at, (size_t)(end - at) };
}

/* Do "#", blanks, "define" and blanks stand in front? */
static bool is_defined_at(const unsigned char *begin, const unsigned char *at)
{
    const unsigned char *word = at;

    while (word > begin && is_blank(word[-1]))
        word--;
    if (word == at || word - begin < 6 || memcmp(word - 6, "define", 6))
        return false;
    for (word -= 6; word > begin && is_blank(word[-1]); word--)
        ;
    return word > begin && (word[-1] == '#' || word[-1] == ':');
}

static void find_in_text(struct span text, const char *name, size_t size, struct bodies *b)
{
    const unsigned char *end = text.data + text.size, *line;

    for (const unsigned char *at = text.data; (at = memmem(at, (size_t)(end - at), name, size)); at += size) {
        if ((at + size < end && is_word(at[size])) || !is_defined_at(text.data, at))
            continue;
        line = memchr(at, '\n', (size_t)(end - at));
        if (at + size < end && at[size] == '(')
            b->unknown = true;
        else
            add_body(b, at + size, line ? line : end);
    }
}

static void find_bodies(const struct macro_texts *in, const char *name, size_t size, struct bodies *b)
{
    b->n = 0;
    b->unknown = false;
    for (size_t i = 0; i < in->ndefines; i++) {
        const unsigned char *d = (const unsigned char *)in->defines[i];
        if (!strncmp(in->defines[i], name, size) && d[size] == '=')
            add_body(b, d + size + 1, d + strlen(in->defines[i]));
        else if (!strncmp(in->defines[i], name, size) && d[size] == '(')
            b->unknown = true;
    }
    for (size_t i = 0; i < in->ntexts; i++)
        find_in_text(in->texts[i], name, size, b);
}

/* ---- expansion: done, then rest, of which the first word is the next to be replaced */

static void found(struct search *s, const char *name, bool quoted)
{
    if (!*name || ++s->found > HEADERS_MOST)
        s->unknown = s->unknown || s->found > HEADERS_MOST;
    else
        s->each(s->user, name, quoted);
}

static void expand_within(struct search *s, const char *done, struct span rest, int depth);

/* A word between the angles, as itself and as each of its bodies, followed by rest. */
static void replace_word(struct search *s, const char *done, struct span word, struct span rest, int depth)
{
    char text[NAME_MOST];
    struct bodies b;

    if (s->words == WORDS_MOST ||
        snprintf(text, sizeof(text), "%s%.*s", done, (int)word.size, (const char *)word.data) >= (int)sizeof(text) ||
        depth == DEPTH_MOST) {
        s->unknown = true;
        return;
    }
    s->words++;
    expand_within(s, text, rest, depth);
    find_bodies(s->in, (const char *)word.data, word.size, &b);
    s->unknown = s->unknown || b.unknown;
    for (size_t i = 0; i < b.n && !s->unknown; i++) {
        if (snprintf(text, sizeof(text), "%.*s%.*s", (int)b.list[i].size, (const char *)b.list[i].data, (int)rest.size,
                (const char *)rest.data) >= (int)sizeof(text))
            s->unknown = true;
        else
            expand_within(s, done, (struct span){ (const unsigned char *)text, strlen(text) }, depth + 1);
    }
    s->words--;
}

static void expand_within(struct search *s, const char *done, struct span rest, int depth)
{
    char text[NAME_MOST];
    size_t n = 0, used = strlen(done);

    if (s->unknown)
        return;
    for (size_t i = 0; i < rest.size; i++)
        if (!rest.data[i] || is_blank(rest.data[i]) || rest.data[i] == '"' || rest.data[i] == '#' || rest.data[i] == '(') {
            s->unknown = true;
            return;
        }
    memcpy(text, done, used + 1);
    while (n < rest.size && !isalpha(rest.data[n]) && rest.data[n] != '_') {
        if (isdigit(rest.data[n])) { /* a number, with the letters behind it */
            while (n < rest.size && is_word(rest.data[n]) && used + 1 < sizeof(text))
                text[used++] = (char)rest.data[n++];
        } else if (used + 1 < sizeof(text)) {
            text[used++] = (char)rest.data[n++];
        }
        if (used + 1 == sizeof(text)) {
            s->unknown = true;
            return;
        }
    }
    text[used] = '\0';
    if (n == rest.size) {
        found(s, text, false);
    } else {
        struct span word = span_from(rest, n);
        size_t size = 0;
        while (size < word.size && is_word(word.data[size]))
            size++;
        replace_word(s, text, (struct span){ word.data, size }, span_from(word, size), depth);
    }
}

static void expand_body(struct search *s, struct span body, int depth)
{
    char name[NAME_MOST];

    if (!body.size || body.size >= sizeof(name) || depth == DEPTH_MOST || memchr(body.data, 0, body.size)) {
        s->unknown = true;
    } else if (body.size > 2 && body.data[0] == '"' && memchr(body.data + 1, '"', body.size - 1) == body.data + body.size - 1) {
        snprintf(name, sizeof(name), "%.*s", (int)body.size - 2, (const char *)body.data + 1);
        found(s, name, true);
    } else if (body.size > 2 && body.data[0] == '<' && memchr(body.data, '>', body.size) == body.data + body.size - 1) {
        expand_within(s, "", (struct span){ body.data + 1, body.size - 2 }, depth);
    } else {
        size_t n = 0;
        struct bodies b;
        while (n < body.size && is_word(body.data[n]))
            n++;
        if (n != body.size) {
            s->unknown = true;
            return;
        }
        find_bodies(s->in, (const char *)body.data, n, &b);
        s->unknown = s->unknown || b.unknown || !b.n;
        for (size_t i = 0; i < b.n && !s->unknown; i++)
            expand_body(s, b.list[i], depth + 1);
    }
}

bool gpudl__macro_headers(const struct macro_texts *in, const char *name, macro_each *each, void *user)
{
    struct search s = { .in = in, .each = each, .user = user };

    expand_body(&s, (struct span){ (const unsigned char *)name, strlen(name) }, 0);
    return !s.unknown;
}
