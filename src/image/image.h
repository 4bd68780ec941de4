/* image.h - what is in the bytes of a CUDA code image, and why one would not run on a device. Knows bytes only: no driver, no
 * device, no files.
 *
 * Fatbin (stored, LZ4, zstd), cubin (ABI 7 and 8), PTX, the headers of LTO-IR and OptiX IR, host ELF files and archives that
 * carry any of them. NVIDIA documents none of these formats but PTX; what is known of one is written down where it is parsed.
 *
 * An image lends: every string, span and array below lives until gpudl__image_close(), or gpudl__image_forget() of its entry. The
 * caller keeps the bytes that it was opened on unchanged until then; they may be a mapped file of any size, as only headers and
 * tables are touched before an entry's payload is asked for. Not locked: everything that takes a struct image that is not const
 * decompresses and parses on first use and must not race with anything on the same image; all else only reads.
 *
 * texts are for a person: what was found, what was expected, what to do. Written on failure only; text may be NULL. */
#ifndef GPUDL_IMAGE_IMAGE_H
#define GPUDL_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/util/span.h"      /* struct span { const unsigned char *data; size_t size; } and the bounds-checked reader */

enum image_format { IMAGE_UNKNOWN, IMAGE_FATBIN, IMAGE_CUBIN, IMAGE_PTX, IMAGE_LTOIR, IMAGE_OPTIXIR, IMAGE_HOST_ELF,
    IMAGE_ARCHIVE };

enum image_error {
    IMAGE_OK,
    IMAGE_EMPTY,            /* zero bytes */
    IMAGE_TRUNCATED,        /* begins like a known format and ends too early */
    IMAGE_DAMAGED,          /* contradicts itself */
    IMAGE_NOT_AN_IMAGE,     /* no known format: text says what it looks like (a path, source text, a PE file, ...) */
    IMAGE_NOT_SUPPORTED,    /* known and named in the text, but not loadable as it is (LTO-IR, host ELF, thin archive) */
    IMAGE_LIMIT,            /* would decompress to more than the limit */
    IMAGE_NO_MEMORY
};

enum image_compression { IMAGE_STORED, IMAGE_LZ4, IMAGE_ZSTD, IMAGE_SCRAMBLED, IMAGE_OTHER_COMPRESSION };

#define IMAGE_NOT_KNOWN UINT32_MAX      /* a count that this image does not tell */

/* What PTX declares a parameter or a variable as. A cubin does not tell: IMAGE_NO_TYPE. */
enum image_type { IMAGE_NO_TYPE, IMAGE_B8, IMAGE_U8, IMAGE_S8, IMAGE_B16, IMAGE_U16, IMAGE_S16, IMAGE_F16, IMAGE_BF16, IMAGE_B32,
    IMAGE_U32, IMAGE_S32, IMAGE_F32, IMAGE_F16X2, IMAGE_BF16X2, IMAGE_B64, IMAGE_U64, IMAGE_S64, IMAGE_F64, IMAGE_B128,
    IMAGE_TEXREF, IMAGE_SAMPLERREF, IMAGE_SURFREF };
const char *gpudl__image_type_name(enum image_type);       /* "u32"; "" for none */

/* What a pointer points to, where that is declared (.ptr); none says nothing: it may be a pointer all the same. */
enum image_space { IMAGE_NO_SPACE, IMAGE_LOCAL, IMAGE_SHARED, IMAGE_CONST, IMAGE_GLOBAL, IMAGE_GENERIC };
const char *gpudl__image_space_name(enum image_space);     /* "global"; "" for none */

struct image_param {
    uint32_t offset, size;      /* bytes, in the parameter buffer */
    uint32_t align;             /* its own, as PTX declares it; 0: a cubin, which does not tell */
    uint16_t pointee_align;     /* bytes; 0: not declared */
    uint8_t pointee_space;      /* enum image_space */
    uint8_t type;               /* enum image_type; of an array: of its elements */
};

enum image_binding { IMAGE_BIND_LOCAL, IMAGE_BIND_GLOBAL, IMAGE_BIND_WEAK };

struct image_kernel {
    const char *name;           /* as in the image; "" where the image has none that can be read */
    const struct image_param *params;
    uint32_t nparams;
    bool params_known;          /* false: the records are missing or contradict each other; never trust them for a launch */
    uint32_t param_bytes;
};

struct image_global {
    const char *name;
    uint64_t size;              /* bytes; 0: PTX that gives it as an expression or leaves it open */
    bool constant, managed;     /* constant: kernels cannot write it, the host can; all others both can */
    bool initialised;           /* the image holds its first value; else zeroes */
    uint8_t binding;            /* enum image_binding */
    uint32_t align;             /* as PTX declares it; 0: a cubin, which does not tell */
};

struct image_entry {
    enum image_format format;   /* PTX, CUBIN, LTOIR; UNKNOWN for other kinds */
    unsigned kind;              /* fatbin's own number, 0 outside a fatbin */
    unsigned sm;                /* 90; of the entry's header where there is one */
    char suffix;                /* 0, 'a', 'f' */
    /* What the payload itself says; differs in lying images. Known at once for what is stored, for what is compressed after its
     * first gpudl__image_payload(); 0: not known. A cubin does not say 'f'. */
    unsigned payload_sm;
    char payload_suffix;
    unsigned ptx_version;       /* PTX: 10 * major + minor */
    /* To be linked first: an ET_REL cubin (known when payload_sm is), kind 0x40, PTX in __nv_relfatbin. */
    bool relocatable;
    bool is_64bit, debug;
    enum image_compression compression;
    uint64_t stored_size, raw_size;     /* in the file, padding included; decompressed */
    uint64_t flags;             /* fatbin's own, 0 outside a fatbin */
    const char *identifier;     /* "k.cu", or NULL. From outside: escape it on output */
    size_t offset;              /* of its header (fatbin) or first byte, in the file */
    enum image_error error;     /* IMAGE_OK, or why this one entry is unusable: gpudl__image_payload() says it in words */
    uint32_t container;         /* gpudl__image_container(): where it lies */
    /* Of a cubin, known when payload_sm is; 0: it does not tell. */
    unsigned toolkit;           /* that made it: 10 * major + minor, 130 is CUDA 13.0 */
    unsigned virtual_sm;        /* that it was compiled through */
    unsigned abi;               /* 7 (CUDA 11, 12) or 8 (12.8 and later) */
    bool no_code;               /* known to hold neither kernels nor globals: the stub of device linking, in host files */
};

/* Where entries lie: one fatbin, or one cubin, PTX text or LTO-IR that is a file or an archive's member of its own. */
struct image_container {
    enum image_format format;   /* of what lies there */
    const char *member;         /* of an archive, or NULL. From outside: escape it on output */
    const char *section;        /* ".nv_fatbin", "__nv_relfatbin"; "": found in a host file without section headers; or NULL */
    uint64_t offset, size;      /* in the file, header included */
    size_t first, count;        /* its entries */
    unsigned wrapper;           /* version of the wrapper that points to it: 1 a program's own, 2 device-linked, 0 not known */
    bool linked;                /* to be linked, and it was: the file is no object, and holds the result, too */
};

struct image;

/* Everything that can be told, for people and tools; gpudl__image_open() below takes what a driver can load. Also takes LTO-IR,
 * OptiX IR, host ELF files and archives, 32-bit cubins, and damaged fatbins and archives as far as they can be read: the rest is
 * gpudl__image_damage(). Fails only where nothing can be told. */
struct image_limits {           /* 0: the default */
    uint64_t entry_bytes;       /* that one entry may decompress to: 1 GiB */
    uint64_t total_bytes;       /* that all decompression on this image together may give: 64 GiB */
    uint32_t entries;           /* 1,048,576 */
};
enum image_error gpudl__image_inspect(struct span bytes, const struct image_limits *, struct image **out, char *text,
    size_t text_size);
/* Why not all of it could be read, "" if all was; *error may be NULL. */
const char *gpudl__image_damage(const struct image *, enum image_error *error);
size_t gpudl__image_container_count(const struct image *);
const struct image_container *gpudl__image_container(const struct image *, size_t);

/* limit: the most bytes that one entry may decompress to; 0: 1 GiB. On failure *out is untouched and text says what was found
 * and what was expected. */
enum image_error gpudl__image_open(struct span bytes, uint64_t limit, struct image **out, char *text, size_t text_size);
void gpudl__image_close(struct image *);        /* accepts NULL */

enum image_format gpudl__image_format(const struct image *);
size_t gpudl__image_count(const struct image *);
const struct image_entry *gpudl__image_entry(const struct image *, size_t);
/* What is odd about the image but not wrong enough to refuse it: a line each, "" if nothing is. May grow with payloads read. */
const char *gpudl__image_notes(const struct image *);

/* What a device takes. machine_code: false for softcuda, which runs PTX only. ptx_version: the newest that the driver reads (0:
 * any). any_ptx: softcuda's kindness, PTX of any target: the highest at or below sm, else the lowest above it. The rules: cubin
 * before PTX; nearest architecture; the first cubin, the last PTX. */
struct image_target {
    unsigned sm;
    unsigned ptx_version;
    bool machine_code, any_ptx;
    int cuda_version;           /* of the driver, as cuDriverGetVersion tells it; 0: do not judge cubins by their toolkit */
    bool jit_forced;            /* CUDA_FORCE_PTX_JIT: machine code is passed over */
    bool jit_disabled;          /* CUDA_DISABLE_PTX_JIT: PTX is passed over */
    /* To be linked, not loaded: relocatable code fits, and code without kernels; machine code that is not relocatable does not. */
    bool linking;
    bool ltoir;                 /* with linking: LTO-IR fits, and comes first */
};
/* Index of the entry that would be taken; or -1, and text lists what is there and why each does not fit.
 * Looks into what it would take: damaged, relocatable and empty entries are passed over. */
enum image_misfit {
    MISFIT_ARCH,
    MISFIT_MACHINE_CODE_ONLY,
    MISFIT_PTX_TOO_NEW,
    MISFIT_NOT_LINKED,
    MISFIT_EMPTY,
    MISFIT_DAMAGED,
    MISFIT_NO_MEMORY            /* to look at what would be taken */
};
int gpudl__image_choose(struct image *, const struct image_target *, enum image_misfit *why, char *text, size_t text_size);

/* The same within one container; SIZE_MAX: all of them. */
int gpudl__image_choose_in(struct image *, size_t container, const struct image_target *, enum image_misfit *why, char *text,
    size_t text_size);

/* "sm_90a", "compute_100f", "90", "9.0" -> number and suffix. */
bool gpudl__image_parse_arch(const char *name, unsigned *sm, char *suffix);

/* The newest PTX ISA (10 * major + minor) that a driver of this CUDA version (1000 * major + 10 * minor, as cuDriverGetVersion
 * tells it) reads; 0 for drivers newer than the table, which read all that it knows. */
unsigned gpudl__image_ptx_version(int cuda_version);

/* The entry's bytes, decompressed if need be; PTX always has a NUL behind its last byte (not counted in size). */
enum image_error gpudl__image_payload(struct image *, size_t entry, struct span *out, char *text, size_t text_size);
/* Kernels and globals of one entry; parsed on first use. Internal ones, whose names begin with '$' (strings of printf), are no
 * globals. */
enum image_error gpudl__image_kernels(struct image *, size_t entry, const struct image_kernel **out, size_t *n, char *text,
    size_t text_size);
enum image_error gpudl__image_globals(struct image *, size_t entry, const struct image_global **out, size_t *n, char *text,
    size_t text_size);

/* Gives the memory of an entry's payload and of what was read from it back; all of it may be asked for again. */
void gpudl__image_forget(struct image *, size_t entry);

const char *gpudl__image_kind_name(unsigned kind);         /* of a fatbin's entry: "LTO-IR"; NULL: not known */

#endif
