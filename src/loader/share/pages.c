#include "src/loader/share/pages.h"

#include <sys/mman.h>

enum { SMALL = 16 << 10, AT_ONCE = 8, KEPT_MOST = 32 };

struct spare {
    struct spare *next;
};

static struct spare *take_kept(struct commons *c)
{
    struct spare *s;

    gpudl__commons_lock(c);
    s = c->kept;
    if (s) {
        c->kept = s->next;
        c->nkept--;
    }
    gpudl__commons_unlock(c);
    return s;
}

static void *map(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

/* Some at once; those that are kept have not been touched yet, but for their first. */
static void *map_small(struct commons *c)
{
    char *pages = map(AT_ONCE * SMALL);

    for (size_t i = 1; pages && i < AT_ONCE; i++)
        gpudl__pages_give(c, pages + i * SMALL, SMALL);
    return pages;
}

void *gpudl__pages_take(struct commons *c, size_t *size)
{
    void *pages = NULL;

    if (*size > SMALL)
        return map(*size);
    *size = SMALL;
    pages = take_kept(c);
    return pages ? pages : map_small(c);
}

void gpudl__pages_give(struct commons *c, void *pages, size_t size)
{
    struct spare *s = pages;
    bool keep = size == SMALL;

    if (keep) {
        gpudl__commons_lock(c);
        keep = c->nkept < KEPT_MOST;
        if (keep) {
            s->next = c->kept;
            c->kept = s;
            c->nkept++;
        }
        gpudl__commons_unlock(c);
    }
    if (!keep)
        munmap(pages, size);
}

void gpudl__pages_unmap(struct commons *c)
{
    struct spare *s;

    while ((s = take_kept(c)))
        munmap(s, SMALL);
}
