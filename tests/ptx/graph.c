/* graph.c - the control flow graph: by hand for the shapes that compilers write, by definition for random ones. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

struct graph {
    struct ptx_module *m;
    struct cfg *cfg;
};

static struct graph graph_of(const char *body)
{
    struct graph g = { .m = parse_body(body) };

    g.cfg = cfg_build(&g.m->funcs[0]);
    assert_non_null(g.cfg);
    return g;
}

static void drop(struct graph g)
{
    cfg_destroy(g.cfg);
    ptx_module_destroy(g.m);
}

/* "0>1,2 1>2 2>": every block in order with its successors. */
static void check_edges(const struct cfg *cfg, const char *expected)
{
    char text[2048] = "";
    size_t at = 0;

    for (uint32_t i = 0; i < cfg->nblocks; i++) {
        at += (size_t)sprintf(text + at, "%s%u>", i ? " " : "", i);
        for (uint32_t k = 0; k < cfg->blocks[i].nsucc; k++)
            at += (size_t)sprintf(text + at, "%s%u", k ? "," : "", cfg->blocks[i].succ[k]);
    }
    assert_string_equal(text, expected);
}

static void check_range(const struct cfg_block *b, uint32_t first, uint32_t end)
{
    assert_int_equal(b->first, first);
    assert_int_equal(b->end, end);
}

static void check_loop(const struct cfg_loop *l, struct cfg_loop expected)
{
    assert_int_equal(l->first, expected.first);
    assert_int_equal(l->end, expected.end);
    assert_int_equal(l->parent, expected.parent);
    assert_int_equal(l->depth, expected.depth);
}

static void straight_code_is_one_block(void **state)
{
    struct graph g = graph_of("mov.b32 %r0, 1; mov.b32 %r1, 2; ret;");

    (void)state;
    check_edges(g.cfg, "0>");
    check_range(&g.cfg->blocks[0], 0, 3);
    assert_int_equal(g.cfg->blocks[0].ipdom, CFG_EXIT);
    assert_int_equal(g.cfg->blocks[0].loop, -1);
    drop(g);
    g = graph_of("");
    check_edges(g.cfg, "0>");
    check_range(&g.cfg->blocks[0], 0, 0);
    drop(g);
}

static void the_join_comes_after_both_ways(void **state)
{
    struct graph g = graph_of("@%p0 bra ELSE; mov.b32 %r0, 1; bra JOIN; ELSE: mov.b32 %r0, 2; JOIN: mov.b32 %r1, %r0; ret;");

    (void)state;
    check_edges(g.cfg, "0>2,1 1>3 2>3 3>");
    check_range(&g.cfg->blocks[1], 1, 3);
    check_range(&g.cfg->blocks[2], 3, 4);
    assert_int_equal(g.cfg->blocks[0].ipdom, 3);
    assert_int_equal(g.cfg->blocks[1].ipdom, 3);
    assert_int_equal(g.cfg->blocks[3].npred, 2);
    assert_true(g.cfg->blocks[3].pred[0] == 1 && g.cfg->blocks[3].pred[1] == 2);
    drop(g);
    /* the ways stand the wrong way round in the text */
    g = graph_of("@%p0 bra A; bra B; J: ret; B: bra J; A: bra J;");
    assert_int_equal(g.cfg->blocks[g.cfg->nblocks - 1].first, 2);
    drop(g);
}

static void an_early_return_leaves_no_edge(void **state)
{
    struct graph g = graph_of("@%p0 ret; mov.b32 %r0, 1; @!%p1 exit; @%p2 trap; ret;");

    (void)state;
    check_edges(g.cfg, "0>1 1>2 2>3 3>");
    assert_int_equal(g.cfg->blocks[0].ipdom, 1);
    drop(g);
    g = graph_of("mov.b32 %r0, 1; @%p0 ret;");
    check_edges(g.cfg, "0>");
    drop(g);
}

static void loops_are_in_one_piece_before_their_exits(void **state)
{
    /* the exit of the inner loop stands before its body in the text */
    struct graph g = graph_of("OUTER: mov.b32 %r0, 0; bra INNER; LEFT: @%p1 bra OUTER; ret; INNER: @%p0 bra LEFT; "
        "mov.b32 %r1, 1; bra INNER;");

    (void)state;
    check_edges(g.cfg, "0>1 1>3,2 2>1 3>0,4 4>");
    assert_int_equal(g.cfg->nloops, 2);
    check_loop(&g.cfg->loops[0], (struct cfg_loop){ .first = 0, .end = 4, .parent = -1, .depth = 1 });
    check_loop(&g.cfg->loops[1], (struct cfg_loop){ .first = 1, .end = 3, .parent = 0, .depth = 2 });
    assert_int_equal(g.cfg->blocks[0].loop, 0);
    assert_int_equal(g.cfg->blocks[2].loop, 1);
    assert_int_equal(g.cfg->blocks[3].loop, 0);
    assert_int_equal(g.cfg->blocks[4].loop, -1);
    assert_int_equal(g.cfg->blocks[1].ipdom, 3);
    drop(g);
}

static void a_block_may_be_a_loop(void **state)
{
    struct graph g = graph_of("L: add.s32 %r0, %r0, 1; @%p0 bra L; ret;");

    (void)state;
    check_edges(g.cfg, "0>0,1 1>");
    assert_true(g.cfg->nloops == 1 && g.cfg->loops[0].end == 1);
    drop(g);
}

static void an_endless_loop_has_post_dominators(void **state)
{
    struct graph g = graph_of("@%p0 bra L; ret; L: mov.b32 %r0, 1; @%p1 bra M; bra L; M: bra L;");

    (void)state;
    check_edges(g.cfg, "0>2,1 1> 2>4,3 3>2 4>2");
    assert_int_equal(g.cfg->blocks[0].ipdom, CFG_EXIT);
    assert_int_equal(g.cfg->blocks[3].ipdom, 2);
    drop(g);
    g = graph_of("L: bra L;");
    check_edges(g.cfg, "0>0");
    assert_int_equal(g.cfg->blocks[0].ipdom, CFG_EXIT);
    drop(g);
}

static void wait_points_are_blocks_of_their_own(void **state)
{
    struct graph g = graph_of("mov.b32 %r0, 1; bar.sync 0; bar.warp.sync -1; mov.b32 %r1, 1; "
        "@%p0 shfl.sync.down.b32 %r1, %r0, 1, 31, -1; membar.cta;"
                              "fence.acq_rel.gpu; activemask.b32 %r2; ret;");

    (void)state;
    check_edges(g.cfg, "0>1 1>2 2>3 3>4 4>5 5>");
    check_range(&g.cfg->blocks[1], 1, 2);
    check_range(&g.cfg->blocks[2], 2, 3);
    check_range(&g.cfg->blocks[4], 4, 5);
    check_range(&g.cfg->blocks[5], 5, 9);
    drop(g);
    g = graph_of("barrier.sync 0; vote.sync.any.pred %p0, %p1, -1; match.any.sync.b32 %r0, %r1, -1; "
        "redux.sync.add.s32 %r0, %r1, -1; call %d0;");
    check_edges(g.cfg, "0>1 1>2 2>3 3>4 4>");
    drop(g);
}

static void dead_code_is_left_out(void **state)
{
    struct graph g = graph_of("bra A; mov.b32 %r0, 1; B: mov.b32 %r1, 1; A: ret; C: bra B;");

    (void)state;
    check_edges(g.cfg, "0>1 1>");
    check_range(&g.cfg->blocks[1], 3, 4);
    assert_int_equal(g.cfg->blocks[1].npred, 1);
    drop(g);
}

static void a_branch_to_the_end_gets_an_empty_block(void **state)
{
    struct graph g = graph_of("@%p0 bra END; mov.b32 %r0, 1; END:");

    (void)state;
    check_edges(g.cfg, "0>2,1 1>2 2>");
    check_range(&g.cfg->blocks[2], 2, 2);
    drop(g);
    g = graph_of("L: mov.b32 %r0, 1; @%p0 bra L;");
    check_edges(g.cfg, "0>0,1 1>");
    drop(g);
}

static void tables_give_each_target_once(void **state)
{
    struct graph g = graph_of("T: .branchtargets A, B, A, B, C; @%p0 brx.idx %r0, T; A: mov.b32 %r1, 0; bra C; "
        "B: mov.b32 %r1, 1; C: ret;");

    (void)state;
    check_edges(g.cfg, "0>1,2,3 1>3 2>3 3>");
    assert_int_equal(g.cfg->blocks[0].ipdom, 3);
    drop(g);
}

static void both_ways_of_a_branch_may_be_one(void **state)
{
    struct graph g = graph_of("@%p0 bra A; A: ret;");

    (void)state;
    check_edges(g.cfg, "0>1,1 1>");
    assert_int_equal(g.cfg->blocks[1].npred, 1);
    drop(g);
}

/* Can the exit be reached from `from` without passing through `without`? Plain search; "leaves" as in cfg.h for endless loops. */
static bool escapes(const struct cfg *cfg, const bool *leaves, uint32_t from, uint32_t without)
{
    uint32_t *stack = calloc((size_t)cfg->nblocks + 1, sizeof(*stack)), n = 0;
    bool *seen = calloc((size_t)cfg->nblocks + 1, sizeof(*seen)), found = false;

    assert_true(stack && seen);
    if (from != without)
        stack[n++] = from;
    seen[from] = true;
    while (n && !found) {
        const struct cfg_block *b = &cfg->blocks[stack[--n]];

        found = leaves[b - cfg->blocks];
        for (uint32_t k = 0; k < b->nsucc; k++) {
            if (!seen[b->succ[k]] && b->succ[k] != without)
                stack[n++] = b->succ[k];
            seen[b->succ[k]] = true;
        }
    }
    free(stack);
    free(seen);
    return found;
}

/* The post-dominators of a block are a chain: its immediate one is on it, and has all the others but itself. */
static void check_post_dominators(const struct cfg *cfg)
{
    bool *leaves = calloc(cfg->nblocks, sizeof(*leaves));

    assert_non_null(leaves);
    for (uint32_t i = 0; i < cfg->nblocks; i++)
        leaves[i] = !cfg->blocks[i].nsucc;
    for (uint32_t i = cfg->nblocks; i-- > 0;)
        if (!escapes(cfg, leaves, i, CFG_EXIT))
            leaves[i] = true;
    for (uint32_t i = 0; i < cfg->nblocks; i++) {
        uint32_t ipdom = cfg->blocks[i].ipdom;

        assert_true(ipdom == CFG_EXIT || (ipdom < cfg->nblocks && ipdom != i));
        for (uint32_t d = 0; d < cfg->nblocks; d++) {
            bool dominates = d != i && !escapes(cfg, leaves, i, d);
            bool above = d == ipdom || (ipdom != CFG_EXIT && !escapes(cfg, leaves, ipdom, d));

            assert_int_equal(dominates, ipdom != CFG_EXIT && above);
        }
    }
    free(leaves);
}

/* A back edge stays in a loop; loops nest; every block but the first is entered from an earlier one. */
static void check_layout(const struct cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->nloops; i++) {
        const struct cfg_loop *l = &cfg->loops[i];

        assert_true(l->first < l->end && l->end <= cfg->nblocks);
        assert_true(l->parent < (int32_t)i);
        if (l->parent >= 0) {
            assert_true(cfg->loops[l->parent].first <= l->first && l->end <= cfg->loops[l->parent].end);
            assert_int_equal(l->depth, cfg->loops[l->parent].depth + 1);
        }
    }
    for (uint32_t i = 0; i < cfg->nblocks; i++) {
        const struct cfg_block *b = &cfg->blocks[i];
        bool entered = i == 0;

        for (uint32_t k = 0; k < b->npred; k++)
            entered |= b->pred[k] < i;
        assert_true(entered);
        for (uint32_t k = 0; k < b->nsucc; k++)
            if (b->succ[k] <= i)
                assert_true(b->loop >= 0 && cfg->loops[b->loop].first <= i && i < cfg->loops[b->loop].end);
        for (uint32_t l = 0; l < cfg->nloops; l++)
            if (i >= cfg->loops[l].first && i < cfg->loops[l].end)
                assert_true(b->loop >= (int32_t)l || cfg->loops[l].depth <= cfg->loops[b->loop].depth);
    }
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

/* A body of n labelled lines with random branches; near: how far they go. */
static struct graph random_graph(uint32_t seed, uint32_t n, uint32_t near)
{
    char *text = malloc(n * 64 + 64), *at = text;
    struct graph g;

    assert_non_null(text);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = (i + n + next_random(&seed) % (2 * near + 1) - near) % n;

        switch (next_random(&seed) % 8) {
        case 0: at += sprintf(at, "L%u: ret;", i); break;
        case 1: case 2: at += sprintf(at, "L%u: bra L%u;", i, to); break;
        case 3: at += sprintf(at, "L%u: mov.b32 %%r0, 1;", i); break;
        default: at += sprintf(at, "L%u: @%%p0 bra L%u;", i, to); break;
        }
    }
    g = graph_of(text);
    free(text);
    return g;
}

static void random_graphs_keep_every_promise(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 400; seed++) {
        struct graph g = random_graph(seed, 5 + seed % 40, 1 + seed % 7 * (seed % 5));

        check_layout(g.cfg);
        check_post_dominators(g.cfg);
        drop(g);
    }
}

static void large_graphs_are_built(void **state)
{
    struct graph g = random_graph(7, 60000, 50);

    (void)state;
    check_layout(g.cfg);
    drop(g);
}

/* Loop heads L0 to Ln - 1 one inside the other: deeper than is taken apart. */
static void very_deep_nests_are_still_laid_out(void **state)
{
    const uint32_t n = 400;
    char *text = malloc(n * 64), *at = text;
    struct graph g;

    (void)state;
    assert_non_null(text);
    for (uint32_t i = 0; i < n; i++)
        at += sprintf(at, "L%u: mov.b32 %%r0, 1;", i);
    for (uint32_t i = n; i-- > 0;)
        at += sprintf(at, "@%%p0 bra L%u;", i);
    g = graph_of(text);
    free(text);
    assert_int_equal(g.cfg->nblocks, 2 * n);
    assert_true(g.cfg->nloops >= 200);
    check_layout(g.cfg);
    drop(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code_is_one_block),
        cmocka_unit_test(the_join_comes_after_both_ways),
        cmocka_unit_test(an_early_return_leaves_no_edge),
        cmocka_unit_test(loops_are_in_one_piece_before_their_exits),
        cmocka_unit_test(a_block_may_be_a_loop),
        cmocka_unit_test(an_endless_loop_has_post_dominators),
        cmocka_unit_test(wait_points_are_blocks_of_their_own),
        cmocka_unit_test(dead_code_is_left_out),
        cmocka_unit_test(a_branch_to_the_end_gets_an_empty_block),
        cmocka_unit_test(tables_give_each_target_once),
        cmocka_unit_test(both_ways_of_a_branch_may_be_one),
        cmocka_unit_test(random_graphs_keep_every_promise),
        cmocka_unit_test(large_graphs_are_built),
        cmocka_unit_test(very_deep_nests_are_still_laid_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
