/* What this gpudl and this machine can, for programs that ship kernels of their own for everywhere and take better ones where they can be had.
 * Part of <gpudl/gpudl.h>, which includes it.
 *
 *     uint64_t can = gpudl_features(NULL);
 *
 *     if (can & GPUDL_HAS_COMPILER)           sources[n++] = gpudl_source_text("fit.cu", text);      made for this machine
 *     if (can & GPUDL_HAS_DRIVER)             sources[n++] = gpudl_source_file("k.fatbin");
 *     sources[n++] = gpudl_source_registered("built in", own, 1);                                    the program's own, wherever it runs
 *
 * A gpudl is built full or basic (CMake: -DGPUDL_FEATURES=basic). A basic one loads images, registered and adopted kernels, replaces and launches
 * them, and needs no libsodium; it has all functions and symbols, but what follows answers GPUDL_ERROR_UNSUPPORTED and says so: compiling, linking,
 * trust, the cache on disk, watching files, trials. A load that asks for a policy of trust fails with it, too: it is never let in unchecked. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_FEATURES_H
#define GPUDL_FEATURES_H

#ifdef __cplusplus
extern "C" {
#endif

/* What was built in. */
#define GPUDL_BUILT_COMPILE (UINT64_C(1) << 0)  /* CUDA C++ is a source (compile.h) */
#define GPUDL_BUILT_LINK    (UINT64_C(1) << 1)
#define GPUDL_BUILT_TRUST   (UINT64_C(1) << 2)
#define GPUDL_BUILT_CACHE   (UINT64_C(1) << 3)  /* results are kept on disk */
#define GPUDL_BUILT_WATCH   (UINT64_C(1) << 4)
#define GPUDL_BUILT_TRIAL   (UINT64_C(1) << 5)
#define GPUDL_BUILT_FULL    (UINT64_C(0xffff))  /* for a mask: all of the above, and what comes */

/* What the machine has; each only where it is of use to this build. */
#define GPUDL_HAS_DRIVER    (UINT64_C(1) << 32) /* the loader has a driver with a device */
#define GPUDL_HAS_GPU       (UINT64_C(1) << 33) /* and that is a GPU */
#define GPUDL_HAS_SOFTCUDA  (UINT64_C(1) << 34) /* or it is softcuda */
#define GPUDL_HAS_COMPILER  (UINT64_C(1) << 35) /* of CUDA C++; which one, and whether it makes what is wanted, a compilation shows */
#define GPUDL_HAS_LINKER    (UINT64_C(1) << 36)
#define GPUDL_HAS_TRIAL     (UINT64_C(1) << 37) /* the program gpudl-trial was found */
#define GPUDL_HAS_NAMES     (UINT64_C(1) << 38) /* kernels are found by their names in the source */
#define GPUDL_HAS_POLICY    (UINT64_C(1) << 39) /* the loader's policy of trust, or a locked one, is in force: not all that loads elsewhere loads here */

/**
 * Say what can be used here: GPUDL_BUILT_... and GPUDL_HAS_... bits. Bits that are not named above may be set by a later gpudl.
 * @loader:  NULL for the default one, which this opens
 *
 * Never fails. Without GPUDL_HAS_DRIVER, gpudl_error_text() says why there is none. Runs no compiler; looks for them on disk each time,
 * which takes some hundred microseconds, so ask once, at the start.
 */
GPUDL_API uint64_t gpudl_features(gpudl_loader *loader);

#ifdef __cplusplus
}
#endif
#endif
