/* Several pieces of relocatable code as one. Part of <gpudl/gpudl.h>, which includes it. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_LINK_H
#define GPUDL_LINK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Relocatable code (nvcc -rdc=true) uses functions and variables of other code, and is linked with it before it runs. Inputs may
 * be LTO-IR, PTX, cubins, fatbins and host objects that hold any of these, archives of objects, of which what is needed is taken,
 * and CUDA C++, which is compiled first (compile.h): to LTO-IR where that can be linked, else to PTX. PTX and machine code may be
 * mixed; with LTO-IR (-dlto) all of it should be LTO-IR, which is then optimised as a whole.
 *
 * What nvJitLink made is kept on disk as compiled sources are (compile.h), unless GPUDL_COMPILE_NO_CACHE is among the options for those.
 *
 * Linkers are found at run time: nvJitLink (CUDA toolkit 12.0 or later: CUDA_HOME, CUDA_PATH, the library path, pip's wheels), else
 * the driver's own, which links PTX and machine code. softcuda's links PTX to PTX; LTO-IR for it goes through nvJitLink. The
 * environment's GPUDL_LINKER names another: "nvjitlink", "driver" or the path of a libnvJitLink. */

/**
 * Link, load, and make the kernels of all inputs callable.
 * @sources:  an array, in any order; memory is copied
 * @n:        how many; at least 1
 * @options:  NULL for the defaults; what says how PTX is compiled is said to the linker, too
 * @out:      as of gpudl_library_load()
 *
 * Names are the library's as those of one image; functions and variables without external linkage stay each input's own. Linked
 * code of the same content is shared between loads as any other.
 *
 * GPUDL_ERROR_LINK: the text has the linker's words and names what is missing or defined twice. GPUDL_ERROR_ARCHITECTURE: an input
 * is for another architecture than the device; both are named. GPUDL_ERROR_NO_LINKER: the text says where was looked.
 */
GPUDL_API gpudl_status gpudl_library_link(gpudl_loader *loader, const gpudl_source *sources, size_t n,
                                          const gpudl_load_options *options, gpudl_library **out);

/* The image that was linked, to be written to a file or loaded later. */
typedef struct gpudl_linked gpudl_linked;

typedef enum gpudl_link_format {
    GPUDL_LINK_FITTING = 0,     /* what the target loads: a cubin; PTX for softcuda */
    GPUDL_LINK_CUBIN = 1,
    GPUDL_LINK_PTX = 2,         /* of LTO-IR; and of PTX where the loader's driver is softcuda */
    GPUDL_LINK_FATBIN = 3       /* one image for each of several architectures; since 0.2 */
} gpudl_link_format;

typedef struct gpudl_link_options {
    size_t size;                /* sizeof(gpudl_link_options) */
    const char *arch;           /* "sm_90": no device is needed then; NULL: the loader's. Of a fatbin "sm_80,sm_90,compute_90": of each input what fits */
    unsigned format;            /* gpudl_link_format */
    unsigned reserved;          /* 0 */
    const char *linker;         /* "nvjitlink", "driver" or a path; NULL: as GPUDL_LINKER says, else what the inputs need */
    const gpudl_load_options *load; /* how PTX and CUDA C++ are compiled; target is not read. NULL: the defaults */
} gpudl_link_options;
#define GPUDL_LINK_OPTIONS_INIT { sizeof(gpudl_link_options), NULL, 0, 0, NULL, NULL }

/**
 * Link without loading.
 * @loader:   whose driver may be the linker; NULL: the default one, which is opened only where it is needed
 * @options:  NULL for the defaults
 * @out:      written on success only; release it with gpudl_linked_release()
 *
 * No trust policy is asked, not even the loader's: what comes back is bytes, which are asked when they are loaded.
 *
 * Fails as gpudl_library_link() does.
 */
GPUDL_API gpudl_status gpudl_linked_make(gpudl_loader *loader, const gpudl_source *sources, size_t n,
                                         const gpudl_link_options *options, gpudl_linked **out);
GPUDL_API void gpudl_linked_release(gpudl_linked *linked);      /* accepts NULL */
/* Lent: the image, PTX with a NUL behind it that is not counted; what the linker remarked ("": nothing); who it was. */
GPUDL_API const void *gpudl_linked_bytes(gpudl_linked *linked, size_t *size);
GPUDL_API const char *gpudl_linked_log(gpudl_linked *linked);
GPUDL_API const char *gpudl_linked_linker(gpudl_linked *linked);

typedef struct gpudl_linker_info {
    size_t size_of_struct;      /* sizeof(gpudl_linker_info) */
    const char *name;           /* "nvjitlink", "driver" */
    unsigned usable;            /* 1: it is there */
    int version;                /* 13000 is CUDA 13.0; 0: not known */
    char text[1024];            /* usable: its path, or the driver's name; else where was looked and what was found there */
} gpudl_linker_info;
/* The linkers there are, from index 0: nvJitLink, then the loader's driver. GPUDL_ERROR_ARGUMENT past the end. loader: NULL for the
 * default one. */
GPUDL_API gpudl_status gpudl_linker_describe(gpudl_loader *loader, size_t index, gpudl_linker_info *out);

#ifdef __cplusplus
}
#endif
#endif
