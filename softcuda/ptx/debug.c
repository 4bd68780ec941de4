/* debug.c - what is written for debuggers and assemblers: lines are kept, the rest is read over. */
#include "softcuda/ptx/parse.h"

#define MAX_FILES 65536

/* .file 1 "name", timestamp, size */
static void read_file(struct ptx_parser *p)
{
    struct ptx_pos pos = p->tok.pos;
    uint32_t number = ptx_expect_u32(p, "a file's number");
    struct ptx_slice name = ptx_slice_of(&p->tok);

    ptx_expect(p, TOK_STRING, "a file's name");
    if (number >= MAX_FILES)
        ptx_fail(p, pos, "file number %u is too large", number);
    if (number >= p->files.n)
        ptx_extend(p, &p->files, sizeof(char *), number + 1 - p->files.n);
    ((char **)p->files.data)[number] = ptx_keep_text(p, name);
    while (ptx_accept(p, ','))
        ptx_read_count(p, "a timestamp or a size");
}

/* function_name LABEL + 8, or inlined_at 1 20 3 */
static void read_inlining(struct ptx_parser *p)
{
    struct ptx_slice word = ptx_expect_name(p, "function_name or inlined_at");

    if (ptx_slice_is(word, "inlined_at")) {
        for (int i = 0; i < 3; i++)
            ptx_expect_u32(p, "a position");
        return;
    }
    ptx_expect_name(p, "a label");
    ptx_read_offset(p);
}

/* .loc 1 20 3, function_name ..., inlined_at ... */
static void read_loc(struct ptx_parser *p)
{
    p->loc_file = ptx_expect_u32(p, "a file's number");
    p->loc_line = ptx_expect_u32(p, "a line");
    ptx_expect_u32(p, "a column");
    while (ptx_accept(p, ','))
        read_inlining(p);
}

static void skip_section(struct ptx_parser *p)
{
    while (p->tok.kind != '{') {
        int kind = p->tok.kind;

        if (kind != TOK_WORD && kind != TOK_STRING && kind != TOK_NAME && kind != ',' && kind != '@')
            ptx_fail_expected(p, "'{'");
        ptx_next(p);
    }
    for (unsigned depth = 0;; ptx_next(p)) {
        if (p->tok.kind == TOK_END)
            ptx_fail_expected(p, "'}'");
        depth += p->tok.kind == '{';
        if (p->tok.kind == '}' && !--depth)
            break;
    }
    ptx_next(p);
}

static void skip_pragma(struct ptx_parser *p)
{
    do
        ptx_expect(p, TOK_STRING, "a string");
    while (ptx_accept(p, ','));
    ptx_expect(p, ';', "';'");
}

bool ptx_read_debug(struct ptx_parser *p)
{
    if (ptx_accept_word(p, ".loc"))
        read_loc(p);
    else if (ptx_accept_word(p, ".file"))
        read_file(p);
    else if (ptx_accept_word(p, ".section"))
        skip_section(p);
    else if (ptx_accept_word(p, ".pragma"))
        skip_pragma(p);
    else
        return false;
    return true;
}
