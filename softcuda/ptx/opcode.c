/* opcode.c - "ld.global.nc.v4.f32" taken apart. Every distinct text once: the result is kept as a template. */
#include "softcuda/ptx/parse.h"

#include <string.h>

/* The text of the root at hand and of the words that follow it, without blanks between them. */
static struct ptx_slice read_text(struct ptx_parser *p)
{
    struct ptx_lexer lx = p->lx;
    struct ptx_token root = p->tok;
    const char *end = root.text + root.len;
    uint32_t len = root.len;
    char *joined;

    for (ptx_next(p); p->tok.kind == TOK_WORD; ptx_next(p)) {
        end = p->tok.text + p->tok.len;
        len += p->tok.len;
    }
    if (len == (size_t)(end - root.text))
        return (struct ptx_slice){ root.text, len };
    joined = ptx_alloc(p, 1, len);
    memcpy(joined, root.text, root.len);
    for (uint32_t at = root.len; at < len;) {
        struct ptx_token t = ptx_lex(&lx);

        memcpy(joined + at, t.text, t.len);
        at += t.len;
    }
    return (struct ptx_slice){ joined, len };
}

static void add_type(struct ptx_parser *p, struct ptx_insn *in, enum ptx_type type, struct ptx_pos pos)
{
    if (in->ntypes == PTX_MAX_TYPES)
        ptx_fail(p, pos, "'%s' has too many types", in->opcode);
    in->types[in->ntypes++] = type;
}

static void add_space(struct ptx_insn *in, enum ptx_space space)
{
    if (in->space == PTX_GENERIC)
        in->space = space;
    else
        in->space2 = space;
}

static void add_word(struct ptx_parser *p, struct ptx_insn *in, struct ptx_slice word, struct ptx_pos pos)
{
    enum ptx_type type = ptx_find_type(word);
    int mod = ptx_find_mod(word);
    enum ptx_space space;
    bool is_space = ptx_find_space(word, &space);

    if (type != PTX_NONE)
        add_type(p, in, type, pos);
    else if (word.len == 2 && word.text[0] == 'v' && memchr("248", word.text[1], 3))
        in->vec = (uint8_t)(word.text[1] - '0');
    else if (mod < 0 && (!is_space || memchr(word.text, ':', word.len)))
        ptx_fail(p, pos, "unknown modifier '.%.*s' of '%.100s'", PTX_NAME(word), in->opcode);
    if (is_space)
        add_space(in, space);
    if (mod >= 0)
        in->mods[mod / 64] |= 1ull << (mod % 64);
}

static void take_apart(struct ptx_parser *p, struct ptx_insn *in, struct ptx_slice text, struct ptx_pos pos)
{
    const char *end = text.text + text.len, *dot = memchr(text.text, '.', text.len);
    struct ptx_slice word = { text.text, (uint32_t)((dot ? dot : end) - text.text) };
    int op = ptx_find_op(word);

    if (op < 0)
        ptx_fail(p, pos, "unknown instruction '%.*s'", PTX_NAME(text));
    in->op = (enum ptx_op)op;
    in->vec = 1;
    while (dot) {
        word.text = dot + 1;
        dot = memchr(word.text, '.', (size_t)(end - word.text));
        word.len = (uint32_t)((dot ? dot : end) - word.text);
        add_word(p, in, word, pos);
    }
}

void ptx_read_opcode(struct ptx_parser *p, struct ptx_insn *in)
{
    struct ptx_pos pos = p->tok.pos;
    struct ptx_slice text = read_text(p);
    struct ptx_symbol *known = ptx_symbol_find(&p->opcodes, text);
    struct ptx_insn *template;

    if (!known) {
        *in = (struct ptx_insn){ .opcode = ptx_keep_text(p, text) };
        take_apart(p, in, text, pos);
        known = ptx_symbol_add(&p->opcodes, (struct ptx_slice){ in->opcode, text.len }, SYM_VAR, 0);
        if (!known)
            ptx_fail(p, pos, "out of memory");
        known->index = (uint32_t)p->templates.n;
        template = ptx_push(p, &p->templates, sizeof(*template));
        *template = *in;
    }
    *in = ((struct ptx_insn *)p->templates.data)[known->index];
    in->pos = pos;
}
