/* explain.c - verdicts in words: of one entry, and of what a device would take out of many. */
#include "src/image/internal.h"

static void add_gencode(const struct image_target *target, struct text *t)
{
    gpudl__text_add(t, "add -gencode arch=compute_%u,code=%s_%u", target->sm, target->machine_code ? "sm" : "compute",
        target->sm);
}

static void update_driver(const struct image_entry *e, const struct image_target *target, struct text *t)
{
    const char *needs = gpudl__ptx_cuda(e->ptx_version), *has = gpudl__ptx_cuda(target->ptx_version);

    gpudl__text_add(t, needs ? "update the driver to CUDA %s or later" : "update the driver%s", needs ? needs : "");
    gpudl__text_add(t, has ? ", or compile with CUDA %s or older" : ", or compile with an older CUDA%s", has ? has : "");
    if (target->machine_code) {
        gpudl__text_add(t, ", or ");
        add_gencode(target, t);
    }
}

void gpudl__verdict_remedy(enum image_verdict v, const struct image_entry *e, const struct image_target *target, struct text *t)
{
    switch (v) {
    case IMAGE_VERDICT_CORRUPT: case IMAGE_VERDICT_SCRAMBLED: case IMAGE_VERDICT_FITS:
        gpudl__text_add(t, "build the image again");
        break;
    case IMAGE_VERDICT_TOO_LARGE:
        gpudl__text_add(t, "raise the limit if the image is trusted");
        break;
    case IMAGE_VERDICT_PTX_TOO_NEW:
        update_driver(e, target, t);
        break;
    case IMAGE_VERDICT_TOOLKIT_TOO_NEW:
        gpudl__text_add(t, "update the driver to CUDA %u.0 or later, or compile with CUDA %d, or add PTX (code=compute_%u)",
            e->toolkit / 10, target->cuda_version / 1000, target->sm);
        break;
    case IMAGE_VERDICT_RELOCATABLE: case IMAGE_VERDICT_LTO_IR:
        gpudl__text_add(t, "link it (nvcc -dlink, nvlink, nvJitLink), or compile without -rdc=true and -dlto");
        break;
    case IMAGE_VERDICT_LINKED:
        gpudl__text_add(t, "compile it with nvcc -rdc=true");
        break;
    case IMAGE_VERDICT_OPTIX_IR:
        gpudl__text_add(t, "compile to a cubin or PTX for a kernel of your own");
        break;
    case IMAGE_VERDICT_NO_KERNELS:
        gpudl__text_add(t, "is a __global__ function missing, or static and unused?");
        break;
    case IMAGE_VERDICT_MACHINE_CODE:
        gpudl__text_add(t, "this device runs PTX only: ");
        add_gencode(target, t);
        break;
    case IMAGE_VERDICT_NOT_64BIT:
        gpudl__text_add(t, "compile it for 64 bits (nvcc -m64)");
        break;
    case IMAGE_VERDICT_RENAMED:
        gpudl__text_add(t, "rebuild it with -gencode arch=compute_110,code=sm_110, or add PTX");
        break;
    case IMAGE_VERDICT_JIT_FORCED:
        gpudl__text_add(t, "unset CUDA_FORCE_PTX_JIT, or add PTX (-gencode arch=compute_%u,code=compute_%u)", target->sm,
            target->sm);
        break;
    case IMAGE_VERDICT_JIT_DISABLED:
        gpudl__text_add(t, "unset CUDA_DISABLE_PTX_JIT, or ");
        add_gencode(target, t);
        break;
    case IMAGE_VERDICT_NO_MEMORY:
        break;
    default:
        gpudl__text_add(t, "this device is sm_%u: ", target->sm);
        add_gencode(target, t);
        gpudl__text_add(t, target->machine_code ? " or PTX" : "");
    }
}

/* "sm_90a", with what it runs on. */
static void add_range(const struct image_entry *e, struct text *t)
{
    unsigned major = e->sm / 10, minor = e->sm % 10;
    const char *family = gpudl__arch_family(e->sm);

    if (e->suffix == 'a')
        gpudl__text_add(t, "%u.%u only", major, minor);
    else if (e->suffix == 'f' && family)
        gpudl__text_add(t, "its family (%s) from %u.%u on only", family, major, minor);
    else if (e->format == IMAGE_PTX)
        gpudl__text_add(t, "%u.%u and later", major, minor);
    else
        gpudl__text_add(t, "%u.%u and later %u.x only", major, minor, major);
}

static void arch_reason(const struct image_entry *e, const struct image_target *target, struct text *t)
{
    const char *name = e->format == IMAGE_PTX ? "compute" : "sm";

    gpudl__text_add(t, "%s for %s_%u%.1s runs on devices of compute capability ", gpudl__entry_what(e), name, e->sm, &e->suffix);
    add_range(e, t);
    gpudl__text_add(t, "; this one is %u.%u", target->sm / 10, target->sm % 10);
}

/* "PTX for compute_90", as every reason begins. */
static void add_what(const struct image_entry *e, struct text *t)
{
    gpudl__text_add(t, "%s for %s_%u%.1s", gpudl__entry_what(e), e->format == IMAGE_PTX ? "compute" : "sm", e->sm, &e->suffix);
}

static void entry_reason(enum image_verdict v, const struct image_entry *e, const struct image_target *target, struct text *t)
{
    switch (v) {
    case IMAGE_VERDICT_WRONG_MAJOR: case IMAGE_VERDICT_NEEDS_NEWER_MINOR: case IMAGE_VERDICT_ARCH_SPECIFIC:
    case IMAGE_VERDICT_OTHER_FAMILY: case IMAGE_VERDICT_PTX_TARGET_TOO_NEW: case IMAGE_VERDICT_PTX_ARCH_SPECIFIC:
    case IMAGE_VERDICT_PTX_OTHER_FAMILY:
        arch_reason(e, target, t);
        return;
    default:
        add_what(e, t);
    }
    switch (v) {
    case IMAGE_VERDICT_FITS:
        gpudl__text_add(t, e->format == IMAGE_PTX ? ": runs after compilation at load" : ": runs");
        break;
    case IMAGE_VERDICT_TEGRA:
        gpudl__text_add(t, ": machine code is not promised to run between Tegra and other parts; this device is %u.%u",
            target->sm / 10, target->sm % 10);
        break;
    case IMAGE_VERDICT_RENAMED:
        gpudl__text_add(t, ": the same chip as sm_110, under its name before CUDA 13");
        break;
    case IMAGE_VERDICT_PTX_TOO_NEW:
        gpudl__text_add(t, ": this is PTX %u.%u, the driver ", e->ptx_version / 10, e->ptx_version % 10);
        if (target->cuda_version)
            gpudl__text_add(t, "is %d.%d and ", target->cuda_version / 1000, target->cuda_version % 1000 / 10);
        gpudl__text_add(t, "reads up to %u.%u", target->ptx_version / 10, target->ptx_version % 10);
        break;
    case IMAGE_VERDICT_TOOLKIT_TOO_NEW:
        gpudl__text_add(t, ": made by CUDA %u.%u, the driver is %d.%d and takes machine code of CUDA %d and older",
            e->toolkit / 10,
            e->toolkit % 10, target->cuda_version / 1000, target->cuda_version % 1000 / 10, target->cuda_version / 1000);
        break;
    case IMAGE_VERDICT_MISMATCH:
        gpudl__text_add(t, ", as its header says, but what is in it is for %s_%u%.1s", e->format == IMAGE_PTX ? "compute" : "sm",
            e->payload_sm, &e->payload_suffix);
        break;
    default:
        gpudl__text_add(t, ": %s", gpudl__judge_phrase(v));
    }
}

/* Damage in its own words. */
static void add_damage(struct image *im, struct entry *e, struct text *t)
{
    char why[256] = "";
    struct text w = gpudl__text_init(why, sizeof(why));
    const struct contents *c;
    bool before = e->ready;

    if (gpudl__entry_contents(im, e, &c, &w) == IMAGE_OK && e->problem)
        gpudl__text_add(&w, "%s", e->problem);
    if (!before)
        gpudl__entry_forget(e);
    gpudl__text_add(t, *why ? " (%s)" : "%s", why);
}

static bool is_damage(enum image_verdict v)
{
    return v == IMAGE_VERDICT_CORRUPT || v == IMAGE_VERDICT_TOO_LARGE || v == IMAGE_VERDICT_SCRAMBLED;
}

enum image_verdict gpudl__image_judge(struct image *im, size_t entry, const struct image_target *target, struct image_words *text)
{
    struct entry *e = &im->entries[entry];
    enum image_verdict v = gpudl__judge_header(&e->info, target);
    struct text reason, remedy;

    if (v == IMAGE_VERDICT_FITS)
        v = gpudl__judge_inside(im, e, target);
    if (!text)
        return v;
    reason = gpudl__text_init(text->reason, sizeof(text->reason));
    remedy = gpudl__text_init(text->remedy, sizeof(text->remedy));
    entry_reason(v, &e->info, target, &reason);
    if (is_damage(v))
        add_damage(im, e, &reason);
    if (v != IMAGE_VERDICT_FITS)
        gpudl__verdict_remedy(v, &e->info, target, &remedy);
    return v;
}

static void explain_words(const struct misfit *m, const struct image_explanation *x, struct image_words *text)
{
    struct text reason = gpudl__text_init(text->reason, sizeof(text->reason));
    struct text remedy = gpudl__text_init(text->remedy, sizeof(text->remedy));

    if (x->entry >= 0) {
        entry_reason(IMAGE_VERDICT_FITS, &m->im->entries[x->entry].info, m->target, &reason);
        return;
    }
    gpudl__misfit_reason(m, &reason);
    gpudl__misfit_remedy(m, &remedy);
}

struct image_explanation gpudl__image_explain(struct image *im, size_t container, const struct image_target *target,
    struct image_words *text)
{
    struct entries part = gpudl__entries_of(im, container);
    struct image_explanation x = { .entry = gpudl__choose(im, part, target) };
    struct misfit m = { im, part, target, -1 };

    if (x.entry >= 0) {
        x.verdict = IMAGE_VERDICT_FITS;
        x.nearest = x.entry;
        x.jit = im->entries[x.entry].info.format == IMAGE_PTX;
    } else {
        x.nearest = m.nearest = gpudl__misfit_nearest(im, part);
        x.verdict = m.nearest < 0 ? IMAGE_VERDICT_NO_KERNELS : (enum image_verdict)im->entries[m.nearest].verdict;
        x.misfit = gpudl__misfit_of(&m);
    }
    if (text)
        explain_words(&m, &x, text);
    return x;
}
