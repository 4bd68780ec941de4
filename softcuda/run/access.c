/* access.c - accesses that do not lie in the device's memory: shared, local, host memory that the program gave, or a fault. */
#include <string.h>

#include "softcuda/run/worker.h"

static bool inside(uint64_t address, uint32_t bytes, const void *from, uint64_t size)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)from;

    return offset < size && bytes <= size - offset;
}

/* Asking costs a lock and a search, for each lane of each access: pages that were granted in this grid are remembered. Programs are given whole
 * pages, and no access that is even crosses one. */
static bool ask(struct sc_worker *wk, const struct sc_grid *g, uint64_t address, uint32_t bytes)
{
    uint64_t page = address >> 12, *granted = &wk->granted[page % (sizeof(wk->granted) / sizeof(*wk->granted))];

    if (*granted == page + 1)
        return true;
    if (!g->may_touch(g->may_touch_owner, address, bytes))
        return false;
    *granted = page + 1;
    return true;
}

static bool may_touch(struct sc_warp *w, const struct sc_grid *g, uint64_t address, uint32_t bytes)
{
    if (address - w->memory_base < w->memory_size && bytes <= w->memory_size - (address - w->memory_base))
        return true;
    if (inside(address, bytes, w->shared, w->shared_bytes) ||
        inside(address, bytes, w->local_base, (uint64_t)(w->local_end - w->local_base)))
        return true;
    for (unsigned i = 0; i < sizeof(g->also) / sizeof(*g->also); i++)
        if (inside(address, bytes, g->also[i].from, g->also[i].size))
            return true;
    return g->may_touch && ask(sc_runner(w)->worker, g, address, bytes);
}

static _Noreturn void refuse(struct sc_warp *w, enum sc_fault fault, uint64_t address, uint32_t bytes, uint32_t lanes,
                             struct sc_place place)
{
    struct runner *r = sc_runner(w);
    uint32_t thread = w->warp * SC_LANES + (uint32_t)__builtin_ctz(lanes);

    sc_grid_fail_at(r->worker->grid, fault, address, w->ctaid, thread, bytes, place);
    sc_worker_abandon(r);
}

void sc_rt_check_one(struct sc_warp *w, uint64_t address, uint32_t bytes, uint32_t lanes, uint32_t file, uint32_t line)
{
    struct sc_place place = { file, line };

    if (!lanes)
        return;
    if (address & (bytes - 1))
        refuse(w, SC_FAULT_MISALIGNED, address, bytes, lanes, place);
    if (!may_touch(w, sc_runner(w)->worker->grid, address, bytes))
        refuse(w, SC_FAULT_ILLEGAL_ADDRESS, address, bytes, lanes, place);
}

void sc_rt_check_lanes(struct sc_warp *w, const uint64_t address[SC_LANES], uint32_t bytes, uint32_t lanes, uint32_t file, uint32_t line)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        sc_rt_check_one(w, address[__builtin_ctz(rest)], bytes, rest & -rest, file, line);
}

/* Each element in one instruction, as other threads may look on: with sizes that the compiler knows. */
#define EACH_ELEMENT(name, to, from)                                                                                             \
    static inline __attribute__((always_inline)) void name(char *memory, const uint64_t *address, uint32_t bytes, uint32_t n,    \
                                                           uint32_t lanes)                                                       \
    {                                                                                                                            \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                                                    \
            uint32_t lane = (uint32_t)__builtin_ctz(rest);                                                                       \
            char *place = (char *)(uintptr_t)address[lane], *value = memory + lane * bytes;                                      \
            for (uint32_t i = 0; i < n; i++, place += bytes, value += SC_LANES * bytes)                                          \
                memcpy(to, from, bytes);                                                                                         \
        }                                                                                                                        \
    }

EACH_ELEMENT(gather, value, place)
EACH_ELEMENT(scatter, place, value)

#define BY_SIZE(name)                                           \
    switch (bytes) {                                            \
    case 1: name(memory, address, 1, n, lanes); break;          \
    case 2: name(memory, address, 2, n, lanes); break;          \
    case 4: name(memory, address, 4, n, lanes); break;          \
    case 8: name(memory, address, 8, n, lanes); break;          \
    default: name(memory, address, 16, n, lanes); break;        \
    }

void sc_rt_gather_lanes(const uint64_t address[SC_LANES], void *memory, uint32_t bytes, uint32_t n, uint32_t lanes)
{
    BY_SIZE(gather)
}

void sc_rt_scatter_lanes(const uint64_t address[SC_LANES], void *memory, uint32_t bytes, uint32_t n, uint32_t lanes)
{
    BY_SIZE(scatter)
}

void sc_rt_read_lanes(struct sc_warp *w, const uint64_t address[SC_LANES], void *values, uint32_t bytes, uint32_t n, uint32_t lanes,
                      uint32_t file, uint32_t line)
{
    sc_rt_check_lanes(w, address, bytes * n, lanes, file, line);
    sc_rt_gather_lanes(address, values, bytes, n, lanes);
}

void sc_rt_write_lanes(struct sc_warp *w, const uint64_t address[SC_LANES], void *values, uint32_t bytes, uint32_t n, uint32_t lanes,
                       uint32_t file, uint32_t line)
{
    sc_rt_check_lanes(w, address, bytes * n, lanes, file, line);
    sc_rt_scatter_lanes(address, values, bytes, n, lanes);
}

void sc_rt_check_range(struct sc_warp *w, const uint64_t address[SC_LANES], uint32_t bytes, uint32_t lanes, uint32_t file, uint32_t line,
                       uint64_t base, uint64_t size)
{
    struct sc_place place = { file, line };

    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t at = address[__builtin_ctz(rest)];
        if (at & (bytes - 1))
            refuse(w, SC_FAULT_MISALIGNED, at, bytes, rest, place);
        if (!inside(at, bytes, (void *)(uintptr_t)base, size))
            refuse(w, SC_FAULT_ILLEGAL_ADDRESS, at, bytes, rest, place);
    }
}
