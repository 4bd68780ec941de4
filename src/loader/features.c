/* What this build and this machine can. */
#include "src/loader/features.h"

#include "src/loader/error.h"
#include "src/loader/loader.h"
#include "src/loader/names/names.h"
#include "src/loader/source/trust.h"

static uint64_t of_loader(const gpudl_loader *l)
{
    uint64_t has = GPUDL_HAS_DRIVER | (l->driver.software ? GPUDL_HAS_SOFTCUDA : GPUDL_HAS_GPU);

    return l->trust ? has | GPUDL_HAS_POLICY : has;
}

uint64_t gpudl_features(gpudl_loader *given)
{
    gpudl_status status;
    const gpudl_loader *l = gpudl__loader(given, "gpudl_features", &status);
    uint64_t all = gpudl__features_built;
    struct failure why;

    if (status == GPUDL_ERROR_FORKED)
        return all;
    gpudl__failure_save(&why); /* of the driver, not of a linker that is not there */
    all |= gpudl__features_found((gpudl_loader *)l);
    gpudl__failure_restore(&why);
    if (gpudl__can_demangle())
        all |= GPUDL_HAS_NAMES;
    if (gpudl__trust_locked())
        all |= GPUDL_HAS_POLICY;
    return l ? all | of_loader(l) : all;
}
