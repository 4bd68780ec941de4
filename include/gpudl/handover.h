/* The driver's own handles, in and out: code that somebody else loaded is launched by gpudl, and what gpudl loaded by others. Part of
 * <gpudl/gpudl.h>, which includes it.
 *
 * A CUkernel and a CUlibrary mean the same to all who use one driver in one process: two plugins with a CUDA runtime each, linked
 * statically, give each other nothing but these. cudaKernel_t and cudaLibrary_t are the same handles.
 *
 *     cudaGetKernel(&theirs, (const void *)saxpy);        in the plugin whose nvcc compiled saxpy: its runtime alone knows it
 *     gpudl_kernel_adopt(NULL, theirs, NULL, &kernel);    in any other
 *     gpudl_launch(kernel, &config, n, 2.0f, x, y);
 *
 *     gpudl_kernel_native(kernel, &ours, &pin);           and back: any runtime launches it
 *     cudaLaunchKernel((const void *)ours, grid, block, params, 0, stream);
 *     gpudl_version_unpin(pin);
 *
 * Who keeps what alive:
 *   - Adopted code is its owner's. gpudl never unloads it and does not make it resident; whoever loaded it keeps it loaded until all that was
 *     made of it here is released, what was launched has ended, and graphs that captured it are destroyed. Code that nvcc compiled into a shared
 *     library is loaded until that library is closed (dlclose).
 *   - With GPUDL_ADOPT_OWNED a library is gpudl's from the success of the call on: it is unloaded as one that gpudl loaded (<gpudl/life.h>), when
 *     nothing holds it any more.
 *   - A handle that gpudl gave is good while its pin is held: until what was launched with it was given to the driver, and graphs that
 *     captured it are destroyed. gpudl sees neither. A replace leaves it what it was.
 *
 * A handle must be of the driver that the loader has open. Trust policies do not ask about adopted code: it runs already. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_HANDOVER_H
#define GPUDL_HANDOVER_H

#ifdef __cplusplus
extern "C" {
#endif

#define GPUDL_ADOPT_OWNED 1u    /* libraries only: unload it when nothing holds it any more */

typedef struct gpudl_adopt_options {
    size_t size;                /* sizeof(gpudl_adopt_options) */
    uint64_t flags;             /* GPUDL_ADOPT_... */
    /* What messages call a library; NULL: "adopted library". What a kernel is called; NULL: as the driver says (CUDA 12.3), else "adopted". */
    const char *name;
    /* Libraries only: the kernels that are wanted, by their names in the image. NULL with nkernels 0: all, which drivers tell since CUDA 12.4. */
    const char *const *kernels;
    size_t nkernels;
} gpudl_adopt_options;
#define GPUDL_ADOPT_OPTIONS_INIT { sizeof(gpudl_adopt_options), 0, NULL, NULL, 0 }

/**
 * Make a library of one that somebody else loaded.
 * @native:   a CUlibrary or cudaLibrary_t
 * @options:  NULL for the defaults
 * @out:      written on success only; release it with gpudl_library_release()
 *
 * It is a library like others: kernels by name, pins, replaces. Globals are asked of the driver by their names in the image, and are
 * not copied by gpudl_version_copy_globals(), since a driver does not list them. Checked launches know what the driver tells of
 * parameters, their number and sizes (CUDA 12.4), and limits of the device; not the kernel's own. GPUDL_ERROR_ARGUMENT:
 * GPUDL_ADOPT_OWNED, and the library is one that this loader has already. On failure the library is the caller's as before.
 */
GPUDL_API gpudl_status gpudl_library_adopt(gpudl_loader *loader, CUlibrary native, const gpudl_adopt_options *options,
                                           gpudl_library **out);

/**
 * Make a kernel of one that somebody else loaded.
 * @native:   a CUkernel or cudaKernel_t
 * @options:  NULL for the defaults; only name is used
 * @out:      written on success only; release it with gpudl_kernel_release(), which gives back the handle and nothing else
 *
 * It is checked as those of an adopted library. It stays what it is: to replace it later, load a gpudl_source_registered().
 */
GPUDL_API gpudl_status gpudl_kernel_adopt(gpudl_loader *loader, CUkernel native, const gpudl_adopt_options *options,
                                          gpudl_kernel **out);

/**
 * The driver's handle of a kernel, and a hold on the version that it is of: the kernel's current one.
 * @native:  lent, until the version is unpinned
 * @pin:     written on success only; gpudl_version_unpin()
 *
 * GPUDL_ERROR_UNSUPPORTED: the kernel was registered as a CUfunction. A library's is asked of its pin: gpudl_version_native().
 */
GPUDL_API gpudl_status gpudl_kernel_native(gpudl_kernel *kernel, CUkernel *native, gpudl_version **pin);

#ifdef __cplusplus
}
#endif
#endif
