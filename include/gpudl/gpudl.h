/* gpudl - dlopen for GPU kernels.
 *
 * Load CUDA code that did not exist when the program was built, get kernels and globals out of it by name, launch them: on an NVIDIA GPU
 * through the CUDA driver and, where there is none, on softcuda, the software CUDA device that comes with gpudl.
 *
 *     gpudl_library *lib;
 *     gpudl_kernel *saxpy;
 *     if (gpudl_library_load(NULL, GPUDL_FILE("saxpy.fatbin"), NULL, &lib) != GPUDL_OK ||
 *         gpudl_kernel_get(lib, "saxpy", &saxpy) != GPUDL_OK)
 *         return complain(gpudl_error_text());
 *     gpudl_kernel_launch_params(saxpy, &config, params);
 *
 * Conventions. Object first, verb last. What arrives through an out-parameter is written on success only and is the caller's to
 * release; what is returned is lent by the object that it was asked of. Release accepts NULL. Every call may be made from any thread at any time unless it says
 * otherwise. Option structs begin with their size: set it with the GPUDL_..._INIT macro or the inline functions; NULL means the defaults.
 * A failed call returns a status that a program can act on, and leaves, per thread, a text that a person can act on
 * (gpudl_error_text). Nothing is printed but through the log callback, whose default writes warnings to stderr.
 *
 * The header compiles before and after <cuda.h> and <cuda_runtime.h>, as C11 and as C++17. */
#ifndef GPUDL_H
#define GPUDL_H

#include <stddef.h>
#include <stdint.h>

#include <gpudl/driver.h>

#define GPUDL_VERSION_MAJOR 0
#define GPUDL_VERSION_MINOR 1
#define GPUDL_VERSION_PATCH 0

#if defined(__GNUC__)
#define GPUDL_API __attribute__((visibility("default")))
#else
#define GPUDL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------ status and errors */

/* X(name, number, text). Numbers are never reused. */
#define GPUDL_STATUS_LIST(X) \
    X(OK,                        0, "success") \
    X(ERROR_ARGUMENT,            1, "an argument is not valid") \
    X(ERROR_NO_MEMORY,           2, "out of host memory") \
    X(ERROR_TOO_NEW,             3, "the caller uses options that this gpudl does not know") \
    X(ERROR_UNSUPPORTED,         4, "not supported by this gpudl, driver or device") \
    X(ERROR_FILE_MISSING,       10, "no such file") \
    X(ERROR_FILE_UNREADABLE,    11, "the file cannot be read") \
    X(ERROR_FILE_IS_FOLDER,     12, "the path is a folder") \
    X(ERROR_IMAGE_EMPTY,        20, "the image has no bytes") \
    X(ERROR_IMAGE_TRUNCATED,    21, "the image ends too early") \
    X(ERROR_IMAGE_DAMAGED,      22, "the image is damaged") \
    X(ERROR_NOT_AN_IMAGE,       23, "these bytes are not CUDA code") \
    X(ERROR_ARCHITECTURE,       24, "the image holds no code for this device") \
    X(ERROR_MACHINE_CODE_ONLY,  25, "the image holds machine code only, and softcuda runs PTX") \
    X(ERROR_PTX_TOO_NEW,        26, "the PTX is newer than the driver reads") \
    X(ERROR_PTX,                27, "the PTX was refused") \
    X(ERROR_NOT_LINKED,         28, "the code must be linked before it can be loaded") \
    X(ERROR_NO_KERNELS,         29, "the image holds no kernels and no globals") \
    X(ERROR_IMAGE_TOO_LARGE,    30, "the image is larger than the limit") \
    X(ERROR_NO_SUCH_KERNEL,     40, "no kernel of this name") \
    X(ERROR_AMBIGUOUS_NAME,     41, "several kernels answer to this name") \
    X(ERROR_NO_SUCH_GLOBAL,     42, "no global variable of this name") \
    X(ERROR_LAUNCH,             50, "the launch was refused") \
    X(ERROR_NO_DRIVER,          60, "no CUDA driver could be opened") \
    X(ERROR_NO_DEVICE,          61, "the driver has no device") \
    X(ERROR_DRIVER_TOO_OLD,     62, "the driver lacks a function that is needed") \
    X(ERROR_DRIVER,             63, "a driver call failed") \
    X(ERROR_FORKED,             64, "the process was forked after the driver was opened")

typedef enum gpudl_status {
#define GPUDL_STATUS_ENUM(name, number, text) GPUDL_##name = number,
    GPUDL_STATUS_LIST(GPUDL_STATUS_ENUM)
#undef GPUDL_STATUS_ENUM
    GPUDL_STATUS_MAX = 0x7fffffff
} gpudl_status;

GPUDL_API const char *gpudl_status_name(gpudl_status);      /* "GPUDL_ERROR_PTX"; never NULL */
GPUDL_API const char *gpudl_status_text(gpudl_status);      /* the list's short text; never NULL */

/* This thread's last failure: what was tried, what was found, what was expected, what to do. Lent until the thread's next failed call; ""
 * if none failed yet. A call that succeeds leaves it alone. */
GPUDL_API const char *gpudl_error_text(void);
/* The driver's own code (CUresult) behind this thread's last failure, or 0 if none was. */
GPUDL_API int gpudl_error_cuda(void);

/* ------------------------------------------------------------------------------------------------------------------------ loader */

typedef struct gpudl_loader gpudl_loader;
typedef struct gpudl_library gpudl_library;
typedef struct gpudl_kernel gpudl_kernel;
typedef struct gpudl_version gpudl_version;

typedef enum gpudl_log_level { GPUDL_LOG_ERROR, GPUDL_LOG_WARNING, GPUDL_LOG_INFO, GPUDL_LOG_DEBUG } gpudl_log_level;
typedef void gpudl_log_function(void *user, gpudl_log_level, const char *text);

typedef struct gpudl_loader_options {
    size_t size;                /* sizeof(gpudl_loader_options) */
    const char *driver;         /* "auto" (NULL), "nvidia", "softcuda", or the path of a driver library. Unset or "auto": the environment's
                                   GPUDL_DRIVER decides, in the same words (not in set-user-id programs); else NVIDIA's if it has a device, else softcuda */
    gpudl_log_function *log;    /* NULL: warnings and errors go to stderr (GPUDL_QUIET=1 silences the warnings) */
    void *log_user;
    void *(*allocate)(void *user, size_t bytes);            /* gpudl's own heap blocks; both or neither; NULL: malloc */
    void  (*release)(void *user, void *block);
    void *allocator_user;
    unsigned per_thread_stream; /* 1: a NULL stream means the per-thread default stream (code compiled with --default-stream per-thread); 0: legacy */
    unsigned reserved;
} gpudl_loader_options;
#define GPUDL_LOADER_OPTIONS_INIT { sizeof(gpudl_loader_options), NULL, NULL, NULL, NULL, NULL, NULL, 0, 0 }

/* A loader is one connection to a driver. NULL stands for the process's default loader in every call that takes one; it is opened on first use with
 * default options and never closed. */
GPUDL_API gpudl_status gpudl_loader_open(const gpudl_loader_options *options, gpudl_loader **out);
/* The caller has released everything that came from it. Accepts NULL (which does not close the default loader). */
GPUDL_API void gpudl_loader_close(gpudl_loader *);

/* The driver's functions, for programs that have no <cuda.h>: table->MemAlloc(&ptr, bytes). Lent by the loader; NULL when the default loader
 * cannot be opened (gpudl_error_text says why). */
GPUDL_API const gpudl_driver_table *gpudl_loader_driver(gpudl_loader *);
/* "NVIDIA driver 13.0 (/usr/lib/.../libcuda.so.1)" or "softcuda 0.1, ..."; lent. */
GPUDL_API const char *gpudl_loader_driver_text(gpudl_loader *);
/* 1: the driver is softcuda and no GPU is used. */
GPUDL_API int gpudl_loader_is_software(gpudl_loader *);
/* Makes the primary context of a device current to the calling thread, creating it if need be; for programs without <cuda.h>. The loader
 * keeps the context until it is closed. */
GPUDL_API gpudl_status gpudl_loader_use_device(gpudl_loader *, int device);

/* ------------------------------------------------------------------------------------------------------------------------ source */

typedef enum gpudl_source_kind { GPUDL_SOURCE_FILE = 1, GPUDL_SOURCE_MEMORY = 2, GPUDL_SOURCE_TEXT = 3 } gpudl_source_kind;

/* What to load. A plain value: copy it, put it in arrays. The call that takes it copies what it needs, so nothing of it need outlive that call.
 * CUDA C++ is told by GPUDL_TEXT or a file name that ends in .cu; everything else by its bytes. */
typedef struct gpudl_source {
    size_t size;                /* sizeof(gpudl_source) */
    gpudl_source_kind kind;
    unsigned reserved;
    const char *name;           /* FILE: the path. TEXT: what to call it in messages. MEMORY: NULL or a name for messages */
    const void *bytes;          /* MEMORY, TEXT */
    size_t nbytes;              /* MEMORY, TEXT */
} gpudl_source;

static inline gpudl_source gpudl_source_file(const char *path)
{
    gpudl_source s = { sizeof(gpudl_source), GPUDL_SOURCE_FILE, 0, path, NULL, 0 };
    return s;
}

static inline gpudl_source gpudl_source_memory(const void *bytes, size_t nbytes)
{
    gpudl_source s = { sizeof(gpudl_source), GPUDL_SOURCE_MEMORY, 0, NULL, bytes, nbytes };
    return s;
}

static inline gpudl_source gpudl_source_text(const char *name, const char *cuda_cpp)
{
    gpudl_source s = { sizeof(gpudl_source), GPUDL_SOURCE_TEXT, 0, name, cuda_cpp, 0 };
    while (cuda_cpp && cuda_cpp[s.nbytes])
        s.nbytes++;
    return s;
}

/* A const gpudl_source * that lives for the one call it is written in. */
#ifdef __cplusplus
extern "C++" {
struct gpudl_lent_source {
    gpudl_source source;
    operator const gpudl_source *() const { return &source; }
};
inline gpudl_lent_source gpudl_lend(gpudl_source s) { return gpudl_lent_source{ s }; }
}
#define GPUDL_FILE(path)            gpudl_lend(gpudl_source_file(path))
#define GPUDL_MEMORY(bytes, nbytes) gpudl_lend(gpudl_source_memory(bytes, nbytes))
#define GPUDL_TEXT(name, text)      gpudl_lend(gpudl_source_text(name, text))
#else
#define GPUDL_FILE(path)            ((const gpudl_source[1]){ gpudl_source_file(path) })
#define GPUDL_MEMORY(bytes, nbytes) ((const gpudl_source[1]){ gpudl_source_memory(bytes, nbytes) })
#define GPUDL_TEXT(name, text)      ((const gpudl_source[1]){ gpudl_source_text(name, text) })
#endif

/* ----------------------------------------------------------------------------------------------------------------------- library */

typedef struct gpudl_load_options {
    size_t size;                /* sizeof(gpudl_load_options) */
    uint64_t max_image_bytes;   /* the most that one entry of an image may decompress to; 0: 1 GiB */
    uint64_t flags;             /* 0 */
} gpudl_load_options;
#define GPUDL_LOAD_OPTIONS_INIT { sizeof(gpudl_load_options), 0, 0 }

/* Reads the source once, finds the code for the loader's devices in it and loads that into the driver. Two loads of the same content share one
 * copy (a version), unless it has writable globals; the library handle is the caller's own. */
GPUDL_API gpudl_status gpudl_library_load(gpudl_loader *, const gpudl_source *, const gpudl_load_options *, gpudl_library **out);
/* Kernels taken from it stay usable until they are released too. Accepts NULL. */
GPUDL_API void gpudl_library_release(gpudl_library *);
/* Names of its kernels as in the image, in the image's order; lent until the library is released or replaced; NULL past the end. */
GPUDL_API size_t gpudl_library_kernel_count(gpudl_library *);
GPUDL_API const char *gpudl_library_kernel_name(gpudl_library *, size_t index);

/* A version: an immutable loaded image. Pinning keeps it loaded, whatever becomes of the library. */
GPUDL_API gpudl_status gpudl_library_pin(gpudl_library *, gpudl_version **out);
GPUDL_API void gpudl_version_unpin(gpudl_version *);        /* accepts NULL */
/* Address and size of a global (__device__, __constant__, __managed__) on a device; name as in the image or as the source writes it. Valid while the version is pinned.
 * size may be NULL. A __managed__ variable's address is one that the host may use as well. */
GPUDL_API gpudl_status gpudl_version_global(gpudl_version *, const char *name, int device, CUdeviceptr *address, size_t *size);
GPUDL_API gpudl_status gpudl_version_native(gpudl_version *, CUlibrary *out);

/* ------------------------------------------------------------------------------------------------------------------------ kernel */

/* name: as in the image ("_Z5saxpyfPKfS0_Pfi"), as the source writes it ("saxpy", "ns::scale<float, 4>"), or NULL where the library holds one kernel. */
GPUDL_API gpudl_status gpudl_kernel_get(gpudl_library *, const char *name, gpudl_kernel **out);
GPUDL_API void gpudl_kernel_release(gpudl_kernel *);        /* accepts NULL */
GPUDL_API const char *gpudl_kernel_name(gpudl_kernel *);    /* as in the image; lent */

typedef struct gpudl_param_info { size_t size_of_struct; size_t offset, size; } gpudl_param_info;
/* Number of parameters; and where the index-th lies in the parameter buffer, in bytes. */
GPUDL_API gpudl_status gpudl_kernel_param_count(gpudl_kernel *, size_t *count);
GPUDL_API gpudl_status gpudl_kernel_param(gpudl_kernel *, size_t index, gpudl_param_info *out);

typedef struct gpudl_launch_config {
    size_t size;                /* sizeof(gpudl_launch_config) */
    unsigned grid[3];           /* blocks */
    unsigned block[3];          /* threads */
    unsigned shared_bytes;      /* dynamic shared memory */
    unsigned nattributes;
    CUstream stream;            /* NULL: the default stream, legacy or per thread as the loader's option says */
    const struct CUlaunchAttribute_st *attributes;  /* passed on to cuLaunchKernelEx as they are */
} gpudl_launch_config;

static inline gpudl_launch_config gpudl_launch_3d(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz)
{
    gpudl_launch_config c = { sizeof(gpudl_launch_config), { gx, gy, gz }, { bx, by, bz }, 0, 0, NULL, NULL };
    return c;
}

static inline gpudl_launch_config gpudl_launch_1d(unsigned grid, unsigned block)
{
    return gpudl_launch_3d(grid, 1, 1, block, 1, 1);
}

/* As cuLaunchKernel: params[i] points to the i-th argument; nothing is checked. Asynchronous. Uses the thread's current context, else the stream's,
 * else the primary context of device 0. Takes no lock and no memory; safe against a concurrent replace. */
GPUDL_API gpudl_status gpudl_kernel_launch_params(gpudl_kernel *, const gpudl_launch_config *, void *const *params);

#ifdef __cplusplus
}
#endif
#endif
