/* explain.h - why an image would run on a device or not, what to do about it, and what would run badly. Text is made on request
 * only. Locking as in image.h. */
#ifndef GPUDL_IMAGE_EXPLAIN_H
#define GPUDL_IMAGE_EXPLAIN_H

#include "src/image/image.h"

/* Why one entry would run or not; the reason names of JSON are gpudl__image_verdict_name(). */
#define IMAGE_VERDICTS(X)                       \
    X(FITS, "ok")                               \
    X(WRONG_MAJOR, "wrong-major")               \
    X(NEEDS_NEWER_MINOR, "needs-newer-minor")   \
    X(ARCH_SPECIFIC, "arch-specific")           \
    X(OTHER_FAMILY, "other-family")             \
    X(TEGRA, "tegra-not-guaranteed")            \
    X(RENAMED, "renamed-arch")                  \
    X(PTX_TARGET_TOO_NEW, "ptx-target-too-new") \
    X(PTX_ARCH_SPECIFIC, "ptx-arch-specific")   \
    X(PTX_OTHER_FAMILY, "ptx-other-family")     \
    X(PTX_TOO_NEW, "ptx-too-new")               \
    X(TOOLKIT_TOO_NEW, "toolkit-newer-than-driver") \
    X(MISMATCH, "header-payload-mismatch")      \
    X(RELOCATABLE, "relocatable")               \
    X(LTO_IR, "lto-ir")                         \
    X(LINKED, "already-linked")                 \
    X(OPTIX_IR, "optix-ir")                     \
    X(SCRAMBLED, "scrambled")                   \
    X(NOT_64BIT, "32-bit")                      \
    X(NO_KERNELS, "no-kernels")                 \
    X(MACHINE_CODE, "machine-code-only")        \
    X(JIT_FORCED, "jit-forced")                 \
    X(JIT_DISABLED, "jit-disabled")             \
    X(OTHER_KIND, "unknown-kind")               \
    X(CORRUPT, "corrupt")                       \
    X(TOO_LARGE, "too-large")                   \
    X(NO_MEMORY, "no-memory")
enum image_verdict {
#define IMAGE_VERDICT_ENUM(name, text) IMAGE_VERDICT_##name,
    IMAGE_VERDICTS(IMAGE_VERDICT_ENUM)
#undef IMAGE_VERDICT_ENUM
};
const char *gpudl__image_verdict_name(enum image_verdict);

/* reason: "machine code for sm_80 runs on devices of major 8 only"; remedy: "add -gencode arch=compute_90,code=sm_90". Either may
 * be "". No text is made where text is NULL. */
struct image_words {
    char reason[512], remedy[256];
};
/* Of one entry by itself, looking into it. */
enum image_verdict gpudl__image_judge(struct image *, size_t entry, const struct image_target *, struct image_words *text);

/* Of a container (SIZE_MAX: all): the entry that would be taken, else -1 and the nearest miss. */
struct image_explanation {
    int entry;
    bool jit;                   /* it is PTX, to be compiled at load */
    enum image_verdict verdict; /* FITS, or of the nearest miss */
    enum image_misfit misfit;   /* where entry is -1 */
    int nearest;                /* the nearest miss, or -1 where there are no entries */
};
struct image_explanation gpudl__image_explain(struct image *, size_t container, const struct image_target *,
    struct image_words *text);

/* It would run, but badly. One call to tell() each; kernel is NULL for what holds of the whole entry. */
#define IMAGE_WARNINGS(X)                       \
    X(JIT, "jit-at-load")                       \
    X(JIT_OLDER, "jit-from-older-ptx")          \
    X(DEBUG, "debug-code")                      \
    X(LOCAL_MEMORY, "local-memory")             \
    X(STACK_UNKNOWN, "stack-not-known")         \
    X(REGISTERS, "registers-limit-occupancy")   \
    X(DOES_NOT_FIT, "block-does-not-fit")       \
    X(CLUSTER, "cluster-needs-opt-in")          \
    X(MISMATCH, "header-payload-mismatch")      \
    X(DAMAGED, "kernel-damaged")
enum image_warning {
#define IMAGE_WARNING_ENUM(name, text) IMAGE_WARNING_##name,
    IMAGE_WARNINGS(IMAGE_WARNING_ENUM)
#undef IMAGE_WARNING_ENUM
};
const char *gpudl__image_warning_name(enum image_warning);
typedef void image_tell(void *user, enum image_warning, const struct image_kernel *kernel, const char *text);
/* Fails as gpudl__image_details() does. */
enum image_error gpudl__image_warn(struct image *, size_t entry, const struct image_target *, image_tell *tell, void *user,
    char *text, size_t text_size);

#endif
