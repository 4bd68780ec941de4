/* handover.h - what two plugins offer the test, each with a CUDA runtime of its own, linked statically. Handles go between them as void *:
 * a cudaKernel_t is a CUkernel. Runtime calls return the runtime's code. */
#ifndef HANDOVER_H
#define HANDOVER_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* a.cu: has a kernel that nvcc compiled, scale(float *x, int n, float factor): x[i] *= factor. */
int handover_a_kernel(void **out);                      /* cudaGetKernel */
int handover_a_load(const void *image, void **library); /* cudaLibraryLoadData; -1: the toolkit is older than 12.8 */

/* b.cu: knows gpudl. */
int handover_b_scale(void *kernel, unsigned long long x, int n, float factor);     /* adopted, and launched by gpudl: a gpudl_status */
/* By this plugin's own runtime: cudaLaunchKernel of a kernel that takes (float *x, int n). */
int handover_b_launch(void *kernel, unsigned long long x, int n);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
