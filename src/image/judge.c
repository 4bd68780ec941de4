/* judge.c - would one entry run? Its header is asked first, as a driver does it, then what is inside. */
#include "src/image/internal.h"

static enum image_verdict judge_cubin(const struct image_entry *e, unsigned sm)
{
    switch (gpudl__arch_cubin(e->sm, e->suffix, sm)) {
    case ARCH_FITS: return IMAGE_VERDICT_FITS;
    case ARCH_OTHER_MAJOR: return IMAGE_VERDICT_WRONG_MAJOR;
    case ARCH_NEEDS_NEWER: return IMAGE_VERDICT_NEEDS_NEWER_MINOR;
    case ARCH_SPECIFIC: return IMAGE_VERDICT_ARCH_SPECIFIC;
    case ARCH_OTHER_FAMILY: return IMAGE_VERDICT_OTHER_FAMILY;
    case ARCH_TEGRA: return IMAGE_VERDICT_TEGRA;
    case ARCH_RENAMED: return IMAGE_VERDICT_RENAMED;
    }
    return IMAGE_VERDICT_WRONG_MAJOR;
}

static enum image_verdict judge_ptx(const struct image_entry *e, unsigned sm)
{
    switch (gpudl__arch_ptx(e->sm, e->suffix, sm)) {
    case ARCH_FITS: return IMAGE_VERDICT_FITS;
    case ARCH_SPECIFIC: return IMAGE_VERDICT_PTX_ARCH_SPECIFIC;
    case ARCH_OTHER_FAMILY: return IMAGE_VERDICT_PTX_OTHER_FAMILY;
    default: return IMAGE_VERDICT_PTX_TARGET_TOO_NEW;
    }
}

/* What kind of code it is, and for what. */
static enum image_verdict judge_kind(const struct image_entry *e, const struct image_target *target)
{
    switch (e->format) {
    case IMAGE_CUBIN: break;
    case IMAGE_PTX: break;
    case IMAGE_LTOIR: return !target->ltoir ? IMAGE_VERDICT_LTO_IR : target->any_ptx ? IMAGE_VERDICT_FITS : judge_ptx(e, target->sm);
    case IMAGE_OPTIXIR: return IMAGE_VERDICT_OPTIX_IR;
    default: return IMAGE_VERDICT_OTHER_KIND;
    }
    if (e->no_code && !target->linking)
        return IMAGE_VERDICT_NO_KERNELS;
    if (e->format == IMAGE_CUBIN && !target->machine_code)
        return IMAGE_VERDICT_MACHINE_CODE;
    if (!e->is_64bit)
        return IMAGE_VERDICT_NOT_64BIT;
    if (e->format == IMAGE_CUBIN)
        return judge_cubin(e, target->sm);
    return target->any_ptx ? IMAGE_VERDICT_FITS : judge_ptx(e, target->sm);
}

static bool toolkit_too_new(const struct image_entry *e, int cuda_version)
{
    return e->toolkit && cuda_version > 0 && e->toolkit / 10 > (unsigned)cuda_version / 1000;
}

enum image_verdict gpudl__judge_header(const struct image_entry *e, const struct image_target *target)
{
    enum image_verdict v = judge_kind(e, target);

    if (v != IMAGE_VERDICT_FITS)
        return v;
    if (e->error)
        return e->error == IMAGE_LIMIT ? IMAGE_VERDICT_TOO_LARGE : IMAGE_VERDICT_CORRUPT;
    if (e->compression == IMAGE_SCRAMBLED && e->format != IMAGE_LTOIR)
        return IMAGE_VERDICT_SCRAMBLED;
    if (e->relocatable && !target->linking)
        return IMAGE_VERDICT_RELOCATABLE;
    if (target->linking && e->format == IMAGE_CUBIN && e->payload_sm && !e->relocatable)
        return IMAGE_VERDICT_LINKED;
    if (e->format == IMAGE_CUBIN && target->jit_forced)
        return IMAGE_VERDICT_JIT_FORCED;
    if (e->format == IMAGE_CUBIN)
        return toolkit_too_new(e, target->cuda_version) ? IMAGE_VERDICT_TOOLKIT_TOO_NEW : IMAGE_VERDICT_FITS;
    if (target->jit_disabled)
        return IMAGE_VERDICT_JIT_DISABLED;
    if (target->ptx_version && e->ptx_version > target->ptx_version)
        return IMAGE_VERDICT_PTX_TOO_NEW;
    return IMAGE_VERDICT_FITS;
}

static bool payload_fits(const struct image_entry *e, const struct image_target *target)
{
    if (!e->payload_sm || target->any_ptx)
        return true;
    if (e->format == IMAGE_PTX)
        return gpudl__arch_ptx(e->payload_sm, e->payload_suffix, target->sm) == ARCH_FITS;
    return gpudl__arch_cubin(e->payload_sm, e->payload_suffix, target->sm) == ARCH_FITS;
}

static enum image_verdict of_error(enum image_error error)
{
    switch (error) {
    case IMAGE_NO_MEMORY: return IMAGE_VERDICT_NO_MEMORY;
    case IMAGE_LIMIT: return IMAGE_VERDICT_TOO_LARGE;
    default: return IMAGE_VERDICT_CORRUPT;
    }
}

/* The header says that it fits: does what is inside? */
static enum image_verdict look_inside(struct image *im, struct entry *e, const struct image_target *target)
{
    struct text none = gpudl__text_init(NULL, 0);
    enum image_error error;
    const struct contents *c;
    enum image_verdict v;

    if (e->info.format == IMAGE_LTOIR)
        return IMAGE_VERDICT_FITS;      /* nothing more can be read */
    error = gpudl__entry_ready(im, e, &none);
    if (error)
        return of_error(error);
    v = gpudl__judge_header(&e->info, target);
    if (v != IMAGE_VERDICT_FITS)
        return v;
    if (!payload_fits(&e->info, target))
        return IMAGE_VERDICT_MISMATCH;
    error = gpudl__entry_contents(im, e, &c, &none);
    if (error || e->info.error)
        return of_error(error ? error : e->info.error);
    return c->nkernels || c->nglobals || target->linking ? IMAGE_VERDICT_FITS : IMAGE_VERDICT_NO_KERNELS;
}

/* What was decompressed in vain is not kept, unless it was there, and perhaps lent, before. */
enum image_verdict gpudl__judge_inside(struct image *im, struct entry *e, const struct image_target *target)
{
    bool before = e->ready;
    enum image_verdict v = look_inside(im, e, target);

    if (v != IMAGE_VERDICT_FITS && !before)
        gpudl__entry_forget(e);
    return v;
}

const char *gpudl__image_verdict_name(enum image_verdict v)
{
    static const char *const names[] = {
#define IMAGE_VERDICT_NAME(name, text) text,
        IMAGE_VERDICTS(IMAGE_VERDICT_NAME)
#undef IMAGE_VERDICT_NAME
    };

    return (unsigned)v < sizeof(names) / sizeof(names[0]) ? names[v] : "";
}

const char *gpudl__judge_phrase(enum image_verdict v)
{
    switch (v) {
    case IMAGE_VERDICT_FITS: return "passed over";
    case IMAGE_VERDICT_WRONG_MAJOR: return "for that major architecture only";
    case IMAGE_VERDICT_NEEDS_NEWER_MINOR: case IMAGE_VERDICT_PTX_TARGET_TOO_NEW: return "needs a newer device";
    case IMAGE_VERDICT_ARCH_SPECIFIC: case IMAGE_VERDICT_PTX_ARCH_SPECIFIC: return "for that very architecture only";
    case IMAGE_VERDICT_OTHER_FAMILY: case IMAGE_VERDICT_PTX_OTHER_FAMILY: return "for that family only";
    case IMAGE_VERDICT_TEGRA: return "Tegra and other parts do not share machine code";
    case IMAGE_VERDICT_RENAMED: return "the old name of sm_110: rebuild it";
    case IMAGE_VERDICT_PTX_TOO_NEW: return "newer than this driver reads";
    case IMAGE_VERDICT_TOOLKIT_TOO_NEW: return "made by a newer CUDA than the driver's";
    case IMAGE_VERDICT_MISMATCH: return "but its payload is for another architecture";
    case IMAGE_VERDICT_RELOCATABLE: case IMAGE_VERDICT_LTO_IR: return "must be linked first";
    case IMAGE_VERDICT_LINKED: return "linked already, or never to be";
    case IMAGE_VERDICT_OPTIX_IR: return "for OptiX only";
    case IMAGE_VERDICT_SCRAMBLED: return "scrambled";
    case IMAGE_VERDICT_NOT_64BIT: return "32-bit";
    case IMAGE_VERDICT_NO_KERNELS: return "without kernels or variables";
    case IMAGE_VERDICT_MACHINE_CODE: return "for GPUs only";
    case IMAGE_VERDICT_JIT_FORCED: return "passed over, as CUDA_FORCE_PTX_JIT is set";
    case IMAGE_VERDICT_JIT_DISABLED: return "passed over, as CUDA_DISABLE_PTX_JIT is set";
    case IMAGE_VERDICT_OTHER_KIND: return "which is not loadable";
    case IMAGE_VERDICT_CORRUPT: return "damaged or not readable";
    case IMAGE_VERDICT_TOO_LARGE: return "larger than the limit";
    case IMAGE_VERDICT_NO_MEMORY: return "too large for the memory that is left";
    }
    return "";
}

const char *gpudl__entry_what(const struct image_entry *e)
{
    const char *kind = gpudl__image_kind_name(e->kind);

    switch (e->format) {
    case IMAGE_CUBIN: return e->relocatable ? "relocatable machine code" : "machine code";
    case IMAGE_PTX: return e->relocatable ? "relocatable PTX" : "PTX";
    case IMAGE_LTOIR: return "LTO-IR";
    case IMAGE_OPTIXIR: return "OptiX IR";
    default: return kind ? kind : "code of an unknown kind";
    }
}
