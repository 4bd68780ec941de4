/* expression.c - parses by recursive descent, a function for each line of the grammar, straight into nodes. */
#include "expression.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100 };

struct parser {
    const char *at, *wrong; /* wrong: the first place that was not understood */
    struct expression *out;
    int depth;
};

static int parse_sum(struct parser *p);

/* Returns the node's number. */
static int add(struct parser *p, char op, int a, int b, double number)
{
    if (p->out->n == EXPRESSION_NODES) {
        p->wrong = p->wrong ? p->wrong : p->at;
        return 0;
    }
    p->out->nodes[p->out->n] = (struct node){ op, a, b, number };
    return p->out->n++;
}

static int accept(struct parser *p, const char *word)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    if (p->wrong || strncmp(p->at, word, strlen(word)) != 0)
        return 0;
    p->at += strlen(word);
    return 1;
}

static void expect(struct parser *p, const char *word)
{
    if (!accept(p, word) && !p->wrong)
        p->wrong = p->at;
}

static int parse_call(struct parser *p, char op)
{
    int a, b = 0;

    expect(p, "(");
    a = parse_sum(p);
    if (op == 'm') {
        expect(p, ",");
        b = parse_sum(p);
    }
    expect(p, ")");
    return add(p, op, a, b, 0);
}

static int parse_factor(struct parser *p)
{
    char *end;
    double number;
    int a;

    if (accept(p, "-"))
        return p->depth++ < DEEPEST ? add(p, '-', add(p, 'n', 0, 0, 0), parse_factor(p), 0) : (p->wrong = p->at, 0);
    if (accept(p, "(")) {
        a = parse_sum(p);
        expect(p, ")");
        return a;
    }
    if (accept(p, "sin"))
        return parse_call(p, 's');
    if (accept(p, "exp"))
        return parse_call(p, 'e');
    if (accept(p, "max"))
        return parse_call(p, 'm');
    if (accept(p, "x"))
        return add(p, 'x', 0, 0, 0);
    number = isdigit((unsigned char)*p->at) || *p->at == '.' ? strtod(p->at, &end) : (end = (char *)p->at, 0);
    if (end == p->at && !p->wrong)
        p->wrong = p->at;
    p->at = end;
    return add(p, 'n', 0, 0, number);
}

static int parse_product(struct parser *p)
{
    int a = parse_factor(p);

    for (;;) {
        if (accept(p, "*"))
            a = add(p, '*', a, parse_factor(p), 0);
        else if (accept(p, "/"))
            a = add(p, '/', a, parse_factor(p), 0);
        else
            return a;
    }
}

static int parse_sum(struct parser *p)
{
    int a;

    if (p->wrong || p->depth++ > DEEPEST) { /* so many parentheses are no expression of a person's */
        p->wrong = p->wrong ? p->wrong : p->at;
        return 0;
    }
    a = parse_product(p);
    for (;;) {
        if (accept(p, "+"))
            a = add(p, '+', a, parse_product(p), 0);
        else if (accept(p, "-"))
            a = add(p, '-', a, parse_product(p), 0);
        else
            return a;
    }
}

const char *expression_parse(const char *text, struct expression *out)
{
    struct parser p = { .at = text, .out = out };

    out->n = 0;
    parse_sum(&p);
    accept(&p, ""); /* skips white space */
    return p.wrong ? p.wrong : *p.at ? p.at : NULL;
}

double expression_value(const struct expression *e, double x)
{
    double v[EXPRESSION_NODES] = { 0 };

    for (int i = 0; i < e->n; i++) {
        double a = v[e->nodes[i].a], b = v[e->nodes[i].b];

        switch (e->nodes[i].op) {
        case 'n': v[i] = e->nodes[i].number; break;
        case 'x': v[i] = x; break;
        case '+': v[i] = a + b; break;
        case '-': v[i] = a - b; break;
        case '*': v[i] = a * b; break;
        case '/': v[i] = a / b; break;
        case 's': v[i] = sin(a); break;
        case 'e': v[i] = exp(a); break;
        case 'm': v[i] = fmax(a, b); break;
        }
    }
    return v[e->n - 1];
}

/* ----------------------------------------------------------------------------------------------------------------------- text */

struct text { char *at; size_t left; };

static void print(struct text *t, const char *format, ...)
{
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(t->at, t->left, format, arguments);
    va_end(arguments);
    n = n >= 0 && (size_t)n < t->left ? n : (int)t->left; /* nothing left: too long */
    t->at += n, t->left -= (size_t)n;
}

/* v is the node's value, d its slope: each rule of differentiation is a line. */
static void print_node(struct text *t, const struct node *n, int i)
{
    int a = n->a, b = n->b;

    switch (n->op) {
    case 'n': print(t, "v%d = %.9ef, d%d = 0;\n", i, n->number, i); break;
    case 'x': print(t, "v%d = x, d%d = 1;\n", i, i); break;
    case '+':
    case '-': print(t, "v%d = v%d %c v%d, d%d = d%d %c d%d;\n", i, a, n->op, b, i, a, n->op, b); break;
    case '*': print(t, "v%d = v%d * v%d, d%d = d%d * v%d + v%d * d%d;\n", i, a, b, i, a, b, a, b); break;
    case '/': print(t, "v%d = v%d / v%d, d%d = (d%d - v%d * d%d) / v%d;\n", i, a, b, i, a, i, b, b); break;
    case 's': print(t, "v%d = sinf(v%d), d%d = cosf(v%d) * d%d;\n", i, a, i, a, a); break;
    case 'e': print(t, "v%d = expf(v%d), d%d = v%d * d%d;\n", i, a, i, i, a); break;
    case 'm': print(t, "v%d = fmaxf(v%d, v%d), d%d = v%d > v%d ? d%d : d%d;\n", i, a, b, i, a, b, a, b); break;
    }
}

int expression_generate(const struct expression *e, const char *name, char *text, size_t size)
{
    struct text t = { text, size };

    print(&t, "inline __device__ void %s(float x, float *value, float *slope)\n{\n", name);
    for (int i = 0; i < e->n; i++) {
        print(&t, "    float ");
        print_node(&t, &e->nodes[i], i);
    }
    print(&t, "    *value = v%d, *slope = d%d;\n}\n", e->n - 1, e->n - 1);
    return t.left == 0;
}
