#include "tests/arith/harness.h"
#include "tests/arith/values.h"

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
#define RANDOM_ROUNDS 24 /* of 32 lanes, on top of the edges */

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

/* ARITH_TEST_CPU: another, older processor. */
static bool machine_has_avx512(void)
{
    return !getenv("ARITH_TEST_CPU") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
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
    const char *older = getenv("ARITH_TEST_CPU");
    LLVMTargetRef target;

    if (LLVMGetTargetFromTriple(triple, &target, &error))
        fail_msg("%s", error);
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, older ? older : cpu, older ? "" : features,
        LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelJITDefault);
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
    uint64_t list[MAX_EDGES], v = 0;
    bool packed = t == PTX_F16X2 || t == PTX_BF16X2 || t == PTX_F32X2 || t == PTX_U16X2 || t == PTX_S16X2;
    bool is_float = ptx_type_is_float(t) && bits == ptx_type_bits(t);
    bool brain = t == PTX_BF16 || t == PTX_BF16X2;

    if (packed && bits > 1)
        part /= 2;
    for (unsigned at = 0; at < bits; at += part) {
        uint64_t one = edge ? list[random_bits() % value_edges(part, is_float, list)]
                            : value_random(part, is_float,
                                  part == 64                ? 11
                                      : part == 32 || brain ? 8
                                                            : 5);

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
    return bits <= 8 ? ((const uint8_t *)array)[lane]
        : bits == 16 ? ((const uint16_t *)array)[lane]
        : bits == 32 ? ((const uint32_t *)array)[lane]
                     : ((const uint64_t *)array)[lane];
}

static void judge_lane(const struct build *b, const uint64_t *src, bool carry_in, uint64_t got, bool got_second, bool got_carry)
{
    struct answer want = b->what.ref(&b->in, src, carry_in);
    unsigned bits = b->sig.dst_bits;
    bool good;

    if (bits < 64)
        want.result &= (1ull << bits) - 1;
    good = b->what.good && !b->a.exact_nan ? b->what.good(&b->in, src, want.result, got)
        : b->what.good                     ? got == want.result || b->what.good(&b->in, src, want.result, got)
                                           : got == want.result;
    if (b->sig.second_dst)
        good = good && got_second == want.second;
    if (b->sig.writes_cc)
        good = good && got_carry == want.carry;
    if (!good)
        fail_msg("%s (%u lanes%s): %#llx %#llx %#llx %#llx %#llx carry %d: got %#llx %d %d, want %#llx %d %d", b->opcode,
            b->a.lanes, b->a.avx512 ? ", AVX-512" : "", (unsigned long long)src[0], (unsigned long long)src[1],
            (unsigned long long)src[2], (unsigned long long)src[3], (unsigned long long)src[4], carry_in, (unsigned long long)got,
            got_second, got_carry, (unsigned long long)want.result, want.second, want.carry);
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
    uint64_t list[2][MAX_EDGES], src[ARITH_MAX_SOURCES] = { 0 };
    unsigned n[2] = { 1, 1 };

    for (unsigned i = 0; i < 2 && i < b->sig.nsrc; i++) {
        enum ptx_type t = source_type(b, i);

        n[i] = value_edges(
            b->sig.src_bits[i], ptx_type_is_float(t) && plain_sources(b, i) && b->sig.src_bits[i] == ptx_type_bits(t), list[i]);
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

/* ARITH_TEST_ALL=N or N+FIRST: every value that all sources together can have, where these have 32 bits at most; of more than 20 bits each N-th,
 * from FIRST modulo N on. 0: off. */
static uint64_t exhaustive_step(uint64_t *first)
{
    const char *text = getenv("ARITH_TEST_ALL"), *plus = text ? strchr(text, '+') : NULL;
    uint64_t step = text ? strtoull(text, NULL, 10) : 0;

    *first = plus && step ? strtoull(plus + 1, NULL, 10) % step : 0;
    return step;
}

static void split_sources(const struct build *b, uint64_t v, uint64_t *src)
{
    for (unsigned i = 0; i < b->sig.nsrc; i++) {
        if (b->has_constant && i == b->what.constant_source)
            continue;   /* add_values knows it */
        src[i] = v & (b->sig.src_bits[i] == 64 ? UINT64_MAX : (1ull << b->sig.src_bits[i]) - 1);
        v >>= b->sig.src_bits[i] % 64;
    }
}

/* Single lanes are tried otherwise: what is left to find is in the values. */
static bool run_all_values(const struct build *b)
{
    uint64_t first, step = exhaustive_step(&first), src[ARITH_MAX_SOURCES] = { 0 };
    struct batch x = { .n = 0 };
    unsigned bits = 0;

    for (unsigned i = 0; i < b->sig.nsrc; i++)
        bits += b->has_constant && i == b->what.constant_source ? 0 : b->sig.src_bits[i];
    if (!step || bits > 32 || (bits > 20 && b->a.lanes == 1))
        return false;
    for (uint64_t v = bits > 20 ? first : 0; v < 1ull << bits || x.n; v += bits > 20 ? step : 1) {
        split_sources(b, v, src);
        add_values(b, &x, src);
    }
    return true;
}

static void run_build(const struct build *b)
{
    struct batch x = { .n = 0 };
    uint64_t src[ARITH_MAX_SOURCES];

    if (run_all_values(b))
        return;

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

    builds = NULL; /* a failure leaves by a jump: the next test must not find these */
    nbuilds = 0;
    for (unsigned i = 0; i < n; i++)
        run_build(&mine[i]);
    must(LLVMOrcDisposeLLJIT(jit));
    free(mine);
}
