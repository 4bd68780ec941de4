/* typed.h - PTX whose kernels have parameters of every kind. */
#ifndef TESTS_HPP_TYPED_H
#define TESTS_HPP_TYPED_H

static const char typed_ptx[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry _Z5mixedPKfifdljb(.param .u64 a, .param .u32 b, .param .f32 c, .param .f64 d, .param .u64 e,\n"
    "    .param .u32 f, .param .u8 g) { ret; }\n"
    ".visible .entry _Z4copyPfPKf(.param .u64 to, .param .u64 from) { ret; }\n"
    ".visible .entry _Z4drawP6float4PPfPvPl(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) { ret; }\n"
    ".visible .entry _Z3bag3boxi(.param .align 8 .b8 b[16], .param .u32 n) { ret; }\n"
    ".visible .entry _Z4tiny4cellP5color(.param .align 4 .b8 c[4], .param .u64 p) { ret; }\n"
    ".visible .entry plain(.param .u64 a, .param .f32 b, .param .b32 c, .param .u64 .ptr .global .align 4 d) { ret; }\n"
    ".visible .entry none() { ret; }\n";

#endif
