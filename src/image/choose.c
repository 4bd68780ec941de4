/* choose.c - the entry that a device takes.
 *
 * Machine code comes before PTX, then the nearest architecture at or below the device's, then code without the mercury flag; of
 * equals the first cubin and the last PTX. The entry's header selects, as a driver does it; what the payload says is asked
 * afterwards. */
#include "src/image/internal.h"

#define FLAG_MERCURY 0x1000000u
#define LOOKS_MOST 16      /* candidates that are decompressed at most, so that a hostile image costs a bounded time */

/* LTO-IR fits where it is to be linked only. */
static int rank(enum image_format format)
{
    return format == IMAGE_LTOIR ? 2 : format == IMAGE_CUBIN;
}

/* Is a better than b? Both fit. */
static bool is_better(const struct image_entry *a, const struct image_entry *b, unsigned device)
{
    bool below_a = a->sm <= device, below_b = b->sm <= device;

    if (a->format != b->format)
        return rank(a->format) > rank(b->format);
    if (below_a != below_b)
        return below_a;
    if (a->sm != b->sm)
        return below_a ? a->sm > b->sm : a->sm < b->sm;
    if (a->format == IMAGE_PTX)
        return true;        /* the last one */
    return (b->flags & FLAG_MERCURY) && !(a->flags & FLAG_MERCURY);
}

static struct entry *best_of(struct image *im, struct entries part, unsigned device)
{
    struct entry *best = NULL;

    for (size_t i = part.first; i < part.end; i++) {
        struct entry *e = &im->entries[i];

        if (e->verdict == IMAGE_VERDICT_FITS && (!best || is_better(&e->info, &best->info, device)))
            best = e;
    }
    return best;
}

struct entries gpudl__entries_of(const struct image *im, size_t container)
{
    const struct image_container *c;

    if (container == SIZE_MAX)
        return (struct entries){ 0, im->count };
    c = &im->containers[container];
    return (struct entries){ c->first, c->first + c->count };
}

int gpudl__choose(struct image *im, struct entries part, const struct image_target *target)
{
    struct entry *e;

    for (size_t i = part.first; i < part.end; i++)
        im->entries[i].verdict = (unsigned char)gpudl__judge_header(&im->entries[i].info, target);
    for (unsigned looks = 0; looks < LOOKS_MOST && (e = best_of(im, part, target->sm)) != NULL; looks++) {
        e->verdict = (unsigned char)gpudl__judge_inside(im, e, target);
        if (e->verdict == IMAGE_VERDICT_FITS)
            return (int)(e - im->entries);
        if (e->verdict == IMAGE_VERDICT_NO_MEMORY)
            break;      /* another entry would be the wrong one when there is memory again */
    }
    return -1;
}

int gpudl__image_choose_in(struct image *im, size_t container, const struct image_target *target, enum image_misfit *why,
    char *text, size_t text_size)
{
    struct entries part = gpudl__entries_of(im, container);
    struct text t = gpudl__text_init(text, text_size);
    int entry = gpudl__choose(im, part, target);
    struct misfit m;

    if (entry >= 0)
        return entry;
    m = (struct misfit){ im, part, target, gpudl__misfit_nearest(im, part) };
    if (why)
        *why = gpudl__misfit_of(&m);
    if (!t.size)
        return -1;
    gpudl__misfit_reason(&m, &t);
    gpudl__misfit_remedy(&m, &t);
    return -1;
}

int gpudl__image_choose(struct image *im, const struct image_target *target, enum image_misfit *why, char *text, size_t text_size)
{
    return gpudl__image_choose_in(im, SIZE_MAX, target, why, text, text_size);
}
