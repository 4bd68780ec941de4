/* launch.h - a launch apart from the stream that it goes into: a stream runs it once, a graph each time it is launched. */
#ifndef SOFTCUDA_API_LAUNCH_H
#define SOFTCUDA_API_LAUNCH_H

#include "softcuda/api/objects.h"

struct sc_launch {                      /* what a caller asks for */
    struct CUfunc_st *f;
    uint32_t grid[3], block[3], dynamic;
    bool cooperative;
};

struct sc_kernel_work {                 /* ready to run, one run at a time */
    struct CUfunc_st *f;
    struct sc_grid grid;
    uint32_t workspace[16];             /* of the grid barrier of cooperative launches */
};

CUresult sc_launch_check(const struct sc_launch *);
/* One buffer with all parameters, or one pointer for each. to: param_bytes of the kernel. */
CUresult sc_launch_params(unsigned char *to, const struct ptx_func *, void **params, void **extra);
/* Finds or makes the machine code. params: lives as long as the work. */
CUresult sc_kernel_work_init(struct sc_kernel_work *, const struct sc_launch *, const unsigned char *params);
/* A fault poisons the kernel's context. */
void sc_kernel_work_run(struct sc_kernel_work *, struct sc_worker *);

#endif
