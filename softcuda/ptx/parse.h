/* parse.h - what the files of the parser share.
 *
 * The parser is a recursive descent over one token. A failure jumps out of it to ptx_parse(): all memory is held by the parser
 * itself, so nothing is lost. What has a known size goes into the module's arena; what grows is kept in the vectors below, which
 * are used again by every function, and copied when its end is reached. */
#ifndef SOFTCUDA_PTX_PARSE_H
#define SOFTCUDA_PTX_PARSE_H

#include <setjmp.h>

#include "softcuda/ptx/lex.h"
#include "softcuda/ptx/symbols.h"

#define PTX_MAX_VAR_BYTES  (1ull << 40)     /* one variable */
#define PTX_MAX_INIT_BYTES (1ull << 28)     /* all initialised variables of a module */
#define PTX_MAX_ALIGN      65536

/* A name that may be declared further on: of a label, or of a list of branch targets. */
struct ptx_reference {
    struct ptx_slice name;
    enum ptx_symbol_kind kind;  /* SYM_LABEL or SYM_BRANCHES */
    uint32_t depth;             /* of the scope where it is looked for next */
    uint32_t *index;            /* what to fill in; in the module's arena */
    struct ptx_pos pos;
};

struct ptx_calltargets { uint32_t *targets; uint32_t n; };

struct ptx_parser {
    struct ptx_lexer lx;
    struct ptx_token tok;               /* the one not consumed yet */
    struct ptx_module *m;
    struct arena arena;             /* becomes the module's */
    struct ptx_symbols symbols;
    struct ptx_symbols opcodes;         /* index: into templates */
    struct ptx_vec templates;           /* struct ptx_insn */
    struct ptx_vec vars, funcs, files;  /* of the module */
    struct ptx_vec insns, regs, locals, protos, tables, calltargets, references;   /* of the function being read */
    struct ptx_vec params, operands, bytes, relocs, indices;                        /* short-lived */
    uint32_t loc_file, loc_line;
    enum ptx_op op;                     /* of the instruction being read */
    uint64_t init_bytes;
    unsigned nesting;                   /* of the expression being read */
    struct ptx_error *err;
    jmp_buf failed;
};

/* parse.c: tokens, failing, memory. Functions that return memory never return NULL. */
_Noreturn void ptx_fail(struct ptx_parser *, struct ptx_pos, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void ptx_fail_expected(struct ptx_parser *, const char *what);    /* "expected WHAT, not 'token'" */
#define PTX_NAME(s) (int)((s).len < 120 ? (s).len : 120), (s).text          /* for "%.*s": a token or a slice */

void ptx_next(struct ptx_parser *);
struct ptx_token ptx_peek(const struct ptx_parser *);       /* the token after p->tok */
bool ptx_accept(struct ptx_parser *, int kind);
bool ptx_at_word(const struct ptx_parser *, const char *word);      /* ".align" */
bool ptx_accept_word(struct ptx_parser *, const char *word);
void ptx_expect(struct ptx_parser *, int kind, const char *what);
struct ptx_slice ptx_expect_name(struct ptx_parser *, const char *what);
uint32_t ptx_expect_u32(struct ptx_parser *, const char *what);     /* an integer literal */
struct ptx_slice ptx_slice_of(const struct ptx_token *);            /* a TOK_WORD's without its dot */

void *ptx_alloc(struct ptx_parser *, size_t n, size_t size);        /* in the module's arena, zeroed */
char *ptx_keep_text(struct ptx_parser *, struct ptx_slice);
void *ptx_push(struct ptx_parser *, struct ptx_vec *, size_t size);
void *ptx_extend(struct ptx_parser *, struct ptx_vec *, size_t size, size_t n);
/* Copies the elements from from on to the module's arena and cuts them off; NULL if there are none. */
void *ptx_keep(struct ptx_parser *, struct ptx_vec *, size_t from, size_t size);

/* A new name in the innermost scope; fails if that has it already. */
struct ptx_symbol *ptx_declare(struct ptx_parser *, struct ptx_slice, enum ptx_symbol_kind, uint32_t index, struct ptx_pos);
struct ptx_symbol *ptx_lookup(struct ptx_parser *, struct ptx_slice);       /* NULL: not declared; makes registers of ranges */

/* expr.c */
struct ptx_value {
    uint64_t bits;              /* an integer, or a float's or a double's bits */
    bool is_unsigned, is_float;
    uint8_t width;              /* of a floating-point value: 32 or 64 */
};
struct ptx_value ptx_read_value(struct ptx_parser *);       /* a constant expression */
int64_t ptx_read_offset(struct ptx_parser *);               /* none, or + and - terms after a name */
uint64_t ptx_read_count(struct ptx_parser *, const char *what);     /* a constant expression that is not negative */

/* opcode.c: fills in op, mods, types, vec, spaces and opcode. */
void ptx_read_opcode(struct ptx_parser *, struct ptx_insn *);

/* operand.c */
void ptx_read_operand(struct ptx_parser *, struct ptx_operand *);
void ptx_read_label(struct ptx_parser *, struct ptx_operand *, enum ptx_symbol_kind);
void ptx_reference(struct ptx_parser *, enum ptx_symbol_kind, uint32_t *index);     /* the name at hand, resolved later */
void ptx_resolve_references(struct ptx_parser *);           /* those that the innermost scope answers, at its end */

/* insn.c */
void ptx_read_instruction(struct ptx_parser *);             /* guard to semicolon */

/* decl.c */
struct ptx_declared_type {
    enum ptx_type type;
    uint8_t vec;
    uint32_t align;
    bool managed, is_ptr;
};
struct ptx_declared_type ptx_read_type(struct ptx_parser *);        /* .align 8 .v2 .f32 .ptr .global and the like */
uint64_t ptx_read_array(struct ptx_parser *, struct ptx_slice name, uint64_t elem, uint64_t *dims, unsigned *ndims);
void ptx_read_registers(struct ptx_parser *);               /* after ".reg" */
bool ptx_at_variable(const struct ptx_parser *, enum ptx_space *);
void ptx_read_variables(struct ptx_parser *, enum ptx_linkage);     /* from the space on */
uint32_t ptx_add_register(struct ptx_parser *, struct ptx_slice name, enum ptx_type, unsigned vec);

/* init.c: after "=". dims[0] is 0 for "[]"; then the variable gets its size here. */
#define PTX_MAX_DIMS 8
void ptx_read_initialiser(struct ptx_parser *, struct ptx_var *, const uint64_t *dims, unsigned ndims);

/* params.c */
enum ptx_param_names { PTX_PARAMS_UNNAMED = -1, PTX_PARAMS_IN = SYM_PARAM, PTX_PARAMS_OUT = SYM_RET };
struct ptx_param *ptx_read_params(struct ptx_parser *, enum ptx_param_names, uint32_t *n);      /* "(", or nothing at all */
uint32_t ptx_lay_out_params(struct ptx_parser *, struct ptx_param *, uint32_t n, struct ptx_pos);
void ptx_read_callprototype(struct ptx_parser *, struct ptx_slice label, struct ptx_pos);

/* func.c */
void ptx_read_function(struct ptx_parser *, enum ptx_linkage);      /* from .entry or .func on */
void ptx_read_alias(struct ptx_parser *);

/* debug.c: .file .loc .section .pragma; false if at none of them */
bool ptx_read_debug(struct ptx_parser *);

#endif
