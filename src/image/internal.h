/* internal.h - what the files of image/ share. One file a format; image.c owns the memory. */
#ifndef GPUDL_IMAGE_INTERNAL_H
#define GPUDL_IMAGE_INTERNAL_H

#include "src/image/details.h"
#include "src/image/explain.h"
#include "src/image/image.h"
#include "src/util/alloc.h"
#include "src/util/arena.h"
#include "src/util/text.h"

#define IMAGE_KERNEL_PARAMS_MOST 4096
#define IMAGE_NAME_MOST (64u * 1024)
#define EM_CUDA_CUBIN 190       /* e_machine; <elf.h> knows it as EM_CUDA only where it is new */

/* What one payload holds; names and parameters live in the arena or in the payload. */
struct contents {
    struct arena arena;
    struct image_kernel *kernels;
    size_t nkernels;
    struct image_global *globals;
    size_t nglobals;
    struct arena details_arena;
    struct image_details details;   /* of the same kernels */
};

struct entry {
    struct image_entry info;        /* what others see */
    struct span header, stored;     /* in the file; stored: the payload with its padding */
    uint32_t packed_size;           /* bytes of it that are compressed data */
    bool ready, listed, detailed;   /* payload, contents, details are valid */
    bool rest_told;                 /* bytes behind the code were looked for */
    unsigned char verdict;          /* choose.c's own, for the target at hand */
    struct span payload;
    unsigned char *owned;           /* the payload where it is not lent, or NULL */
    const char *problem;            /* inspecting: why not all of its contents could be read, or NULL */
    struct contents contents;
};

struct image {
    enum image_format format;
    struct span bytes;
    struct image_limits limits;     /* none is 0 */
    uint64_t unpacked;              /* bytes that decompression gave so far */
    bool inspecting;                /* keeps what can be read of what is damaged */
    char *notes, *damage;           /* or NULL */
    enum image_error damage_error;
    struct arena arena;             /* names of members, sections, entries */
    size_t count, room;
    struct entry *entries;
    size_t ncontainers, containers_room;
    struct image_container *containers;
    void *grown_entries, *grown_containers;     /* what outgrew its room below, or NULL */
    struct entry first[];
};

/* Writes the text and returns the error, so that a check is one statement. */
__attribute__((format(printf, 3, 4))) enum image_error gpudl__image_fail(struct text *t, enum image_error error,
    const char *format, ...);
enum image_error gpudl__image_no_memory(struct text *t);
__attribute__((format(printf, 2, 3))) void gpudl__image_note(struct image *im, const char *format, ...);

/* image.c: the memory of images. Room for as many as are named; more move to a place of their own. NULL: no memory. */
struct image *gpudl__image_create(enum image_format format, struct span bytes, const struct image_limits *limits, size_t entries,
    size_t containers);
/* A zeroed one at the end. A container's entries follow it. NULL: no memory, or (entries) above the limit. */
struct entry *gpudl__image_add_entry(struct image *im);
struct image_container *gpudl__image_add_container(struct image *im, enum image_format format, uint64_t offset, uint64_t size);
/* Not all of it can be read: inspecting, the first reason is kept. */
void gpudl__image_damaged(struct image *im, enum image_error error, const char *text);

/* detect.c: which reader takes these bytes? Else the error, and what they look like. Formats that are told but not loadable are
 * both: *format, and IMAGE_NOT_SUPPORTED. */
enum image_error gpudl__image_detect(struct span bytes, enum image_format *format, struct text *t);

/* single.c: a container that is one piece of code; part is of im->bytes. Inspecting, a damaged one is an entry all the same as
 * long as its architecture is known. */
enum image_error gpudl__single_add(struct image *im, enum image_format format, struct span part, struct text *t);

/* fatbin.c */
enum image_error gpudl__fatbin_open(struct span bytes, const struct image_limits *limits, struct image **out, struct text *t);
/* Inspecting: all containers of a part of the file. Only lack of memory and limits fail; damage is kept in the image. */
enum image_error gpudl__fatbin_add(struct image *im, struct span part, const char *member, const char *section, struct text *t);
/* fatbin_entry.c: one more entry of the last container; both parts are of im->bytes */
enum image_error gpudl__fatbin_entry_add(struct image *im, struct span header, struct span payload, struct text *t);
void gpudl__fatbin_entry_look_around(struct image *im, struct entry *e, const char *section);       /* it is in a host file */
/* Why an entry that gpudl__fatbin_open() marked is unusable. Returns its error. */
enum image_error gpudl__fatbin_explain(const struct image *im, const struct entry *e, struct text *t);
/* The string of the extension record: options; or, of machine code, what follows it. False: none, or outside of the header. */
bool gpudl__fatbin_extension(const struct entry *e, struct span *out);

/* host_elf.c, archive.c: the same for what carries fatbins */
enum image_error gpudl__host_elf_add(struct image *im, struct span part, const char *member, struct text *t);
enum image_error gpudl__archive_add(struct image *im, struct span part, struct text *t);
void gpudl__archive_thin_names(struct span bytes, struct text *t);      /* "a.o, b.o and 7 more" */

/* decompress.c: *out is allocated, raw_size bytes and a NUL behind them. */
enum image_error gpudl__decompress(struct span packed, enum image_compression how, uint64_t raw_size, uint64_t limit,
    unsigned char **out, struct text *t);

/* entry.c: the contents of an entry, with its payload; and as if they never had been asked for. */
enum image_error gpudl__entry_contents(struct image *im, struct entry *e, const struct contents **out, struct text *t);
enum image_error gpudl__entry_details(struct image *im, struct entry *e, const struct contents **out, struct text *t);
enum image_error gpudl__entry_ready(struct image *im, struct entry *e, struct text *t);
void gpudl__entry_forget(struct entry *e);
void gpudl__entry_compare_arch(struct image *im, const struct entry *e);   /* a note where header and payload differ */
bool gpudl__entry_differs(const struct image_entry *e);

/* cubin.c: a checked view of a cubin's header and section table. Filled as far as it can be where it fails. */
struct cubin {
    struct span bytes;
    unsigned abi, sm;
    char suffix;
    bool relocatable, is_64bit;
    uint64_t sections_at;           /* all of them lie in bytes */
    uint32_t nsections;
    struct span section_names;
};
struct section {
    uint32_t name, type, link, info;
    uint64_t offset, size, entry_size;
};
enum image_error gpudl__cubin_open(struct span bytes, struct cubin *out, struct text *t);
struct section gpudl__cubin_section(const struct cubin *c, uint32_t index);     /* zeroes past the end */
struct span gpudl__cubin_header(const struct cubin *c, uint32_t index);         /* of a section: 64 bytes, or none */
struct span gpudl__cubin_bytes(const struct cubin *c, struct section s);        /* data is NULL unless all of it is in the file */
static inline bool cubin_named(const struct cubin *c, struct section s, const char *name)
{
    return span_is(c->section_names, s.name, name, strlen(name) + 1);
}
void gpudl__cubin_describe(const struct cubin *c, struct image_entry *info);
uint64_t gpudl__cubin_extent(const struct cubin *c);       /* its size as the ELF file itself tells it */
/* The CUDA version note: the toolkit (130) and the virtual architecture; zeroes where it does not tell. */
void gpudl__cubin_origin(const struct cubin *c, unsigned *toolkit, unsigned *virtual_sm);

/* cubin_symbols.c: symbols of a cubin, checked once. */
struct symbol_table {
    struct span symbols, names;
    struct span wide_indices;       /* section numbers above 65,279 */
    uint64_t names_left;            /* bytes of names that may still be looked at */
    uint32_t nsections;
};
struct symbol {
    uint32_t name, section;         /* section: 0 for undefined ones and those with a reserved number */
    unsigned type, binding, other;
    uint64_t value, size;
};
enum image_error gpudl__symbols_open(const struct cubin *c, struct symbol_table *out, struct text *t);
size_t gpudl__symbols_count(const struct symbol_table *st);
struct symbol gpudl__symbols_at(const struct symbol_table *st, uint64_t i);
/* "" for a name that cannot be read; NULL when the file has had many more names looked at than it has bytes. */
const char *gpudl__symbols_name(struct symbol_table *st, struct symbol s, size_t *length);
bool gpudl__symbol_is_kernel(struct symbol s);
enum image_binding gpudl__symbol_binding(struct symbol s);
enum image_error gpudl__cubin_contents(const struct cubin *c, struct contents *out, struct text *t);

/* cubin_resources.c: what its kernels need; the contents are read already. */
enum image_error gpudl__cubin_details(const struct cubin *c, struct contents *out, struct text *t);

/* details.c: of required_block or max_block; 0: neither */
uint32_t gpudl__threads_of(const struct image_resources *k);

/* nv_info.c: the records of .nv.info.K */
struct info_record {
    uint8_t format, attribute;
    uint16_t value;                 /* formats 2 and 3 */
    struct span payload;            /* format 4 */
};
enum { INFO_NVAL = 1, INFO_BVAL = 2, INFO_HVAL = 3, INFO_SVAL = 4 };
/* Takes the next record off the span's front. False at its end, and where a record is damaged: *damaged then. */
bool gpudl__info_next(struct span *records, struct info_record *out, bool *damaged);
/* Fills the parameters of a kernel from its records; params has room for `room`. */
void gpudl__info_params(struct span records, struct image_param *params, size_t room, struct image_kernel *k);
/* Why gpudl__info_params() did not like them: "parameter 3 overlaps parameter 4", in t. */
void gpudl__info_params_explain(struct span records, struct text *t);

/* nvvm.c: the container of LTO-IR (kind 1) and OptiX IR (kind 2) */
unsigned gpudl__nvvm_open(struct span bytes, struct image_nvvm *out);       /* the kind; 0: too short, or none */

/* ptx_header.c */
struct ptx_header {
    unsigned version, sm;           /* version: 10 * major + minor */
    char suffix;
    bool is_64bit, debug, texmode_independent, map_f64_to_f32;
    struct span targets;            /* "sm_90, debug", as in the text */
};
enum image_error gpudl__ptx_header(struct span text, struct ptx_header *out, struct text *t);
void gpudl__ptx_describe(const struct ptx_header *h, struct image_entry *info);

/* ptx_module.c: details asks for what bodies tell, too. */
enum image_error gpudl__ptx_contents(struct span text, bool details, struct contents *out, struct text *t);

/* arch.c: does code for an architecture run on a device? */
enum arch_fit {
    ARCH_FITS,
    ARCH_OTHER_MAJOR,       /* machine code never crosses majors */
    ARCH_NEEDS_NEWER,       /* made for a newer device */
    ARCH_SPECIFIC,          /* 'a': that architecture and no other */
    ARCH_OTHER_FAMILY,      /* 'f' */
    ARCH_TEGRA,             /* machine code between Tegra and other parts */
    ARCH_RENAMED            /* sm_101 is what sm_110 was called before CUDA 13 */
};
enum arch_fit gpudl__arch_cubin(unsigned sm, char suffix, unsigned device);
enum arch_fit gpudl__arch_ptx(unsigned sm, char suffix, unsigned device);
const char *gpudl__arch_family(unsigned sm);            /* "10.0, 10.3 and 10.7", or NULL */
const char *gpudl__ptx_cuda(unsigned ptx_version);      /* "12.4": the toolkit that brought it, or NULL */

/* judge.c: one entry against one target. By its header alone; and looking into what the header promises, after which it is as
 * before unless it fits. */
enum image_verdict gpudl__judge_header(const struct image_entry *e, const struct image_target *target);
enum image_verdict gpudl__judge_inside(struct image *im, struct entry *e, const struct image_target *target);
const char *gpudl__judge_phrase(enum image_verdict v);  /* "needs a newer device" */
const char *gpudl__entry_what(const struct image_entry *e);     /* "relocatable machine code" */

/* choose.c: out of some entries; each has its verdict afterwards. -1: none is taken. */
struct entries {
    size_t first, end;
};
struct entries gpudl__entries_of(const struct image *im, size_t container);     /* SIZE_MAX: all */
int gpudl__choose(struct image *im, struct entries part, const struct image_target *target);

/* misfit.c: none was taken. Texts are added to what is there. */
struct misfit {
    struct image *im;
    struct entries part;
    const struct image_target *target;
    int nearest;            /* the nearest miss; -1: there are no entries */
};
int gpudl__misfit_nearest(const struct image *im, struct entries part);
enum image_misfit gpudl__misfit_of(const struct misfit *m);
void gpudl__misfit_reason(const struct misfit *m, struct text *t);
void gpudl__misfit_remedy(const struct misfit *m, struct text *t);

/* explain.c: what to do about one entry's verdict */
void gpudl__verdict_remedy(enum image_verdict v, const struct image_entry *e, const struct image_target *target, struct text *t);

#endif
