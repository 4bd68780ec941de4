/* Between image/ and the rest: what image/ says, as the statuses that programs know; devices, as image/ knows them. */
#include "src/loader/image/image_api.h"

struct image_target gpudl__target_of(unsigned sm, int cuda_version, bool software)
{
    return (struct image_target){
        .sm = sm,
        .ptx_version = software || !cuda_version ? 0 : gpudl__image_ptx_version(cuda_version),
        .machine_code = !software,
        .any_ptx = software,
        .cuda_version = software ? 0 : cuda_version,
    };
}

gpudl_status gpudl__image_status(enum image_error error)
{
    switch (error) {
    case IMAGE_OK: return GPUDL_OK;
    case IMAGE_EMPTY: return GPUDL_ERROR_IMAGE_EMPTY;
    case IMAGE_TRUNCATED: return GPUDL_ERROR_IMAGE_TRUNCATED;
    case IMAGE_DAMAGED: return GPUDL_ERROR_IMAGE_DAMAGED;
    case IMAGE_NOT_AN_IMAGE: return GPUDL_ERROR_NOT_AN_IMAGE;
    case IMAGE_NOT_SUPPORTED: return GPUDL_ERROR_UNSUPPORTED;
    case IMAGE_LIMIT: return GPUDL_ERROR_IMAGE_TOO_LARGE;
    case IMAGE_NO_MEMORY: return GPUDL_ERROR_NO_MEMORY;
    }
    return GPUDL_ERROR_IMAGE_DAMAGED;
}

const char *gpudl__image_advice(enum image_error error)
{
    switch (error) {
    case IMAGE_TRUNCATED:
        return "; was it copied, or passed, as a whole?";
    case IMAGE_DAMAGED:
        return "; build it, or fetch it, again";
    default:
        return "";
    }
}

gpudl_status gpudl__misfit_status(enum image_misfit why)
{
    switch (why) {
    case MISFIT_ARCH: return GPUDL_ERROR_ARCHITECTURE;
    case MISFIT_MACHINE_CODE_ONLY: return GPUDL_ERROR_MACHINE_CODE_ONLY;
    case MISFIT_PTX_TOO_NEW: return GPUDL_ERROR_PTX_TOO_NEW;
    case MISFIT_NOT_LINKED: return GPUDL_ERROR_NOT_LINKED;
    case MISFIT_EMPTY: return GPUDL_ERROR_NO_KERNELS;
    case MISFIT_DAMAGED: return GPUDL_ERROR_IMAGE_DAMAGED;
    case MISFIT_NO_MEMORY: return GPUDL_ERROR_NO_MEMORY;
    }
    return GPUDL_ERROR_ARCHITECTURE;
}

gpudl_status gpudl__verdict_status(enum image_verdict verdict)
{
    switch (verdict) {
    case IMAGE_VERDICT_FITS: return GPUDL_OK;
    case IMAGE_VERDICT_PTX_TOO_NEW: return GPUDL_ERROR_PTX_TOO_NEW;
    case IMAGE_VERDICT_RELOCATABLE:
    case IMAGE_VERDICT_LTO_IR: return GPUDL_ERROR_NOT_LINKED;
    case IMAGE_VERDICT_NO_KERNELS: return GPUDL_ERROR_NO_KERNELS;
    case IMAGE_VERDICT_MACHINE_CODE: return GPUDL_ERROR_MACHINE_CODE_ONLY;
    case IMAGE_VERDICT_CORRUPT: return GPUDL_ERROR_IMAGE_DAMAGED;
    case IMAGE_VERDICT_TOO_LARGE: return GPUDL_ERROR_IMAGE_TOO_LARGE;
    case IMAGE_VERDICT_NO_MEMORY: return GPUDL_ERROR_NO_MEMORY;
    case IMAGE_VERDICT_OPTIX_IR:
    case IMAGE_VERDICT_SCRAMBLED:
    case IMAGE_VERDICT_NOT_64BIT:
    case IMAGE_VERDICT_OTHER_KIND: return GPUDL_ERROR_UNSUPPORTED;
    default: return GPUDL_ERROR_ARCHITECTURE;
    }
}
