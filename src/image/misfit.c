/* misfit.c - no entry is taken: what is there, why each does not fit, and what to do about the one that comes nearest. */
#include "src/image/internal.h"

#include <limits.h>

#define LISTED_MOST 16
#define FARTHEST 17u

/* From the nearest miss to the farthest. */
static unsigned distance(enum image_verdict v)
{
    switch (v) {
    case IMAGE_VERDICT_NO_MEMORY: return 0;
    case IMAGE_VERDICT_FITS: return 1;      /* not looked at any more */
    case IMAGE_VERDICT_CORRUPT: case IMAGE_VERDICT_TOO_LARGE: case IMAGE_VERDICT_SCRAMBLED: return 2;
    case IMAGE_VERDICT_PTX_TOO_NEW: return 3;
    case IMAGE_VERDICT_TOOLKIT_TOO_NEW: return 4;
    case IMAGE_VERDICT_JIT_DISABLED: case IMAGE_VERDICT_JIT_FORCED: return 5;
    case IMAGE_VERDICT_RELOCATABLE: return 6;
    case IMAGE_VERDICT_LTO_IR: case IMAGE_VERDICT_LINKED: return 7;
    case IMAGE_VERDICT_NO_KERNELS: return 8;
    case IMAGE_VERDICT_MACHINE_CODE: return 9;
    case IMAGE_VERDICT_MISMATCH: return 10;
    case IMAGE_VERDICT_NEEDS_NEWER_MINOR: case IMAGE_VERDICT_TEGRA: case IMAGE_VERDICT_RENAMED: return 11;
    case IMAGE_VERDICT_PTX_TARGET_TOO_NEW: return 12;
    case IMAGE_VERDICT_ARCH_SPECIFIC: case IMAGE_VERDICT_OTHER_FAMILY: case IMAGE_VERDICT_PTX_ARCH_SPECIFIC:
    case IMAGE_VERDICT_PTX_OTHER_FAMILY: return 13;
    case IMAGE_VERDICT_WRONG_MAJOR: return 14;
    case IMAGE_VERDICT_NOT_64BIT: return 15;
    case IMAGE_VERDICT_OPTIX_IR: case IMAGE_VERDICT_OTHER_KIND: return 16;
    }
    return FARTHEST;
}

/* What device linking leaves in a host file is no code that anyone asked for. */
static bool is_stub(const struct image *im, const struct entry *e)
{
    return e->info.no_code && im->containers[e->info.container].section;
}

int gpudl__misfit_nearest(const struct image *im, struct entries part)
{
    unsigned least = UINT_MAX, d;
    int nearest = -1;

    for (size_t i = part.first; i < part.end; i++) {
        d = is_stub(im, &im->entries[i]) ? FARTHEST : distance(im->entries[i].verdict);
        if (d >= least)
            continue;
        least = d;
        nearest = (int)i;
    }
    return nearest;
}

static enum image_verdict verdict_of(const struct misfit *m)
{
    return m->nearest < 0 ? IMAGE_VERDICT_NO_KERNELS : (enum image_verdict)m->im->entries[m->nearest].verdict;
}

enum image_misfit gpudl__misfit_of(const struct misfit *m)
{
    switch (verdict_of(m)) {
    case IMAGE_VERDICT_NO_MEMORY: return MISFIT_NO_MEMORY;
    case IMAGE_VERDICT_FITS: case IMAGE_VERDICT_CORRUPT: case IMAGE_VERDICT_TOO_LARGE: case IMAGE_VERDICT_SCRAMBLED:
        return MISFIT_DAMAGED;
    case IMAGE_VERDICT_PTX_TOO_NEW: return MISFIT_PTX_TOO_NEW;
    case IMAGE_VERDICT_RELOCATABLE: case IMAGE_VERDICT_LTO_IR: return MISFIT_NOT_LINKED;
    case IMAGE_VERDICT_NO_KERNELS: return MISFIT_EMPTY;
    case IMAGE_VERDICT_MACHINE_CODE: return MISFIT_MACHINE_CODE_ONLY;
    default: return MISFIT_ARCH;
    }
}

/* Entries that differ in what a person would call them; there are few, whatever the image. */
struct list {
    const struct entry *items[LISTED_MOST];
    size_t n, left_out;
};

static bool same_group(const struct entry *a, const struct entry *b)
{
    return gpudl__entry_what(&a->info) == gpudl__entry_what(&b->info)
        && gpudl__judge_phrase(a->verdict) == gpudl__judge_phrase(b->verdict);
}

static void list_add(struct list *l, const struct entry *e)
{
    for (size_t i = 0; i < l->n; i++)
        if (same_group(l->items[i], e) && l->items[i]->info.sm == e->info.sm && l->items[i]->info.suffix == e->info.suffix)
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
        left += same_group(e, l->items[i]);
    gpudl__text_add(t, "%s for ", gpudl__entry_what(&e->info));
    for (size_t i = first; i < l->n; i++) {
        const struct image_entry *x = &l->items[i]->info;

        if (!same_group(e, l->items[i]))
            continue;
        gpudl__text_add(t, "%s%s%u%.1s", n == 0 ? "" : left == 1 ? " and " : ", ", x->format == IMAGE_PTX ? "compute_" : "sm_",
            x->sm, &x->suffix);
        printed[i] = true;
        left--;
        n++;
    }
    gpudl__text_add(t, " (%s)", gpudl__judge_phrase(e->verdict));
}

/* Stubs are listed only where there is nothing else. */
static void print_list(const struct misfit *m, struct text *t)
{
    bool printed[LISTED_MOST] = { false };
    struct list l = { .n = 0 };

    for (size_t i = m->part.first; i < m->part.end; i++)
        if (!is_stub(m->im, &m->im->entries[i]) || verdict_of(m) == IMAGE_VERDICT_NO_KERNELS)
            list_add(&l, &m->im->entries[i]);
    for (size_t i = 0; i < l.n; i++) {
        if (printed[i])
            continue;
        gpudl__text_add(t, i ? ", " : "holds ");
        print_group(&l, i, printed, t);
    }
    if (l.left_out)
        gpudl__text_add(t, " and %zu more", l.left_out);
}

/* Reads it again for its text, and gives the memory back. */
static void print_damage(const struct misfit *m, struct text *t)
{
    struct entry *e = &m->im->entries[m->nearest];
    char why[256] = "";
    struct text w = gpudl__text_init(why, sizeof(why));
    const struct contents *c;
    bool before = e->ready;

    if (gpudl__entry_contents(m->im, e, &c, &w) == IMAGE_OK)
        gpudl__image_fail(&w, IMAGE_OK, "%s", e->problem ? e->problem : "too many of its entries are damaged or hold no code");
    if (!before)
        gpudl__entry_forget(e);
    gpudl__text_add(t, "; %s", why);
}

void gpudl__misfit_reason(const struct misfit *m, struct text *t)
{
    const struct image_target *target = m->target;
    unsigned version;

    if (verdict_of(m) == IMAGE_VERDICT_NO_MEMORY) {
        gpudl__image_no_memory(t);
        return;
    }
    if (m->nearest < 0) {
        gpudl__text_add(t,
            m->im->format == IMAGE_FATBIN ? "a fatbin with no entries holds no code" : "no CUDA code in this file");
        return;
    }
    print_list(m, t);
    version = m->im->entries[m->nearest].info.ptx_version;
    switch (verdict_of(m)) {
    case IMAGE_VERDICT_FITS: case IMAGE_VERDICT_CORRUPT: case IMAGE_VERDICT_TOO_LARGE: case IMAGE_VERDICT_SCRAMBLED:
        print_damage(m, t);
        break;
    case IMAGE_VERDICT_PTX_TOO_NEW:
        gpudl__text_add(t, "; the PTX is of version %u.%u, this driver reads up to %u.%u", version / 10, version % 10,
            target->ptx_version / 10, target->ptx_version % 10);
        break;
    case IMAGE_VERDICT_NO_KERNELS:
        gpudl__text_add(t, "; nothing in it can be launched");
        break;
    default:
        break;
    }
}

void gpudl__misfit_remedy(const struct misfit *m, struct text *t)
{
    if (verdict_of(m) == IMAGE_VERDICT_NO_MEMORY)
        return;
    if (t->used)
        gpudl__text_add(t, "; ");
    if (m->nearest < 0)
        gpudl__text_add(t, "add -gencode arch=compute_%u,code=sm_%u or PTX", m->target->sm, m->target->sm);
    else
        gpudl__verdict_remedy(verdict_of(m), &m->im->entries[m->nearest].info, m->target, t);
}
