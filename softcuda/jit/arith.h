/* arith.h - PTX arithmetic as LLVM IR: values in, values out; no registers, no memory, no control flow.
 *
 * One instruction is built either on scalars or on vectors of 32 lanes; the code is the same. Every value that crosses this page
 * is an integer (or a vector of integers) as wide as its PTX type, and i1 for .pred: floats come and go as their bits, and are
 * bitcast inside. Packed types (.f16x2) are their 32-bit word.
 *
 * Semantics: the PTX ISA manual, and where it leaves something open what NVIDIA's hardware does: nothing is contracted, ftz is
 * written out, a NaN result is 0x7fffffff (f16 and bf16: 0x7fff; f64: any NaN), shifts clamp, x/0 and x%0 are all ones, every
 * rounding is exact. .approx instructions stay within the errors of NVIDIA's hardware. */
#ifndef SOFTCUDA_JIT_ARITH_H
#define SOFTCUDA_JIT_ARITH_H

#include <llvm-c/Core.h>

#include "softcuda/ptx/ptx.h"

struct arith {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    unsigned lanes;             /* 1: scalars; 32: vectors of 32 */
    bool avx512;                /* the target machine has AVX-512F/DQ/BW/VL/CD: embedded rounding may be used */
    bool exact_nan;             /* add sub mul fma rsqrt neg abs, too, answer 0x7fffffff for every NaN: a compare and a select each */
};

#define ARITH_MAX_SOURCES 5

/* What an instruction takes and gives, as arith wants it. */
struct arith_signature {
    uint8_t nsrc;               /* sources after the destination(s), in written order */
    uint8_t src_bits[ARITH_MAX_SOURCES];    /* width of each source; 1: a predicate */
    uint8_t dst_bits;           /* width of the result; 1: a predicate */
    bool second_dst;            /* p|q of setp, d|p of lop3: a second result, a predicate */
    bool reads_cc, writes_cc;   /* addc, add.cc, ...: the carry flag */
};

/* Does arith build this instruction? Fills *sig if so; else writes a short reason to why ("div.full.f64 does not exist").
 * Decides by root, modifiers and types alone. Covers: add addc sub subc mul mad madc mul24 mad24 sad div rem abs neg fma min max
 * rcp sqrt rsqrt sin cos lg2 ex2 tanh copysign testp set setp selp slct and or xor not cnot lop3 shl shr shf bfe bfi bfind bmsk
 * brev clz popc fns prmt szext dp2a dp4a cvt and the video instructions. mov is not arithmetic: the JIT moves. */
bool arith_supports(const struct ptx_insn *, struct arith_signature *sig, char *why, size_t why_size);

/* Builds it. src: sig.nsrc values of the widths above. carry: the carry flag as i1 (lanes), read and replaced; NULL where sig
 * says neither. second: receives the second result; may be NULL. Returns the result. The instruction must be one that
 * arith_supports() takes. */
LLVMValueRef arith_build(struct arith *, const struct ptx_insn *, const LLVMValueRef *src, LLVMValueRef *carry,
                         LLVMValueRef *second);

/* Helpers that the rest of the JIT shares. */
LLVMTypeRef  arith_int(struct arith *, unsigned bits);                      /* iN or <32 x iN> */
LLVMTypeRef  arith_float(struct arith *, unsigned bits);                    /* half, float, double or their vectors */
LLVMValueRef arith_const(struct arith *, unsigned bits, uint64_t value);    /* the constant, splat */
LLVMValueRef arith_intrinsic(struct arith *, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned nargs);
/* value OP operand for atom/red: which is the modifier (PTX_M_add, min, max, inc, dec, and_, or_, xor_, exch), type the
 * instruction's. */
LLVMValueRef arith_atomic_op(struct arith *, enum ptx_mod which, enum ptx_type type, LLVMValueRef old, LLVMValueRef operand);

/* Runtime functions that arith's code may call (slow paths), by name; the JIT defines them in the machine code. */
struct arith_symbol { const char *name; void *address; };
extern const struct arith_symbol arith_symbols[];       /* ends with a NULL name */

#endif
