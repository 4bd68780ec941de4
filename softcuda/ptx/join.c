/* join.c - see join.h.
 *
 * A text is a sequence of statements: directives that take a line (.version, .target, .address_size, .file), declarations that end in
 * a semicolon, and functions and sections that end in a brace. */
#include "softcuda/ptx/join.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum linkage { LOCAL, VISIBLE, WEAK, EXTERN };

struct piece { const char *at; size_t size; };

struct statement {
    struct piece text, name;            /* no name: a directive or a section */
    enum linkage linkage;
    unsigned source;
    bool version, target, line;         /* line: any directive of a line */
    bool func, prototype;               /* prototype: no body */
    bool dropped, renamed, written;
    struct statement *definition;       /* of what is only declared here: takes its place */
};

struct join {
    const struct ptx_source *sources;
    size_t nsources;
    struct statement *s;
    size_t n, capacity;
    char *out;
    size_t size, room;
    bool no_memory;
};

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

static bool same(struct piece a, struct piece b)
{
    return a.size == b.size && !memcmp(a.at, b.at, a.size);
}

static bool is(struct piece p, const char *text)
{
    return p.size == strlen(text) && !memcmp(p.at, text, p.size);
}

/* Behind the comment, string or space that begins at p; p where there is none. */
static const char *skip(const char *p, const char *end)
{
    const char *q;

    if (end - p >= 2 && p[0] == '/' && p[1] == '/')
        return (q = memchr(p, '\n', (size_t)(end - p))) ? q : end;
    if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
        for (q = p + 2; end - q >= 2 && (q[0] != '*' || q[1] != '/'); q++)
            ;
        return end - q >= 2 ? q + 2 : end;
    }
    if (*p == '"')
        return (q = memchr(p + 1, '"', (size_t)(end - p - 1))) ? q + 1 : end;
    return p;
}

/* A word, with the dot that may stand before it; empty where there is none. */
static struct piece word(const char *p, const char *end)
{
    const char *q = p;

    if (q < end && *q == '.')
        q++;
    while (q < end && is_name(*q))
        q++;
    return (struct piece){ p, (size_t)(q - p) };
}

static void note(struct statement *s, struct piece w, bool top)
{
    if (is(w, ".visible"))
        s->linkage = VISIBLE;
    else if (is(w, ".weak") || is(w, ".common"))
        s->linkage = WEAK;
    else if (is(w, ".extern"))
        s->linkage = EXTERN;
    else if (is(w, ".func"))
        s->func = s->prototype = true;
    else if (top && !s->name.size && w.at[0] != '.' && !(w.at[0] >= '0' && w.at[0] <= '9'))
        s->name = w;
}

static bool takes_a_line(struct statement *s, struct piece w)
{
    s->version = is(w, ".version");
    s->target = is(w, ".target");
    s->line = s->version || s->target || is(w, ".address_size") || is(w, ".file");
    return s->line;
}

/* Reads the statement at p, which is neither space nor comment. Returns its end. */
static const char *read_statement(const char *p, const char *end, struct statement *s)
{
    struct piece w = word(p, end);
    bool value = false, section = is(w, ".section");
    const char *q = p;
    int depth = 0;

    if (takes_a_line(s, w)) {
        q = memchr(p, '\n', (size_t)(end - p));
        return q ? q : end;
    }
    while (q < end) {
        const char *behind = skip(q, end);

        if (behind != q) {
            q = behind;
            continue;
        }
        w = word(q, end);
        if (w.size) {
            if (!section)
                note(s, w, depth == 0 && !value);
            q += w.size;
            continue;
        }
        if (*q == '{' && depth == 0 && !value)
            s->prototype = false;
        value |= *q == '=' && depth == 0;
        depth += (*q == '{' || *q == '(' || *q == '[') - (*q == '}' || *q == ')' || *q == ']');
        q++;
        if (depth <= 0 && (q[-1] == ';' || (q[-1] == '}' && !value)))
            return q;
    }
    return end;
}

static struct statement *append(struct join *j)
{
    size_t capacity = j->capacity ? 2 * j->capacity : 64;
    struct statement *s;

    if (j->n == j->capacity) {
        if (!(s = realloc(j->s, capacity * sizeof(*s)))) {
            j->no_memory = true;
            return NULL;
        }
        j->s = s;
        j->capacity = capacity;
    }
    s = &j->s[j->n++];
    memset(s, 0, sizeof(*s));
    return s;
}

static void read_source(struct join *j, unsigned index)
{
    const char *p = j->sources[index].text, *end = p + j->sources[index].size, *behind;
    const char *nul = memchr(p, '\0', (size_t)(end - p));
    struct statement *s;

    end = nul ? nul : end;
    while (p < end) {
        behind = *p == '"' ? p : skip(p, end);
        if (behind != p || *p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') {
            p = behind != p ? behind : p + 1;
            continue;
        }
        if (!(s = append(j)))
            return;
        s->source = index;
        behind = read_statement(p, end, s);
        s->text = (struct piece){ p, (size_t)(behind - p) };
        p = behind;
    }
}

static bool defines(const struct statement *s)
{
    return s->name.size && !s->prototype && s->linkage != EXTERN;
}

static int rank(const struct statement *s)      /* which of two of a name stays */
{
    return !defines(s) ? 0 : s->linkage == WEAK ? 1 : 2;
}

/* Two statements of different texts with one name. */
static bool settle(struct statement *a, struct statement *b, char *error, size_t size)
{
    if (a->linkage == LOCAL || b->linkage == LOCAL) {
        if (b->linkage == LOCAL)
            b->renamed = true;
        else
            a->renamed = true;
    } else if (rank(a) == 2 && rank(b) == 2) {
        snprintf(error, size, "'%.*s' is defined more than once", (int)(a->name.size < 200 ? a->name.size : 200), a->name.at);
        return false;
    } else if (rank(b) > rank(a)) {
        a->dropped = true;
        a->definition = b;
    } else {
        b->dropped = true;
        b->definition = rank(a) ? a : NULL;
    }
    return true;
}

static int by_name(const void *x, const void *y)
{
    const struct statement *a = *(struct statement *const *)x, *b = *(struct statement *const *)y;
    size_t n = a->name.size < b->name.size ? a->name.size : b->name.size;
    int c = n ? memcmp(a->name.at, b->name.at, n) : 0;

    if (c)
        return c;
    if (a->name.size != b->name.size)
        return a->name.size < b->name.size ? -1 : 1;
    return a < b ? -1 : a > b;
}

static int resolve(struct join *j, struct statement **order, char *error, size_t size)
{
    for (size_t i = 0; i < j->n; i++)
        order[i] = &j->s[i];
    qsort(order, j->n, sizeof(*order), by_name);
    for (size_t i = 0; i < j->n; i++)
        for (size_t k = i + 1; order[i]->name.size && k < j->n && same(order[i]->name, order[k]->name); k++)
            if (order[i]->source != order[k]->source && !order[i]->dropped && !order[k]->dropped
                && !settle(order[i], order[k], error, size))
                return -1;
    return 0;
}

static void put(struct join *j, const char *text, size_t n)
{
    size_t room = j->room ? j->room : 4096;
    char *out;

    while (room - j->size < n + 1)
        room *= 2;
    if (room != j->room) {
        if (!(out = realloc(j->out, room))) {
            j->no_memory = true;
            return;
        }
        j->out = out;
        j->room = room;
    }
    memcpy(j->out + j->size, text, n);
    j->size += n;
    j->out[j->size] = '\0';
}

/* Is this the name of something of the text that has another one now? */
static bool is_renamed(const struct join *j, struct piece w, unsigned source)
{
    for (size_t i = 0; i < j->n; i++)
        if (j->s[i].renamed && j->s[i].source == source && same(j->s[i].name, w))
            return true;
    return false;
}

static void put_statement(struct join *j, const struct statement *s, bool rename)
{
    const char *p = s->text.at, *end = p + s->text.size, *from = p, *behind;
    char suffix[16];

    while (rename && p < end) {
        struct piece w = word(p, end);

        if ((behind = skip(p, end)) != p) {
            p = behind;
        } else if (!w.size) {
            p++;
        } else {
            p += w.size;
            if (w.at[0] != '.' && is_renamed(j, w, s->source)) {
                put(j, from, (size_t)(p - from));
                put(j, suffix, (size_t)snprintf(suffix, sizeof(suffix), "$%u", s->source));
                from = p;
            }
        }
    }
    put(j, from, (size_t)(end - from));
    put(j, "\n", 1);
}

/* Names must be known before they are used. So a function that comes later is announced, a variable that comes later comes now. */
static void put_definition(struct join *j, const struct statement *s, bool rename)
{
    struct statement *d = s->definition;
    struct statement announced = *s;

    if (!d || d->written)
        return;
    if (!d->func) {
        d->written = true;
        put_statement(j, d, rename);
        return;
    }
    announced.text.at += strlen(".extern");
    announced.text.size -= strlen(".extern");
    put(j, d->linkage == WEAK ? ".weak" : ".visible", d->linkage == WEAK ? 5 : 8);
    put_statement(j, &announced, rename);
}

/* The number behind the first "sm_", or "version": what is newest holds for all. */
static unsigned number(struct piece text)
{
    unsigned v = 0, digits = 0;

    for (size_t i = 0; i < text.size && !(digits && text.at[i] != '.' && (text.at[i] < '0' || text.at[i] > '9')); i++)
        if (text.at[i] >= '0' && text.at[i] <= '9') {
            v = v * 10 + (unsigned)(text.at[i] - '0');
            digits++;
        }
    return v;
}

static const struct statement *newest(const struct join *j, bool target)
{
    const struct statement *best = NULL;

    for (size_t i = 0; i < j->n; i++)
        if ((target ? j->s[i].target : j->s[i].version) && (!best || number(j->s[i].text) > number(best->text)))
            best = &j->s[i];
    return best;
}

static void write_all(struct join *j)
{
    const struct statement *version = newest(j, false), *target = newest(j, true);
    bool rename = false;

    if (version)
        put_statement(j, version, false);
    if (target)
        put_statement(j, target, false);
    put(j, ".address_size 64\n", 17);
    for (size_t i = 0; i < j->n; i++)
        rename |= j->s[i].renamed;
    for (size_t i = 0; i < j->n; i++) {
        struct statement *s = &j->s[i];

        if (s->dropped && s->linkage == EXTERN && is(word(s->text.at, s->text.at + s->text.size), ".extern"))
            put_definition(j, s, rename);
        if (!s->dropped && !s->written && !(s->line && (s->version || s->target || s->text.at[1] == 'a' || s->source)))
            put_statement(j, s, rename);
        s->written = true;
    }
}

int ptx_join(const struct ptx_source *sources, size_t n, char **out, size_t *size, char *error, size_t error_size)
{
    struct join j = { .sources = sources, .nsources = n };
    struct statement **order;
    int err;

    error[0] = '\0';
    for (unsigned i = 0; i < n && !j.no_memory; i++)
        read_source(&j, i);
    order = calloc(j.n + 1, sizeof(*order));
    err = !order || j.no_memory ? -1 : resolve(&j, order, error, error_size);
    if (!err)
        write_all(&j);
    free(order);
    free(j.s);
    if (err || j.no_memory) {
        free(j.out);
        return -1;
    }
    *out = j.out;
    *size = j.size;
    return 0;
}
