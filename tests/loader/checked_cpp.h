/* checked_cpp.h - gpudl_launch as C++ has it, for checked.c. */
#ifndef TESTS_LOADER_CHECKED_CPP_H
#define TESTS_LOADER_CHECKED_CPP_H

#include <gpudl/gpudl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* mixed(float const*, int, float, double, long, unsigned int, bool), with the values that checked.c expects. */
gpudl_status cpp_mixed(gpudl_kernel *k);
gpudl_status cpp_pointers(gpudl_kernel *mixed);         /* arrays, nullptr, volatile, a CUdeviceptr: all are pointers */
gpudl_status cpp_double_for_float(gpudl_kernel *mixed);
gpudl_status cpp_none(gpudl_kernel *none);
gpudl_status cpp_boxed(gpudl_kernel *boxed);            /* (int, struct of 16 bytes) = 5, { 2.5, 7 } */
gpudl_status cpp_wider(gpudl_kernel *wider);            /* 40 ints, 0 to 39 */

#ifdef __cplusplus
}
#endif
#endif
