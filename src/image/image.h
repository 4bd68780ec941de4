/* image.h - what is in the bytes of a CUDA code image. Knows bytes only: no driver, no device, no files.
 *
 * Fatbin (stored, LZ4, zstd), cubin (ABI 7 and 8) and PTX: enough to choose an entry for a device and to know a kernel's name
 * and parameters. NVIDIA documents none of these formats but PTX; what is known of one is written down where it is parsed.
 *
 * An image lends: every string, span and array below lives until gpudl__image_close(). The caller keeps the bytes that it was
 * opened on unchanged until then. Not locked: gpudl__image_choose(), _payload(), _kernels() and _globals() decompress and parse
 * on first use and must not race with anything on the same image; all else only reads.
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

struct image_param { uint32_t offset, size; };      /* bytes, in the parameter buffer */

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
    bool constant, managed;
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
    bool relocatable;           /* ET_REL cubin (known when payload_sm is), or kind 0x40: must be linked first */
    bool is_64bit, debug;
    enum image_compression compression;
    uint64_t stored_size, raw_size;     /* in the file, padding included; decompressed */
    uint64_t flags;             /* fatbin's own, 0 outside a fatbin */
    const char *identifier;     /* "k.cu", or NULL. From outside: escape it on output */
    size_t offset;              /* of its header (fatbin) or first byte, in the file */
    enum image_error error;     /* IMAGE_OK, or why this one entry is unusable: gpudl__image_payload() says it in words */
};

struct image;

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
struct image_target { unsigned sm; unsigned ptx_version; bool machine_code, any_ptx; };
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

#endif
