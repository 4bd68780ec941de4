/* gpudl - dlopen for GPU kernels.
 *
 * Load CUDA code that did not exist when the program was built, get kernels and globals out of it by name, launch them: on an
 * NVIDIA GPU through the CUDA driver and, where there is none, on softcuda, the software CUDA device that comes with gpudl.
 *
 *     gpudl_launch_config config = gpudl_launch_1d((n + 255) / 256, 256);
 *     gpudl_library *lib;
 *     gpudl_kernel *saxpy;
 *
 *     if (gpudl_library_load(NULL, GPUDL_FILE("saxpy.fatbin"), NULL, &lib) != GPUDL_OK ||
 *         gpudl_kernel_get(lib, "saxpy", &saxpy) != GPUDL_OK ||
 *         gpudl_launch(saxpy, &config, n, a, x, y) != GPUDL_OK)
 *         return complain(gpudl_error_text());
 *
 * Objects. A loader is a connection to a driver; NULL stands for the process's default one. A library is what a source was
 * loaded to; it is the caller's own handle onto a version, the code itself, which libraries of the same content share. A
 * kernel is the caller's own handle to one entry of a library, and keeps it alive. A pin holds a version for native handles
 * and pointers to globals. An image is what is in a source, looked into without a driver.
 *
 * Conventions.
 *   - Object first, verb last. What arrives through an out-parameter is written on success only and is the caller's to release;
 *     what is returned is lent by the object that it was asked of. Release accepts NULL. An object must not be released while
 *     another thread is inside a call with that same handle.
 *   - A library, kernel, pin or task that was released is told: calls with it fail with GPUDL_ERROR_RELEASED, those that return
 *     no status do nothing and leave the text, and a second release is logged as an error. What was given as a handle and is one of
 *     another kind is GPUDL_ERROR_ARGUMENT. That holds for the last 1024 of a kind and a loader that were released (of tasks the
 *     last 100), as their memory is used again, and until the loader is closed. It costs launches nothing.
 *   - Every call may be made from any thread at any time unless it says otherwise. Nothing of an argument is kept after the call
 *     but where it says so.
 *   - Option structs begin with their size: start them with the GPUDL_..._INIT macro or an inline function. NULL means the
 *     defaults. A struct from a newer header is accepted as long as the members that this gpudl does not know are zero, else the
 *     call fails with GPUDL_ERROR_TOO_NEW.
 *   - A failed call returns a status that a program can act on, and leaves, per thread, a text that a person can act on
 *     (gpudl_error_text). Nothing is left behind by it. Nothing is printed but through the log callback, whose default writes
 *     warnings to stderr.
 *   - No call is safe in a signal handler.
 *   - fork(2): CUDA drivers do not survive it. In a child of a process that has opened a loader, releases do nothing and all else
 *     fails with GPUDL_ERROR_FORKED; exec first.
 *   - At process exit nothing is unloaded, and gpudl's threads are parked: what they have begun in the driver is waited for (5 s at
 *     most), tasks and waits end with GPUDL_ERROR_CANCELLED, callbacks are not called any more. Other calls work on in exit
 *     handlers as far as the driver does; gpudl_loader_close() does nothing.
 *   - A plugin with its own copy of gpudl can be closed with dlclose() when its loaders are. Its code stays in the process while a
 *     loader is open that has threads (since its first asynchronous load or watch), or whose code a graph was given: for good
 *     where that is the default loader, which nothing closes. What a plugin that goes with a loader open shares with others is handed
 *     on to them.
 *
 * Environment (ignored in set-user-id programs and under a locked trust policy): GPUDL_DRIVER, see gpudl_loader_options;
 * GPUDL_DRIVER_API=11040 leaves unused what CUDA drivers have had since 11.4 only, as if this one were as old, for tests;
 * GPUDL_COMPILER, GPUDL_CACHE_DIR and where compilers are looked for, see gpudl/compile.h; GPUDL_QUIET=1 silences warnings;
 * GPUDL_SHARE=0, see gpudl_loader_options; GPUDL_TRIAL, see gpudl/trial.h; GPUDL_TRACE=FILE writes a timeline, see
 * docs/TRACING.md; GPUDL_LEAKS=1 names, on stderr at process exit, every handle that was not released, of which source it is, and
 * where it was made.
 *
 * The header compiles before and after <cuda.h> and <cuda_runtime.h>, as C11 and as C++17. Everything is since 0.1. */
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

#include <gpudl/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------- loader */

typedef struct gpudl_loader gpudl_loader;
typedef struct gpudl_library gpudl_library;
typedef struct gpudl_kernel gpudl_kernel;
typedef struct gpudl_version gpudl_version;

typedef enum gpudl_log_level { GPUDL_LOG_ERROR, GPUDL_LOG_WARNING, GPUDL_LOG_INFO, GPUDL_LOG_DEBUG } gpudl_log_level;
typedef void gpudl_log_function(void *user, gpudl_log_level, const char *text);

typedef struct gpudl_loader_options {
    size_t size;                /* sizeof(gpudl_loader_options) */
    /* "auto" (or NULL), "nvidia", "softcuda", or the path of a driver library. With auto the environment's GPUDL_DRIVER
     * decides, in the same words; if that is unset or auto as well: NVIDIA's driver if it has a device, else softcuda, with
     * one warning per process. */
    const char *driver;
    /* Called from any thread that makes a gpudl call, under no lock; text is lent. NULL: errors and warnings go to stderr. */
    gpudl_log_function *log;
    void *log_user;
    /* All of gpudl's heap but a small record per thread, which is the process's, and what loaders share, which is mapped. Both or
     * neither; NULL: malloc and free. allocate returns memory aligned as malloc's, or NULL. They must not call gpudl, and stay
     * callable until the loader is closed. */
    void *(*allocate)(void *user, size_t bytes);
    void  (*release)(void *user, void *block);
    void *allocator_user;
    /* What a NULL stream means in a launch. 0: the legacy default stream. 1: the per-thread default stream, as in code
     * compiled with --default-stream per-thread. */
    unsigned per_thread_stream;
    /* Whether streams are captured into graphs while gpudl is used. 0, they may be: each launch on a stream that can be captured
     * asks whether it is (18 ns on an H200), the graph holds the code, and gpudl asks the driver for nothing that could end a
     * capture. 1, GPUDL_CAPTURES_NONE, they never are, which the program promises: launches do not ask, and retired code is
     * unloaded as soon as a call of gpudl finds the device idle. */
    unsigned captures;
    /* Bounds for code that nobody holds, see <gpudl/life.h>: warm, to be found by later loads, and retired, to be unloaded at a good
     * moment. In bytes of code and in versions. 0: 64 MiB, 64 versions; GPUDL_NONE_AT_ALL: nothing is kept. */
    uint64_t warm_bytes, retired_bytes;
    unsigned warm_count, retired_count;
    unsigned workers;           /* threads for asynchronous loads, at most 16; 0: 2 */
    /* 0: what is loaded is shared with the other loaders of this process, those of plugins that bring a gpudl of their own as well: the
     * same content, options and driver are one copy in the driver and in host memory. GPUDL_SHARE_NOTHING: this loader has all of
     * its own. GPUDL_SHARE=0 in the environment says so for all. */
    unsigned share;
    /* Which code may be loaded (gpudl/trust.h); NULL: any. */
    const struct gpudl_trust_options *trust;
    /* A file that is written with what the loader and its devices do, as a timeline (docs/TRACING.md); NULL: GPUDL_TRACE of the environment
     * says which, if any. A process has one such file, the first loader's. It is complete after gpudl_loader_close() and at exit; one
     * that cannot be written is one warning. */
    const char *trace;
} gpudl_loader_options;
#define GPUDL_CAPTURES_NONE 1u
#define GPUDL_SHARE_NOTHING 1u
#define GPUDL_NONE_AT_ALL   0xffffffffu /* for warm_count, retired_count */
#define GPUDL_LOADER_OPTIONS_INIT { sizeof(gpudl_loader_options), NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL }

/**
 * Open a driver and initialise it (cuInit). Makes no context, and touches no device memory.
 * @options:  NULL for the defaults
 * @out:      written on success only; close it with gpudl_loader_close()
 *
 * Programs that need no options need no loader either: NULL stands for the default loader in every call that takes one. That
 * one is opened on first use with default options and never closed; when opening fails the next use tries again. Fails with
 * GPUDL_ERROR_NO_DRIVER (the text says where was looked and what the dynamic linker said), _NO_DEVICE, _DRIVER_TOO_OLD
 * (gpudl needs CUDA 11.3, driver 465.19) or _DRIVER.
 */
GPUDL_API gpudl_status gpudl_loader_open(const gpudl_loader_options *options, gpudl_loader **out);

/**
 * Close a loader and give back the contexts that it holds. The caller has released everything that came from it, and no
 * launch through it is under way; else it stays open, and errors are logged: how many handles are out, then each by its kind, source
 * and name, with the place in the program that made it (the first 16; all with GPUDL_LEAKS=1). Waits for tasks and told() of
 * watches that are still at work; and, a second at most, for launches through other loaders, and for the driver to let go of the code
 * of graphs that were destroyed. While a graph holds code its loader stays open. The driver library stays loaded in the process.
 * Accepts NULL, which does not close the default loader.
 */
GPUDL_API void gpudl_loader_close(gpudl_loader *loader);

/**
 * The driver's functions, for programs that have no <cuda.h>: table->MemAlloc(&ptr, bytes).
 * Lent by the loader. NULL when the default loader cannot be opened; gpudl_error_text() says why.
 */
GPUDL_API const gpudl_driver_table *gpudl_loader_driver(gpudl_loader *loader);

/* Device, version and library of the driver in words: "NVIDIA H200, CUDA 13.0 driver (/usr/lib/.../libcuda.so.1)". Lent;
 * never NULL. */
GPUDL_API const char *gpudl_loader_driver_text(gpudl_loader *loader);

/* What gpudl does in the place of a driver that is too old for it, and by what: "cuLibrary* and cuKernel* (CUDA 12.0), by a module in
 * each context"; "" where the driver has all that gpudl needs. docs/DRIVERS.md says what differs then. Lent; never NULL. */
GPUDL_API const char *gpudl_loader_emulated(gpudl_loader *loader);

/* 1: the driver is softcuda, and no GPU is used. */
GPUDL_API int gpudl_loader_is_software(gpudl_loader *loader);

/**
 * Make the primary context of a device current to the calling thread, creating it if need be; it is the one that the CUDA
 * runtime uses as well. For programs that do not set a context otherwise; launches do without (see
 * gpudl_kernel_launch_params), memory calls of the driver table do not.
 * @device:  counts from 0
 *
 * The loader holds the context until it is closed.
 */
GPUDL_API gpudl_status gpudl_loader_use_device(gpudl_loader *loader, int device);

/* ------------------------------------------------------------------------------------------------------------------- source */

typedef enum gpudl_source_kind {
    GPUDL_SOURCE_FILE = 1, GPUDL_SOURCE_MEMORY = 2, GPUDL_SOURCE_TEXT = 3, GPUDL_SOURCE_REGISTERED = 4
} gpudl_source_kind;

/* What to load: a fatbin, a cubin or PTX, in a file or in memory; CUDA C++ as text. A plain value: copy it, put it in
 * arrays. The call that takes it reads it once and copies what it needs, so nothing of it need outlive that call. CUDA C++
 * is told by GPUDL_TEXT, by a file name that ends in .cu, or by a first line that begins with GPUDL_SOURCE_MARK, and compiled (gpudl/compile.h);
 * everything else is told by its bytes, whatever its name. */
#define GPUDL_SOURCE_MARK "//gpudl: CUDA C++"   /* `gpudl compile --format source` begins with it */
typedef struct gpudl_source {
    size_t size;                /* sizeof(gpudl_source) */
    gpudl_source_kind kind;
    unsigned reserved;          /* 0 */
    const char *name;           /* FILE: the path. TEXT: what to call it in messages. MEMORY: NULL or a name for messages */
    const void *bytes;          /* MEMORY, TEXT */
    size_t nbytes;              /* MEMORY, TEXT */
    /* The text of a minisign signature file over these bytes, where a policy asks for one (gpudl/trust.h). NULL: the one of the load's
     * options; where that has none, NAME.minisig beside a file NAME. */
    const void *signature;
    size_t signature_size;
} gpudl_source;

static inline gpudl_source gpudl_source_file(const char *path)
{
    gpudl_source s = { sizeof(gpudl_source), GPUDL_SOURCE_FILE, 0, path, NULL, 0, NULL, 0 };
    return s;
}

static inline gpudl_source gpudl_source_memory(const void *bytes, size_t nbytes)
{
    gpudl_source s = { sizeof(gpudl_source), GPUDL_SOURCE_MEMORY, 0, NULL, bytes, nbytes, NULL, 0 };
    return s;
}

static inline gpudl_source gpudl_source_text(const char *name, const char *cuda_cpp)
{
    gpudl_source s = { sizeof(gpudl_source), GPUDL_SOURCE_TEXT, 0, name, cuda_cpp, 0, NULL, 0 };
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

#ifdef __cplusplus
}
#endif
#include <gpudl/image.h>
#include <gpudl/trust.h>
#include <gpudl/compile.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------ library */

/* Host functions and data for device code that calls back through a table: the same bytes as CUDA's
 * CUlibraryHostUniversalFunctionAndDataTable. What it points to must stay until the code is unloaded. */
typedef struct gpudl_host_table {
    void *functions;
    size_t function_bytes;
    void *data;
    size_t data_bytes;
} gpudl_host_table;

/* flags */
#define GPUDL_LOAD_LINE_INFO 1u     /* PTX is compiled with source lines for profilers */
#define GPUDL_LOAD_DEBUG     2u     /* PTX is compiled for a debugger, not optimised */
/* The driver reads gpudl's own copy of the code instead of making another; gpudl keeps it until the code is unloaded. Saves
 * memory, not time. */
#define GPUDL_LOAD_PRESERVED 4u
/* Code with globals is shared as other code is, with loads that ask for the same: they write to the same variables. Without it each
 * load of such code has its own. */
#define GPUDL_LOAD_SHARED_GLOBALS 8u

#define GPUDL_OPTIMIZATION(level) (1u + (level))
#define GPUDL_FMA_ON   1u
#define GPUDL_FMA_OFF  2u
#define GPUDL_CACHE_MODE_CG 1u      /* global loads go to the L2 cache only */
#define GPUDL_CACHE_MODE_CA 2u      /* and to L1 */

/* Everything in here is part of what makes two loads the same. What says how PTX is compiled means nothing to machine code, and
 * nothing to softcuda. */
typedef struct gpudl_load_options {
    size_t size;                /* sizeof(gpudl_load_options) */
    uint64_t max_image_bytes;   /* the most that one entry of an image may decompress to; 0: 1 GiB */
    uint64_t flags;             /* GPUDL_LOAD_... */
    /* How the driver compiles PTX; 0 is its own choice. */
    unsigned optimization;      /* GPUDL_OPTIMIZATION(0) to (4), which is the driver's choice */
    unsigned max_registers;     /* of a thread; the driver raises what is too low, and says so in the log */
    unsigned fma;               /* GPUDL_FMA_...; drivers heed it where they link LTO-IR, for PTX they take it and do nothing */
    unsigned cache_mode;        /* GPUDL_CACHE_MODE_... */
    const char *target;         /* what to compile for: "sm_90a"; NULL: the device. Refused where the device would not run it */
    const gpudl_host_table *host_table; /* NULL: none. Copied; the driver gets it as CUDA's library option of that name */
    /* The signature, and what is asked for beside the loader's policy (gpudl/trust.h); NULL: nothing. No part of what makes two
     * loads the same: each load is checked by itself. */
    const struct gpudl_trust_options *trust;
    const gpudl_compile_options *compile;   /* of CUDA C++ (gpudl/compile.h); NULL: the defaults. Copied */
} gpudl_load_options;
#define GPUDL_LOAD_OPTIONS_INIT { sizeof(gpudl_load_options), 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL }

/**
 * Load code and make its kernels callable.
 * @loader:   NULL for the default one
 * @source:   read once; files must be regular ones
 * @options:  NULL for the defaults
 * @out:      written on success only; release it with gpudl_library_release()
 *
 * The source is read, checked, and the entry for the loader's device is chosen as a driver would: machine code before PTX,
 * the nearest architecture. That goes to the driver, which compiles PTX now; it becomes resident on a device with the first
 * launch. Two loads of the same content and options share one copy in the driver (a version), through whatever loaders of the
 * process, unless the code has globals, which every load gets its own of, or a host table or GPUDL_LOAD_PRESERVED, which are of one
 * loader.
 *
 * Each way in which a source may not fit has a status of its own, from GPUDL_ERROR_FILE_MISSING to GPUDL_ERROR_NO_KERNELS;
 * the text names the file, says what was found and what to do. PTX that the driver refuses is GPUDL_ERROR_PTX with the
 * driver's words and line. What a trust policy does not let in has a status from GPUDL_ERROR_NOT_TRUSTED on, and is not looked
 * into any further.
 */
GPUDL_API gpudl_status gpudl_library_load(gpudl_loader *loader, const gpudl_source *source, const gpudl_load_options *options,
                                          gpudl_library **out);

/**
 * Load the first of several sources that can be: a file beside the program, then one that was installed, then an image within.
 * @sources:  an array, in the order to be tried
 * @n:        how many; at least 1
 * @options:  NULL for the defaults; the same for all. Signatures are each source's own (gpudl_source.signature, FILE.minisig)
 * @which:    written on success only: the index of the one that was taken
 * @out:      as of gpudl_library_load()
 *
 * When all fail the status is the first one's, and the text has each one's reason. When one was taken, and not the first,
 * gpudl_error_text() says why not those before it.
 */
GPUDL_API gpudl_status gpudl_library_load_first(gpudl_loader *loader, const gpudl_source *sources, size_t n,
                                                const gpudl_load_options *options, size_t *which, gpudl_library **out);

/* Kernels taken from it stay usable until they are released too. Then the code, if no other library has it, is kept warm or retired
 * (<gpudl/life.h>). Waits for nothing but, where its file is watched, the end of a replace that is under way. Accepts NULL. */
GPUDL_API void gpudl_library_release(gpudl_library *library);

/* Names of its kernels as in the image, in the image's order; lent until the library is replaced, or it and its kernels are
 * released; NULL past the end. Where another thread or a watch may replace it they may go at any time: pin it, and ask the pin
 * (gpudl_version_kernel_name). gpudl_kernel_name() stays. */
GPUDL_API size_t gpudl_library_kernel_count(gpudl_library *library);
GPUDL_API const char *gpudl_library_kernel_name(gpudl_library *library, size_t index);

/* What the driver remarked when it took the code, such as warnings of its PTX compiler; "" where it said nothing. Lent as the
 * names are. What it said of code that it refused is in the failure's text. */
GPUDL_API const char *gpudl_library_log(gpudl_library *library);

/**
 * Hold the library's current version: an immutable loaded image. It stays loaded, whatever becomes of the library, until
 * gpudl_version_unpin(), which accepts NULL. Launches that name it in their config take its code: so a sequence of launches is
 * of one version, while the library is replaced. Each pin is a handle of its own; gpudl_version_number() tells of which version.
 */
GPUDL_API gpudl_status gpudl_library_pin(gpudl_library *library, gpudl_version **out);
GPUDL_API void gpudl_version_unpin(gpudl_version *version);

/* As gpudl_library_kernel_count(), _kernel_name() and _log(), of the version that is held; lent until it is unpinned. */
GPUDL_API size_t gpudl_version_kernel_count(gpudl_version *version);
GPUDL_API const char *gpudl_version_kernel_name(gpudl_version *version, size_t index);
GPUDL_API const char *gpudl_version_log(gpudl_version *version);

/**
 * Where a global variable (__device__, __constant__, __managed__) is.
 * @name:     as in the image, or as the source writes it: "table", "ns::table"
 * @device:   counts from 0; each device has its own copy, but of a __managed__ variable
 * @address:  valid while the version is pinned; for a __managed__ variable the host may use it too
 *            (before CUDA 12.0 each context has its own)
 * @size:     in bytes; may be NULL
 *
 * Makes the code resident on that device, which waits for the kernels that run there.
 */
GPUDL_API gpudl_status gpudl_version_global(gpudl_version *version, const char *name, int device, CUdeviceptr *address,
                                            size_t *size);

/* The driver's own handle; lent, valid while the version is pinned. Do not unload it. Before CUDA 12.0 it is gpudl's: for members of
 * gpudl_loader_driver(), not for the driver's functions. */
GPUDL_API gpudl_status gpudl_version_native(gpudl_version *version, CUlibrary *out);

/* ------------------------------------------------------------------------------------------------------------------- kernel */

/**
 * Get a kernel by name.
 * @name:  as in the image ("_Z5saxpyifPKfPf"); as the source writes it ("saxpy", "ns::scale<float, 4>", with parameters where it
 *         is overloaded: "saxpy(int, const float *)"); or NULL where the library holds one kernel. White space does not matter
 * @out:   written on success only; release it with gpudl_kernel_release()
 *
 * Names as the source writes them need a C++ runtime library on the machine (libstdc++.so.6, found at run time).
 * Fails with GPUDL_ERROR_NO_SUCH_KERNEL (the text has the nearest names) or GPUDL_ERROR_AMBIGUOUS_NAME (it lists them).
 */
GPUDL_API gpudl_status gpudl_kernel_get(gpudl_library *library, const char *name, gpudl_kernel **out);

/* Waits for nothing: launches that are on their way keep the code. Accepts NULL. */
GPUDL_API void gpudl_kernel_release(gpudl_kernel *kernel);

/* As in the image; lent by the kernel until it is released, whatever becomes of its library. */
GPUDL_API const char *gpudl_kernel_name(gpudl_kernel *kernel);

/* How many parameters a kernel takes, and where the index-th lies in the parameter buffer. GPUDL_ERROR_UNSUPPORTED where the
 * image does not say. */
GPUDL_API gpudl_status gpudl_kernel_param_count(gpudl_kernel *kernel, size_t *count);
GPUDL_API gpudl_status gpudl_kernel_param(gpudl_kernel *kernel, size_t index, gpudl_param_info *out);

typedef struct gpudl_launch_config {
    size_t size;                /* sizeof(gpudl_launch_config) */
    unsigned grid[3];           /* blocks */
    unsigned block[3];          /* threads */
    unsigned shared_bytes;      /* dynamic shared memory */
    unsigned nattributes;
    CUstream stream;            /* NULL: the default stream, legacy or per thread as the loader's option says */
    const struct CUlaunchAttribute_st *attributes;  /* CUlaunchAttributes, passed on to cuLaunchKernelEx as they are; made without
                                                       cuda.h by gpudl_launch_with() and its kin */
    /* A version that the caller pinned of the kernel's library: the launch takes its code. NULL: what the library is now. */
    gpudl_version *version;
} gpudl_launch_config;

static inline gpudl_launch_config gpudl_launch_3d(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz)
{
    gpudl_launch_config c = { sizeof(gpudl_launch_config), { gx, gy, gz }, { bx, by, bz }, 0, 0, NULL, NULL, NULL };
    return c;
}

static inline gpudl_launch_config gpudl_launch_1d(unsigned grid, unsigned block)
{
    return gpudl_launch_3d(grid, 1, 1, block, 1, 1);
}

/**
 * Launch a kernel, as cuLaunchKernel does: asynchronously, in the order of the stream.
 * @params:  params[i] points to the i-th argument; NULL where there are none. Nothing is checked
 *
 * Runs in the stream's context, and so on its device, whatever context is current; in a NULL or per-thread stream in the current one;
 * where there is none, in the primary one of device 0, which is lent to the thread for the time of the call. Takes no lock and no memory (but for a record on a thread's first launch), and
 * makes one driver call. GPUDL_ERROR_LAUNCH means that the driver refused it, with its code in gpudl_error_cuda(): it may be
 * of this launch, or the sticky error of an earlier kernel.
 */
GPUDL_API gpudl_status gpudl_kernel_launch_params(gpudl_kernel *kernel, const gpudl_launch_config *config, void *const *params);

/* An argument with what it is. Made by gpudl_launch(), or by GPUDL_ARG(x) for an array of one's own. */
typedef enum gpudl_arg_type {
    GPUDL_ARG_BYTES = 0,        /* a struct by value, or what else has no type here: its size alone is checked */
    GPUDL_ARG_BOOL = 1,
    GPUDL_ARG_CHAR = 2, GPUDL_ARG_SCHAR = 3, GPUDL_ARG_UCHAR = 4,
    GPUDL_ARG_SHORT = 5, GPUDL_ARG_USHORT = 6,
    GPUDL_ARG_INT = 7, GPUDL_ARG_UINT = 8,
    GPUDL_ARG_LONG = 9, GPUDL_ARG_ULONG = 10,
    GPUDL_ARG_LLONG = 11, GPUDL_ARG_ULLONG = 12,
    GPUDL_ARG_FLOAT = 13, GPUDL_ARG_DOUBLE = 14,
    GPUDL_ARG_POINTER = 15
} gpudl_arg_type;

typedef struct gpudl_arg {
    unsigned type;              /* gpudl_arg_type */
    unsigned size;              /* bytes */
    union {
        const void *pointer;    /* POINTER: the argument; BYTES: where it is */
        uint64_t integer;       /* the lowest bytes of it are the argument */
        float real;
        double wide;
    } value;
} gpudl_arg;

/**
 * Launch a kernel with its arguments checked against what the image says of its parameters: how many they are, the size of each,
 * and its kind (floating point, integer, pointer) where PTX or a C++ name tells it.
 * @args:  in the kernel's order; NULL where there are none. What BYTES point to is copied by the call
 *
 * An integer of 8 bytes is accepted for a pointer, as CUdeviceptr is one; signed for unsigned; a struct for anything of its
 * size. GPUDL_ERROR_LAUNCH_ARGUMENTS names the argument, what it is, what it should be, and the kernel's signature.
 * GPUDL_ERROR_LAUNCH_LIMIT names the limit that a block, a grid, shared memory, a cluster or a cooperative grid exceeds.
 * GPUDL_ERROR_UNSUPPORTED: the image does not tell the parameters, or the device has no clusters or cooperative launches. The
 * rest is as in gpudl_kernel_launch_params(), but for the first checked launch of a kernel, which reads what the image says, and
 * the first one on a device with more dynamic shared memory than a kernel has without asking (48 KB with what it declares),
 * which asks the driver for all that the device has, for this kernel and all who share it. What a launch with attributes may
 * ask the driver for is in <gpudl/attributes.h>.
 */
GPUDL_API gpudl_status gpudl_kernel_launch(gpudl_kernel *kernel, const gpudl_launch_config *config, const gpudl_arg *args,
                                           size_t n);

/**
 * The same with all arguments in one block, each at its own offset, as in a struct that has them as its members.
 * @size:  the block's: where the last parameter ends, or up to 15 bytes more, up to a multiple of 16: the padding at the end of
 *         such a struct, which is not passed on
 *
 * Types are not known here, so the size alone is checked, and the limits.
 */
GPUDL_API gpudl_status gpudl_kernel_launch_packed(gpudl_kernel *kernel, const gpudl_launch_config *config, const void *bytes,
                                                  size_t size);

/**
 * Hold what a program takes a kernel's parameters to be against what the image says of them, without a launch: once, when it gets the
 * kernel (gpudl::kernel of <gpudl/gpudl.hpp> does).
 * @args:   in the kernel's order; their types and sizes count, not their values. NULL where there are none
 * @types:  how C++ spells each of them, "float const*" or "const float *"; an enumeration as its integer. NULL, or a NULL in it: not told
 *
 * Refuses what gpudl_kernel_launch() would, in the same words. Where types are told, and the kernel's name has them too, so are: a pointer to
 * another type (void, and the sign of integers, do not matter; names of classes are not compared); a pointer to const for one that the
 * kernel may write through; a floating-point number or a pointer for a class.
 */
GPUDL_API gpudl_status gpudl_kernel_check(gpudl_kernel *kernel, const gpudl_arg *args, const char *const *types, size_t n);

#ifdef __cplusplus
}
#endif
#include <gpudl/arguments.h>
#include <gpudl/embed.h>
#include <gpudl/registered.h>
#include <gpudl/handover.h>
#include <gpudl/attributes.h>
#include <gpudl/trial.h>
#include <gpudl/life.h>
#include <gpudl/async.h>
#include <gpudl/watch.h>
#include <gpudl/link.h>
#include <gpudl/features.h>
#endif
