/* scan.c - what a source may include, without preprocessing it.
 *
 * Every #include is followed, whatever the conditionals around it say, so more may be found than a compiler reads, and never less: a key made
 * of it changes when anything does that was read, and now and then when nothing did. What cannot be told from the text (a name made by a macro)
 * is said to be so. Strings and comments are not recognised, as what looks like a directive in them does no harm. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/compile/internal.h"
#include "src/compile/macros.h"
#include "src/util/alloc.h"
#include "src/util/hash.h"

static const int64_t LARGEST_HEADER = 64 << 20;

enum { ROUNDS_MOST = 16 };

struct item {
    char *path;
    unsigned char *text; /* logical lines: without their splices */
    size_t size;
};

enum { CELL_USED = 1, CELL_FOUND = 2, CELL_BITS = 3 };

struct seen { /* hashes of what was done, above two bits; 0: free */
    uint64_t *cells;
    size_t ncells, used;
};

struct pending { /* #include NAME */
    size_t from; /* in items */
    char *name;
    bool every;
};

struct scanner {
    const struct scan_place *place;
    struct cache_key_maker *key;
    struct scan *out;
    struct item *items;
    size_t nitems, room;
    struct pending *pending;
    size_t npending, pending_room;
    struct strings defines; /* lines that define macros */
    struct seen seen;
    bool failed;
};

/* ---- what was done already */

static bool seen_grow(struct seen *s)
{
    struct seen more = { NULL, s->ncells ? 2 * s->ncells : 256, 0 };

    more.cells = gpudl__alloc_zero(more.ncells * sizeof(*more.cells));
    if (!more.cells)
        return false;
    for (size_t i = 0; i < s->ncells; i++) {
        size_t at = s->cells[i] / (CELL_BITS + 1) & (more.ncells - 1);
        if (!s->cells[i])
            continue;
        while (more.cells[at])
            at = (at + 1) & (more.ncells - 1);
        more.cells[at] = s->cells[i];
        more.used++;
    }
    gpudl__free(s->cells);
    *s = more;
    return true;
}

/* The cell of something to be done, and whether it is new; NULL: no memory. */
static uint64_t *note(struct scanner *s, char kind, const char *folder, size_t folder_size, const char *name, bool *is_new)
{
    char text[2 * PATH_MAX];
    int n = snprintf(text, sizeof(text), "%c%.*s\n%s", kind, (int)folder_size, folder, name);
    uint64_t hash =
        gpudl__hash64((struct span){ (const unsigned char *)text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1 });
    size_t at;

    if (2 * s->seen.used >= s->seen.ncells && !seen_grow(&s->seen)) {
        s->failed = true;
        return NULL;
    }
    hash = (hash & ~(uint64_t)CELL_BITS) | CELL_USED;
    for (at = hash / (CELL_BITS + 1) & (s->seen.ncells - 1); s->seen.cells[at]; at = (at + 1) & (s->seen.ncells - 1)) {
        *is_new = false;
        if ((s->seen.cells[at] & ~(uint64_t)CELL_FOUND) == hash)
            return &s->seen.cells[at];
    }
    *is_new = true;
    s->seen.cells[at] = hash;
    s->seen.used++;
    return &s->seen.cells[at];
}

/* ---- texts to go through */

/* How much a backslash and the end of the line behind it take, before which some compilers take blanks; 0: it ends no line. */
static size_t splice_at(struct span text, size_t at)
{
    size_t end = at + 1;

    while (end < text.size && (text.data[end] == ' ' || text.data[end] == '\t' || text.data[end] == '\r'))
        end++;
    return end < text.size && text.data[end] == '\n' ? end + 1 - at : 0;
}

/* A copy without backslashes at ends of lines. */
static unsigned char *join_lines(struct span text, size_t *size)
{
    unsigned char *copy = gpudl__alloc(text.size + 1);
    size_t n = 0, done = 0;

    while (copy && done < text.size) {
        const unsigned char *backslash = memchr(text.data + done, '\\', text.size - done);
        size_t end = backslash ? (size_t)(backslash - text.data) : text.size, splice = backslash ? splice_at(text, end) : 0;

        if (backslash && !splice)
            end++;
        memcpy(copy + n, text.data + done, end - done);
        n += end - done;
        done = end + splice;
    }
    *size = n;
    return copy;
}

static void add_item(struct scanner *s, const char *path, struct span text)
{
    struct item item = { .path = gpudl__alloc_string(path) };

    item.text = join_lines(text, &item.size);
    if (s->nitems == s->room && item.path && item.text) {
        size_t room = s->room ? 2 * s->room : 32;
        struct item *more = gpudl__alloc(room * sizeof(*more));
        if (more && s->nitems)
            memcpy(more, s->items, s->nitems * sizeof(*more));
        if (more) {
            gpudl__free(s->items);
            s->items = more;
            s->room = room;
        }
    }
    if (!item.path || !item.text || s->nitems == s->room) {
        gpudl__free(item.path);
        gpudl__free(item.text);
        s->failed = true;
        return;
    }
    s->items[s->nitems++] = item;
}

enum look { LOOK_FOUND, LOOK_NONE, LOOK_TROUBLE };

static enum look read_header(const char *path, unsigned char **out, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum look found = LOOK_TROUBLE;
    struct stat st;
    size_t done = 0;

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? LOOK_NONE : LOOK_TROUBLE;
    *out = NULL;
    if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
        found = LOOK_NONE;
    else if (S_ISREG(st.st_mode) && st.st_size <= LARGEST_HEADER)
        *out = gpudl__alloc((size_t)st.st_size + 1);
    while (*out && done <= (size_t)st.st_size) {
        ssize_t n = read(fd, *out + done, (size_t)st.st_size + 1 - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            found = n < 0 ? LOOK_TROUBLE : LOOK_FOUND;
            break;
        }
        done += (size_t)n;
    }
    close(fd);
    *size = done;
    if (found != LOOK_FOUND) {
        gpudl__free(*out);
        *out = NULL;
    }
    return found;
}

/* Is there a header at this path? Then it is read. */
static bool take_file(struct scanner *s, const char *path)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    enum look found = read_header(path, &bytes, &size);

    if (found == LOOK_NONE)
        return false;
    gpudl__key_add_text(s->key, "header", path);
    if (found == LOOK_TROUBLE) {
        s->out->partial = true;
        return true;
    }
    gpudl__key_add(s->key, "content", (struct span){ bytes, size });
    add_item(s, path, (struct span){ bytes, size });
    if (s->place->found)
        gpudl__strings_add(s->place->found, path);
    gpudl__free(bytes);
    return true;
}

static bool look_for(struct scanner *s, const char *folder, size_t size, const char *name)
{
    char path[PATH_MAX];
    uint64_t *cell;
    bool is_new;

    if (*name == '/')
        size = 0;
    if (snprintf(path, sizeof(path), "%.*s%s%s", (int)size, folder, size && folder[size - 1] != '/' ? "/" : "", name) >=
        (int)sizeof(path)) {
        s->out->partial = true;
        return false;
    }
    cell = note(s, 'f', "", 0, path, &is_new);
    if (cell && is_new && take_file(s, path))
        *cell |= CELL_FOUND;
    return cell && (*cell & CELL_FOUND);
}

/* ---- names */

static size_t folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) + (slash == path) : 0;
}

static bool is_in_memory(const struct scan_place *p, const char *name)
{
    for (size_t i = 0; i < p->nheaders; i++)
        if (!strcmp(p->headers[i].name, name))
            return true;
    return false;
}

/* Does a file's folder lie in one of the compiler's own? */
static bool is_own(const struct scanner *s, const char *folder, size_t size)
{
    for (size_t i = s->place->nfolders - s->place->nown; i < s->place->nfolders; i++) {
        size_t n = strlen(s->place->folders[i]);
        if (n <= size && !strncmp(folder, s->place->folders[i], n) && (n == size || folder[n] == '/'))
            return true;
    }
    return false;
}

/* every: the search may begin behind the first that is found (#include_next). */
static void resolve(struct scanner *s, const char *from, const char *name, bool quoted, bool every)
{
    size_t folder = folder_of(from);
    bool found = false, is_new;

    if (!note(s, every ? 'e' : quoted ? 'q' : 'a', from, quoted ? folder : 0, name, &is_new) || !is_new)
        return;
    if (is_in_memory(s->place, name) && !every)
        return; /* all of those are in the key, and gone through, anyway */
    if (quoted && look_for(s, from, folder, name))
        found = true;
    s->out->foreign = s->out->foreign || (found && !is_own(s, from, folder));
    for (size_t i = 0; i < s->place->nfolders && (!found || every); i++) {
        bool here = look_for(s, s->place->folders[i], strlen(s->place->folders[i]), name);
        s->out->foreign = s->out->foreign || (here && (*name == '/' || i + s->place->nown < s->place->nfolders));
        found = found || here;
    }
    if (!found) {
        gpudl__key_add_text(s->key, "in vain", name);
        s->out->unresolved = true;
    }
}

/* ---- lines */

struct cursor {
    const unsigned char *at, *end; /* end: of the line */
};

static void skip_blanks(struct scanner *s, struct cursor *c)
{
    for (;;) {
        while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\v' || *c->at == '\f' || *c->at == '\r'))
            c->at++;
        if (c->end - c->at < 2 || c->at[0] != '/' || c->at[1] != '*')
            return;
        c->at = memmem(c->at + 2, (size_t)(c->end - c->at) - 2, "*/", 2);
        if (!c->at) { /* the directive goes on behind a comment of several lines */
            s->out->partial = true;
            c->at = c->end;
            return;
        }
        c->at += 2;
    }
}

static struct cursor line_from(const struct item *item, const unsigned char *at)
{
    const unsigned char *end = item->text + item->size, *newline = memchr(at, '\n', (size_t)(end - at));

    return (struct cursor){ at, newline ? newline : end };
}

/* "name" or <name>, which is resolved; false: something else stands there. */
static bool take_name(struct scanner *s, const char *from, struct cursor *c, bool every)
{
    char name[PATH_MAX], close;
    const unsigned char *end;

    skip_blanks(s, c);
    if (c->at == c->end || (*c->at != '"' && *c->at != '<'))
        return false;
    close = *c->at == '"' ? '"' : '>';
    end = memchr(c->at + 1, close, (size_t)(c->end - c->at) - 1);
    if (!end || end - c->at - 1 >= PATH_MAX || memchr(c->at, 0, (size_t)(end - c->at)))
        return false;
    memcpy(name, c->at + 1, (size_t)(end - c->at) - 1);
    name[end - c->at - 1] = '\0';
    c->at = end + 1;
    if (*name)
        resolve(s, from, name, close == '"', every);
    return true;
}

static bool is_word(const struct cursor *c, const char *word)
{
    size_t n = strlen(word);

    return (size_t)(c->end - c->at) >= n && !memcmp(c->at, word, n) &&
        (c->at + n == c->end || (!isalnum(c->at[n]) && c->at[n] != '_'));
}

/* A name that a macro makes, to be looked at when all texts are there; false: it is something else. */
static bool put_off(struct scanner *s, size_t from, struct cursor *c, bool every)
{
    size_t n = 0;
    struct cursor rest;

    while (c->at + n < c->end && (isalnum(c->at[n]) || c->at[n] == '_'))
        n++;
    rest = (struct cursor){ c->at + n, c->end };
    skip_blanks(s, &rest);
    if (!n || isdigit(*c->at) || (rest.at < rest.end && memcmp(rest.at, "//", rest.end - rest.at > 1 ? 2 : 1)))
        return false;
    if (s->npending == s->pending_room) {
        size_t room = s->pending_room ? 2 * s->pending_room : 16;
        struct pending *more = gpudl__alloc(room * sizeof(*more));
        if (!more) {
            s->failed = true;
            return false;
        }
        if (s->npending)
            memcpy(more, s->pending, s->npending * sizeof(*more));
        gpudl__free(s->pending);
        s->pending = more;
        s->pending_room = room;
    }
    s->pending[s->npending] = (struct pending){ from, gpudl__alloc(n + 1), every };
    if (!s->pending[s->npending].name) {
        s->failed = true;
        return false;
    }
    memcpy(s->pending[s->npending].name, c->at, n);
    s->pending[s->npending++].name[n] = '\0';
    return true;
}

/* For names that macros make. */
static void keep_define(struct scanner *s, const struct cursor *c)
{
    gpudl__strings_append(&s->defines, "#", 1);
    gpudl__strings_append(&s->defines, c->at, (size_t)(c->end - c->at));
    gpudl__strings_append(&s->defines, "\n", 1);
    s->failed = s->failed || s->defines.failed;
}

/* c is behind the number sign. */
static void take_directive(struct scanner *s, size_t index, struct cursor c)
{
    const char *from = s->items[index].path;
    bool every;

    skip_blanks(s, &c);
    if (is_word(&c, "embed") || is_word(&c, "import"))
        s->out->partial = true;
    if (is_word(&c, "define"))
        keep_define(s, &c);
    every = is_word(&c, "include_next");
    if (!every && !is_word(&c, "include"))
        return;
    c.at += every ? 12 : 7;
    if (!take_name(s, from, &c, every) && !put_off(s, index, &c, every))
        s->out->partial = true;
}

/* Nothing but blanks since the line began, or since a comment ended. */
static bool may_begin(const unsigned char *begin, const unsigned char *at)
{
    while (at > begin && (at[-1] == ' ' || at[-1] == '\t' || at[-1] == '\v' || at[-1] == '\f'))
        at--;
    return at == begin || at[-1] == '\n' || at[-1] == '\r' || (at - begin >= 2 && at[-1] == '/' && at[-2] == '*');
}

/* ---- whether a header is there is asked, too */

/* The text of the macro that this line defines may be any expression, as long as its own name is seen by the same search. */
static bool defines_asker(const struct item *item, const unsigned char *at)
{
    const unsigned char *line = at, *paren;
    struct cursor c;

    while (line > item->text && line[-1] != '\n')
        line--;
    c = line_from(item, line);
    while (c.at < c.end && (isspace(*c.at) || *c.at == '#'))
        c.at++;
    if (!is_word(&c, "define"))
        return false;
    paren = memchr(c.at, '(', (size_t)(c.end - c.at));
    return paren &&
        (memmem(c.at, (size_t)(paren - c.at), "HAS_INCLUDE", 11) || memmem(c.at, (size_t)(paren - c.at), "has_include", 11));
}

static void take_question(struct scanner *s, const struct item *item, const unsigned char *at)
{
    struct cursor c = line_from(item, at + 11);

    while (c.at < c.end && (isalnum(*c.at) || *c.at == '_'))
        c.at++;
    skip_blanks(s, &c);
    if (c.at == c.end || *c.at != '(')
        return;
    c.at++;
    if (!take_name(s, item->path, &c, false) && !defines_asker(item, at))
        s->out->partial = true;
}

/* ---- one text */

static bool is_at(const struct item *item, const unsigned char *at, const char *word, size_t size)
{
    return (size_t)(item->text + item->size - at) >= size && !memcmp(at, word, size);
}

/* at an underscore. */
static void take_word(struct scanner *s, const struct item *item, const unsigned char *at)
{
    if (at - item->text >= 3 && (is_at(item, at - 3, "has_include", 11) || is_at(item, at - 3, "HAS_INCLUDE", 11)))
        take_question(s, item, at - 3);
    if (is_at(item, at, "__TIME", 6) || is_at(item, at, "__DATE__", 8))
        s->out->changing = true;
}

/* What one of these characters may begin. */
static void take_at(struct scanner *s, size_t index, const struct item *item, const unsigned char *at)
{
    switch (*at) {
    case '#':
        if (may_begin(item->text, at))
            take_directive(s, index, line_from(item, at + 1));
        break;
    case '%':
        if (is_at(item, at, "%:", 2) && may_begin(item->text, at))
            take_directive(s, index, line_from(item, at + 2));
        break;
    case '_':
        take_word(s, item, at);
        break;
    case '?': /* trigraphs can spell a directive */
        if (is_at(item, at, "?" "?=", 3) || is_at(item, at, "?" "?/", 3))
            s->out->partial = true;
        break;
    default:
        break;
    }
}

static void take_text(struct scanner *s, size_t index)
{
    static const bool telling[256] = { ['#'] = true, ['%'] = true, ['_'] = true, ['?'] = true };
    const struct item item = s->items[index]; /* they move */
    const unsigned char *end = item.text + item.size;

    for (const unsigned char *at = item.text; at < end; at++)
        if (telling[*at])
            take_at(s, index, &item, at);
}

/* ---- names that macros make */

struct asking {
    struct scanner *s;
    const struct pending *pending;
};

static void take_made(void *user, const char *header, bool quoted)
{
    const struct asking *a = user;
    char from[PATH_MAX];

    snprintf(from, sizeof(from), "%s", a->s->items[a->pending->from].path); /* items move */
    resolve(a->s, from, header, quoted, a->pending->every);
}

static bool ask_macros(struct scanner *s)
{
    const struct span texts = { (const unsigned char *)s->defines.data, s->defines.used };
    const struct macro_texts in = { &texts, texts.size != 0, s->place->defines, s->place->ndefines };
    bool known = !s->defines.failed;

    for (size_t i = 0; i < s->npending; i++) {
        struct pending pending = s->pending[i];
        struct asking a = { s, &pending };
        known = gpudl__macro_headers(&in, pending.name, take_made, &a) && known;
    }
    return known;
}

/* ---- */

static void take_items(struct scanner *s, size_t first)
{
    for (size_t i = first; i < s->nitems && !s->failed; i++)
        take_text(s, i);
}

/* What macros name may define macros: again, until nothing new comes. */
static void take_all(struct scanner *s)
{
    size_t done = 0;
    bool known = true;
    int round = 0;

    take_items(s, 0);
    for (; s->npending && done < s->nitems && !s->failed && round < ROUNDS_MOST; round++) {
        done = s->nitems;
        known = ask_macros(s);
        take_items(s, done);
    }
    if (!known || round == ROUNDS_MOST)
        s->out->partial = true;
}

static void add_memory(struct scanner *s)
{
    for (size_t i = 0; i < s->place->nheaders; i++) {
        gpudl__key_add_text(s->key, "header in memory", s->place->headers[i].name);
        gpudl__key_add(s->key, "content", s->place->headers[i].text);
        add_item(s, s->place->headers[i].name, s->place->headers[i].text);
    }
}

bool gpudl__scan(const char *name, struct span text, const char *const *before, size_t nbefore, const struct scan_place *place,
    struct cache_key_maker *key, struct scan *out)
{
    struct scanner s = { .place = place, .key = key, .out = out };

    *out = (struct scan){ .partial = false };
    gpudl__key_add(key, "source", text);
    add_item(&s, name, text);
    add_memory(&s);
    for (size_t i = 0; i < nbefore; i++)
        resolve(&s, "", before[i], true, false);
    take_all(&s);
    for (size_t i = 0; i < s.npending; i++)
        gpudl__free(s.pending[i].name);
    gpudl__free(s.pending);
    gpudl__strings_free(&s.defines);
    for (size_t i = 0; i < s.nitems; i++) {
        gpudl__free(s.items[i].path);
        gpudl__free(s.items[i].text);
    }
    gpudl__free(s.items);
    gpudl__free(s.seen.cells);
    return !s.failed;
}

void gpudl__scan_tried(const char *from, const char *header, const struct scan_place *place, struct text *t)
{
    size_t folder = folder_of(from);

    gpudl__text_add(t, "tried ");
    if (*header == '/') {
        gpudl__text_add(t, "%s", header);
        return;
    }
    gpudl__text_add(t, "%.*s%s%s", (int)folder, from, folder && from[folder - 1] != '/' ? "/" : "", header);
    for (size_t i = 0; i < place->nfolders; i++)
        gpudl__text_add(t, ", %s/%s", place->folders[i], header);
    if (!place->nfolders)
        gpudl__text_add(t, "; no folder was given to look in: add one with -I");
}
