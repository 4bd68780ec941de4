/* choose.c - the entry that a device takes, or why it takes none.
 *
 * Machine code comes before PTX, then the nearest architecture at or below the device's, then code without the mercury flag; of
 * equals the first cubin and the last PTX. The entry's header selects, as a driver does it; what the payload says is asked
 * afterwards. */
#include "src/image/internal.h"

#define FLAG_MERCURY 0x1000000u
#define LISTED_MOST 16
#define LOOKS_MOST 16      /* candidates that are decompressed at most, so that a hostile image costs a bounded time */

/* Why an entry is not taken, from the nearest miss to the farthest. */
enum verdict { FITS, STARVED, DAMAGED, PTX_TOO_NEW, NOT_LINKED, NO_KERNELS, MACHINE_CODE, OTHER_ARCH, NOT_64BIT, OTHER_KIND };

static enum arch_fit arch_fit(const struct image_entry *e, const struct image_target *target)
{
    enum arch_fit fit = ARCH_FITS;

    if (e->format == IMAGE_PTX && !target->any_ptx)
        fit = gpudl__arch_ptx(e->sm, e->suffix, target->sm);
    else if (e->format == IMAGE_CUBIN && target->machine_code)
        fit = gpudl__arch_cubin(e->sm, e->suffix, target->sm);
    return fit;
}

static enum verdict judge(const struct image_entry *e, const struct image_target *target)
{
    if (e->format == IMAGE_LTOIR)
        return NOT_LINKED;
    if (e->format != IMAGE_PTX && e->format != IMAGE_CUBIN)
        return OTHER_KIND;
    if (e->format == IMAGE_CUBIN && !target->machine_code)
        return MACHINE_CODE;
    if (!e->is_64bit)
        return NOT_64BIT;
    if (arch_fit(e, target) != ARCH_FITS)
        return OTHER_ARCH;
    if (e->error || e->compression == IMAGE_SCRAMBLED)
        return DAMAGED;
    if (e->relocatable)
        return NOT_LINKED;
    if (e->format == IMAGE_PTX && target->ptx_version && e->ptx_version > target->ptx_version)
        return PTX_TOO_NEW;
    return FITS;
}

/* Is a better than b? Both fit. */
static bool is_better(const struct image_entry *a, const struct image_entry *b, unsigned device)
{
    bool below_a = a->sm <= device, below_b = b->sm <= device;

    if (a->format != b->format)
        return a->format == IMAGE_CUBIN;
    if (below_a != below_b)
        return below_a;
    if (a->sm != b->sm)
        return below_a ? a->sm > b->sm : a->sm < b->sm;
    if (a->format == IMAGE_PTX)
        return true;        /* the last one */
    return (b->flags & FLAG_MERCURY) && !(a->flags & FLAG_MERCURY);
}

static bool payload_fits(const struct image_entry *e, const struct image_target *target)
{
    if (!e->payload_sm || target->any_ptx)
        return true;
    if (e->format == IMAGE_PTX)
        return gpudl__arch_ptx(e->payload_sm, e->payload_suffix, target->sm) == ARCH_FITS;
    return gpudl__arch_cubin(e->payload_sm, e->payload_suffix, target->sm) == ARCH_FITS;
}

/* The header says that it fits: does what is inside? */
static enum verdict inspect(struct image *im, struct entry *e, const struct image_target *target)
{
    struct text none = gpudl__text_init(NULL, 0);
    const struct contents *c;
    enum image_error error;
    struct span payload;

    error = gpudl__image_payload(im, (size_t)(e - im->entries), &payload, NULL, 0);
    if (error)
        return error == IMAGE_NO_MEMORY ? STARVED : DAMAGED;
    if (judge(&e->info, target) != FITS)
        return judge(&e->info, target);
    if (!payload_fits(&e->info, target))
        return OTHER_ARCH;
    error = gpudl__image_contents(im, e, &c, &none);
    if (error)
        return error == IMAGE_NO_MEMORY ? STARVED : DAMAGED;
    return c->nkernels || c->nglobals ? FITS : NO_KERNELS;
}

/* What was decompressed in vain is not kept, unless it was there, and perhaps lent, before. */
static enum verdict look_inside(struct image *im, struct entry *e, const struct image_target *target)
{
    bool before = e->ready;
    enum verdict v = inspect(im, e, target);

    if (v != FITS && !before)
        gpudl__entry_forget(e);
    return v;
}

static struct entry *best_of(struct image *im, unsigned device)
{
    struct entry *best = NULL;

    for (size_t i = 0; i < im->count; i++) {
        struct entry *e = &im->entries[i];

        if (e->verdict == FITS && (!best || is_better(&e->info, &best->info, device)))
            best = e;
    }
    return best;
}

static const char *what(const struct image_entry *e)
{
    const char *kind = gpudl__fatbin_kind_name(e->kind);

    if (e->format == IMAGE_CUBIN)
        return e->relocatable ? "relocatable machine code" : "machine code";
    if (e->format == IMAGE_PTX)
        return e->relocatable ? "relocatable PTX" : "PTX";
    return kind ? kind : "code of an unknown kind";
}

static const char *reason(const struct entry *e, const struct image_target *target)
{
    enum arch_fit fit = arch_fit(&e->info, target);

    switch ((enum verdict)e->verdict) {
    case FITS: return "passed over";
    case STARVED: return "too large for the memory that is left";
    case DAMAGED: return "damaged or not readable";
    case PTX_TOO_NEW: return "newer than this driver reads";
    case NOT_LINKED: return "must be linked first";
    case NO_KERNELS: return "without kernels or variables";
    case MACHINE_CODE: return "for GPUs only";
    case OTHER_ARCH: return fit != ARCH_FITS ? gpudl__arch_reason(fit) : "but its payload is for another architecture";
    case NOT_64BIT: return "32-bit";
    case OTHER_KIND: return "which is not loadable";
    }
    return "";
}

/* Entries that differ in what a person would call them; there are few, whatever the image. */
struct list {
    const struct image_target *target;
    const struct entry *items[LISTED_MOST];
    size_t n, left_out;
};

static bool same_group(const struct list *l, const struct entry *a, const struct entry *b)
{
    return what(&a->info) == what(&b->info) && reason(a, l->target) == reason(b, l->target);
}

static void list_add(struct list *l, const struct entry *e)
{
    for (size_t i = 0; i < l->n; i++)
        if (same_group(l, l->items[i], e) && l->items[i]->info.sm == e->info.sm && l->items[i]->info.suffix == e->info.suffix)
            return;
    if (l->n == LISTED_MOST)
        l->left_out++;
    else
        l->items[l->n++] = e;
}

/* "machine code for sm_80, sm_86 and sm_89 (why not)" */
static void print_group(const struct list *l, size_t first, bool *printed, struct text *t)
{
    const struct entry *e = l->items[first];
    size_t left = 0, n = 0;

    for (size_t i = first; i < l->n; i++)
        left += same_group(l, e, l->items[i]);
    gpudl__text_add(t, "%s for ", what(&e->info));
    for (size_t i = first; i < l->n; i++) {
        const struct image_entry *x = &l->items[i]->info;

        if (!same_group(l, e, l->items[i]))
            continue;
        gpudl__text_add(t, "%s%s%u%.1s", n == 0 ? "" : left == 1 ? " and " : ", ", x->format == IMAGE_PTX ? "compute_" : "sm_",
            x->sm, &x->suffix);
        printed[i] = true;
        left--;
        n++;
    }
    gpudl__text_add(t, " (%s)", reason(e, l->target));
}

static void print_list(const struct image *im, const struct image_target *target, struct text *t)
{
    struct list l = { .target = target };
    bool printed[LISTED_MOST] = { false };

    for (size_t i = 0; i < im->count; i++)
        list_add(&l, &im->entries[i]);
    for (size_t i = 0; i < l.n; i++) {
        if (printed[i])
            continue;
        gpudl__text_add(t, i ? ", " : "holds ");
        print_group(&l, i, printed, t);
    }
    if (l.left_out)
        gpudl__text_add(t, " and %zu more", l.left_out);
}

static void print_newest_ptx(const struct image *im, const struct image_target *target, struct text *t)
{
    const char *cuda = gpudl__ptx_cuda(target->ptx_version);
    unsigned version = 0;

    for (size_t i = 0; i < im->count; i++)
        if (im->entries[i].verdict == PTX_TOO_NEW)
            version = im->entries[i].info.ptx_version;
    gpudl__text_add(t, "; the PTX is of version %u.%u, this driver reads up to %u.%u: update the driver, or compile with ",
        version / 10, version % 10,
        target->ptx_version / 10, target->ptx_version % 10);
    gpudl__text_add(t, cuda ? "CUDA %s or older" : "an older CUDA%s", cuda ? cuda : "");
    if (target->machine_code)
        gpudl__text_add(t, ", or add -gencode arch=compute_%u,code=sm_%u", target->sm, target->sm);
}

static void print_damage(struct image *im, struct text *t)
{
    char why[256] = "";
    struct text w = gpudl__text_init(why, sizeof(why));
    const struct contents *c;

    for (size_t i = 0; i < im->count; i++) {
        if (im->entries[i].verdict != DAMAGED)
            continue;
        gpudl__image_contents(im, &im->entries[i], &c, &w);
        gpudl__text_add(t, "; %s: build the image again", why);
        return;
    }
}

static enum image_misfit explain(struct image *im, const struct image_target *target, struct text *t)
{
    enum verdict nearest = OTHER_KIND;
    unsigned sm = target->sm;

    gpudl__text_clear(t);
    for (size_t i = 0; i < im->count; i++) {
        if (im->entries[i].verdict == STARVED) {
            gpudl__image_no_memory(t);
            return MISFIT_NO_MEMORY;
        }
        if (im->entries[i].verdict < nearest)
            nearest = im->entries[i].verdict;
    }
    if (!im->count) {
        gpudl__text_add(t, "a fatbin with no entries holds no code: add -gencode arch=compute_%u,code=sm_%u or PTX", sm, sm);
        return MISFIT_EMPTY;
    }
    print_list(im, target, t);
    switch (nearest) {
    case FITS: case STARVED: case DAMAGED:
        print_damage(im, t);
        return MISFIT_DAMAGED;
    case PTX_TOO_NEW:
        print_newest_ptx(im, target, t);
        return MISFIT_PTX_TOO_NEW;
    case NOT_LINKED:
        gpudl__text_add(t, "; link it (nvcc -dlink, nvlink, nvJitLink), or compile without -rdc=true and -dlto");
        return MISFIT_NOT_LINKED;
    case NO_KERNELS:
        gpudl__text_add(t, "; nothing in it can be launched: is a __global__ function missing, or static and unused?");
        return MISFIT_EMPTY;
    case MACHINE_CODE:
        gpudl__text_add(t, "; this device runs PTX only: add -gencode arch=compute_%u,code=compute_%u", sm, sm);
        return MISFIT_MACHINE_CODE_ONLY;
    default:
        gpudl__text_add(t, "; this device is sm_%u: add -gencode arch=compute_%u,code=sm_%u or PTX", sm, sm, sm);
        return MISFIT_ARCH;
    }
}

int gpudl__image_choose(struct image *im, const struct image_target *target, enum image_misfit *why, char *text, size_t text_size)
{
    struct text t = gpudl__text_init(text, text_size);
    enum image_misfit misfit;
    struct entry *e;

    for (size_t i = 0; i < im->count; i++)
        im->entries[i].verdict = (unsigned char)judge(&im->entries[i].info, target);
    for (unsigned looks = 0; looks < LOOKS_MOST && (e = best_of(im, target->sm)) != NULL; looks++) {
        e->verdict = (unsigned char)look_inside(im, e, target);
        if (e->verdict == FITS)
            return (int)(e - im->entries);
        if (e->verdict == STARVED)
            break;      /* another entry would be the wrong one when there is memory again */
    }
    misfit = explain(im, target, &t);
    if (why)
        *why = misfit;
    return -1;
}
