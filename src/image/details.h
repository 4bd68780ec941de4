/* details.h - what else is known of an entry, for people and tools: what its kernels need, what it refers to, how it was made,
 * its sections and symbols. Read on first use; none of it costs a load anything. Lending and locking as in image.h. */
#ifndef GPUDL_IMAGE_DETAILS_H
#define GPUDL_IMAGE_DETAILS_H

#include "src/image/image.h"

/* What a kernel needs, beside its parameters. Each count may be IMAGE_NOT_KNOWN; PTX tells few of them. */
struct image_resources {
    bool complete;              /* false: records are missing or damaged; problem says which */
    const char *problem;        /* "its records are damaged at +0x24", or NULL */
    uint8_t binding;            /* enum image_binding */
    uint32_t registers;         /* a thread */
    uint32_t register_limit;    /* that it was compiled under (.maxnreg, launch bounds); 0: none */
    uint32_t shared;            /* static bytes a block, without what the driver reserves. PTX: at least */
    uint32_t frame, stack;      /* local bytes a thread: its own frame; with all that it calls (not known: recursion) */
    uint32_t stack_most;
    uint32_t constants;         /* bytes of its own, made by the compiler */
    uint32_t barriers, mbarriers;
    uint32_t param_base;        /* of its parameters in constant bank 0 */
    uint32_t max_threads;       /* a block: of required or max_block, else 0: not limited by the image */
    uint32_t max_block[3], required_block[3];   /* .maxntid, .reqntid; zeroes: none */
    uint32_t min_blocks;        /* .minnctapersm, in PTX only; 0: none */
    uint32_t cluster[3];        /* zeroes: none */
    uint32_t max_cluster_rank;  /* 0: none */
    bool explicit_cluster, blocks_are_clusters;
};

struct image_details {
    const struct image_resources *kernels;      /* as many and in the order of gpudl__image_kernels() */
    size_t nkernels;
    uint64_t constant_bytes;                    /* of the __constant__ variables together */
    const char *const *externs;                 /* used and not here; the driver's own (vprintf, malloc) too */
    size_t nexterns;
    bool needs_linking;                         /* relocatable, or an extern is no system call */
    const char *const *functions;               /* defined device functions with code of their own (relocatable code) */
    const uint8_t *function_bindings;           /* enum image_binding of each */
    size_t nfunctions;
};
enum image_error gpudl__image_details(struct image *, size_t entry, const struct image_details **out, char *text,
    size_t text_size);

/* What stands around the code. Strings may be NULL; they are from outside: escape them on output. */
struct image_provenance {
    const char *options;        /* of ptxas (PTX) or of the NVVM compiler (LTO-IR), as the fatbin keeps them */
    const char *ptx_targets;    /* "sm_90, debug", as the text has it */
    bool texmode_independent, map_f64_to_f32;
    unsigned format_version[2]; /* entry header: PTX ISA, cubin's ABI, LTO-IR container; major, minor */
    struct span extension;      /* what the entry's header keeps of the payload (sm_100 and later), as it is */
    struct image_nvvm {         /* LTO-IR and OptiX IR that can be read */
        bool known;
        unsigned container[2], ir[2], debug[2], generation[2];
        unsigned sm;
        char suffix;
    } nvvm;
};
enum image_error gpudl__image_provenance(struct image *, size_t entry, struct image_provenance *out, char *text,
    size_t text_size);

/* Sections and symbols of a cubin, in its order; a callback that returns false ends the walk. Names are "" where they cannot be
 * read. */
struct image_section {
    const char *name;
    uint32_t index, type, link, info;
    uint64_t flags, address, offset, size, align, entry_size;
};
struct image_symbol {
    const char *name;
    uint32_t index, section;    /* section: 0: undefined, or one of the reserved numbers */
    uint8_t type, binding, other;
    uint64_t value, size;
};
typedef bool image_each_section(void *user, const struct image_section *);
typedef bool image_each_symbol(void *user, const struct image_symbol *);
enum image_error gpudl__image_sections(struct image *, size_t entry, image_each_section *, void *user, char *text,
    size_t text_size);
enum image_error gpudl__image_symbols(struct image *, size_t entry, image_each_symbol *, void *user, char *text,
    size_t text_size);

#endif
