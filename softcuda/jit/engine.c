/* engine.c - target machine, passes, object code, ORC. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "softcuda/jit/arith.h"
#include "softcuda/jit/engine.h"
#include "softcuda/run/matrix.h"
#include "softcuda/run/mbarrier.h"
#include "softcuda/run/texture.h"

/* Registers become values, what is known folds, what cannot happen goes. More passes gain little here and cost as much as the code generator. */
#define PASSES "function(mem2reg,early-cse,instcombine<no-verify-fixpoint>,simplifycfg),always-inline,globaldce," \
               "function(early-cse,loop-mssa(licm),instcombine<no-verify-fixpoint>,simplifycfg,sink,adce)"

/* How long the register allocator weighs where to split a value's life: LLVM's own 10,000 costs seconds where a kernel has some hundred
 * blocks, and gains nothing there. Small kernels never get this far. */
static const char *const llvm_options[] = { "softcuda", "-grow-region-complexity-budget=300" };

static struct engine engine = { .passes = PASSES };
static LLVMOrcLLJITRef jit;
static LLVMTargetRef target;
static char *triple;
static char failure[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define SYMBOL(name) { #name, (void *)name }
static const struct arith_symbol runtime[] = {
    SYMBOL(sc_rt_barrier), SYMBOL(sc_rt_barrier_arrive), SYMBOL(sc_rt_barrier_red), SYMBOL(sc_rt_yield), SYMBOL(sc_rt_nanosleep),
    SYMBOL(sc_rt_fault), SYMBOL(sc_rt_check_one), SYMBOL(sc_rt_check_lanes), SYMBOL(sc_rt_check_range),
    SYMBOL(sc_rt_gather_lanes), SYMBOL(sc_rt_scatter_lanes), SYMBOL(sc_rt_read_lanes), SYMBOL(sc_rt_write_lanes),
    SYMBOL(sc_rt_clock), SYMBOL(sc_rt_globaltimer),
    SYMBOL(sc_rt_texture), SYMBOL(sc_rt_texture_query), SYMBOL(sc_rt_surface), SYMBOL(sc_rt_matrix_multiply), SYMBOL(sc_rt_matrix_move),
    SYMBOL(sc_rt_matrix_rows), SYMBOL(sc_rt_matrix_transpose), SYMBOL(sc_rt_mbarrier), SYMBOL(sc_rt_bulk_copy), { NULL, NULL },
};
static const char *const externs[] = { "vprintf", "__assertfail", "malloc", "free", NULL };

static bool fail(LLVMErrorRef err)
{
    char *text;

    if (!err)
        return false;
    text = LLVMGetErrorMessage(err);
    snprintf(failure, sizeof(failure), "%s", text);
    LLVMDisposeErrorMessage(text);
    return true;
}

static LLVMErrorRef define(const char *name, void *address)
{
    LLVMOrcCSymbolMapPair pair = {
        .Name = LLVMOrcLLJITMangleAndIntern(jit, name),
        .Sym = { .Address = (LLVMOrcExecutorAddress)(uintptr_t)address, .Flags = { .GenericFlags = LLVMJITSymbolGenericFlagsExported } },
    };

    return LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), LLVMOrcAbsoluteSymbols(&pair, 1));
}

static bool define_runtime(void)
{
    char name[64];
    LLVMOrcDefinitionGeneratorRef process;

    for (const struct arith_symbol *s = runtime; s->name; s++)
        if (fail(define(s->name, s->address)))
            return false;
    for (const struct arith_symbol *s = arith_symbols; s->name; s++)
        if (fail(define(s->name, s->address)))
            return false;
    for (const char *const *x = externs; *x; x++) {
        snprintf(name, sizeof(name), "sc_extern_%s", *x);
        if (fail(define(name, (void *)sc_rt_extern(*x))))
            return false;
    }
    /* memcpy and the like, which the code generator may call. */
    if (fail(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL)))
        return false;
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), process);
    return true;
}

static bool has_feature(const char *name)
{
    const char *at = strstr(engine.features, name);

    return at && (at[strlen(name)] == ',' || !at[strlen(name)]);
}

/* What fails in the session fails the call that asked, which has its own text. */
static void ignore(void *arg, LLVMErrorRef err)
{
    (void)arg;
    LLVMConsumeError(err);
}

static void start(void)
{
    char *message = NULL;
    const char *cpu = secure_getenv("SOFTCUDA_CPU");

    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMParseCommandLineOptions(sizeof(llvm_options) / sizeof(*llvm_options), llvm_options, NULL);
    triple = LLVMGetDefaultTargetTriple();
    engine.cpu = cpu ? strdup(cpu) : LLVMGetHostCPUName();
    engine.features = cpu ? "" : LLVMGetHostCPUFeatures();
    engine.avx512 = has_feature("+avx512f") && has_feature("+avx512bw") && has_feature("+avx512dq") && has_feature("+avx512vl");
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        snprintf(failure, sizeof(failure), "%s", message);
        LLVMDisposeMessage(message);
        return;
    }
    if (fail(LLVMOrcCreateLLJIT(&jit, NULL)) || !define_runtime()) {
        jit = NULL;
        return;
    }
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit), ignore, NULL);
}

const struct engine *engine_get(char *text, size_t text_size)
{
    pthread_once(&once, start);
    if (jit)
        return &engine;
    snprintf(text, text_size, "LLVM could not be started: %s", failure);
    return NULL;
}

static int report(LLVMErrorRef err, char *text, size_t text_size)
{
    char *message = LLVMGetErrorMessage(err);

    snprintf(text, text_size, "code generation failed: %s", message);
    LLVMDisposeErrorMessage(message);
    return -1;
}

/* The next level takes longer and only orders instructions otherwise, which a CPU that orders them itself does not ask for. */
LLVMMemoryBufferRef engine_compile(LLVMContextRef context, LLVMModuleRef module, char *text, size_t text_size)
{
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, engine.cpu, engine.features, LLVMCodeGenLevelLess,
                                                           LLVMRelocPIC, LLVMCodeModelDefault);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMMemoryBufferRef object = NULL;
    const char *dump = secure_getenv("SOFTCUDA_DUMP_IR");
    char *message = NULL;
    LLVMErrorRef err;

    LLVMSetTarget(module, triple);
    LLVMSetModuleDataLayout(module, layout);
    if (dump && LLVMPrintModuleToFile(module, dump, &message))
        LLVMDisposeMessage(message);
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {  /* a fault of this JIT: refuse the kernel, spare the process */
        snprintf(text, text_size, "the JIT made invalid code: %s", message);
        LLVMDisposeMessage(message);
        goto out;
    }
    LLVMDisposeMessage(message);
    err = LLVMRunPasses(module, PASSES, machine, options);
    if (err)
        report(err, text, text_size);
    else if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object)) {
        snprintf(text, text_size, "code generation failed: %s", message);
        LLVMDisposeMessage(message);
        object = NULL;
    }
out:
    LLVMDisposeTargetData(layout);
    LLVMDisposePassBuilderOptions(options);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return object;
}

int engine_load(LLVMMemoryBufferRef object, const char *function, void **address, LLVMOrcResourceTrackerRef *code, char *text,
                size_t text_size)
{
    LLVMOrcResourceTrackerRef tracker;
    LLVMOrcExecutorAddress at;
    LLVMErrorRef err;

    tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit));
    err = LLVMOrcLLJITAddObjectFileWithRT(jit, tracker, object);
    if (!err)
        err = LLVMOrcLLJITLookup(jit, &at, function);
    if (err) {
        engine_release(tracker);
        return report(err, text, text_size);
    }
    *address = (void *)(uintptr_t)at;
    *code = tracker;
    return 0;
}

void engine_release(LLVMOrcResourceTrackerRef code)
{
    LLVMErrorRef err;

    if (!code)
        return;
    err = LLVMOrcResourceTrackerRemove(code);
    if (err)
        LLVMConsumeError(err);
    LLVMOrcReleaseResourceTracker(code);
}
