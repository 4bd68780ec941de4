/* harness.h - runs a kernel of a PTX text on the JIT and the runtime, without a driver. */
#ifndef TESTS_JIT_HARNESS_H
#define TESTS_JIT_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define OUT_WORDS (1 << 16)
extern uint32_t out[OUT_WORDS];     /* kernels get its address as their only parameter; zeroed before each run */

/* Begins every PTX text of these tests. */
#define PTX ".version 8.0\n.target sm_75\n.address_size 64\n"
#define KERNEL_BEGIN PTX ".visible .entry k(.param .u64 o)\n{\n.reg .pred %p<16>; .reg .b32 %r<64>; .reg .b64 %rd<32>; .reg .f32 %f<16>;\n" \
                     "ld.param.u64 %rd0, [o];\nmov.u32 %r0, %tid.x;\n"
#define KERNEL(body) KERNEL_BEGIN body "}\n"
/* [%rd1] is the thread's own word of out. */
#define MY_WORD "mov.u32 %r60, %ctaid.x; mov.u32 %r61, %ntid.x; mad.lo.s32 %r62, %r60, %r61, %r0; mul.wide.u32 %rd1, %r62, 4; add.s64 %rd1, %rd0, %rd1;\n"

struct shape3 { unsigned x, y, z; };

/* Runs kernel "k". Returns the fault (enum sc_fault), or -1. Fails the test if the text does not compile. */
int run_shaped(const char *text, struct shape3 grid, struct shape3 block, unsigned dynamic_shared);
int run(const char *text, unsigned grid, unsigned block);
/* The same where the first words of out are the device's memory, the next ones are host memory that it was given, and nothing else is there. */
struct fault { int kind; uint32_t thread, bytes, line; };     /* kind: enum sc_fault, -1 for none */
struct fault run_within(const char *text, unsigned grid, unsigned block, unsigned words, unsigned host_words);
/* What jit_check says; "" if nothing. */
const char *check(const char *text);

#endif
