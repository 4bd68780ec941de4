/* join_parts.h - what the files of the joiner share: texts as statements, and what their names stand for. */
#ifndef SOFTCUDA_PTX_JOIN_PARTS_H
#define SOFTCUDA_PTX_JOIN_PARTS_H

#include "softcuda/ptx/join.h"
#include "softcuda/ptx/lex.h"
#include "softcuda/ptx/symbols.h"
#include "softcuda/ptx/vec.h"
#include "src/util/text.h"

enum join_kind { JOIN_VARIABLE, JOIN_FUNCTION, JOIN_ALIAS, JOIN_FILE, JOIN_PRAGMA };

/* Slices of the source:
 *
 *     .visible .global .align 4 .u32 x[2] = { 1, 2 } ;     one statement for each name
 *              |------ head ------| name dims |---- body ----|
 *     .weak .func (.param .b32 r) f (.param .b32 a) { ... }
 *           |---------------- head ----------------||body |
 *     .file 1 "k.cu"                                 .alias f, g;
 *             |body|                                 |-- head --| */
struct join_statement {
    enum join_kind kind;
    enum ptx_linkage linkage;
    uint32_t source, line;
    uint32_t symbol;            /* JOIN_VARIABLE, JOIN_FUNCTION, JOIN_ALIAS */
    struct ptx_slice head, name, body;
    bool defines;
    bool entry;
    enum ptx_space space;
    uint32_t align;
    uint32_t file;              /* JOIN_FILE: its number */
    uint64_t size;              /* of a variable; 0: open, or an expression */
    uint64_t signature;         /* of a function: its results and parameters */
};

#define JOIN_NONE UINT32_MAX

/* A name of one source. Those that are not local stand for the first symbol of that name: `same`. */
struct join_symbol {
    struct ptx_slice name;
    uint32_t same;              /* its own index, unless it is another's */
    uint32_t first;             /* statement where it was seen first */
    uint32_t definition;        /* statement that is taken; JOIN_NONE */
    uint32_t user;              /* source that uses it; JOIN_NONE: nobody does */
    uint32_t suffix;            /* written as name$suffix; 0: as it is */
    uint32_t widest;            /* statement with the largest alignment, of what has no definition */
    bool local;
    bool elsewhere;             /* more than one source knows it: announced at the top */
};

struct join_source {
    struct ptx_symbols names;   /* index: a symbol */
    uint32_t first, end;        /* statements */
    uint32_t first_symbol, end_symbol;
    uint32_t file_base;         /* added to the numbers of its files */
    bool taken;
    bool renames;
};

struct join {
    const struct ptx_source *texts;
    struct join_source *sources;
    uint32_t n;
    struct ptx_vec statements, symbols, out;    /* struct join_statement, struct join_symbol, char */
    struct ptx_symbols globals, written;        /* names that sources share; names in the result */
    unsigned version, target;
    char target_suffix;
    bool independent_textures;
    bool (*provided)(const char *name);
    struct text *error;
    bool no_memory;
};

static inline struct join_statement *join_statement(const struct join *j, uint32_t i)
{
    return &((struct join_statement *)j->statements.data)[i];
}

static inline struct join_symbol *join_symbol(const struct join *j, uint32_t i)
{
    return &((struct join_symbol *)j->symbols.data)[i];
}

/* What a statement's name stands for in all sources. */
static inline struct join_symbol *join_meaning(const struct join *j, const struct join_statement *s)
{
    return join_symbol(j, join_symbol(j, s->symbol)->same);
}

/* Lines of an error. */
__attribute__((format(printf, 2, 3))) void join_complain(struct join *, const char *format, ...);
#define JOIN_NAME(s) (int)((s).len < 200 ? (s).len : 200), (s).text      /* for "%.*s": a slice */

/* join_read.c: the statements and names of a source. */
void join_read(struct join *, uint32_t source);
/* join_settle.c: which sources are taken, what each name means, and what is wrong with that. */
void join_settle(struct join *);
/* join_write.c: all of it into out. */
void join_write(struct join *);

#endif
