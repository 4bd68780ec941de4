/* What is in a file of CUDA code, for programs. Part of <gpudl/gpudl.h>, which includes it. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_IMAGE_H
#define GPUDL_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What is in a file, and why it would not run: no driver, no device and no CUDA toolkit is needed for any of it. Reads all that a
 * library can be loaded from, and host executables, shared libraries, objects and archives with CUDA code in them, LTO-IR and
 * OptiX IR.
 *
 *     gpudl_image *image;
 *     gpudl_verdict verdict = { sizeof(verdict) };
 *     gpudl_target target = GPUDL_TARGET_INIT;
 *
 *     target.arch = "sm_90";
 *     if (gpudl_image_open(GPUDL_FILE("k.fatbin"), NULL, &image) == GPUDL_OK &&
 *         gpudl_image_explain(image, GPUDL_ALL, &target, &verdict) == GPUDL_OK && verdict.status != GPUDL_OK)
 *         printf("%s; %s\n", verdict.reason, verdict.remedy);
 *
 * An image holds containers (a fatbin, or a cubin, PTX text or LTO-IR by itself), they hold entries, which hold kernels and
 * globals; all count from 0. Strings are the image's own and lent until it is closed, or gpudl_image_forget() of their entry.
 * They are from outside: escape them on output. Structs that are filled begin with their size, which the caller sets; members
 * that the caller does not have are left out. An image takes one call at a time: others wait. */
typedef struct gpudl_image gpudl_image;

#define GPUDL_ALL     ((size_t)-1)
#define GPUDL_UNKNOWN 0xffffffffu   /* a count that the image does not tell */

/* Limits against files that are made to exhaust memory; 0: the default. */
typedef struct gpudl_image_options {
    size_t size;                /* sizeof(gpudl_image_options) */
    uint64_t max_entry_bytes;   /* that one entry may decompress to: 1 GiB */
    uint64_t max_total_bytes;   /* that all entries together may: 64 GiB */
    unsigned max_entries;       /* 65,536 of a fatbin, 1,048,576 of a file */
    unsigned reserved;          /* 0 */
} gpudl_image_options;
#define GPUDL_IMAGE_OPTIONS_INIT { sizeof(gpudl_image_options), 0, 0, 0, 0 }

/**
 * Look into a source. Only headers and tables are read; entries are decompressed when they are asked for.
 * @source:   memory is copied. A file of more than 1 MiB is mapped, not read: it must not be truncated while the image is open
 * @options:  NULL for the defaults
 * @out:      written on success only; close it with gpudl_image_close()
 *
 * A damaged file is opened as far as it can be read, which gpudl_image_describe() tells; what tells nothing fails with the status
 * that a load of it would.
 */
GPUDL_API gpudl_status gpudl_image_open(const gpudl_source *source, const gpudl_image_options *options, gpudl_image **out);
GPUDL_API void gpudl_image_close(gpudl_image *image);       /* accepts NULL */

typedef struct gpudl_image_info {
    size_t size_of_struct;      /* sizeof(gpudl_image_info) */
    const char *format;         /* "fatbin", "cubin", "ptx", "ltoir", "optixir"; "elf", a host file; "archive" */
    uint64_t bytes;
    size_t containers, entries;
    gpudl_status damage;        /* GPUDL_OK: all of it could be read */
    const char *damage_text;    /* what could not, and why; "" */
    const char *notes;          /* what is odd but no damage, a line each; "" */
} gpudl_image_info;
GPUDL_API gpudl_status gpudl_image_describe(gpudl_image *image, gpudl_image_info *out);

typedef struct gpudl_entry_info {
    size_t size_of_struct;      /* sizeof(gpudl_entry_info) */
    const char *kind;           /* "elf" (machine code), "ptx", "ltoir", "optixir", or what else it is called */
    char arch[24];              /* "sm_90a" of machine code, "compute_90" of PTX, "lto_90" of LTO-IR */
    char payload_arch[24];      /* the same of the code itself, which may contradict its header; "" while not known */
    const char *compression;    /* "none", "lz4", "zstd", "scrambled" (not readable), "unknown" */
    uint64_t bytes;             /* decompressed */
    uint64_t stored_bytes;      /* as in the file */
    uint64_t offset;            /* in the file: of its header in a fatbin, else of its first byte */
    size_t container;
    const char *identifier;     /* "k.cu"; or NULL */
    const char *options;        /* that it was compiled with, where the file keeps them; or NULL */
    const char *member;         /* of an archive; or NULL */
    const char *section;        /* of a host file; or NULL */
    unsigned ptx_version;       /* 10 * major + minor; 0: no PTX */
    unsigned toolkit;           /* that made machine code: 10 * major + minor; 0: not known */
    unsigned relocatable;       /* 1: must be linked before it can be loaded */
    unsigned debug;             /* 1: compiled for a debugger */
    unsigned is_64bit;
    gpudl_status status;        /* GPUDL_OK; or why it cannot be read, of which gpudl_image_read() has the text */
} gpudl_entry_info;
/* What its header says, and the code itself once it was read. */
GPUDL_API gpudl_status gpudl_image_entry(gpudl_image *image, size_t entry, gpudl_entry_info *out);

/* Decompress and read an entry now; the calls below do by themselves. Fails with the reason, as each of them would. */
GPUDL_API gpudl_status gpudl_image_read(gpudl_image *image, size_t entry, size_t *nkernels, size_t *nglobals);
/* Give the memory of an entry back; it is read again when it is asked for. */
GPUDL_API void gpudl_image_forget(gpudl_image *image, size_t entry);
/* Its code, decompressed, lent; PTX with a NUL behind it, which is not counted. */
GPUDL_API gpudl_status gpudl_image_code(gpudl_image *image, size_t entry, const void **bytes, size_t *size);

typedef struct gpudl_param_info {
    size_t size_of_struct;      /* sizeof(gpudl_param_info) */
    size_t offset, size;        /* in the parameter buffer, bytes */
    /* Machine code does not tell these. */
    const char *type;           /* of the elements where it is an array, as PTX has it: "u32"; "" */
    unsigned align;             /* its own; 0 */
    unsigned reserved;
    const char *pointee;        /* where a pointer points to: "global", "shared", ...; "" */
} gpudl_param_info;

/* Counts may be GPUDL_UNKNOWN: PTX tells few of them before it is compiled. */
typedef struct gpudl_kernel_info {
    size_t size_of_struct;      /* sizeof(gpudl_kernel_info) */
    const char *name;           /* as in the image; gpudl_demangle() makes it the source's */
    const char *problem;        /* "": none; else what of it cannot be told, and why */
    unsigned params;            /* how many; GPUDL_UNKNOWN: see problem */
    unsigned param_bytes;
    unsigned registers;         /* a thread */
    unsigned shared;            /* bytes a block, static */
    unsigned local;             /* bytes a thread, with what it calls */
    unsigned constants;         /* bytes of its own, made by the compiler */
    unsigned barriers;
    unsigned max_threads;       /* a block, of the two below; 0: as many as the device takes */
    unsigned max_block[3];      /* .maxntid; zeroes: none */
    unsigned required_block[3]; /* .reqntid; zeroes: none */
    unsigned min_blocks;        /* .minnctapersm, PTX only; 0: none */
    unsigned cluster[3];        /* zeroes: none */
    unsigned max_cluster;       /* blocks; 0: none */
} gpudl_kernel_info;
GPUDL_API gpudl_status gpudl_image_kernel(gpudl_image *image, size_t entry, size_t kernel, gpudl_kernel_info *out);
GPUDL_API gpudl_status gpudl_image_param(gpudl_image *image, size_t entry, size_t kernel, size_t index, gpudl_param_info *out);

typedef struct gpudl_global_info {
    size_t size_of_struct;      /* sizeof(gpudl_global_info) */
    const char *name;
    uint64_t size;              /* in bytes; 0: PTX that leaves it open */
    unsigned constant;          /* 1: __constant__: written by the host only. All others by host and kernels */
    unsigned managed;           /* 1: __managed__ */
    unsigned initialised;       /* 1: the image holds its first value; else it begins as zeroes */
    unsigned reserved;
} gpudl_global_info;
GPUDL_API gpudl_status gpudl_image_global(gpudl_image *image, size_t entry, size_t global, gpudl_global_info *out);

/* Functions and variables that the code uses and does not hold: the driver's own (vprintf, malloc), and those that it must be
 * linked with. NULL past the end, and where the entry cannot be read. */
GPUDL_API const char *gpudl_image_extern(gpudl_image *image, size_t entry, size_t index);

/* The tables of an ELF file in an entry of machine code, as they are. */
typedef struct gpudl_section_info {
    size_t size_of_struct;
    const char *name;
    unsigned index, type, link, info;
    uint64_t flags, address, offset, size, align, entry_size;
} gpudl_section_info;
typedef struct gpudl_symbol_info {
    size_t size_of_struct;
    const char *name;
    unsigned index, section;    /* section 0: not defined here */
    unsigned type, binding, other;
    uint64_t value, size;
} gpudl_symbol_info;
/* Call `each` for one after the other, until it returns 0. It must not call gpudl with the same image. */
GPUDL_API gpudl_status gpudl_image_sections(gpudl_image *image, size_t entry,
                                            int (*each)(void *user, const gpudl_section_info *), void *user);
GPUDL_API gpudl_status gpudl_image_symbols(gpudl_image *image, size_t entry,
                                           int (*each)(void *user, const gpudl_symbol_info *), void *user);

/* What code is to run on: an architecture by its name, or a device. */
typedef struct gpudl_target {
    size_t size;                /* sizeof(gpudl_target) */
    const char *arch;           /* "sm_90"; NULL: the loader's device */
    int cuda_version;           /* with arch: of the driver, 13000 is CUDA 13.0; 0: one that knows all that gpudl does */
    unsigned software;          /* with arch: 1: softcuda, which runs PTX only, of any architecture */
    gpudl_loader *loader;       /* without arch; NULL: the default one, which this opens */
    int device;                 /* without arch; counts from 0 */
    unsigned reserved;          /* 0 */
} gpudl_target;
#define GPUDL_TARGET_INIT { sizeof(gpudl_target), NULL, 0, 0, NULL, 0, 0 }

typedef struct gpudl_verdict {
    size_t size_of_struct;      /* sizeof(gpudl_verdict) */
    gpudl_status status;        /* GPUDL_OK: it would run; else what a load would fail with */
    unsigned compiled;          /* 1: from PTX, when it is loaded */
    size_t entry;               /* the one that would be taken; else the nearest miss; GPUDL_ALL: there are no entries */
    const char *word;           /* for programs: "ok", "wrong-major", "ptx-too-new", "relocatable", ...; never NULL */
    char reason[512];           /* for a person: why not; "" */
    char remedy[256];           /* and what to do; "" */
} gpudl_verdict;

/**
 * Say which entry a driver would take, or why it takes none.
 * @container:  choose among its entries; GPUDL_ALL: among all of the image. Each fatbin of a host file is loaded by itself
 * @target:     NULL: device 0 of the default loader
 *
 * Succeeds with either answer, which is in out->status. A load asks the same question before the driver is asked; it also refuses
 * what is damaged in places that do not matter here.
 */
GPUDL_API gpudl_status gpudl_image_explain(gpudl_image *image, size_t container, const gpudl_target *target, gpudl_verdict *out);
/* The same of one entry by itself. */
GPUDL_API gpudl_status gpudl_image_judge(gpudl_image *image, size_t entry, const gpudl_target *target, gpudl_verdict *out);
/**
 * Say why an entry that runs would run badly: PTX to be compiled at each load, code for a debugger, memory spills, registers that
 * leave multiprocessors empty.
 * @each:  called for each warning; kernel is NULL where it is about all of the entry; word is for programs: "debug-code". It must
 *         not call gpudl with the same image
 */
GPUDL_API gpudl_status gpudl_image_warnings(gpudl_image *image, size_t entry, const gpudl_target *target,
                                            void (*each)(void *user, const char *word, const char *kernel, const char *text),
                                            void *user);

/* A name as the source has it: "ns::scale<float, 4>(float*)" of "_ZN2ns5scaleIfLi4EEEvPf"; the same name where it is none of
 * C++, or no C++ runtime library is on the machine. As snprintf does: cuts at size, returns the whole length. */
GPUDL_API size_t gpudl_demangle(const char *name, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
