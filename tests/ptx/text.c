#include "text.h"

#include <stdio.h>
#include <stdlib.h>

#define HEAD ".version 9.0 .target sm_90 .address_size 64 "
#define BODY HEAD ".visible .entry k(.param .u64 a, .param .f32 b) { .reg .pred %p<10>; .reg .b16 %h<10>; " \
    ".reg .b32 %r<10>; .reg .b64 %d<10>; .reg .f32 %f<10>; .reg .b32 x; "

/* The heads are one line, so that line numbers are those of the text. */
static struct ptx_module *parse(const char *head, const char *text, const char *tail, struct ptx_error *err)
{
    size_t size = strlen(head) + strlen(text) + strlen(tail);
    char *whole = malloc(size + 1);
    struct ptx_module *m;

    assert_non_null(whole);
    snprintf(whole, size + 1, "%s%s%s", head, text, tail);
    m = ptx_parse(whole, size, err);
    free(whole);
    return m;
}

static struct ptx_module *must_parse(const char *head, const char *text, const char *tail)
{
    struct ptx_error err;
    struct ptx_module *m = parse(head, text, tail, &err);

    if (!m)
        fail_msg("%u:%u: %s", err.pos.line, err.pos.column, err.text);
    return m;
}

struct ptx_module *parse_module(const char *text)
{
    return must_parse(HEAD, text, "");
}

struct ptx_module *parse_body(const char *text)
{
    return must_parse(BODY, text, "}");
}

const struct ptx_insn *only_insn(const struct ptx_module *m)
{
    assert_int_equal(m->funcs[m->nfuncs - 1].ninsns, 1);
    return &m->funcs[m->nfuncs - 1].insns[0];
}

const char *register_name(const struct ptx_func *f, const struct ptx_operand *o)
{
    assert_int_equal(o->kind, PTX_OP_REG);
    assert_true(o->index < f->nregs);
    return f->regs[o->index].name;
}

static void must_fail(const char *head, const char *text, const char *tail, unsigned line, const char *message)
{
    struct ptx_error err;
    struct ptx_module *m = parse(head, text, tail, &err);

    assert_null(m);
    assert_string_equal(err.text, message);
    if (line)
        assert_int_equal(err.pos.line, line);
}

void expect_error(const char *text, unsigned line, const char *message)
{
    must_fail(HEAD, text, "", line, message);
}

void expect_body_error(const char *text, unsigned line, const char *message)
{
    must_fail(BODY, text, "}", line, message);
}
