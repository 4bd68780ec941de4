/* text.h - what the tests of the parser share: from a text to a tree, or to the error that it must give. */
#ifndef TESTS_PTX_TEXT_H
#define TESTS_PTX_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "softcuda/ptx/cfg.h"

/* A module with a head (version 9.0, sm_90) before the text. Fails the test if it does not parse. */
struct ptx_module *parse_module(const char *text);

/* The text as the body of a kernel "k" with parameters a (.u64) and b (.f32), and registers p0 to p9 (.pred), h0 to h9 (.b16),
 * r0 to r9 (.b32), d0 to d9 (.b64), f0 to f9 (.f32), all with a % before them, and a scalar x (.b32). The kernel is funcs[0]. */
struct ptx_module *parse_body(const char *text);

/* The one instruction of a body. */
const struct ptx_insn *only_insn(const struct ptx_module *);

const char *register_name(const struct ptx_func *, const struct ptx_operand *);

/* The text with the head before it (the body, in a body) fails at this line of the text (0: any) with exactly this message. */
void expect_error(const char *text, unsigned line, const char *message);
void expect_body_error(const char *text, unsigned line, const char *message);

#endif
