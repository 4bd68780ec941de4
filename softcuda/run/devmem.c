/* devmem.c - see devmem.h.
 *
 * The range is divided into allocations and free ranges, both in one tree; neighbours that become free are joined. Pages become
 * real by granules of 64 KiB: a granule can be touched while an allocation lies in it, and gives its pages back after the last
 * one. */
#include "softcuda/run/devmem.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "softcuda/run/range.h"

#define GRANULE     ((uint64_t)64 << 10)
#define HUGE_PAGE   ((uint64_t)2 << 20)

struct sc_devmem {
    pthread_mutex_t lock;
    struct sc_ranges ranges;
    uint64_t base, total, used, next_id;
    unsigned char *mapping;
    size_t mapping_size;
    uint32_t *live;                 /* allocations in each granule */
};

static struct sc_range *new_range(uint64_t start, uint64_t size, bool is_free)
{
    struct sc_range *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->start = start;
    r->size = size;
    r->free = is_free;
    return r;
}

static int reserve(struct sc_devmem *m, uint64_t total)
{
    for (; total >= HUGE_PAGE; total /= 2) {
        total &= ~(HUGE_PAGE - 1);
        m->mapping_size = total + HUGE_PAGE;
        m->mapping = mmap(NULL, m->mapping_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (m->mapping != MAP_FAILED) {
            m->base = ((uint64_t)(uintptr_t)m->mapping + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
            m->total = total;
            return 0;
        }
    }
    return -1;
}

struct sc_devmem *sc_devmem_create(uint64_t total)
{
    struct sc_devmem *m = calloc(1, sizeof(*m));
    struct sc_range *all;

    if (!m)
        return NULL;
    if (reserve(m, total)) {
        free(m);
        return NULL;
    }
    m->live = calloc(m->total / GRANULE, sizeof(*m->live));
    all = new_range(m->base, m->total, true);
    if (!m->live || !all) {
        munmap(m->mapping, m->mapping_size);
        free(m->live);
        free(all);
        free(m);
        return NULL;
    }
    pthread_mutex_init(&m->lock, NULL);
    sc_ranges_insert(&m->ranges, all);
    return m;
}

static void free_tree(struct sc_range *n)
{
    if (!n)
        return;
    free_tree(n->left);
    free_tree(n->right);
    free(n);
}

void sc_devmem_destroy(struct sc_devmem *m)
{
    if (!m)
        return;
    free_tree(m->ranges.root);
    munmap(m->mapping, m->mapping_size);
    free(m->live);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static void *at(const struct sc_devmem *m, uint64_t granule)
{
    return (void *)(uintptr_t)(m->base + granule * GRANULE);
}

static int open_granules(const struct sc_devmem *m, uint64_t first, uint64_t n)
{
    if (mprotect(at(m, first), n * GRANULE, PROT_READ | PROT_WRITE))
        return -1;
    if (n * GRANULE >= HUGE_PAGE)
        madvise(at(m, first), n * GRANULE, MADV_HUGEPAGE);
    return 0;
}

static void close_granules(const struct sc_devmem *m, uint64_t first, uint64_t n)
{
    madvise(at(m, first), n * GRANULE, MADV_DONTNEED);
    mprotect(at(m, first), n * GRANULE, PROT_NONE);
}

/* Counts an allocation out of its granules and closes those that hold no other. */
static void leave_granules(struct sc_devmem *m, uint64_t start, uint64_t size)
{
    uint64_t first = (start - m->base) / GRANULE, last = (start + size - 1 - m->base) / GRANULE, run = 0;

    for (uint64_t i = first; i <= last; i++) {
        if (--m->live[i] == 0) {
            run++;
        } else if (run) {
            close_granules(m, i - run, run);
            run = 0;
        }
    }
    if (run)
        close_granules(m, last + 1 - run, run);
}

static int enter_granules(struct sc_devmem *m, uint64_t start, uint64_t size)
{
    uint64_t first = (start - m->base) / GRANULE, last = (start + size - 1 - m->base) / GRANULE, run = 0;
    int err = 0;

    for (uint64_t i = first; i <= last; i++) {
        if (m->live[i]++ == 0) {
            run++;
        } else if (run) {
            err |= open_granules(m, i - run, run);
            run = 0;
        }
    }
    if (run)
        err |= open_granules(m, last + 1 - run, run);
    if (err)
        leave_granules(m, start, size);
    return err;
}

/* Large allocations begin on a huge page, and on a granule of their own. */
static uint64_t alignment_for(uint64_t size)
{
    return size >= HUGE_PAGE ? HUGE_PAGE : size >= GRANULE ? GRANULE : SC_DEVMEM_ALIGN;
}

/* Cuts [start, start + size) out of a free range. spare: two ranges for what is left on either side; those not needed stay
 * there. */
static void cut(struct sc_devmem *m, struct sc_range *r, uint64_t start, uint64_t size, struct sc_range **spare)
{
    uint64_t end = r->start + r->size, low = start - r->start, high = end - start - size;

    sc_ranges_remove(&m->ranges, r);
    if (low) {
        *spare[0] = (struct sc_range){ .start = r->start, .size = low, .free = true };
        sc_ranges_insert(&m->ranges, spare[0]);
        spare[0] = NULL;
    }
    if (high) {
        *spare[1] = (struct sc_range){ .start = start + size, .size = high, .free = true };
        sc_ranges_insert(&m->ranges, spare[1]);
        spare[1] = NULL;
    }
    r->start = start;
    r->size = size;
    r->free = false;
    sc_ranges_insert(&m->ranges, r);
}

/* Makes r free and joins it with free neighbours. */
static void give(struct sc_devmem *m, struct sc_range *r)
{
    struct sc_range *before = r->start > m->base ? sc_ranges_below(&m->ranges, r->start - 1) : NULL;
    struct sc_range *after = sc_ranges_above(&m->ranges, r->start + 1);

    sc_ranges_remove(&m->ranges, r);
    r->free = true;
    r->owner = NULL;
    if (before && before->free) {
        sc_ranges_remove(&m->ranges, before);
        r->start = before->start;
        r->size += before->size;
        free(before);
    }
    if (after && after->free) {
        sc_ranges_remove(&m->ranges, after);
        r->size += after->size;
        free(after);
    }
    sc_ranges_insert(&m->ranges, r);
}

static struct sc_range *carve(struct sc_devmem *m, uint64_t size, struct sc_range **spare)
{
    uint64_t align = alignment_for(size), start;
    struct sc_range *r = sc_ranges_fit(&m->ranges, size + align - SC_DEVMEM_ALIGN);

    if (!r && (align = SC_DEVMEM_ALIGN))
        r = sc_ranges_fit(&m->ranges, size);
    if (!r)
        return NULL;
    start = (r->start + align - 1) & ~(align - 1);
    if (enter_granules(m, start, size))
        return NULL;
    cut(m, r, start, size, spare);
    return r;
}

uint64_t sc_devmem_alloc(struct sc_devmem *m, uint64_t size, void *owner, uint32_t kind)
{
    struct sc_range *spare[2] = { new_range(0, 0, true), new_range(0, 0, true) }, *r = NULL;
    uint64_t rounded = (size + SC_DEVMEM_ALIGN - 1) & ~(uint64_t)(SC_DEVMEM_ALIGN - 1), start = 0;

    pthread_mutex_lock(&m->lock);
    if (size && size <= m->total && spare[0] && spare[1])
        r = carve(m, rounded, spare);
    if (r) {
        r->owner = owner;
        r->kind = kind;
        r->id = ++m->next_id;
        r->flags = (uint32_t)(rounded - size);      /* what the caller did not ask for */
        m->used += rounded;
        start = r->start;
    }
    pthread_mutex_unlock(&m->lock);
    free(spare[0]);
    free(spare[1]);
    return start;
}

static void release(struct sc_devmem *m, struct sc_range *r)
{
    m->used -= r->size;
    leave_granules(m, r->start, r->size);
    give(m, r);
}

static struct sc_devmem_info info_of(const struct sc_range *r)
{
    return (struct sc_devmem_info){ r->start, r->size - r->flags, r->id, r->owner, r->kind };
}

bool sc_devmem_find(struct sc_devmem *m, uint64_t address, struct sc_devmem_info *info)
{
    struct sc_range *r;

    pthread_mutex_lock(&m->lock);
    r = sc_ranges_find(&m->ranges, address);
    if (r && !r->free)
        *info = info_of(r);
    pthread_mutex_unlock(&m->lock);
    return r && !r->free && address - info->start < info->size;
}

void sc_devmem_near(struct sc_devmem *m, uint64_t address, struct sc_devmem_info *below, struct sc_devmem_info *above)
{
    struct sc_range *r;

    below->size = above->size = 0;
    pthread_mutex_lock(&m->lock);
    for (r = sc_ranges_below(&m->ranges, address); r && r->free; r = sc_ranges_below(&m->ranges, r->start - 1))
        ;
    if (r)
        *below = info_of(r);
    for (r = sc_ranges_above(&m->ranges, address + 1); r && r->free; r = sc_ranges_above(&m->ranges, r->start + 1))
        ;
    if (r)
        *above = info_of(r);
    pthread_mutex_unlock(&m->lock);
}

void sc_devmem_each(struct sc_devmem *m, void (*visit)(const struct sc_devmem_info *, void *), void *arg)
{
    struct sc_devmem_info info;
    struct sc_range *r;
    uint64_t from = 0;

    pthread_mutex_lock(&m->lock);
    for (; (r = sc_ranges_above(&m->ranges, from)); from = r->start + 1) {
        info = info_of(r);
        if (!r->free)
            visit(&info, arg);
    }
    pthread_mutex_unlock(&m->lock);
}

bool sc_devmem_free(struct sc_devmem *m, uint64_t address, uint32_t kind)
{
    struct sc_range *r;
    bool found;

    pthread_mutex_lock(&m->lock);
    r = sc_ranges_find(&m->ranges, address);
    found = r && !r->free && r->start == address && r->kind == kind;
    if (found)
        release(m, r);
    pthread_mutex_unlock(&m->lock);
    return found;
}

void sc_devmem_free_owned(struct sc_devmem *m, const void *owner)
{
    uint64_t from = 0;
    struct sc_range *r;

    pthread_mutex_lock(&m->lock);
    while ((r = sc_ranges_above(&m->ranges, from))) {
        from = r->start + 1;
        if (!r->free && r->owner == owner)
            release(m, r);
    }
    pthread_mutex_unlock(&m->lock);
}

void sc_devmem_sizes(struct sc_devmem *m, uint64_t *free_bytes, uint64_t *total)
{
    pthread_mutex_lock(&m->lock);
    *free_bytes = m->total - m->used;
    *total = m->total;
    pthread_mutex_unlock(&m->lock);
}

bool sc_devmem_contains(const struct sc_devmem *m, uint64_t address)
{
    return address - m->base < m->total;
}

void sc_devmem_range(const struct sc_devmem *m, uint64_t *base, uint64_t *size)
{
    *base = m->base;
    *size = m->total;
}
