/* code.h - the machine code of this process, found by its key: what two modules have in common is made once and shared. Thread-safe; nothing
 * is made inside a lock. */
#ifndef SOFTCUDA_JIT_CODE_H
#define SOFTCUDA_JIT_CODE_H

#include <llvm-c/Orc.h>

#include "softcuda/jit/jit.h"
#include "src/cache/key.h"

struct code {
    struct cache_key key;
    struct jit_code jit;
    LLVMOrcResourceTrackerRef memory;
    /* code.c's own */
    int state;
    unsigned refs;
    struct jit_error error;
    struct code *next;
};

/* Fills jit and memory. 0, or -1 and *err. */
typedef int code_maker(void *arg, struct code *, struct jit_error *err);

/* The caller's reference; NULL and *err. If others want the same at the same time, one makes it, and all get it or the reason; a failure is
 * not remembered. */
struct code *code_get(const struct cache_key *, code_maker *, void *arg, struct jit_error *err);
void code_release(struct code *);       /* accepts NULL; the last one: nobody may be running it */

#endif
