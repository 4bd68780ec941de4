/* engine.h - LLVM as a maker of machine code for this machine: one for the process, made on first use. Thread-safe. */
#ifndef SOFTCUDA_JIT_ENGINE_H
#define SOFTCUDA_JIT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>
#include <llvm-c/Orc.h>

struct engine {
    const char *cpu, *features, *passes;
    bool avx512;                /* F, BW, DQ and VL */
};

/* NULL and a text if LLVM cannot be set up. Lent. */
const struct engine *engine_get(char *text, size_t text_size);

/* Optimises and compiles the module; takes it and its context in any case. The object file, the caller's; or NULL and a text. */
LLVMMemoryBufferRef engine_compile(LLVMContextRef, LLVMModuleRef, char *text, size_t text_size);
/* Makes the function of this name callable, which no other object may have now; takes the object in any case. *code owns the memory:
 * engine_release(). 0, or -1 and a text. */
int  engine_load(LLVMMemoryBufferRef object, const char *function, void **address, LLVMOrcResourceTrackerRef *code, char *text,
                 size_t text_size);
void engine_release(LLVMOrcResourceTrackerRef code);    /* accepts NULL; nobody may be running it */

#endif
