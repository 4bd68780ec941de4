/* Kernels that the program has anyway, as a source: to fall back on, or to be replaced. Part of <gpudl/gpudl.h>, which includes it.
 *
 *     const gpudl_registered_kernel own[] = { { "saxpy", NULL, NULL, (const void *)saxpy } };     a __global__ function of nvcc's
 *     const gpudl_source sources[] = { gpudl_source_file("tuned.cubin"), gpudl_source_registered("built in", own, 1) };
 *
 * A plain C function is no kernel: it stays the program's own, for when no source loads. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_REGISTERED_H
#define GPUDL_REGISTERED_H

/* One of the three is not NULL. */
typedef struct gpudl_registered_kernel {
    const char *name;           /* it is found by; copied */
    CUkernel kernel;            /* a cudaKernel_t, too */
    CUfunction function;        /* a cudaFunction_t, too; of one context */
    /* What nvcc makes of a __global__ function on the host. Asked of the CUDA runtime that the program has loaded (cudaGetKernel), and
     * refused where it has none, or has it linked statically, hidden: then pass what cudaGetKernel() gives it. */
    const void *stub;
} gpudl_registered_kernel;

/* The code stays the program's: it must stay loaded while the library is there, is not unloaded, not made resident, and its
 * attributes are the program's to set; those of a CUfunction cannot be asked for either. Parameters are checked where the driver
 * tells them (CUDA 12.4 and newer, of a CUkernel). */
static inline gpudl_source gpudl_source_registered(const char *name, const gpudl_registered_kernel *kernels, size_t n)
{
    gpudl_source s = { sizeof(gpudl_source), GPUDL_SOURCE_REGISTERED, 0, name, kernels, n * sizeof(gpudl_registered_kernel), NULL, 0 };
    return s;
}

#endif
