/* expr.c - constant expressions: C's operators over 64-bit integers and doubles. */
#include "softcuda/ptx/parse.h"

#include <string.h>

#define MAX_NESTING 100

static struct ptx_value integer(uint64_t bits, bool is_unsigned)
{
    return (struct ptx_value){ .bits = bits, .is_unsigned = is_unsigned };
}

static struct ptx_value floating(double d)
{
    struct ptx_value v = { .is_float = true, .width = 64 };

    memcpy(&v.bits, &d, sizeof(d));
    return v;
}

static double as_double(struct ptx_value v)
{
    uint32_t narrow = (uint32_t)v.bits;
    double d;
    float f;

    if (!v.is_float)
        return v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;
    if (v.width == 64) {
        memcpy(&d, &v.bits, sizeof(d));
        return d;
    }
    memcpy(&f, &narrow, sizeof(f));
    return (double)f;
}

static bool is_true(struct ptx_value v)
{
    return v.is_float ? as_double(v) != 0 : v.bits != 0;
}

/* 0: no binary operator. */
static int precedence(int op)
{
    switch (op) {
    case '*': case '/': case '%': return 10;
    case '+': case '-': return 9;
    case TOK_SHL: case TOK_SHR: return 8;
    case '<': case '>': case TOK_LE: case TOK_GE: return 7;
    case TOK_EQ: case TOK_NE: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case TOK_AND: return 2;
    case TOK_OR: return 1;
    default: return 0;
    }
}

static bool compare_doubles(int op, double a, double b)
{
    switch (op) {
    case '<': return a < b;
    case '>': return a > b;
    case TOK_LE: return a <= b;
    case TOK_GE: return a >= b;
    case TOK_EQ: return a == b;
    default: return a != b;
    }
}

static struct ptx_value apply_doubles(struct ptx_parser *p, struct ptx_pos pos, int op, double a, double b)
{
    switch (op) {
    case '+': return floating(a + b);
    case '-': return floating(a - b);
    case '*': return floating(a * b);
    case '/': return floating(a / b);
    case '<': case '>': case TOK_LE: case TOK_GE: case TOK_EQ: case TOK_NE: return integer(compare_doubles(op, a, b), false);
    default: ptx_fail(p, pos, "this operator takes integers");
    }
}

static uint64_t divide(struct ptx_parser *p, struct ptx_pos pos, int op, uint64_t a, uint64_t b, bool is_unsigned)
{
    if (!b)
        ptx_fail(p, pos, "division by zero");
    if (is_unsigned)
        return op == '/' ? a / b : a % b;
    if (b == UINT64_MAX)        /* by -1: the one case that C leaves open */
        return op == '/' ? -a : 0;
    return op == '/' ? (uint64_t)((int64_t)a / (int64_t)b) : (uint64_t)((int64_t)a % (int64_t)b);
}

static uint64_t shift_right(uint64_t a, uint64_t by, bool is_unsigned)
{
    if (is_unsigned)
        return by > 63 ? 0 : a >> by;
    return (uint64_t)((int64_t)a >> (by > 63 ? 63 : by));
}

static bool less(uint64_t a, uint64_t b, bool is_unsigned)
{
    return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

static struct ptx_value apply(struct ptx_parser *p, struct ptx_pos pos, int op, struct ptx_value a, struct ptx_value b)
{
    bool u = a.is_unsigned || b.is_unsigned;
    uint64_t x = a.bits, y = b.bits;

    if (op == TOK_AND || op == TOK_OR)
        return integer(op == TOK_AND ? is_true(a) && is_true(b) : is_true(a) || is_true(b), false);
    if (a.is_float || b.is_float)
        return apply_doubles(p, pos, op, as_double(a), as_double(b));
    switch (op) {
    case '+': return integer(x + y, u);
    case '-': return integer(x - y, u);
    case '*': return integer(x * y, u);
    case '&': return integer(x & y, u);
    case '|': return integer(x | y, u);
    case '^': return integer(x ^ y, u);
    case TOK_SHL: return integer(y > 63 ? 0 : x << y, a.is_unsigned);
    case TOK_SHR: return integer(shift_right(x, y, a.is_unsigned), a.is_unsigned);
    case '<': return integer(less(x, y, u), false);
    case '>': return integer(less(y, x, u), false);
    case TOK_LE: return integer(!less(y, x, u), false);
    case TOK_GE: return integer(!less(x, y, u), false);
    case TOK_EQ: return integer(x == y, false);
    case TOK_NE: return integer(x != y, false);
    default: return integer(divide(p, pos, op, x, y, u), u);
    }
}

static struct ptx_value ternary(struct ptx_parser *p);
static struct ptx_value parenthesis(struct ptx_parser *p);     /* "(1 << 4)", or a cast: "(.s64)-1" */


static struct ptx_value negate(struct ptx_value v)
{
    if (v.is_float)
        v.bits ^= 1ull << (v.width - 1);
    else
        v.bits = -v.bits;
    return v;
}

static struct ptx_value unary(struct ptx_parser *p)
{
    struct ptx_token t = p->tok;
    struct ptx_value v;

    if (++p->nesting > MAX_NESTING)
        ptx_fail(p, t.pos, "an expression nested so deep");
    ptx_next(p);
    if (t.kind == TOK_INT) {
        v = integer(t.value, t.is_unsigned);
    } else if (t.kind == TOK_FLOAT) {
        v = (struct ptx_value){ .bits = t.value, .is_float = true, .width = t.bits };
    } else if (t.kind == TOK_NAME && ptx_slice_is(ptx_slice_of(&t), "WARP_SZ")) {
        v = integer(32, false);
    } else if (t.kind == '(') {
        v = parenthesis(p);
    } else if (t.kind == '-' || t.kind == '+') {
        v = unary(p);
        v = t.kind == '-' ? negate(v) : v;
    } else if (t.kind == '!') {
        v = integer(!is_true(unary(p)), false);
    } else if (t.kind == '~') {
        v = unary(p);
        if (v.is_float)
            ptx_fail(p, t.pos, "this operator takes integers");
        v.bits = ~v.bits;
    } else {
        p->tok = t;
        ptx_fail_expected(p, "a constant");
    }
    p->nesting--;
    return v;
}

static struct ptx_value parenthesis(struct ptx_parser *p)
{
    bool to_unsigned = ptx_at_word(p, ".u64"), cast = to_unsigned || ptx_at_word(p, ".s64");
    struct ptx_value v;

    if (!cast) {
        v = ternary(p);
        ptx_expect(p, ')', "')'");
        return v;
    }
    ptx_next(p);
    ptx_expect(p, ')', "')'");
    v = unary(p);
    if (v.is_float)
        ptx_fail(p, p->tok.pos, "a floating-point constant cannot be cast to an integer");
    return integer(v.bits, to_unsigned);
}

static struct ptx_value binary(struct ptx_parser *p, int lowest)
{
    struct ptx_value v = unary(p);

    while (precedence(p->tok.kind) >= lowest) {
        struct ptx_token op = p->tok;

        ptx_next(p);
        v = apply(p, op.pos, op.kind, v, binary(p, precedence(op.kind) + 1));
    }
    return v;
}

static struct ptx_value ternary(struct ptx_parser *p)
{
    struct ptx_value test, yes, no;

    if (++p->nesting > MAX_NESTING)
        ptx_fail(p, p->tok.pos, "an expression nested so deep");
    test = binary(p, 1);
    if (ptx_accept(p, '?')) {
        yes = ternary(p);
        ptx_expect(p, ':', "':'");
        no = ternary(p);
        test = is_true(test) ? yes : no;
    }
    p->nesting--;
    return test;
}

struct ptx_value ptx_read_value(struct ptx_parser *p)
{
    return ternary(p);
}

int64_t ptx_read_offset(struct ptx_parser *p)
{
    uint64_t offset = 0;

    while (p->tok.kind == '+' || p->tok.kind == '-') {
        struct ptx_token sign = p->tok;
        struct ptx_value v;

        ptx_next(p);
        v = binary(p, precedence('*'));
        if (v.is_float)
            ptx_fail(p, sign.pos, "an offset is an integer");
        offset += sign.kind == '-' ? -v.bits : v.bits;
    }
    return (int64_t)offset;
}

uint64_t ptx_read_count(struct ptx_parser *p, const char *what)
{
    struct ptx_pos pos = p->tok.pos;
    struct ptx_value v = ptx_read_value(p);

    if (v.is_float || (!v.is_unsigned && (int64_t)v.bits < 0))
        ptx_fail(p, pos, "%s is a whole number, not negative", what);
    return v.bits;
}
