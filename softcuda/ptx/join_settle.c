/* join_settle.c - what the names of all sources stand for: which definition is taken, and what has none. */
#include <stdio.h>
#include <string.h>

#include "softcuda/ptx/join_parts.h"

static const char *source_name(const struct join *j, const struct join_statement *s)
{
    return j->texts[s->source].name;
}

/* ------------------------------------------------------------------------------------------------------ one name, one meaning */

static const char *kind_of(const struct join_statement *s)
{
    if (s->kind == JOIN_VARIABLE)
        return ptx_space_name(s->space);
    return s->entry ? "entry" : "func";
}

/* Do two statements of one name speak of the same thing? */
static void compare(struct join *j, const struct join_statement *a, const struct join_statement *b)
{
    const char *one = source_name(j, a), *other = source_name(j, b);

    if (a->kind == JOIN_ALIAS || b->kind == JOIN_ALIAS)
        return;
    if (strcmp(kind_of(a), kind_of(b)))
        join_complain(j, "'%.*s' is declared as .%s in '%s' and as .%s in '%s'", JOIN_NAME(a->name), kind_of(a), one, kind_of(b),
            other);
    else if (a->kind == JOIN_VARIABLE && a->size && b->size && a->size != b->size
             && !(a->linkage == PTX_COMMON && b->linkage == PTX_COMMON))
        join_complain(j, "'%.*s' has %llu bytes in '%s' and %llu in '%s'", JOIN_NAME(a->name), (unsigned long long)a->size, one,
            (unsigned long long)b->size, other);
    else if (a->kind == JOIN_FUNCTION && a->signature != b->signature)
        join_complain(j, "'%.*s' has other parameters or results in '%s' than in '%s'", JOIN_NAME(a->name), one, other);
}

/* Which of two definitions stays. */
static int rank(const struct join_statement *s)
{
    return s->linkage == PTX_WEAK ? 2 : s->linkage == PTX_COMMON ? 1 : 3;
}

static void define(struct join *j, struct join_symbol *meaning, uint32_t index)
{
    const struct join_statement *s = join_statement(j, index), *was;

    if (meaning->definition == JOIN_NONE) {
        meaning->definition = index;
        return;
    }
    was = join_statement(j, meaning->definition);
    if (rank(s) == 3 && rank(was) == 3)
        join_complain(j, "'%.*s' is defined more than once: in '%s' and in '%s'", JOIN_NAME(s->name), source_name(j, was),
            source_name(j, s));
    else if (rank(s) > rank(was) || (rank(s) == 1 && rank(was) == 1 && s->size > was->size))
        meaning->definition = index;
}

/* The first symbol of this name that is not local. */
static void share(struct join *j, uint32_t index)
{
    struct join_symbol *symbol = join_symbol(j, index);
    struct ptx_symbol *s = ptx_symbol_find(&j->globals, symbol->name);

    if (!s && (s = ptx_symbol_add(&j->globals, symbol->name, SYM_VAR, 0)))
        s->index = index;
    if (!s) {
        j->no_memory = true;
        return;
    }
    symbol->same = s->index;
    if (s->index != index)
        join_symbol(j, s->index)->elsewhere = true;
}

/* An alias has the linkage of its prototype. */
static void settle_alias(struct join *j, const struct join_source *source, struct join_statement *alias)
{
    for (uint32_t i = source->first; i < source->end; i++) {
        const struct join_statement *s = join_statement(j, i);

        if (s->kind == JOIN_FUNCTION && s->symbol == alias->symbol && s->linkage != PTX_EXTERN)
            alias->linkage = s->linkage;
    }
}

static void take(struct join *j, uint32_t index)
{
    struct join_source *source = &j->sources[index];

    source->taken = true;
    for (uint32_t i = source->first; i < source->end; i++)
        if (join_statement(j, i)->kind == JOIN_ALIAS)
            settle_alias(j, source, join_statement(j, i));
    for (uint32_t i = source->first_symbol; i < source->end_symbol && !j->no_memory; i++)
        if (!join_symbol(j, i)->local)
            share(j, i);
    for (uint32_t i = source->first; i < source->end && !j->no_memory; i++) {
        struct join_statement *s = join_statement(j, i);
        struct join_symbol *meaning;

        if (s->kind == JOIN_FILE || s->kind == JOIN_PRAGMA)
            continue;
        meaning = join_meaning(j, s);
        compare(j, join_statement(j, meaning->first), s);
        if (meaning->widest == JOIN_NONE || s->align > join_statement(j, meaning->widest)->align)
            meaning->widest = i;
        if (s->defines)
            define(j, meaning, i);
    }
}

/* ----------------------------------------------------------------------------------------------------------- what uses what */

static void use_all(struct join *j, uint32_t source, struct ptx_slice text)
{
    struct ptx_lexer lx;
    struct ptx_token t;
    struct ptx_symbol *s;

    if (!text.len)
        return;
    ptx_lex_init(&lx, text.text, text.len);
    for (t = ptx_lex(&lx); t.kind != TOK_END && t.kind != TOK_BAD; t = ptx_lex(&lx)) {
        if (t.kind != TOK_NAME || !(s = ptx_symbol_find(&j->sources[source].names, (struct ptx_slice){ t.text, t.len })))
            continue;
        if (join_symbol(j, join_symbol(j, s->index)->same)->user == JOIN_NONE)
            join_symbol(j, join_symbol(j, s->index)->same)->user = source;
    }
}

static void use_source(struct join *j, uint32_t index)
{
    const struct join_source *source = &j->sources[index];

    for (uint32_t i = source->first; i < source->end; i++) {
        const struct join_statement *s = join_statement(j, i);

        if (s->kind == JOIN_FILE || s->kind == JOIN_PRAGMA || (s->defines && join_meaning(j, s)->definition != i))
            continue;
        use_all(j, index, s->kind == JOIN_ALIAS ? s->head : s->body);
    }
}

static bool is_dynamic(const struct join *j, const struct join_symbol *meaning)
{
    const struct join_statement *s = join_statement(j, meaning->first);

    return s->kind == JOIN_VARIABLE && s->space == PTX_SHARED && s->linkage == PTX_EXTERN;
}

static bool is_provided(const struct join *j, const struct join_symbol *meaning)
{
    char name[64];

    if (join_statement(j, meaning->first)->kind != JOIN_FUNCTION || meaning->name.len >= sizeof(name) || !j->provided)
        return false;
    memcpy(name, meaning->name.text, meaning->name.len);
    name[meaning->name.len] = '\0';
    return j->provided(name);
}

static bool is_missing(const struct join *j, const struct join_symbol *s)
{
    return s->user != JOIN_NONE && s->definition == JOIN_NONE && !is_dynamic(j, s) && !is_provided(j, s);
}

/* ------------------------------------------------------------------------------------------------------------------ libraries */

/* Does it define what is missing so far? */
static bool is_wanted(const struct join *j, const struct join_source *source)
{
    for (uint32_t i = source->first; i < source->end; i++) {
        const struct join_statement *s = join_statement(j, i);
        const struct ptx_symbol *known;

        if (s->kind == JOIN_FILE || s->kind == JOIN_PRAGMA || !s->defines || join_symbol(j, s->symbol)->local)
            continue;
        known = ptx_symbol_find(&j->globals, s->name);
        if (known && is_missing(j, join_symbol(j, known->index)))
            return true;
    }
    return false;
}

static void take_optional(struct join *j)
{
    for (bool more = true; more && !j->no_memory;) {
        more = false;
        for (uint32_t i = 0; i < j->n && !j->no_memory; i++) {
            if (j->sources[i].taken || !is_wanted(j, &j->sources[i]))
                continue;
            take(j, i);
            use_source(j, i);
            more = true;
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------------- names */

static bool is_written(struct join *j, struct ptx_slice name)
{
    return ptx_symbol_find(&j->written, name) != NULL;
}

static void written(struct join *j, struct ptx_slice name)
{
    if (!ptx_symbol_add(&j->written, name, SYM_VAR, 0))
        j->no_memory = true;
}

/* name$source, or the next number of which there is none yet. */
static void rename_local(struct join *j, struct join_symbol *s, uint32_t source)
{
    char text[1024], *kept;
    struct ptx_slice name = { text, 0 };

    if (s->name.len > sizeof(text) - 16) {
        join_complain(j, "'%.*s...', of which there are two, is too long a name to tell them apart", JOIN_NAME(s->name));
        return;
    }
    for (s->suffix = source ? source : 1;; s->suffix++) {
        name.len = (uint32_t)snprintf(text, sizeof(text), "%.*s$%u", (int)s->name.len, s->name.text, s->suffix);
        if (!is_written(j, name))
            break;
    }
    kept = gpudl__arena_string(&j->written.arenas[0], text, name.len);
    if (kept)
        written(j, (struct ptx_slice){ kept, name.len });
    else
        j->no_memory = true;
}

static void name_locals(struct join *j, uint32_t index)
{
    struct join_source *source = &j->sources[index];

    for (uint32_t i = source->first_symbol; i < source->end_symbol && !j->no_memory; i++) {
        struct join_symbol *s = join_symbol(j, i);

        if (!s->local)
            continue;
        if (is_written(j, s->name)) {
            rename_local(j, s, index);
            source->renames = true;
        } else {
            written(j, s->name);
        }
    }
}

static void name_all(struct join *j)
{
    for (uint32_t i = 0; i < j->n; i++)
        for (uint32_t k = j->sources[i].first_symbol; j->sources[i].taken && k < j->sources[i].end_symbol && !j->no_memory; k++)
            if (!join_symbol(j, k)->local && join_symbol(j, k)->same == k)
                written(j, join_symbol(j, k)->name);
    for (uint32_t i = 0; i < j->n; i++)
        if (j->sources[i].taken)
            name_locals(j, i);
}

/* ------------------------------------------------------------------------------------------------------------------------- all */

static void name_missing(struct join *j)
{
    for (uint32_t i = 0; i < j->symbols.n; i++) {
        const struct join_symbol *s = join_symbol(j, i);

        if (s->same == i && is_missing(j, s))
            join_complain(j, "undefined reference to '%.*s' in '%s'", JOIN_NAME(s->name), j->texts[s->user].name);
    }
}

void join_settle(struct join *j)
{
    for (uint32_t i = 0; i < j->n && !j->no_memory; i++)
        if (!j->texts[i].optional)
            take(j, i);
    for (uint32_t i = 0; i < j->n && !j->no_memory; i++)
        if (j->sources[i].taken)
            use_source(j, i);
    take_optional(j);
    for (uint32_t i = 0; i < j->symbols.n; i++)
        join_symbol(j, i)->user = JOIN_NONE;
    for (uint32_t i = 0; i < j->n && !j->no_memory; i++)
        if (j->sources[i].taken)
            use_source(j, i);
    name_missing(j);
    name_all(j);
}
