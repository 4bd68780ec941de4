/* join_read.c - a text as a sequence of statements. */
#include <string.h>

#include "softcuda/ptx/join_parts.h"

struct reader {
    struct join *j;
    struct join_source *into;
    uint32_t source;
    struct ptx_lexer lx;
    struct ptx_token tok;
    bool failed;
};

static void next(struct reader *r)
{
    if (r->failed)
        return;
    r->tok = ptx_lex(&r->lx);
    if (r->tok.kind != TOK_BAD)
        return;
    join_complain(r->j, "'%s', line %u: %.*s", r->j->texts[r->source].name, r->tok.pos.line, (int)r->tok.len, r->tok.text);
    r->failed = true;
    r->tok.kind = TOK_END;
}

static void unexpected(struct reader *r, const char *wanted)
{
    if (r->failed)
        return;
    join_complain(r->j, "'%s', line %u: expected %s", r->j->texts[r->source].name, r->tok.pos.line, wanted);
    r->failed = true;
    r->tok.kind = TOK_END;
}

static bool at_word(const struct reader *r, const char *word)
{
    return r->tok.kind == TOK_WORD && r->tok.len == strlen(word) && !memcmp(r->tok.text, word, r->tok.len);
}

static bool accept_word(struct reader *r, const char *word)
{
    bool there = at_word(r, word);

    if (there)
        next(r);
    return there;
}

static struct ptx_slice slice_of(const struct ptx_token *t)
{
    return (struct ptx_slice){ t->text, t->len };
}

static struct ptx_slice between(const char *from, const char *to)
{
    return (struct ptx_slice){ from, (uint32_t)(to - from) };
}

static int depth_of(int kind)
{
    return (kind == '{' || kind == '(' || kind == '[') - (kind == '}' || kind == ')' || kind == ']');
}

/* The symbol of this name in the source being read. */
static uint32_t symbol_of(struct reader *r, struct ptx_slice name)
{
    struct ptx_symbol *s = ptx_symbol_find(&r->into->names, name);
    struct join_symbol *new;
    uint32_t index = (uint32_t)r->j->symbols.n;

    if (s)
        return s->index;
    new = ptx_vec_push(&r->j->symbols, sizeof(*new));
    s = new ? ptx_symbol_add(&r->into->names, name, SYM_VAR, 0) : NULL;
    if (!s) {
        r->j->no_memory = r->failed = true;
        r->tok.kind = TOK_END;
        return JOIN_NONE;
    }
    *new = (struct join_symbol){ .name = name, .same = index, .first = (uint32_t)r->j->statements.n, .definition = JOIN_NONE,
        .user = JOIN_NONE, .widest = JOIN_NONE, .local = true };
    s->index = index;
    return index;
}

/* Ends a statement: it counts from here on. */
static void add(struct reader *r, struct join_statement *s)
{
    struct join_statement *new;

    s->source = r->source;
    if (s->kind != JOIN_FILE && s->kind != JOIN_PRAGMA)
        s->symbol = symbol_of(r, s->name);
    if (r->failed)
        return;
    if (!(new = ptx_vec_push(&r->j->statements, sizeof(*new)))) {
        r->j->no_memory = r->failed = true;
        return;
    }
    *new = *s;
    if (s->linkage != PTX_INTERNAL)
        join_symbol(r->j, s->symbol)->local = false;
}

/* -------------------------------------------------------------------------------------------------------------- functions */

/* A parameter's size goes into the signature at ',' and ')'. */
struct parameter { uint64_t bytes; bool any, dims; };

static void mix(uint64_t *signature, uint64_t value)
{
    *signature = (*signature ^ value) * 0x100000001b3u;
}

static void see_in_parentheses(struct reader *r, struct parameter *p, uint64_t *signature)
{
    enum ptx_type type = PTX_NONE;

    if (r->tok.kind == TOK_WORD)
        type = ptx_find_type((struct ptx_slice){ r->tok.text + 1, r->tok.len - 1 });
    if (type != PTX_NONE)
        *p = (struct parameter){ ptx_type_bits(type) / 8, true, false };
    if (r->tok.kind == '[')
        p->dims = true;
    if (r->tok.kind == TOK_INT && p->dims)
        p->bytes *= r->tok.value;
    if ((r->tok.kind == ',' || r->tok.kind == ')') && p->any) {
        mix(signature, p->bytes);
        *p = (struct parameter){ 0 };
    }
}

/* From .func or .entry on, up to ';' or behind the body. */
static void read_function(struct reader *r, enum ptx_linkage linkage)
{
    struct join_statement s = { .kind = JOIN_FUNCTION, .linkage = linkage, .line = r->tok.pos.line, .entry = at_word(r, ".entry") };
    const char *from = r->tok.text;
    struct parameter parameter = { 0 };
    int depth = 0;

    s.signature = 0xcbf29ce484222325u;
    for (next(r); r->tok.kind != TOK_END && (depth || (r->tok.kind != ';' && r->tok.kind != '{')); next(r)) {
        if (r->tok.kind == TOK_NAME && !depth && !s.name.len) {
            s.name = slice_of(&r->tok);
            mix(&s.signature, UINT64_MAX);      /* results, then parameters */
        }
        see_in_parentheses(r, &parameter, &s.signature);
        depth += depth_of(r->tok.kind);
    }
    if (!s.name.len || r->tok.kind == TOK_END) {
        unexpected(r, "a function with a name, and ';' or a body behind it");
        return;
    }
    s.head = between(from, r->tok.text);
    s.defines = r->tok.kind == '{';
    from = r->tok.text;
    for (depth = 0; s.defines && r->tok.kind != TOK_END; next(r)) {
        depth += depth_of(r->tok.kind);
        if (!depth)
            break;
    }
    if (r->tok.kind == TOK_END) {
        unexpected(r, "the end of a function");
        return;
    }
    s.body = s.defines ? between(from, r->lx.at) : (struct ptx_slice){ NULL, 0 };
    next(r);
    add(r, &s);
}

/* -------------------------------------------------------------------------------------------------------------- variables */

/* Space, attributes and type: up to the name. Returns the bytes of one element. */
static uint64_t read_variable_head(struct reader *r, struct join_statement *s)
{
    const char *from = r->tok.text;
    uint64_t lanes = 1, bytes = 0;
    bool align = false;
    int depth = 0;

    for (next(r); r->tok.kind != TOK_NAME && r->tok.kind != TOK_END && r->tok.kind != ';'; next(r)) {
        struct ptx_slice word = r->tok.kind == TOK_WORD ? (struct ptx_slice){ r->tok.text + 1, r->tok.len - 1 }
                                                        : (struct ptx_slice){ "", 0 };
        enum ptx_type type = ptx_find_type(word);

        if (align && r->tok.kind == TOK_INT && r->tok.value <= UINT32_MAX)
            s->align = (uint32_t)r->tok.value;
        align = ptx_slice_is(word, "align");
        if (word.len == 2 && word.text[0] == 'v' && word.text[1] >= '2' && word.text[1] <= '8')
            lanes = (uint64_t)(word.text[1] - '0');
        if (type != PTX_NONE && !depth)
            bytes = ptx_type_bits(type) / 8;
        depth += depth_of(r->tok.kind);
    }
    s->head = between(from, r->tok.text);
    s->align = s->align ? s->align : (uint32_t)(bytes * lanes);
    return bytes * lanes;
}

/* "[4][2]"; 0: open, or not plain numbers. */
static uint64_t read_dims(struct reader *r, uint64_t bytes)
{
    while (r->tok.kind == '[') {
        next(r);
        if (r->tok.kind != TOK_INT || __builtin_mul_overflow(bytes, r->tok.value, &bytes))
            bytes = 0;
        else
            next(r);
        if (r->tok.kind != ']')
            bytes = 0;
        while (r->tok.kind != ']' && r->tok.kind != ';' && r->tok.kind != TOK_END)
            next(r);
        if (r->tok.kind == ']')
            next(r);
    }
    return bytes;
}

static void read_variables(struct reader *r, enum ptx_linkage linkage, enum ptx_space space)
{
    struct join_statement head = { .kind = JOIN_VARIABLE, .linkage = linkage, .line = r->tok.pos.line, .space = space };
    uint64_t bytes = read_variable_head(r, &head);

    for (;;) {
        struct join_statement s = head;
        const char *from;
        int depth = 0;

        if (r->tok.kind != TOK_NAME) {
            unexpected(r, "the name of a variable");
            return;
        }
        s.name = slice_of(&r->tok);
        next(r);
        s.size = read_dims(r, bytes);
        s.defines = linkage != PTX_EXTERN;
        from = r->tok.text;
        for (; r->tok.kind != TOK_END && (depth || (r->tok.kind != ',' && r->tok.kind != ';')); next(r))
            depth += depth_of(r->tok.kind);
        s.body = between(from, r->tok.text);
        if (r->tok.kind == TOK_END) {
            unexpected(r, "';' behind a variable");
            return;
        }
        add(r, &s);
        if (r->tok.kind == ';')
            break;
        next(r);
    }
    next(r);
}

/* ------------------------------------------------------------------------------------------------------------- directives */

static void read_version(struct reader *r)
{
    const char *dot = memchr(r->tok.text, '.', r->tok.len);
    unsigned version = 0;

    if (r->tok.kind != TOK_FLOAT || !dot || r->tok.len > 4 || dot + 2 != r->tok.text + r->tok.len) {
        unexpected(r, "a version such as 8.7");
        return;
    }
    for (uint32_t i = 0; i < r->tok.len; i++)
        if (r->tok.text[i] != '.')
            version = version * 10 + (unsigned)(r->tok.text[i] - '0');
    if (version > r->j->version)
        r->j->version = version;
    next(r);
}

/* The newest machine of all sources holds for all. */
static void see_target(struct join *j, struct ptx_slice name)
{
    unsigned target = 0;
    uint32_t i = 3;

    if (ptx_slice_is(name, "texmode_independent"))
        j->independent_textures = true;
    if (name.len < 4 || memcmp(name.text, "sm_", 3))
        return;
    for (; i < name.len && name.text[i] >= '0' && name.text[i] <= '9' && target < 10000; i++)
        target = target * 10 + (unsigned)(name.text[i] - '0');
    if (target < j->target || (target == j->target && i == name.len))
        return;
    j->target = target;
    j->target_suffix = i < name.len ? name.text[i] : '\0';
}

static void read_target(struct reader *r)
{
    for (; r->tok.kind == TOK_NAME || r->tok.kind == ','; next(r))
        if (r->tok.kind == TOK_NAME)
            see_target(r->j, slice_of(&r->tok));
}

static void read_address_size(struct reader *r)
{
    if (r->tok.kind != TOK_INT || r->tok.value != 64)
        unexpected(r, "an address size of 64");
    next(r);
}

static void read_file(struct reader *r)
{
    struct join_statement s = { .kind = JOIN_FILE, .line = r->tok.pos.line };
    const char *from;

    if (r->tok.kind != TOK_INT || r->tok.value > 65535) {
        unexpected(r, "the number of a file");
        return;
    }
    s.file = (uint32_t)r->tok.value;
    next(r);
    if (r->tok.kind != TOK_STRING) {
        unexpected(r, "the name of a file");
        return;
    }
    from = r->tok.text - 1;
    s.body = between(from, r->tok.text + r->tok.len + 1);
    for (next(r); r->tok.kind == ',' || r->tok.kind == TOK_INT;)
        next(r);
    add(r, &s);
}

/* What only debuggers read does not come along. */
static void skip_section(struct reader *r)
{
    int depth = 0;

    while (r->tok.kind != '{' && r->tok.kind != TOK_END)
        next(r);
    for (; r->tok.kind != TOK_END; next(r)) {
        depth += (r->tok.kind == '{') - (r->tok.kind == '}');
        if (!depth)
            break;
    }
    if (r->tok.kind == TOK_END)
        unexpected(r, "the end of a section");
    next(r);
}

static void read_alias(struct reader *r, const char *from)
{
    struct join_statement s = { .kind = JOIN_ALIAS, .line = r->tok.pos.line, .defines = true, .name = slice_of(&r->tok) };

    if (r->tok.kind != TOK_NAME)
        unexpected(r, "the name of a function");
    while (r->tok.kind != ';' && r->tok.kind != TOK_END)
        next(r);
    if (r->tok.kind != ';') {
        unexpected(r, "';' behind .alias");
        return;
    }
    next(r);
    s.head = between(from, r->tok.text);
    add(r, &s);
}

static void read_pragma(struct reader *r, const char *from)
{
    struct join_statement s = { .kind = JOIN_PRAGMA, .line = r->tok.pos.line };

    while (r->tok.kind == TOK_STRING || r->tok.kind == ',')
        next(r);
    if (r->tok.kind != ';') {
        unexpected(r, "';' behind .pragma");
        return;
    }
    next(r);
    s.head = between(from, r->tok.text);
    add(r, &s);
}

static enum ptx_linkage read_linkage(struct reader *r)
{
    static const char *const words[] = { NULL, ".visible", ".weak", ".extern", ".common" };
    enum ptx_linkage linkage = PTX_INTERNAL;

    for (int i = PTX_VISIBLE; i <= PTX_COMMON; i++)
        if (accept_word(r, words[i])) {
            linkage = (enum ptx_linkage)i;
            i = PTX_INTERNAL;
        }
    return linkage;
}

static void read_declaration(struct reader *r)
{
    enum ptx_linkage linkage = read_linkage(r);
    enum ptx_space space;

    if (at_word(r, ".func") || at_word(r, ".entry"))
        read_function(r, linkage);
    else if (r->tok.kind == TOK_WORD && ptx_find_space((struct ptx_slice){ r->tok.text + 1, r->tok.len - 1 }, &space))
        read_variables(r, linkage, space);
    else
        unexpected(r, "a function or a variable");
}

static void read_directive(struct reader *r)
{
    const char *from = r->tok.text;

    if (accept_word(r, ".version"))
        read_version(r);
    else if (accept_word(r, ".target"))
        read_target(r);
    else if (accept_word(r, ".address_size"))
        read_address_size(r);
    else if (accept_word(r, ".file"))
        read_file(r);
    else if (accept_word(r, ".section"))
        skip_section(r);
    else if (accept_word(r, ".alias"))
        read_alias(r, from);
    else if (accept_word(r, ".pragma"))
        read_pragma(r, from);
    else if (accept_word(r, ".loc"))
        for (int i = 0; i < 3 && r->tok.kind == TOK_INT; i++)
            next(r);
    else if (r->tok.kind == ';')
        next(r);
    else
        read_declaration(r);
}

void join_read(struct join *j, uint32_t source)
{
    struct reader r = { .j = j, .into = &j->sources[source], .source = source };

    r.into->first = (uint32_t)j->statements.n;
    r.into->first_symbol = (uint32_t)j->symbols.n;
    ptx_lex_init(&r.lx, j->texts[source].text, j->texts[source].size);
    next(&r);
    if (!at_word(&r, ".version"))
        unexpected(&r, ".version, which PTX begins with");
    while (r.tok.kind != TOK_END)
        read_directive(&r);
    r.into->end = (uint32_t)j->statements.n;
    r.into->end_symbol = (uint32_t)j->symbols.n;
}
