#include "tests/arith/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "softcuda/jit/arith.h"

#define LANES 32
#define MAX_BUILDS 12000
#define RANDOM_ROUNDS 24        /* of 32 lanes, on top of the edges */

/* What one build of an instruction looks like from C. Predicates and carries are bytes. */
typedef void code(const void *const *src, void *result, uint8_t *second, uint8_t *carry);

struct build {
    struct instruction what;
    char opcode[80];
    struct ptx_insn in;
    struct ptx_operand ops[7];
    struct arith_signature sig;
    struct arith a;
    uint64_t constant;
    bool has_constant;
    code *run;
};

static struct build *builds;
static unsigned nbuilds;

uint64_t random_bits(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

static bool modifier(const char *word, struct ptx_insn *in)
{
    static const char *const names[] = {
#define NAME(id, text) text,
        PTX_MODS(NAME)
#undef NAME
    };

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i], word) == 0) {
            in->mods[i / 64] |= 1ull << i % 64;
            return true;
        }
    return false;
}

static bool type_word(const char *word, struct ptx_insn *in)
{
    for (unsigned i = PTX_NONE + 1; i < PTX_TYPE_COUNT; i++)
        if (strcmp(ptx_type_name(i), word) == 0) {
            if (in->ntypes == PTX_MAX_TYPES)
                return false;
            in->types[in->ntypes++] = i;
            return true;
        }
    return false;
}

static bool root_word(const char *word, struct ptx_insn *in)
{
    static const char *const names[] = {
#define NAME(root) #root,
        PTX_OPS(NAME)
#undef NAME
    };

    for (unsigned i = 0; i < PTX_OP_COUNT; i++)
        if (strcmp(names[i], word) == 0) {
            in->op = i;
            return true;
        }
    return false;
}

bool split_opcode(const char *opcode, struct ptx_insn *in)
{
    char copy[80], *rest = copy, *word;
    bool ok;

    snprintf(copy, sizeof(copy), "%s", opcode);
    memset(in, 0, sizeof(*in));
    in->vec = 1;
    in->opcode = opcode;
    ok = root_word(strsep(&rest, "."), in);
    while (ok && (word = strsep(&rest, ".")))
        ok = type_word(word, in) || modifier(word, in);
    return ok;
}

static void add_build(const struct instruction *what, unsigned lanes, bool avx512, bool exact_nan, const uint64_t *constant)
{
    struct build *b = &builds[nbuilds++];
    char why[128] = "";

    assert_in_range(nbuilds, 1, MAX_BUILDS);
    b->what = *what;
    snprintf(b->opcode, sizeof(b->opcode), "%s", what->opcode);
    if (!split_opcode(b->opcode, &b->in))
        fail_msg("%s: unknown word", b->opcode);
    b->in.ops = b->ops;
    b->in.pair = what->pair;
    b->in.nops = (uint8_t)(what->nsrc + 1 + what->pair);
    for (unsigned i = 0; i < b->in.nops; i++) {
        b->ops[i].kind = PTX_OP_REG;
        b->ops[i].part = i < 4 ? what->parts[i] : 0;
    }
    b->a.lanes = lanes;
    b->a.avx512 = avx512;
    b->a.exact_nan = exact_nan;
    if (constant) {
        b->has_constant = true;
        b->constant = *constant;
    }
    if (!arith_supports(&b->in, &b->sig, why, sizeof(why)))
        fail_msg("%s: %s", b->opcode, why);
}

static bool machine_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

void check(struct instruction what)
{
    static const uint64_t none[] = { 0, UINT64_MAX };
    bool fast = machine_has_avx512();

    if (!builds)
        builds = calloc(MAX_BUILDS, sizeof(*builds));
    for (const uint64_t *c = what.constants ? what.constants : none; *c != UINT64_MAX; c++) {
        add_build(&what, LANES, fast, false, what.constants ? c : NULL);
        add_build(&what, LANES, false, true, what.constants ? c : NULL);
        add_build(&what, 1, fast, true, what.constants ? c : NULL);
        add_build(&what, 1, false, false, what.constants ? c : NULL);
    }
}

/* Code */

static LLVMValueRef load(struct arith *a, LLVMValueRef from, unsigned bits)
{
    LLVMValueRef v = LLVMBuildLoad2(a->builder, arith_int(a, bits == 1 ? 8 : bits), from, "");

    LLVMSetAlignment(v, 8);
    return bits == 1 ? LLVMBuildTrunc(a->builder, v, arith_int(a, 1), "") : v;
}

static void store(struct arith *a, LLVMValueRef v, LLVMValueRef to, unsigned bits)
{
    if (bits == 1)
        v = LLVMBuildZExt(a->builder, v, arith_int(a, 8), "");
    LLVMSetAlignment(LLVMBuildStore(a->builder, v, to), 1);
}

static void emit(struct build *b, LLVMContextRef context, LLVMModuleRef module, LLVMBuilderRef builder, unsigned index)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), params[] = { pointer, pointer, pointer, pointer };
    LLVMValueRef src[ARITH_MAX_SOURCES], carry = NULL, second = NULL, result, f;
    struct arith *a = &b->a;
    char name[16];

    a->context = context;
    a->module = module;
    a->builder = builder;
    snprintf(name, sizeof(name), "f%u", index);
    f = LLVMAddFunction(module, name, LLVMFunctionType(LLVMVoidTypeInContext(context), params, 4, false));
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, f, ""));
    for (unsigned i = 0; i < b->sig.nsrc; i++) {
        LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(context), i, false);
        LLVMValueRef slot = LLVMBuildGEP2(builder, pointer, LLVMGetParam(f, 0), &at, 1, "");

        if (b->has_constant && i == b->what.constant_source)
            src[i] = arith_const(a, b->sig.src_bits[i], b->constant);
        else
            src[i] = load(a, LLVMBuildLoad2(builder, pointer, slot, ""), b->sig.src_bits[i]);
    }
    if (b->sig.reads_cc || b->sig.writes_cc)
        carry = load(a, LLVMGetParam(f, 3), 1);
    result = arith_build(a, &b->in, src, carry ? &carry : NULL, b->sig.second_dst ? &second : NULL);
    store(a, result, LLVMGetParam(f, 1), b->sig.dst_bits);
    if (second)
        store(a, second, LLVMGetParam(f, 2), 1);
    if (carry)
        store(a, carry, LLVMGetParam(f, 3), 1);
    LLVMBuildRetVoid(builder);
}

static void must(LLVMErrorRef error)
{
    if (error)
        fail_msg("%s", LLVMGetErrorMessage(error));
}

static LLVMTargetMachineRef host_machine(void)
{
    char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures(), *error = NULL;
    LLVMTargetRef target;

    if (LLVMGetTargetFromTriple(triple, &target, &error))
        fail_msg("%s", error);
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                                           LLVMCodeModelJITDefault);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    return machine;
}

static void define_symbols(LLVMOrcLLJITRef jit)
{
    for (const struct arith_symbol *s = arith_symbols; s->name; s++) {
        LLVMOrcCSymbolMapPair pair = { LLVMOrcLLJITMangleAndIntern(jit, s->name),
                                       { (LLVMOrcExecutorAddress)(uintptr_t)s->address, { LLVMJITSymbolGenericFlagsExported, 0 } } };

        must(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), LLVMOrcAbsoluteSymbols(&pair, 1)));
    }
}

static LLVMOrcLLJITRef compile_all(void)
{
    LLVMOrcThreadSafeContextRef shared = LLVMOrcCreateNewThreadSafeContext();
    LLVMContextRef context = LLVMOrcThreadSafeContextGetContext(shared);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("arith", context);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMOrcLLJITBuilderRef options = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITRef jit;
    char *error = NULL, *passes = getenv("ARITH_TEST_PASSES");
    LLVMTargetMachineRef machine;

    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    machine = host_machine();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(options, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(host_machine()));
    must(LLVMOrcCreateLLJIT(&jit, options));
    define_symbols(jit);
    LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(jit));
    LLVMSetTarget(module, LLVMOrcLLJITGetTripleString(jit));
    for (unsigned i = 0; i < nbuilds; i++)
        emit(&builds[i], context, module, builder, i);
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &error))
        fail_msg("%s", error);
    LLVMDisposeMessage(error);
    if (!passes)
        passes = "function(instcombine<no-verify-fixpoint>,early-cse)";
    if (*passes) {
        LLVMPassBuilderOptionsRef pb = LLVMCreatePassBuilderOptions();

        must(LLVMRunPasses(module, passes, machine, pb));
        LLVMDisposePassBuilderOptions(pb);
    }
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeBuilder(builder);
    must(LLVMOrcLLJITAddLLVMIRModule(jit, LLVMOrcLLJITGetMainJITDylib(jit), LLVMOrcCreateNewThreadSafeModule(module, shared)));
    LLVMOrcDisposeThreadSafeContext(shared);
    for (unsigned i = 0; i < nbuilds; i++) {
        LLVMOrcExecutorAddress address;
        char name[16];

        snprintf(name, sizeof(name), "f%u", i);
        must(LLVMOrcLLJITLookup(jit, &address, name));
        builds[i].run = (code *)(uintptr_t)address;
    }
    return jit;
}

/* Values */

static unsigned edges(unsigned bits, bool is_float, uint64_t *out)
{
    static const uint64_t f32[] = {
        0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff,
        0x40000000, 0x40400000, 0xc0400000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
        0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0x5f800000, 0x4b000001, 0x4b800001, 0x7f7fffff, 0xff7fffff, 0x7e800000, 0x7f000000,
        0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff801234, 0x7fffffff, 0x477fefff, 0x477ff000, 0x33800000, 0x33000000, 0x387fc000, 0x1f800000,
        0xc3150000, 0xc2fc0000, 0x43000000, 0x00000002, 0x3effffff, 0x42fe0000, 0xc2ff0000, 0x40490fdb, 0x3f19999a };
    static const uint64_t f64[] = {
        0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000,
        0x3ff0000000000001, 0x3fefffffffffffff, 0x4000000000000000, 0x4008000000000000, 0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000,
        0x4004000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000,
        0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x4330000000000001, 0x7fefffffffffffff, 0xffefffffffffffff,
        0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x47efffffe0000000, 0x47efffffefffffff,
        0x47eff00000000000, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x380fffffffffffff, 0x40effdffffffffff, 0x40effe0000000000,
        0x3e70000000000000, 0x3e60000000000001, 0x3fe00000000fffff };
    static const uint64_t f16[] = {
        0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4000, 0x4200, 0x3800, 0xb800, 0x3e00, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
        0x7e00, 0xfe00, 0x7c01, 0x7fff, 0x0080, 0x3f80, 0xbf80, 0x4080, 0x7f80, 0xff80, 0x7f7f, 0xff7f, 0x7fc0, 0x7f81, 0x007f, 0x4f00, 0x5f00 };
    static const uint64_t ints[] = {
        0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x1000001,
        0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0x1fffffffffffff, 0x20000000000001, 0x7fffffffffffffff, 0x8000000000000000,
        0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff, 0xffffffffffffff80, 0xffffffffffff8000, 0xffffffff80000000, 0x0123456789abcdef,
        0xfffffffffffffff0, 0x7fffffffffffffc0, 0xffffffffffffff9c };
    const uint64_t *from = ints;
    unsigned n = sizeof(ints) / sizeof(*ints);

    if (bits == 1) {
        out[0] = 0;
        out[1] = 1;
        return 2;
    }
    if (is_float) {
        from = bits == 64 ? f64 : bits == 32 ? f32 : f16;
        n = bits == 64 ? sizeof(f64) / 8 : bits == 32 ? sizeof(f32) / 8 : sizeof(f16) / 8;
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = bits == 64 ? from[i] : from[i] & ((1ull << bits) - 1);
    return n;
}

/* Random bits; of floats half of them of moderate exponent, so that sums and products are not all infinite. */
static uint64_t random_value(unsigned bits, bool is_float, unsigned bits_exponent)
{
    uint64_t v = random_bits();

    if (is_float && random_bits() & 1) {
        unsigned fraction = bits - 1 - bits_exponent;
        uint64_t middle = (1ull << (bits_exponent - 1)) - 4 + (random_bits() & 7);

        v = (v & ~(((1ull << bits_exponent) - 1) << fraction)) | middle << fraction;
    } else if (!is_float && random_bits() & 1)
        v >>= random_bits() & 63;
    return bits == 64 ? v : v & ((1ull << bits) - 1);
}

static enum ptx_type source_type(const struct build *b, unsigned i)
{
    const struct ptx_insn *in = &b->in;

    if (in->op == PTX_I_cvt || in->op == PTX_I_set)
        return in->types[1];
    return in->op == PTX_I_slct && i == 2 ? in->types[1] : in->types[0];
}

static uint64_t pick(const struct build *b, unsigned i, bool edge)
{
    enum ptx_type t = source_type(b, i);
    unsigned bits = b->sig.src_bits[i], part = bits;
    uint64_t list[80], v = 0;
    bool packed = t == PTX_F16X2 || t == PTX_BF16X2 || t == PTX_F32X2 || t == PTX_U16X2 || t == PTX_S16X2;
    bool is_float = ptx_type_is_float(t) && bits == ptx_type_bits(t);
    bool brain = t == PTX_BF16 || t == PTX_BF16X2;

    if (packed && bits > 1)
        part /= 2;
    for (unsigned at = 0; at < bits; at += part) {
        uint64_t one = edge ? list[random_bits() % edges(part, is_float, list)]
                            : random_value(part, is_float, part == 64 ? 11 : part == 32 || brain ? 8 : 5);

        v |= one << at;
    }
    return v;
}

/* Running */

struct batch {
    uint64_t value[LANES][ARITH_MAX_SOURCES];
    bool carry[LANES];
    unsigned n;
};

static void put(void *array, unsigned lane, unsigned bits, uint64_t v)
{
    if (bits <= 8)
        ((uint8_t *)array)[lane] = (uint8_t)v;
    else if (bits == 16)
        ((uint16_t *)array)[lane] = (uint16_t)v;
    else if (bits == 32)
        ((uint32_t *)array)[lane] = (uint32_t)v;
    else
        ((uint64_t *)array)[lane] = v;
}

static uint64_t get(const void *array, unsigned lane, unsigned bits)
{
    return bits <= 8 ? ((const uint8_t *)array)[lane] : bits == 16 ? ((const uint16_t *)array)[lane]
         : bits == 32 ? ((const uint32_t *)array)[lane] : ((const uint64_t *)array)[lane];
}

static void judge_lane(const struct build *b, const uint64_t *src, bool carry_in, uint64_t got, bool got_second, bool got_carry)
{
    struct answer want = b->what.ref(&b->in, src, carry_in);
    unsigned bits = b->sig.dst_bits;
    bool good;

    if (bits < 64)
        want.result &= (1ull << bits) - 1;
    good = b->what.good && !b->a.exact_nan ? b->what.good(&b->in, src, want.result, got)
         : b->what.good ? got == want.result || b->what.good(&b->in, src, want.result, got) : got == want.result;
    if (b->sig.second_dst)
        good = good && got_second == want.second;
    if (b->sig.writes_cc)
        good = good && got_carry == want.carry;
    if (!good)
        fail_msg("%s (%u lanes%s): %#llx %#llx %#llx %#llx %#llx carry %d: got %#llx %d %d, want %#llx %d %d", b->opcode, b->a.lanes,
                 b->a.avx512 ? ", AVX-512" : "", (unsigned long long)src[0], (unsigned long long)src[1], (unsigned long long)src[2],
                 (unsigned long long)src[3], (unsigned long long)src[4], carry_in, (unsigned long long)got, got_second, got_carry,
                 (unsigned long long)want.result, want.second, want.carry);
}

static void run_batch(const struct build *b, const struct batch *x)
{
    _Alignas(64) uint64_t src[ARITH_MAX_SOURCES][LANES], result[LANES];
    _Alignas(64) uint8_t second[LANES] = { 0 }, carry[LANES];
    unsigned step = b->a.lanes;

    for (unsigned i = 0; i < b->sig.nsrc; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            put(src[i], lane, b->sig.src_bits[i], x->value[lane][i]);
    for (unsigned lane = 0; lane < LANES; lane++)
        carry[lane] = x->carry[lane];
    for (unsigned lane = 0; lane < LANES; lane += step) {
        const void *at[ARITH_MAX_SOURCES];
        uint64_t aligned[ARITH_MAX_SOURCES], one;

        for (unsigned i = 0; i < b->sig.nsrc; i++) {
            aligned[i] = get(src[i], lane, b->sig.src_bits[i]);
            at[i] = step == 1 ? (void *)&aligned[i] : (void *)src[i];
        }
        b->run(at, step == 1 ? (void *)&one : (void *)result, second + lane, carry + lane);
        if (step == 1)
            put(result, lane, b->sig.dst_bits, get(&one, 0, b->sig.dst_bits));
    }
    for (unsigned lane = 0; lane < x->n; lane++)
        judge_lane(b, x->value[lane], x->carry[lane], get(result, lane, b->sig.dst_bits), second[lane], carry[lane]);
}

static void add_values(const struct build *b, struct batch *x, const uint64_t *src)
{
    for (unsigned i = 0; i < ARITH_MAX_SOURCES; i++)
        x->value[x->n][i] = i < b->sig.nsrc ? src[i] : 0;
    if (b->has_constant)
        x->value[x->n][b->what.constant_source] = b->constant;
    x->carry[x->n] = random_bits() & 1;
    if (++x->n < LANES)
        return;
    run_batch(b, x);
    x->n = 0;
}

static bool plain_sources(const struct build *b, unsigned i)
{
    enum ptx_type t = source_type(b, i);

    return t != PTX_F16X2 && t != PTX_BF16X2 && t != PTX_F32X2 && t != PTX_U16X2 && t != PTX_S16X2;
}

/* Every edge with every edge, for up to two sources. */
static void run_edges(const struct build *b, struct batch *x)
{
    uint64_t list[2][80], src[ARITH_MAX_SOURCES] = { 0 };
    unsigned n[2] = { 1, 1 };

    for (unsigned i = 0; i < 2 && i < b->sig.nsrc; i++) {
        enum ptx_type t = source_type(b, i);

        n[i] = edges(b->sig.src_bits[i], ptx_type_is_float(t) && plain_sources(b, i) && b->sig.src_bits[i] == ptx_type_bits(t), list[i]);
    }
    for (unsigned i = 0; i < n[0]; i++)
        for (unsigned k = 0; k < n[1]; k++) {
            src[0] = list[0][i];
            src[1] = list[1][k];
            for (unsigned rest = 2; rest < b->sig.nsrc; rest++)
                src[rest] = pick(b, rest, true);
            add_values(b, x, src);
        }
}

static void run_build(const struct build *b)
{
    struct batch x = { .n = 0 };
    uint64_t src[ARITH_MAX_SOURCES];

    run_edges(b, &x);
    for (unsigned i = 0, n = LANES * (b->what.rounds ? b->what.rounds : RANDOM_ROUNDS); i < n || x.n; i++) {
        for (unsigned k = 0; k < b->sig.nsrc; k++)
            src[k] = pick(b, k, (random_bits() & 3) == 0);
        add_values(b, &x, src);
    }
}

void run_checks(void)
{
    LLVMOrcLLJITRef jit = compile_all();

    struct build *mine = builds;
    unsigned n = nbuilds;

    builds = NULL;      /* a failure leaves by a jump: the next test must not find these */
    nbuilds = 0;
    for (unsigned i = 0; i < n; i++)
        run_build(&mine[i]);
    must(LLVMOrcDisposeLLJIT(jit));
    free(mine);
}
