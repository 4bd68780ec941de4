/* ptx.h - a PTX module as a tree.
 *
 * text -> tokens -> this tree -> control flow graph (cfg.h). The tree is complete and checked: every name is resolved to an
 * index, every scope is flattened, every literal is a bit pattern; nothing in it points into the text. It says what is
 * written, not whether softcuda can run it: the JIT decides that (jit/jit.h).
 *
 * Source of the grammar: NVIDIA's "PTX ISA" manual, versions 1.4 to 9.0.
 *
 * Memory: one module owns everything reachable from it; ptx_module_destroy() frees it all. After parsing a module is
 * immutable, so any number of threads may read it. */
#ifndef SOFTCUDA_PTX_PTX_H
#define SOFTCUDA_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcuda/ptx/opcodes.h"

enum ptx_type {
    PTX_NONE, PTX_PRED,
    PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_B128,
    PTX_U8, PTX_U16, PTX_U32, PTX_U64,
    PTX_S8, PTX_S16, PTX_S32, PTX_S64,
    PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2, PTX_TF32, PTX_F32, PTX_F64,
    PTX_E4M3, PTX_E5M2, PTX_E4M3X2, PTX_E5M2X2,
    PTX_U16X2, PTX_S16X2, PTX_F32X2, PTX_U8X4, PTX_S8X4,
    PTX_S4, PTX_U4, PTX_B1,
    PTX_E2M1, PTX_E2M3, PTX_E3M2, PTX_UE4M3, PTX_UE8M0,
    PTX_E2M1X2, PTX_E2M3X2, PTX_E3M2X2, PTX_UE8M0X2, PTX_E2M1X4, PTX_E2M3X4, PTX_E3M2X4, PTX_E4M3X4, PTX_E5M2X4,
    PTX_TEXREF, PTX_SAMPLERREF, PTX_SURFREF,
    PTX_TYPE_COUNT
};

/* Bits of a value of this type; 1 for .pred, 64 for the reference types. */
unsigned ptx_type_bits(enum ptx_type);
bool ptx_type_is_float(enum ptx_type);      /* any floating-point type, packed ones too */
bool ptx_type_is_signed(enum ptx_type);     /* .s8 to .s64 and the packed .s types */
const char *ptx_type_name(enum ptx_type);   /* "f32" */

enum ptx_space { PTX_GENERIC, PTX_PARAM, PTX_CONST, PTX_GLOBAL, PTX_LOCAL, PTX_SHARED, PTX_TEX };
const char *ptx_space_name(enum ptx_space);

enum ptx_linkage { PTX_INTERNAL, PTX_VISIBLE, PTX_WEAK, PTX_EXTERN, PTX_COMMON };

/* Special registers. The .x .y .z parts follow one another. */
enum ptx_special {
    PTX_SR_TID_X, PTX_SR_TID_Y, PTX_SR_TID_Z, PTX_SR_NTID_X, PTX_SR_NTID_Y, PTX_SR_NTID_Z,
    PTX_SR_CTAID_X, PTX_SR_CTAID_Y, PTX_SR_CTAID_Z, PTX_SR_NCTAID_X, PTX_SR_NCTAID_Y, PTX_SR_NCTAID_Z,
    PTX_SR_LANEID, PTX_SR_WARPID, PTX_SR_NWARPID, PTX_SR_SMID, PTX_SR_NSMID, PTX_SR_GRIDID,
    PTX_SR_LANEMASK_EQ, PTX_SR_LANEMASK_LE, PTX_SR_LANEMASK_LT, PTX_SR_LANEMASK_GE, PTX_SR_LANEMASK_GT,
    PTX_SR_CLOCK, PTX_SR_CLOCK_HI, PTX_SR_CLOCK64, PTX_SR_GLOBALTIMER, PTX_SR_GLOBALTIMER_LO, PTX_SR_GLOBALTIMER_HI,
    PTX_SR_DYNAMIC_SMEM_SIZE, PTX_SR_TOTAL_SMEM_SIZE, PTX_SR_AGGR_SMEM_SIZE,
    PTX_SR_ENVREG0, /* ... to ENVREG31, 32 in a row */
    PTX_SR_PM0 = PTX_SR_ENVREG0 + 32, /* ... to PM7 */
    PTX_SR_CLUSTERID_X = PTX_SR_PM0 + 8, PTX_SR_CLUSTERID_Y, PTX_SR_CLUSTERID_Z,
    PTX_SR_NCLUSTERID_X, PTX_SR_NCLUSTERID_Y, PTX_SR_NCLUSTERID_Z,
    PTX_SR_CLUSTER_CTAID_X, PTX_SR_CLUSTER_CTAID_Y, PTX_SR_CLUSTER_CTAID_Z,
    PTX_SR_CLUSTER_NCTAID_X, PTX_SR_CLUSTER_NCTAID_Y, PTX_SR_CLUSTER_NCTAID_Z,
    PTX_SR_CLUSTER_CTARANK, PTX_SR_CLUSTER_NCTARANK, PTX_SR_IS_EXPLICIT_CLUSTER,
    PTX_SR_RESERVED_SMEM_BEGIN, PTX_SR_RESERVED_SMEM_END, PTX_SR_RESERVED_SMEM_CAP,
    PTX_SR_RESERVED_SMEM_OFFSET0, PTX_SR_RESERVED_SMEM_OFFSET1, PTX_SR_CURRENT_GRAPH_EXEC,
    PTX_SR_PM0_64, /* ... to PM7_64 */
    PTX_SR_COUNT = PTX_SR_PM0_64 + 8
};

struct ptx_pos { uint32_t line, column; };      /* from 1; line 0: unknown */

/* What an initialiser puts at one place: an address of a variable or a function, plus an addend. */
struct ptx_reloc {
    uint64_t offset;        /* bytes from the start of the variable */
    uint8_t  size;          /* bytes written: 1 to 8 (mask() gives single bytes of an address: then shift says which) */
    uint8_t  shift;         /* the address is shifted right by so many bits first */
    bool     generic;       /* generic(symbol); a plain symbol in .global/.const is the address in the symbol's own space */
    bool     is_func;
    uint32_t index;         /* of the variable in module->vars, or of the function in module->funcs */
    int64_t  addend;
};

/* A variable: of the module, or of one function (.shared .local .param inside a body). */
struct ptx_var {
    char *name;
    enum ptx_space space;
    enum ptx_linkage linkage;
    enum ptx_type type;         /* of one element */
    uint64_t size;              /* bytes; 0 for "extern .shared .b8 x[]" */
    uint32_t align;             /* bytes */
    bool managed;
    bool extern_shared;         /* begins where the static shared memory ends; all such variables share one address */
    uint8_t *init;              /* size bytes, or NULL: zeroes */
    struct ptx_reloc *relocs;
    size_t nrelocs;
    struct ptx_pos pos;
};

struct ptx_param {              /* of a kernel or a function, in order */
    char *name;
    enum ptx_type type;         /* of one element */
    uint64_t size;              /* bytes */
    uint32_t align;             /* bytes */
    uint32_t offset;            /* kernels: in the parameter buffer */
    bool in_reg;                /* ".reg .f32 x" as a formal parameter (old PTX) */
    uint32_t reg;               /* in_reg: which register of the function */
};

struct ptx_reg {
    char *name;                 /* "%f12", as written; for messages */
    enum ptx_type type;         /* as declared: trust only its width (newer compilers write .b32 for floats) */
};

enum ptx_operand_kind {
    PTX_OP_NONE,
    PTX_OP_SINK,        /* _ */
    PTX_OP_REG,         /* reg */
    PTX_OP_IMM,         /* imm; is_float says how it was written (0f 0d 1.5) */
    PTX_OP_SPECIAL,     /* special */
    PTX_OP_VAR,         /* the address of a module variable: index into module->vars; offset added */
    PTX_OP_LOCALVAR,    /* the address of a variable of this function: index into func->vars; offset added */
    PTX_OP_PARAMVAR,    /* the address of a formal parameter: index into func->params; offset added */
    PTX_OP_RETVAR,      /* the address of a formal return parameter: index into func->rets; offset added */
    PTX_OP_FUNC,        /* the address of a function: index into module->funcs */
    PTX_OP_LABEL,       /* index of the instruction that the label stands before (may equal ninsns) */
    PTX_OP_VECTOR       /* elems, nelems: { a, b, c, d }; with memory: the items in one pair of brackets, [tex, {x, y}] */
};

/* A video instruction's choice of bytes or halves of a register, r.b0 or r.h10: part is 0 for the whole register, else the digits
 * as hexadecimal ones with their number above them. */
#define PTX_PART_HALVES  0x80000u       /* .h, else .b */
#define PTX_PART_COUNT(part)    ((part) >> 16 & 7)
#define PTX_PART_DIGIT(part, i) ((part) >> 4 * (i) & 15)    /* from the right: digit 0 of .h10 is 0 */

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool memory;                /* written in brackets: [x], [x+8]; kind and offset say what is inside */
    bool negated;               /* !p, or -x before a register */
    bool is_float;              /* IMM: written as a floating-point literal */
    uint8_t  imm_bits;          /* IMM, is_float: 32 (0f...) or 64 (0d... and decimal) */
    uint32_t index;             /* REG VAR LOCALVAR PARAMVAR RETVAR FUNC LABEL, SPECIAL: enum ptx_special */
    uint32_t nelems;
    uint32_t part;              /* REG of a video instruction */
    uint64_t imm;               /* IMM: 64 bits, integers sign-extended; the f32's bits if written 0f, else the f64's */
    int64_t  offset;            /* added to the address */
    struct ptx_operand *elems;  /* VECTOR */
};

#define PTX_MAX_OPERANDS 8
#define PTX_MAX_TYPES    5

struct ptx_insn {
    enum ptx_op op;                 /* root: add, ld, setp (opcodes.h) */
    uint64_t mods[PTX_MOD_WORDS];   /* set of enum ptx_mod; ptx_has() reads it */
    enum ptx_type types[PTX_MAX_TYPES];     /* in written order; cvt: destination first */
    uint8_t ntypes;
    uint8_t vec;                    /* 1, or 2, 4, 8 for .v2 .v4 .v8 */
    enum ptx_space space;           /* ld st atom red cvta isspacep ...; PTX_GENERIC if none written; cp: the destination's */
    enum ptx_space space2;          /* cp.async.ca.shared.global: the source's */
    const char *opcode;             /* as written, "ld.global.nc.f32"; owned by the module */
    struct ptx_operand guard;       /* kind NONE, or REG (.negated for @!p) */
    struct ptx_operand *ops;        /* nops of them, as written, destination first; "d|p" gives two operands, d then p */
    uint8_t nops;
    bool pair;                      /* the first two operands were written d|p */
    struct ptx_call *call;          /* call only; nops is 0 then */
    struct ptx_pos pos;
    uint32_t loc_file, loc_line;    /* from the last .loc; 0: none */
};

/* call.uni (r0), f, (a0, a1), proto; */
struct ptx_call {
    struct ptx_operand target;      /* FUNC, or REG for an indirect call */
    struct ptx_operand *rets, *args;/* LOCALVAR (a .param variable), PARAMVAR, REG or IMM */
    uint32_t nrets, nargs;
    int32_t proto;                  /* index into func->protos, -1: none */
    uint32_t *targets;              /* .calltargets: indices into module->funcs, or NULL: any function whose address is taken */
    uint32_t ntargets;
};

struct ptx_proto {                  /* .callprototype */
    struct ptx_param *rets, *params;
    uint32_t nrets, nparams;
};

struct ptx_branch_table { uint32_t *targets; uint32_t n; };    /* .branchtargets of brx.idx: instruction indices */

struct ptx_func {
    char *name;
    bool entry;                     /* .entry */
    bool declared_only;             /* no body here */
    bool address_taken;
    bool noreturn;
    enum ptx_linkage linkage;
    struct ptx_param *params, *rets;
    uint32_t nparams, nrets;
    uint32_t param_bytes;           /* kernels: size of the parameter buffer */
    struct ptx_reg *regs;
    uint32_t nregs;
    struct ptx_var *vars;           /* .shared .local .param declared in the body, all scopes */
    uint32_t nvars;
    struct ptx_insn *insns;
    uint32_t ninsns;
    struct ptx_proto *protos;
    uint32_t nprotos;
    struct ptx_branch_table *tables;    /* brx.idx: ops[1].index is the table (kind LABEL) */
    uint32_t ntables;
    uint32_t maxntid[3], reqntid[3];    /* 0: not given */
    uint32_t minnctapersm, maxnreg, maxclusterrank, reqnctapercluster[3];
    bool explicitcluster, blocksareclusters;
    struct ptx_pos pos;
};

struct ptx_module {
    unsigned version;               /* 10 * major + minor: 90 for 9.0 */
    unsigned target;                /* 75; the highest written */
    char target_suffix;             /* 0, 'a' or 'f' */
    unsigned address_size;          /* 64 (32 is refused) */
    bool debug;
    struct ptx_var *vars;
    uint32_t nvars;
    struct ptx_func *funcs;         /* a declaration and its definition are one function */
    uint32_t nfuncs;
    char **files;                   /* .file, by its number; may hold NULLs */
    uint32_t nfiles;
    void *arena;                    /* owner of all memory */
};

struct ptx_error {
    struct ptx_pos pos;
    char text[256];                 /* "unknown instruction 'bogus.u32'" */
};

/* Parses size bytes of text (it ends at the first NUL, if there is one). Returns NULL and fills *err on failure:
 * syntax, an unknown instruction or modifier, an undeclared name, limits. Never crashes on any bytes. */
struct ptx_module *ptx_parse(const char *text, size_t size, struct ptx_error *err);
void ptx_module_destroy(struct ptx_module *);       /* accepts NULL */

const struct ptx_func *ptx_find_entry(const struct ptx_module *, const char *name);    /* lent, or NULL */

static inline bool ptx_has(const struct ptx_insn *in, enum ptx_mod m)
{
    return in->mods[m / 64] >> (m % 64) & 1;
}

#endif
