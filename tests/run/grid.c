/* grid.c - what a kernel may rely on: barriers, exits, yields, faults that end the launch and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <string.h>

#include "softcuda/run/grid.h"

static struct sc_worker *worker;

struct args { atomic_uint *counts; unsigned n; };

static const struct args *args_of(const struct sc_warp *w)
{
    return (const struct args *)(const void *)w->params;
}

static struct sc_grid grid_of(void (*code)(struct sc_warp *), const struct args *a, unsigned blocks, unsigned threads)
{
    struct sc_grid g;

    memset(&g, 0, sizeof(g));
    g.code = code;
    g.may_wait = true;
    g.nctaid[0] = blocks;
    g.nctaid[1] = g.nctaid[2] = g.ntid[1] = g.ntid[2] = 1;
    g.ntid[0] = threads;
    g.params = (const unsigned char *)a;
    g.static_shared = 4096;
    return g;
}

static uint32_t lanes_of(const struct sc_warp *w)
{
    uint32_t left = w->ntid[0] * w->ntid[1] * w->ntid[2] - w->warp * SC_LANES;

    return left < SC_LANES ? left : SC_LANES;
}

static void count_block(struct sc_warp *w)
{
    uint32_t block = w->ctaid[0] + w->nctaid[0] * (w->ctaid[1] + w->nctaid[1] * w->ctaid[2]);

    atomic_fetch_add(&args_of(w)->counts[block], 1);
}

static void every_warp_of_every_block_runs_once(void **state)
{
    static atomic_uint counts[7 * 5 * 3 * 40];
    struct args a = { counts, 0 };
    struct sc_grid g = grid_of(count_block, &a, 7 * 40, 100);

    (void)state;
    g.nctaid[1] = 5;
    g.nctaid[2] = 3;
    for (int wait = 0; wait < 2; wait++) {
        memset(counts, 0, sizeof(counts));
        g.may_wait = wait;
        sc_grid_run(&g, worker);
        assert_int_equal(g.fault, -1);
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
            assert_int_equal(counts[i], 4);
    }
}

/* Each warp writes its slot, all read their neighbour's, many times over. */
static void pass_around(struct sc_warp *w)
{
    volatile uint32_t *slot = (volatile uint32_t *)w->shared;

    for (uint32_t round = 0; round < 50; round++) {
        slot[w->warp] = round * 100 + w->warp;
        sc_rt_barrier(w, 0, lanes_of(w), 0);
        if (slot[(w->warp + 1) % w->nwarps] != round * 100 + (w->warp + 1) % w->nwarps)
            atomic_fetch_add(args_of(w)->counts, 1);
        sc_rt_barrier(w, 0, lanes_of(w), 0);
    }
}

static void a_barrier_separates_writes_from_reads(void **state)
{
    atomic_uint wrong = 0;
    struct args a = { &wrong, 0 };
    struct sc_grid g = grid_of(pass_around, &a, 64, 1000);

    (void)state;
    sc_grid_run(&g, worker);
    assert_int_equal(g.fault, -1);
    assert_int_equal(wrong, 0);
}

static void leave_early(struct sc_warp *w)
{
    uint32_t lanes = lanes_of(w);

    if (w->warp % 2) {
        sc_rt_exited(w, lanes);
        return;
    }
    sc_rt_exited(w, 3);
    sc_rt_barrier(w, 1, lanes - 3, 0);
    atomic_fetch_add(args_of(w)->counts, 1);
}

static void threads_that_exited_are_not_waited_for(void **state)
{
    atomic_uint passed = 0;
    struct args a = { &passed, 0 };
    struct sc_grid g = grid_of(leave_early, &a, 10, 256);

    (void)state;
    sc_grid_run(&g, worker);
    assert_int_equal(g.fault, -1);
    assert_int_equal(passed, 40);
}

/* Two warps produce, two consume, on a barrier that counts 128 threads; the producers do not wait. */
static void produce_and_consume(struct sc_warp *w)
{
    volatile uint32_t *slot = (volatile uint32_t *)w->shared;

    if (w->warp >= 2) {
        slot[w->warp] = 7;
        sc_rt_barrier_arrive(w, 3, SC_LANES, 128);
        return;
    }
    sc_rt_barrier(w, 3, SC_LANES, 128);
    if (slot[2] == 7 && slot[3] == 7)
        atomic_fetch_add(args_of(w)->counts, 1);
}

static void arriving_counts_and_does_not_wait(void **state)
{
    atomic_uint passed = 0;
    struct args a = { &passed, 0 };
    struct sc_grid g = grid_of(produce_and_consume, &a, 1, 128);

    (void)state;
    sc_grid_run(&g, worker);
    assert_int_equal(g.fault, -1);
    assert_int_equal(passed, 2);
}

static void reduce(struct sc_warp *w)
{
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t total, count = sc_rt_barrier_red(w, 0, lanes_of(w), 0, w->warp == round % w->nwarps ? 5 : 0, &total);

        if (count == 5 && total == w->ntid[0])
            atomic_fetch_add(args_of(w)->counts, 1);
    }
}

static void a_reducing_barrier_gives_everybody_the_count(void **state)
{
    atomic_uint right = 0;
    struct args a = { &right, 0 };
    struct sc_grid g = grid_of(reduce, &a, 3, 90);

    (void)state;
    sc_grid_run(&g, worker);
    assert_int_equal(g.fault, -1);
    assert_int_equal(right, 3 * 3 * 20);
}

/* A grid-wide barrier as PTX has it: block 0's spin needs all others to come. */
static void meet_all_blocks(struct sc_warp *w)
{
    const struct args *a = args_of(w);

    for (unsigned round = 1; round <= 5; round++) {
        sc_rt_barrier(w, 0, lanes_of(w), 0);
        if (w->warp == 0) {
            atomic_fetch_add(a->counts, 1);
            while (atomic_load(a->counts) < round * w->nctaid[0])
                sc_rt_yield(w);
        }
        sc_rt_barrier(w, 0, lanes_of(w), 0);
    }
}

static void all_blocks_of_a_cooperative_grid_can_meet(void **state)
{
    atomic_uint met = 0;
    struct args a = { &met, 0 };
    struct sc_grid g = grid_of(meet_all_blocks, &a, 48, 96);

    (void)state;
    g.cooperative = true;
    sc_grid_run(&g, worker);
    assert_int_equal(g.fault, -1);
    assert_int_equal(met, 5 * 48);
}

static void a_block_that_spins_lets_others_run(void **state)
{
    atomic_uint met = 0;
    struct args a = { &met, 0 };
    struct sc_grid g = grid_of(meet_all_blocks, &a, 12, 64);

    (void)state;
    sc_grid_run(&g, worker);
    assert_int_equal(g.fault, -1);
    assert_int_equal(met, 5 * 12);
}

static void read_nowhere(struct sc_warp *w)
{
    sc_rt_barrier(w, 0, lanes_of(w), 0);
    if (w->ctaid[0] == 3 && w->warp == 1)
        *(volatile int *)(uintptr_t)(args_of(w)->n) = 1;
    sc_rt_barrier(w, 0, lanes_of(w), 0);
    while (w->ctaid[0] != 3)
        sc_rt_yield(w);
}

static void a_bad_access_ends_the_launch_only(void **state)
{
    struct args a = { NULL, 64 };
    struct sc_grid g = grid_of(read_nowhere, &a, 6, 128);

    (void)state;
    for (int i = 0; i < 3; i++) {
        sc_grid_run(&g, worker);
        assert_int_equal(g.fault, SC_FAULT_ILLEGAL_ADDRESS);
        assert_int_equal(g.fault_address, 64);
        assert_int_equal(g.fault_ctaid[0], 3);
        a_barrier_separates_writes_from_reads(NULL);
    }
}

static void trap(struct sc_warp *w)
{
    if (w->warp == 1)
        sc_rt_fault(w, SC_FAULT_TRAP, 0);
}

static void a_trap_ends_the_launch_only(void **state)
{
    struct args a = { NULL, 0 };
    struct sc_grid g = grid_of(trap, &a, 6, 128);

    (void)state;
    sc_grid_run(&g, worker);
    assert_int_equal(g.fault, SC_FAULT_TRAP);
    g.may_wait = false;
    sc_grid_run(&g, worker);
    assert_int_equal(g.fault, SC_FAULT_TRAP);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)      /* they take a deep stack for their own */
static __attribute__((noinline)) int deeper(volatile char *above)
{
    volatile char frame[8192];

    frame[0] = above[0];
    return frame[0] ? 0 : deeper(frame) + frame[0];
}

static void recurse(struct sc_warp *w)
{
    char c = 0;

    (void)w;
    deeper(&c);
}

static void endless_recursion_ends_the_launch_only(void **state)
{
    struct args a = { NULL, 0 };
    struct sc_grid g = grid_of(recurse, &a, 1, 64);

    (void)state;
    sc_grid_run(&g, worker);
    assert_int_equal(g.fault, SC_FAULT_STACK_OVERFLOW);
}
#endif

static void wait_in_vain(struct sc_warp *w)
{
    if (w->warp)
        sc_rt_barrier(w, 2, SC_LANES, 512);
}

static void a_barrier_that_cannot_complete_is_a_fault(void **state)
{
    struct args a = { NULL, 0 };
    struct sc_grid g = grid_of(wait_in_vain, &a, 2, 128);

    (void)state;
    sc_grid_run(&g, worker);
    assert_int_equal(g.fault, SC_FAULT_DEADLOCK);
    a_barrier_separates_writes_from_reads(NULL);
}

static void use_local(struct sc_warp *w)
{
    memset(w->local_top, 1, (size_t)(w->local_end - w->local_top));
    if (sc_rt_is_local(w, (uintptr_t)w->local_top) && sc_rt_is_local(w, (uintptr_t)w->local_end - 1)
        && !sc_rt_is_local(w, (uintptr_t)w->local_end) && !sc_rt_is_local(w, (uintptr_t)w->shared))
        atomic_fetch_add(args_of(w)->counts, 1);
    sc_rt_barrier(w, 0, lanes_of(w), 0);
}

static void each_warp_has_local_memory(void **state)
{
    atomic_uint right = 0;
    struct args a = { &right, 0 };
    struct sc_grid g = grid_of(use_local, &a, 4, 128);

    (void)state;
    for (unsigned size = 4096; size <= 1u << 20; size *= 16) {
        right = 0;
        g.local_bytes = size;
        sc_grid_run(&g, worker);
        assert_int_equal(g.fault, -1);
        assert_int_equal(right, 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_warp_of_every_block_runs_once),
        cmocka_unit_test(a_barrier_separates_writes_from_reads),
        cmocka_unit_test(threads_that_exited_are_not_waited_for),
        cmocka_unit_test(arriving_counts_and_does_not_wait),
        cmocka_unit_test(a_reducing_barrier_gives_everybody_the_count),
        cmocka_unit_test(all_blocks_of_a_cooperative_grid_can_meet),
        cmocka_unit_test(a_block_that_spins_lets_others_run),
        cmocka_unit_test(a_bad_access_ends_the_launch_only),
        cmocka_unit_test(a_trap_ends_the_launch_only),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(endless_recursion_ends_the_launch_only),
#endif
        cmocka_unit_test(a_barrier_that_cannot_complete_is_a_fault),
        cmocka_unit_test(each_warp_has_local_memory),
    };
    int failed;

    sc_fault_thread_init();
    worker = sc_worker_create();
    failed = cmocka_run_group_tests_name("run.grid", tests, NULL, NULL);
    sc_worker_destroy(worker);
    sc_fault_thread_exit();
    return failed;
}
