/* CUDA C++ to code, at run time. Part of <gpudl/gpudl.h>, which includes it. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_COMPILE_H
#define GPUDL_COMPILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* A source of CUDA C++ (GPUDL_TEXT, or a file whose name ends in .cu) is loaded like any other:
 *
 *     const char *const names[] = { "scale<float, 4>" };
 *     gpudl_compile_options compile = GPUDL_COMPILE_OPTIONS_INIT;
 *     gpudl_load_options load = GPUDL_LOAD_OPTIONS_INIT;
 *
 *     compile.names = names, compile.nnames = 1;
 *     load.compile = &compile;
 *     if (gpudl_library_load(NULL, GPUDL_TEXT("scale.cu", text), &load, &lib) == GPUDL_OK &&
 *         gpudl_kernel_get(lib, "scale<float, 4>", &kernel) == GPUDL_OK)
 *
 * It is compiled for the loader's device: to machine code, where the compiler knows the device, else to PTX; for softcuda to PTX.
 *
 * The compiler is one that is on the machine: NVRTC, a library that is opened at run time (11.2 to 13; found in CUDA_HOME, CUDA_PATH,
 * the library path, /usr/local/cuda, and where pip puts nvidia-cuda-nvrtc); or, run as a process, nvcc or clang, which needs nothing of
 * NVIDIA's and makes PTX with a device header of gpudl's own. The first of them that there is and that makes what is wanted,
 * unless the options or the environment's GPUDL_COMPILER name one.
 *
 * What was compiled is kept on disk, for later runs and other programs of this user (GPUDL_CACHE_DIR, else XDG_CACHE_HOME/gpudl,
 * else ~/.cache/gpudl), and found again without opening a compiler, until a byte changes of what was read: the source, any header
 * that it may include, options, the compiler itself. Threads and processes that want the same at the same time wait for one of
 * them to make it. Where something that is read cannot be known beforehand, nothing is kept: names of headers that macros put
 * together (NVRTC), __TIME__ and __DATE__, options that gpudl does not know. docs/COMPILING.md says more. */

typedef enum gpudl_format {
    GPUDL_FORMAT_AUTO = 0,      /* of a load: what the device takes; of gpudl_compile(): a cubin, or PTX where the target is "compute_90" */
    GPUDL_FORMAT_CUBIN = 1,
    GPUDL_FORMAT_PTX = 2,
    GPUDL_FORMAT_LTOIR = 3,
    GPUDL_FORMAT_FATBIN = 4     /* gpudl_compile() only */
} gpudl_format;

/* flags */
#define GPUDL_COMPILE_NO_CACHE    1u    /* nothing is taken from disk, and nothing kept */
#define GPUDL_COMPILE_RELOCATABLE 2u    /* for linking: as nvcc's -rdc=true */
/* NVRTC runs in a process of its own (gpudl-nvrtc, which comes with gpudl; GPUDL_ERROR_NO_COMPILER where it is not there): what it breaks is the
 * compilation's error, a cancelled one ends at once, and several go on side by side, where NVRTC lets one thread in at a time. For all of a program: GPUDL_COMPILE_PROCESS=1 in the
 * environment. The results are the same, and kept as the same. */
#define GPUDL_COMPILE_PROCESS     4u

/* A header that is in memory only. It is found before any file. */
typedef struct gpudl_header {
    const char *name;           /* as #include has it */
    const char *text;           /* ends in NUL */
} gpudl_header;

typedef struct gpudl_compile_options {
    size_t size;                /* sizeof(gpudl_compile_options) */
    /* As nvcc and NVRTC spell them: "-I", "include", "-DN=4", "--std=c++20", "-use_fast_math". What says what is made and where it goes
     * (-ptx, -o, -gencode) is said by the members below, and refused here, but for -arch. */
    const char *const *options;
    size_t noptions;
    const gpudl_header *headers;
    size_t nheaders;
    /* Name expressions: instances of templates to be made, and names that are to be known as they are written here. */
    const char *const *names;
    size_t nnames;
    const char *compiler;       /* "nvrtc", "nvcc", "clang", or the path of one; NULL: as GPUDL_COMPILER says, else the first */
    /* "sm_90a", "compute_90"; of a fatbin several, with commas between them. NULL: that of -arch among the options, of the load's
     * options, else the loader's device. */
    const char *target;
    gpudl_format format;
    unsigned flags;             /* GPUDL_COMPILE_... */
    /* Asked now and then, from any thread, until it returns something else than 0: then the compilation ends with
     * GPUDL_ERROR_CANCELLED (NVRTC can be told so since 12.9, and goes on to its end before). NULL: never. It must not call gpudl. */
    int (*cancelled)(void *user);
    void *cancelled_user;
} gpudl_compile_options;
#define GPUDL_COMPILE_OPTIONS_INIT { sizeof(gpudl_compile_options), NULL, 0, NULL, 0, NULL, 0, NULL, NULL, GPUDL_FORMAT_AUTO, 0, NULL, NULL }

/* The result of a compilation, for programs that want the bytes. */
typedef struct gpudl_code gpudl_code;

/**
 * Compile one source of CUDA C++.
 * @loader:   whose device it is for, and who keeps it; NULL: the default one. Where a target is given, the default one is not opened for it
 * @source:   GPUDL_TEXT or GPUDL_FILE, of any name
 * @options:  NULL for the defaults
 * @out:      written on success only; release it with gpudl_code_release()
 *
 * No trust policy is asked (trust.h), not even the loader's: what comes back is bytes, and like any others they are asked when they are loaded. What is kept
 * of it on disk serves no load under a policy.
 *
 * Fails with GPUDL_ERROR_NO_COMPILER (the text says where was looked, and what to install), _COMPILE (the compiler's words, with file and line),
 * _COMPILE_HEADER (the text says where it was looked for), _COMPILE_OPTION, _COMPILE_TARGET, _COMPILER (it could not be run, or broke) or _CANCELLED;
 * and as a load does where the source cannot be read. A failure is not remembered.
 */
GPUDL_API gpudl_status gpudl_compile(gpudl_loader *loader, const gpudl_source *source, const gpudl_compile_options *options,
                                     gpudl_code **out);
GPUDL_API void gpudl_code_release(gpudl_code *code);        /* accepts NULL */

typedef struct gpudl_code_info {
    size_t size_of_struct;      /* sizeof(gpudl_code_info) */
    const void *bytes;          /* lent, as all below, until the release; behind PTX is a NUL, which is not counted */
    size_t nbytes;
    gpudl_format format;
    unsigned kept;              /* 1: it had been compiled before, and was taken from disk */
    char target[24];            /* "sm_90a", "compute_90"; "" of a fatbin */
    const char *compiler;       /* "NVRTC 13.0" */
    const char *log;            /* its warnings; "" */
} gpudl_code_info;
GPUDL_API gpudl_status gpudl_code_describe(gpudl_code *code, gpudl_code_info *out);
/* What a name expression is called in the code: "_Z5scaleIfLi4EEvPT_"; NULL: it was not among those asked for. */
GPUDL_API const char *gpudl_code_name(gpudl_code *code, const char *expression);

/* The files that it may include, from index 0, as they were found: every header that an #include names, whatever the conditionals around
 * it say, and those in turn, for build systems. Not the source itself, nor headers in memory, nor what only a compiler knows where to find.
 * Lent until the release; NULL past the end. */
GPUDL_API const char *gpudl_code_header(gpudl_code *code, size_t index);

/* Say which compilers there are: `each` is called for each, the preferred one first, with its kind ("nvrtc") and path. Returns where was
 * looked for those that are not there, as snprintf does: cut at size, the whole length. */
GPUDL_API size_t gpudl_compilers(void (*each)(void *user, const char *kind, const char *path), void *user, char *missing, size_t size);

/* -------------------------------------------------------------------------------------------------------------- what is kept */

typedef struct gpudl_cache_info {
    size_t size_of_struct;      /* sizeof(gpudl_cache_info) */
    const char *folder;         /* lent for good; NULL: none of the variables is set that name it */
    uint64_t entries, bytes;    /* on disk, of all programs of this user */
    uint64_t hits, misses, stored, healed, evicted, failed;     /* of this loader; healed: entries found bad, and removed */
} gpudl_cache_info;
/* Look what is kept on disk: compiled sources, and softcuda's machine code. GPUDL_ERROR_FILE_MISSING: there is no folder. */
GPUDL_API gpudl_status gpudl_cache_describe(gpudl_loader *loader, gpudl_cache_info *out);
typedef struct gpudl_cache_entry {
    size_t size_of_struct;
    const char *key;            /* 64 hexadecimal digits */
    const char *label;          /* for people */
    uint64_t bytes, made, used; /* seconds since 1970; used: to the hour */
} gpudl_cache_entry;
/* Entries in no order. `each` must not call gpudl. */
GPUDL_API gpudl_status gpudl_cache_list(gpudl_loader *loader, void (*each)(void *user, const gpudl_cache_entry *), void *user);
/* Remove what is older than 90 days, then the longest unused down to `bytes` (0: everything), and what dead writers left. removed: may be
 * NULL; how many entries went. */
GPUDL_API gpudl_status gpudl_cache_trim(gpudl_loader *loader, uint64_t bytes, uint64_t *removed);

#ifdef __cplusplus
}
#endif
#endif
