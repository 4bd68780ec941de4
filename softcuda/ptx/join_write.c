/* join_write.c - the joined text: what all share, declarations of functions and of variables that several sources know, then all
 * variables, all functions, and aliases at the end. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "softcuda/ptx/join_parts.h"

static void put(struct join *j, const char *text, size_t n)
{
    char *to = n && !j->no_memory ? ptx_vec_extend(&j->out, 1, n) : NULL;

    if (to)
        memcpy(to, text, n);
    else if (n)
        j->no_memory = true;
}

__attribute__((format(printf, 2, 3))) static void print(struct join *j, const char *format, ...)
{
    char text[256];
    va_list list;
    int n;

    va_start(list, format);
    n = vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    put(j, text, n > 0 && (size_t)n < sizeof(text) ? (size_t)n : 0);
}

/* --------------------------------------------------------------------------------------------- text, with names as they are now */

static void next(struct ptx_lexer *lx, struct ptx_token *t, const char **end)
{
    *end = lx->at;
    *t = ptx_lex(lx);
}

/* ", function_name L + 4" and ", inlined_at 1 5 3" refer to sections, which do not come along. *end: behind the last token read. */
static void skip_inlining(struct ptx_lexer *lx, struct ptx_token *t, const char **end)
{
    while (t->kind == ',') {
        next(lx, t, end);
        next(lx, t, end);
        if (t->kind == TOK_NAME)
            next(lx, t, end);
        if (t->kind == '+' || t->kind == '-')
            next(lx, t, end);
        while (t->kind == TOK_INT)
            next(lx, t, end);
    }
}

/* At the token behind ".loc". Writes its numbers; returns where the text goes on. */
static const char *put_loc(struct join *j, const struct join_source *source, struct ptx_lexer *lx, struct ptx_token *t)
{
    const char *end = t->text;

    print(j, " ");
    for (int i = 0; i < 3 && t->kind == TOK_INT; i++) {
        print(j, "%llu ", (unsigned long long)t->value + (i ? 0 : source->file_base));
        next(lx, t, &end);
    }
    skip_inlining(lx, t, &end);
    return end;
}

static void put_text(struct join *j, uint32_t index, struct ptx_slice text)
{
    const struct join_source *source = &j->sources[index];
    const char *from = text.text;
    struct ptx_lexer lx;
    struct ptx_token t;
    struct ptx_symbol *s;

    if (!text.len)
        return;
    ptx_lex_init(&lx, text.text, text.len);
    for (t = ptx_lex(&lx); t.kind != TOK_END && t.kind != TOK_BAD;) {
        if (t.kind == TOK_WORD && t.len == 4 && !memcmp(t.text, ".loc", 4)) {
            put(j, from, (size_t)(lx.at - from));
            t = ptx_lex(&lx);
            from = put_loc(j, source, &lx, &t);
            continue;
        }
        if (source->renames && t.kind == TOK_NAME && (s = ptx_symbol_find(&source->names, (struct ptx_slice){ t.text, t.len }))
            && join_symbol(j, s->index)->suffix) {
            put(j, from, (size_t)(lx.at - from));
            print(j, "$%u", join_symbol(j, s->index)->suffix);
            from = lx.at;
        }
        t = ptx_lex(&lx);
    }
    put(j, from, (size_t)(text.text + text.len - from));
}

/* ----------------------------------------------------------------------------------------------------------------- statements */

static const char *linkage_word(enum ptx_linkage linkage)
{
    static const char *const words[] = { "", ".visible ", ".weak ", ".extern ", ".common " };

    return words[linkage];
}

/* Of a definition that has none, its prototype's. */
static enum ptx_linkage linkage_of(const struct join *j, const struct join_statement *s)
{
    if (join_symbol(j, s->symbol)->local)
        return PTX_INTERNAL;
    return s->linkage == PTX_INTERNAL || s->linkage == PTX_EXTERN ? PTX_VISIBLE : s->linkage;
}

static void put_variable(struct join *j, const struct join_statement *s, enum ptx_linkage linkage, struct ptx_slice behind_name)
{
    struct ptx_slice name = { s->name.text, s->name.len };

    print(j, "%s", linkage_word(linkage));
    put_text(j, s->source, s->head);
    put_text(j, s->source, name);
    put_text(j, s->source, behind_name);
    put(j, ";\n", 2);
}

/* "[4]" of "[4] = { 1 }" */
static struct ptx_slice dims_of(const struct join_statement *s)
{
    return (struct ptx_slice){ s->name.text + s->name.len, (uint32_t)(s->body.text - s->name.text) - s->name.len };
}

static struct ptx_slice dims_and_value(const struct join_statement *s)
{
    return (struct ptx_slice){ s->name.text + s->name.len, (uint32_t)(s->body.text + s->body.len - s->name.text) - s->name.len };
}

static void put_prototype(struct join *j, const struct join_statement *s, enum ptx_linkage linkage)
{
    print(j, "%s", linkage_word(linkage));
    put_text(j, s->source, s->head);
    put(j, ";\n", 2);
}

/* Names must be known before they are used: functions in any order, variables of other sources too. */
static void announce(struct join *j, const struct join_symbol *symbol)
{
    bool defined = symbol->definition != JOIN_NONE;
    const struct join_statement *first = join_statement(j, symbol->first);
    const struct join_statement *s = defined ? join_statement(j, symbol->definition) : first;

    if (!defined && symbol->user == JOIN_NONE)
        return;
    if (first->kind == JOIN_ALIAS)
        return;
    if (s->kind == JOIN_ALIAS)
        put_prototype(j, first, linkage_of(j, s));
    else if (s->kind == JOIN_FUNCTION)
        put_prototype(j, s, defined ? linkage_of(j, s) : PTX_EXTERN);
    else if (!defined)
        put_variable(j, join_statement(j, symbol->widest), PTX_EXTERN, dims_of(join_statement(j, symbol->widest)));
    else if (!symbol->local && (symbol->elsewhere || symbol->first != symbol->definition))
        put_variable(j, s, PTX_EXTERN, dims_of(s));
}

static void put_function(struct join *j, const struct join_statement *s)
{
    print(j, "%s", linkage_word(linkage_of(j, s)));
    put_text(j, s->source, s->head);
    put_text(j, s->source, s->body);
    put(j, "\n", 1);
}

/* Calls `each` for what is in the result, in the order of the sources. */
static void for_each(struct join *j, void (*each)(struct join *, uint32_t statement))
{
    for (uint32_t i = 0; i < j->n; i++)
        for (uint32_t k = j->sources[i].first; j->sources[i].taken && k < j->sources[i].end && !j->no_memory; k++)
            each(j, k);
}

static void each_file(struct join *j, uint32_t index)
{
    const struct join_statement *s = join_statement(j, index);

    if (s->kind != JOIN_FILE)
        return;
    print(j, ".file %u ", s->file + j->sources[s->source].file_base);
    put(j, s->body.text, s->body.len);
    put(j, "\n", 1);
}

static void each_variable(struct join *j, uint32_t index)
{
    const struct join_statement *s = join_statement(j, index);

    if (s->kind == JOIN_VARIABLE && join_meaning(j, s)->definition == index)
        put_variable(j, s, linkage_of(j, s), dims_and_value(s));
}

static void each_function(struct join *j, uint32_t index)
{
    const struct join_statement *s = join_statement(j, index);

    if (s->kind == JOIN_PRAGMA) {
        put(j, s->head.text, s->head.len);
        put(j, "\n", 1);
    } else if (s->kind == JOIN_FUNCTION && join_meaning(j, s)->definition == index) {
        put_function(j, s);
    }
}

static void each_alias(struct join *j, uint32_t index)
{
    const struct join_statement *s = join_statement(j, index);

    if (s->kind != JOIN_ALIAS || join_meaning(j, s)->definition != index)
        return;
    put_text(j, s->source, s->head);
    put(j, "\n", 1);
}

/* Files of one source follow those of the one before. */
static void number_files(struct join *j)
{
    uint32_t base = 0;

    for (uint32_t i = 0; i < j->n; i++) {
        uint32_t most = 0;

        j->sources[i].file_base = base;
        for (uint32_t k = j->sources[i].first; j->sources[i].taken && k < j->sources[i].end; k++)
            if (join_statement(j, k)->kind == JOIN_FILE && join_statement(j, k)->file > most)
                most = join_statement(j, k)->file;
        base += most;
    }
}

void join_write(struct join *j)
{
    number_files(j);
    print(j, ".version %u.%u\n.target sm_%u", j->version / 10, j->version % 10, j->target);
    put(j, &j->target_suffix, j->target_suffix != '\0');
    print(j, "%s\n.address_size 64\n", j->independent_textures ? ", texmode_independent" : "");
    for_each(j, each_file);
    for (uint32_t i = 0; i < j->symbols.n && !j->no_memory; i++)
        if (join_symbol(j, i)->same == i)
            announce(j, join_symbol(j, i));
    for_each(j, each_variable);
    for_each(j, each_function);
    for_each(j, each_alias);
    put(j, "", 1);
}
