/* expression.h - a small compiler: an expression in x, such as "x / (1 + exp(-x))", to CUDA C++ that computes it and its
 * derivative.
 *
 *     sum     = product { ("+" | "-") product }
 *     product = factor { ("*" | "/") factor }
 *     factor  = "-" factor | number | "x" | "(" sum ")" | ("sin" | "exp") "(" sum ")" | "max" "(" sum "," sum ")"
 */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include <stddef.h>

enum { EXPRESSION_NODES = 64 };

/* What is computed, in order: each node has an operator and takes nodes before it; the last is the result. */
struct expression {
    int n;
    struct node {
        char op;
        int a, b;
        double number;
    } nodes[EXPRESSION_NODES];
};

/* Returns NULL, or where in the text it is not understood. */
const char *expression_parse(const char *text, struct expression *out);

/* The value at x, worked out on the host. */
double expression_value(const struct expression *e, double x);

/* Writes "inline __device__ void NAME(float x, float *value, float *slope) {...}", a statement for each node. Returns 0; 1: the
 * text is longer. */
int expression_generate(const struct expression *e, const char *name, char *text, size_t size);

#endif
