/* Types and constants of driver.h are cuda.h's, in C, whichever header comes first. */
#include "headers.inc"
#include <assert.h>
#include <stddef.h>

#include "abi.inc"
#include "src/driver/codes.h"

#define IS_NUMBER(name, number, ...) static_assert((int)name == number, #name);
DRIVER_CODES(IS_NUMBER)
#undef IS_NUMBER

static_assert(_Generic((CUdeviceptr)0, unsigned long long: 1, default: 0), "CUdeviceptr");
static_assert(_Generic(GPUDL_STREAM_PER_THREAD, CUstream: 1, default: 0), "CUstream");

int main(void)
{
    const gpudl_source *lent = GPUDL_FILE("k.cubin");
    return GPUDL_STREAM_LEGACY == CU_STREAM_LEGACY && GPUDL_STREAM_PER_THREAD == CU_STREAM_PER_THREAD && lent ? 0 : 1;
}
