/* symbols.h - names in nested scopes. The innermost one wins; leaving a scope forgets its names. */
#ifndef SOFTCUDA_PTX_SYMBOLS_H
#define SOFTCUDA_PTX_SYMBOLS_H

#include "softcuda/ptx/vec.h"
#include "softcuda/ptx/words.h"

enum ptx_symbol_kind {
    SYM_REG,            /* index into the function's registers; vec of them in a row */
    SYM_RANGE,          /* "%r<100>" under the name "%r": its registers come to be when they are used */
    SYM_VAR, SYM_LOCALVAR, SYM_PARAM, SYM_RET, SYM_FUNC, SYM_LABEL, SYM_PROTO, SYM_BRANCHES, SYM_CALLS
};

struct ptx_symbol {
    struct ptx_slice name;
    enum ptx_symbol_kind kind;
    enum ptx_type type;         /* REG, RANGE, VAR, LOCALVAR */
    uint8_t vec;                /* the same: 1, 2, 4 or 8 */
    uint32_t index;             /* RANGE: how many */
    uint32_t depth;             /* of its scope; 0: the module */
    uint32_t hash;
    struct ptx_symbol *chain;   /* the next one in its bucket */
    struct ptx_symbol *sibling; /* the next one of its scope */
};

#define PTX_MAX_DEPTH 100

/* All zeroes is an empty table, in the module's scope. */
struct ptx_symbols {
    struct ptx_symbol **buckets;
    size_t nbuckets, n;
    uint32_t depth;
    struct ptx_symbol *scopes[PTX_MAX_DEPTH + 1];
    bool has_range[PTX_MAX_DEPTH + 1];
    struct arena arenas[2]; /* the module's names, and those of the function being read */
};

void ptx_symbols_free(struct ptx_symbols *);
bool ptx_scope_enter(struct ptx_symbols *);     /* false: too deep */
void ptx_scope_leave(struct ptx_symbols *);

/* A new symbol in the scope at depth, all but name, kind and depth zero. It must be none of that scope yet. NULL: no memory. */
struct ptx_symbol *ptx_symbol_add(struct ptx_symbols *, struct ptx_slice name, enum ptx_symbol_kind, uint32_t depth);
struct ptx_symbol *ptx_symbol_find(const struct ptx_symbols *, struct ptx_slice name);     /* the innermost one, or NULL */
struct ptx_symbol *ptx_symbol_find_at(const struct ptx_symbols *, struct ptx_slice name, uint32_t depth);
/* The innermost range in a scope deeper than outer that covers the name ("%r" for "%r12"), or NULL. outer may be -1. */
struct ptx_symbol *ptx_range_find(const struct ptx_symbols *, struct ptx_slice name, int outer);

#endif
