/* gather.c - see gather.h.
 *
 * A header's text takes the place of its #include, under the same conditionals, so that nothing need be evaluated. What a header's `#pragma once`
 * does by its file is done by a macro then. */
#include "tools/gpudl/gather.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MOST = 100 };

static const long LARGEST_TEXT = 64 << 20;

struct gatherer {
    const struct command *command;
    const struct compiling *compiling;
    struct gathered *out;
    FILE *to;
    int open[DEPTH_MOST]; /* files whose text we are in */
    size_t depth;
    int status;
};

/* ---- files */

static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rbe");
    char *text = NULL;
    struct stat st;

    if (file && fstat(fileno(file), &st) == 0) {
        errno = S_ISREG(st.st_mode) ? EFBIG : S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        if (S_ISREG(st.st_mode) && st.st_size <= LARGEST_TEXT)
            text = malloc((size_t)st.st_size + 1);
    }
    if (text) {
        *size = fread(text, 1, (size_t)st.st_size, file);
        text[*size] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

/* Its number among the files of the text, whatever names it has; -1: no memory. */
static int number_of(struct gatherer *g, const char *name)
{
    struct gathered *out = g->out;
    char path[PATH_MAX], **more;

    if (!realpath(name, path))
        return -1;
    for (size_t i = 0; i < out->nfiles; i++)
        if (!strcmp(out->files[i], path))
            return (int)i;
    more = realloc(out->files, (out->nfiles + 1) * sizeof(*more));
    if (!more)
        return -1;
    out->files = more;
    more[out->nfiles] = strdup(path);
    return more[out->nfiles] ? (int)out->nfiles++ : -1;
}

static bool try_path(const char *folder, size_t size, const char *name, char path[PATH_MAX])
{
    struct stat st;
    int n = *name == '/' ? snprintf(path, PATH_MAX, "%s", name) : snprintf(path, PATH_MAX, "%.*s/%s", (int)size, folder, name);

    return n < PATH_MAX && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool find_header(const struct gatherer *g, const char *from, const char *name, bool quoted, char path[PATH_MAX])
{
    const struct compiling *c = g->compiling;
    const char *slash = strrchr(from, '/');

    if (quoted && try_path(slash ? from : ".", slash ? (size_t)(slash - from) : 1, name, path))
        return true;
    for (size_t i = 0; i + 1 < c->nwords; i += 2)
        if (!strcmp(c->words[i], "-I") && try_path(c->words[i + 1], strlen(c->words[i + 1]), name, path))
            return true;
    return false;
}

/* ---- lines */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* Behind "#" and the word, or NULL: the line is another directive, or none. */
static const char *directive(const char *line, const char *word)
{
    size_t n = strlen(word);

    line = skip_blanks(line);
    if (*line != '#')
        return NULL;
    line = skip_blanks(line + 1);
    return !strncmp(line, word, n) && !isalnum((unsigned char)line[n]) && line[n] != '_' ? line + n : NULL;
}

static bool is_once(const char *line)
{
    const char *at = directive(line, "pragma");

    at = at ? skip_blanks(at) : "";
    return !strncmp(at, "once", 4) && !isalnum((unsigned char)at[4]) && at[4] != '_';
}

static bool has_once(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (is_once(line))
            return true;
    return false;
}

/* May a text come again within itself, as it is left out there by its own first directive? */
static bool is_guarded(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (*skip_blanks(line) == '#')
            return directive(line, "ifndef") || directive(line, "if") || is_once(line);
    return false;
}

/* Does a comment go on behind this line, which one may have begun before? */
static bool is_in_comment(const char *line, bool inside)
{
    char quote = 0;

    for (; *line && *line != '\n'; line++) {
        if (inside) {
            inside = !(line[0] == '*' && line[1] == '/');
            line += !inside;
        } else if (quote) {
            line += *line == '\\' && line[1] && line[1] != '\n';
            quote = *line == quote ? 0 : quote;
        } else if (line[0] == '/' && line[1] == '/') {
            return false;
        } else if (line[0] == '/' && line[1] == '*') {
            inside = true;
            line++;
        } else if (*line == '"' || (*line == '\'' && (line[1] == '\\' || (line[1] && line[2] == '\'')))) { /* not 1'000 */
            quote = *line;
        }
    }
    return inside;
}

/* "name" or <name>, all that there is on the line but comments. */
static bool parse_include(const char *line, char name[PATH_MAX], bool *quoted)
{
    const char *at = directive(line, "include"), *end;

    at = at ? skip_blanks(at) : "";
    if (*at != '"' && *at != '<')
        return false;
    *quoted = *at == '"';
    end = at + 1 + strcspn(at + 1, *quoted ? "\"\n" : ">\n");
    if (*end != (*quoted ? '"' : '>') || end - at >= PATH_MAX)
        return false;
    snprintf(name, PATH_MAX, "%.*s", (int)(end - at - 1), at + 1);
    return true;
}

/* No path of the machine that gathers: of an absolute one its last part. */
static const char *shown(const char *name)
{
    return *name == '/' ? strrchr(name, '/') + 1 : name;
}

static void put_line(struct gatherer *g, size_t number, const char *name)
{
    fprintf(g->to, "#line %zu \"", number);
    for (name = shown(name); *name; name++)
        fprintf(g->to, "%s%c", *name == '"' || *name == '\\' ? "\\" : "", *name);
    fputs("\"\n", g->to);
}

/* ---- texts */

static void put_file(struct gatherer *g, const char *path, const char *name);

static int fail(struct gatherer *g, const char *path, const char *why)
{
    if (g->status == STATUS_OK)
        g->status = command_failed(g->command, "%s: %s", path, why);
    return g->status;
}

static bool is_open(const struct gatherer *g, int number)
{
    for (size_t i = 0; i < g->depth; i++)
        if (g->open[i] == number)
            return true;
    return false;
}

/* False: the line is no #include of a file that is here. */
static bool put_include(struct gatherer *g, const char *from, const char *line)
{
    char name[PATH_MAX], path[PATH_MAX];
    bool quoted;

    if (!parse_include(line, name, &quoted) || !find_header(g, from, name, quoted, path))
        return false;
    put_file(g, path, name);
    return true;
}

static void put_text(struct gatherer *g, const char *path, const char *name, const char *text, bool once)
{
    bool comment = false;
    size_t number = 1;

    put_line(g, 1, name);
    for (const char *line = text; *line && g->status == STATUS_OK; number++) {
        size_t n = strcspn(line, "\n");

        if (!comment && once && is_once(line)) {
            putc_unlocked('\n', g->to);
        } else if (!comment && put_include(g, path, line)) {
            put_line(g, number + 1, name);
        } else {
            fwrite(line, 1, n, g->to);
            putc_unlocked('\n', g->to);
        }
        comment = is_in_comment(line, comment);
        line += n + (line[n] == '\n');
    }
    if (ftell(g->to) > LARGEST_TEXT)
        fail(g, path, "with what it includes it is more than 64 MiB");
}

static void put_file(struct gatherer *g, const char *path, const char *name)
{
    size_t size = 0;
    char *text = read_text(path, &size);
    int number = text ? number_of(g, path) : -1;
    bool once = text && g->depth && has_once(text);

    if (number < 0) {
        fail(g, path, text ? "out of memory" : strerror(errno));
    } else if (strlen(text) != size) {
        fail(g, path, "there is a NUL in it, so it is no text");
    } else if (is_open(g, number) ? !is_guarded(text) : g->depth == DEPTH_MOST) {
        fail(g, path, "it includes itself, or headers too deep in each other");
    } else if (!is_open(g, number)) {
        if (once)
            fprintf(g->to, "#ifndef GPUDL_ONCE_%d\n#define GPUDL_ONCE_%d\n", number, number);
        g->open[g->depth++] = number;
        put_text(g, path, name, text, once);
        g->depth--;
        if (once)
            fputs("#endif\n", g->to);
    }
    free(text);
}

static void put_macros(struct gatherer *g)
{
    const struct compiling *c = g->compiling;

    for (size_t i = 0; i + 1 < c->nwords; i += 2) {
        const char *macro = c->words[i + 1], *equals = strchr(macro, '=');

        if (!strcmp(c->words[i], "-D"))
            fprintf(g->to, "#define %.*s %s\n", (int)(equals ? equals - macro : (long)strlen(macro)), macro,
                equals ? equals + 1 : "1");
    }
}

/* All else says how it is compiled, and that is done by another. */
static int check_words(const struct command *command, const struct compiling *c)
{
    for (size_t i = 0; i < c->nwords; i += 2)
        if (strcmp(c->words[i], "-I") != 0 && strcmp(c->words[i], "-D") != 0)
            return command_misused(command, "--format source keeps -I and -D, not %s: say that when it is loaded", c->words[i]);
    return c->nnames ? command_misused(command, "--format source keeps -I and -D, not --name: say that when it is loaded")
                     : STATUS_OK;
}

int gather(const struct command *command, const char *file, const struct compiling *compiling, struct gathered *out)
{
    struct gatherer g = { .command = command, .compiling = compiling, .out = out, .status = check_words(command, compiling) };
    const char *slash = strrchr(file, '/');

    *out = (struct gathered){ .text = NULL };
    if (g.status != STATUS_OK)
        return g.status;
    g.to = open_memstream(&out->text, &out->size);
    if (!g.to)
        return command_failed(command, "out of memory");
    fprintf(g.to, "%s of %s, to be compiled when it is loaded\n", GPUDL_SOURCE_MARK, slash ? slash + 1 : file);
    put_macros(&g);
    put_file(&g, file, slash ? slash + 1 : file);
    if (fclose(g.to) != 0)
        fail(&g, file, strerror(errno));
    if (g.status != STATUS_OK)
        gathered_free(out);
    return g.status;
}

void gathered_free(struct gathered *g)
{
    for (size_t i = 0; i < g->nfiles; i++)
        free(g->files[i]);
    free(g->files);
    free(g->text);
    *g = (struct gathered){ .text = NULL };
}
