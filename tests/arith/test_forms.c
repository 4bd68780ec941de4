/* What arith takes and what it refuses; its view of real text agrees with the parser's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/Analysis.h>

#include "softcuda/jit/arith.h"
#include "tests/arith/harness.h"

static bool taken(const char *opcode, unsigned nops, bool pair, struct arith_signature *sig, char *why)
{
    struct ptx_operand ops[8] = { { PTX_OP_REG, false, false, false, 0, 0, 0, 0, 0, 0, NULL } };
    struct ptx_insn in;

    assert_true(split_opcode(opcode, &in));
    in.ops = ops;
    in.nops = (uint8_t)nops;
    in.pair = pair;
    return arith_supports(&in, sig, why, 128);
}

static void signatures(void **state)
{
    struct arith_signature sig;
    char why[128];

    (void)state;
    assert_true(taken("mad.wide.u16", 4, false, &sig, why));
    assert_int_equal(sig.nsrc, 3);
    assert_int_equal(sig.src_bits[0], 16);
    assert_int_equal(sig.src_bits[2], 32);
    assert_int_equal(sig.dst_bits, 32);
    assert_true(taken("shl.b64", 3, false, &sig, why));
    assert_int_equal(sig.src_bits[1], 32);
    assert_true(taken("setp.lt.and.f32", 5, true, &sig, why));
    assert_int_equal(sig.nsrc, 3);
    assert_int_equal(sig.src_bits[2], 1);
    assert_int_equal(sig.dst_bits, 1);
    assert_true(sig.second_dst);
    assert_true(taken("madc.lo.cc.u32", 4, false, &sig, why));
    assert_true(sig.reads_cc && sig.writes_cc);
    assert_true(taken("popc.b64", 2, false, &sig, why));
    assert_int_equal(sig.dst_bits, 32);
    assert_true(taken("cvt.s64.s8", 2, false, &sig, why));
    assert_int_equal(sig.src_bits[0], 8);
    assert_int_equal(sig.dst_bits, 64);
    assert_true(taken("lop3.or.b32", 7, true, &sig, why));
    assert_int_equal(sig.nsrc, 5);
}

static void refusals(void **state)
{
    static const struct {
        const char *opcode;
        unsigned nops;
    } wrong[] = {
        { "add.rn.u32", 3 },
        { "div.full.f64", 3 },
        { "mul.u32", 3 },
        { "add.u8", 3 },
        { "fma.f32", 4 },
        { "cvt.f32.u32", 2 },
        { "add.f32", 2 },
        { "add.f32", 4 },
        { "setp.lt.f32", 5 },
        { "sin.approx.f64", 2 },
        { "add.rn.ftz.bf16", 3 },
        { "cvt.rn.e4m3x2.f32", 3 },
        { "mov.u32", 2 },
        { "bra", 1 },
        { "ld.global.u32", 2 },
        { "add.f32.f32", 3 },
        { "min.relu.f32", 3 },
        { "tanh.f64", 2 },
        { "shf.clamp.b32", 4 },
    };
    struct arith_signature sig;
    char why[128];

    (void)state;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct ptx_insn in;

        if (!split_opcode(wrong[i].opcode, &in))
            continue; /* a state space is no modifier */
        why[0] = '\0';
        if (taken(wrong[i].opcode, wrong[i].nops, false, &sig, why))
            fail_msg("%s with %u operands is taken", wrong[i].opcode, wrong[i].nops);
        assert_true(strlen(why) > 0);
    }
    taken("div.full.f64", 3, false, &sig, why);
    assert_string_equal(why, "'.full' is not known for this type");
}

/* Instructions as compilers write them, through the parser. */
static void parsed_text(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k()\n{\n"
        ".reg .b32 r<8>; .reg .b64 x<8>; .reg .b16 h<8>; .reg .pred p<4>; .reg .f32 f<8>; .reg .f64 d<8>;\n"
        "mad.lo.s32 r0, r1, r2, r3;\n"
        "mul.wide.u32 x0, r1, 4;\n"
        "fma.rm.ftz.f32 f0, f1, f2, 0f3F800000;\n"
        "setp.geu.or.f64 p0|p1, d0, d1, !p2;\n"
        "cvt.rzi.ftz.s32.f32 r0, f1;\n"
        "cvt.rn.f16.f32 h0, f1;\n"
        "lop3.b32 r0, r1, r2, r3, 0x96;\n"
        "prmt.b32 r0, r1, r2, 0x5410;\n"
        "ex2.approx.ftz.f32 f0, f1;\n"
        "vabsdiff4.u32.u32.u32.add r0, r1, r2, r3;\n"
        "fma.rn.f16x2 r0, r1, r2, r3;\n"
        "bfind.shiftamt.u32 r0, r1;\n"
        "selp.f64 d0, d1, d2, p0;\n"
        "slct.f32.s32 f0, f1, f2, r0;\n"
        "set.gt.ftz.u32.f32 r0, f1, f2;\n"
        "shf.l.wrap.b32 r0, r1, r2, r3;\n"
        "addc.cc.u32 r0, r1, r2;\n"
        "and.pred p0, p1, p2;\n"
        "ret;\n}\n";
    struct ptx_error error;
    struct ptx_module *m = ptx_parse(text, sizeof(text) - 1, &error);
    char why[128];

    (void)state;
    if (!m)
        fail_msg("line %u: %s", error.pos.line, error.text);
    for (uint32_t i = 0; i + 1 < m->funcs[0].ninsns; i++) {
        const struct ptx_insn *in = &m->funcs[0].insns[i];
        struct arith_signature sig;
        struct ptx_insn split;

        if (!arith_supports(in, &sig, why, sizeof(why)))
            fail_msg("%s: %s", in->opcode, why);
        assert_true(split_opcode(in->opcode, &split));
        assert_int_equal(split.op, in->op);
        assert_memory_equal(split.mods, in->mods, sizeof(in->mods));
    }
    ptx_module_destroy(m);
}

/* The operators of atom and red, as constants folded by LLVM. */
static uint64_t folded(enum ptx_mod which, enum ptx_type type, uint64_t old, uint64_t operand)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("m", context);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    struct arith a = { .context = context, .module = module, .builder = builder, .lanes = 1 };
    LLVMValueRef f = LLVMAddFunction(module, "f", LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false)), v;
    unsigned bits = ptx_type_bits(type);
    uint64_t result;

    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, f, ""));
    v = arith_atomic_op(&a, which, type, arith_const(&a, bits, old), arith_const(&a, bits, operand));
    assert_true(LLVMIsAConstantInt(v) != NULL);
    result = LLVMConstIntGetZExtValue(v);
    LLVMDisposeBuilder(builder);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return result;
}

static void atomic_operators(void **state)
{
    (void)state;
    assert_int_equal(folded(PTX_M_add, PTX_U32, 0xffffffff, 2), 1);
    assert_int_equal(folded(PTX_M_add, PTX_F32, 0x3f800000, 0x40000000), 0x40400000);
    assert_int_equal(folded(PTX_M_and_, PTX_B32, 12, 10), 8);
    assert_int_equal(folded(PTX_M_or_, PTX_B64, 12, 10), 14);
    assert_int_equal(folded(PTX_M_xor_, PTX_B32, 12, 10), 6);
    assert_int_equal(folded(PTX_M_exch, PTX_B32, 12, 10), 10);
    assert_int_equal(folded(PTX_M_inc, PTX_U32, 9, 10), 10);
    assert_int_equal(folded(PTX_M_inc, PTX_U32, 10, 10), 0);
    assert_int_equal(folded(PTX_M_dec, PTX_U32, 0, 10), 10);
    assert_int_equal(folded(PTX_M_dec, PTX_U32, 11, 10), 10);
    assert_int_equal(folded(PTX_M_dec, PTX_U32, 5, 10), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures),
        cmocka_unit_test(refusals),
        cmocka_unit_test(parsed_text),
        cmocka_unit_test(atomic_operators),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
