/* internal.h - what the files of image/ share. One file a format; image.c owns the memory. */
#ifndef GPUDL_IMAGE_INTERNAL_H
#define GPUDL_IMAGE_INTERNAL_H

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
};

struct entry {
    struct image_entry info;        /* what others see */
    struct span stored;             /* payload as in the file, with its padding */
    uint32_t packed_size;           /* bytes of it that are compressed data */
    bool ready, listed;             /* payload and contents below are valid */
    unsigned char verdict;          /* choose.c's own, for the target at hand */
    struct span payload;
    unsigned char *owned;           /* the payload where it is not lent, or NULL */
    char *owned_name;               /* the identifier where it is not lent, or NULL */
    struct contents contents;
};

struct image {
    enum image_format format;
    struct span bytes;
    uint64_t limit;
    char *notes;
    size_t count;
    struct entry entries[];
};

/* Writes the text and returns the error, so that a check is one statement. */
__attribute__((format(printf, 3, 4))) enum image_error gpudl__image_fail(struct text *t, enum image_error error,
    const char *format, ...);
enum image_error gpudl__image_no_memory(struct text *t);
__attribute__((format(printf, 2, 3))) void gpudl__image_note(struct image *im, const char *format, ...);
void gpudl__image_compare_arch(struct image *im, const struct entry *e);   /* a note where header and payload differ */
struct image *gpudl__image_create(enum image_format format, struct span bytes, uint64_t limit, size_t count);

/* detect.c: which reader takes these bytes? Else the error, and what they look like. */
enum image_error gpudl__image_detect(struct span bytes, enum image_format *format, struct text *t);

/* fatbin.c */
enum image_error gpudl__fatbin_open(struct span bytes, uint64_t limit, struct image **out, struct text *t);
/* Why an entry that gpudl__fatbin_open() marked is unusable. Returns its error. */
enum image_error gpudl__fatbin_explain(const struct image *im, const struct entry *e, struct text *t);
const char *gpudl__fatbin_kind_name(unsigned kind);

/* decompress.c: *out is allocated, raw_size bytes and a NUL behind them. */
enum image_error gpudl__decompress(struct span packed, enum image_compression how, uint64_t raw_size, uint64_t limit,
    unsigned char **out, struct text *t);

/* cubin.c: a checked view of a cubin's header and section table. */
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
struct span gpudl__cubin_bytes(const struct cubin *c, struct section s);        /* data is NULL unless all of it is in the file */
void gpudl__cubin_describe(const struct cubin *c, struct image_entry *info);

/* cubin_symbols.c */
enum image_error gpudl__cubin_contents(const struct cubin *c, struct contents *out, struct text *t);

/* nv_info.c: the records of .nv.info.K */
struct info_record {
    uint8_t format, attribute;
    uint16_t value;                 /* formats 2 and 3 */
    struct span payload;            /* format 4 */
};
/* Takes the next record off the span's front. False at its end, and where a record is damaged: *damaged then. */
bool gpudl__info_next(struct span *records, struct info_record *out, bool *damaged);
/* Fills the parameters of a kernel from its records; params has room for `room`. */
void gpudl__info_params(struct span records, struct image_param *params, size_t room, struct image_kernel *k);

/* ptx_header.c */
struct ptx_header {
    unsigned version, sm;           /* version: 10 * major + minor */
    char suffix;
    bool is_64bit, debug;
};
enum image_error gpudl__ptx_header(struct span text, struct ptx_header *out, struct text *t);
void gpudl__ptx_describe(const struct ptx_header *h, struct image_entry *info);

/* ptx_module.c */
enum image_error gpudl__ptx_contents(struct span text, struct contents *out, struct text *t);

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
const char *gpudl__arch_reason(enum arch_fit fit);
const char *gpudl__ptx_cuda(unsigned ptx_version);      /* "12.4": the toolkit that brought it, or NULL */

/* image.c, for choose.c: the contents of an entry, with its payload; and as if they never had been asked for. */
void gpudl__entry_forget(struct entry *e);
enum image_error gpudl__image_contents(struct image *im, struct entry *e, const struct contents **out, struct text *t);

#endif
