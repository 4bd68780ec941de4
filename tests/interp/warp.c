/* warp.c - barriers, and what the lanes of a warp tell each other. */
#include "softcuda/ptx/cfg.h"
#include "tests/interp/parts.h"

bool interp_waits(struct thread *t, const struct ptx_insn *insn)
{
    bool warp = insn->op == PTX_I_shfl || insn->op == PTX_I_vote || insn->op == PTX_I_match || insn->op == PTX_I_redux;
    bool bar = insn->op == PTX_I_bar || insn->op == PTX_I_barrier;

    if (!warp && !bar)
        return false;
    t->state = warp || ptx_has(insn, PTX_M_warp) ? WAITS_FOR_WARP : WAITS_FOR_BLOCK;
    t->at = insn;
    return true;
}

/* ---- barriers of the block */

struct meeting { uint32_t here, yes, expected; };

static uint32_t barrier_id(struct thread *t)
{
    return (uint32_t)interp_get(t, &t->at->ops[ptx_has(t->at, PTX_M_red)], PTX_U32).bits;
}

/* bar.red.op d, id, {count,} p */
static const struct ptx_operand *red_predicate(const struct ptx_insn *insn)
{
    return &insn->ops[insn->nops - 1];
}

/* Threads that are waited for: as many as are written, or all that have not ended. */
static uint32_t expected_at(struct thread *t, uint32_t all)
{
    unsigned red = ptx_has(t->at, PTX_M_red);

    return t->at->nops > (red ? 3 : 1) ? (uint32_t)interp_get(t, &t->at->ops[1 + red], PTX_U32).bits : all;
}

static struct meeting meet(struct interp *in, uint32_t id)
{
    struct meeting m = { 0 };
    uint32_t all = 0;

    for (uint32_t i = 0; i < in->nthreads; i++)
        all += in->threads[i].state != ENDED;
    for (uint32_t i = 0; i < in->nthreads; i++) {
        struct thread *t = &in->threads[i];
        bool red;
        if (t->state != WAITS_FOR_BLOCK || barrier_id(t) != id)
            continue;
        red = ptx_has(t->at, PTX_M_red);
        m.here++;
        m.expected = expected_at(t, all);
        if (red && interp_get(t, red_predicate(t->at), PTX_PRED).any)
            interp_stop(in, "line %u: an undefined predicate", t->at->pos.line);
        m.yes += red && interp_get(t, red_predicate(t->at), PTX_PRED).bits;
    }
    return m;
}

static void pass(struct thread *t, struct meeting m)
{
    const struct ptx_insn *insn = t->at;
    struct value v = { m.yes, false };

    t->state = RUNS;
    if (!ptx_has(insn, PTX_M_red))
        return;
    if (ptx_has(insn, PTX_M_popc)) {
        interp_set(t, &insn->ops[0], v, PTX_U32);
        return;
    }
    v.bits = ptx_has(insn, PTX_M_and_) ? m.yes == m.here : m.yes != 0;
    interp_set(t, &insn->ops[0], v, PTX_PRED);
}

static bool release_barriers(struct interp *in)
{
    bool any = false;

    for (uint32_t id = 0; id < 16; id++) {
        struct meeting m = meet(in, id);
        if (!m.here || m.here < m.expected)
            continue;
        for (uint32_t i = 0; i < in->nthreads; i++)
            if (in->threads[i].state == WAITS_FOR_BLOCK && barrier_id(&in->threads[i]) == id)
                pass(&in->threads[i], m);
        any = true;
    }
    return any;
}

/* ---- lanes of a warp: those of them that are members, with what they bring */

struct lanes { struct thread *t[INTERP_LANES]; struct value a[INTERP_LANES]; uint32_t members, present; };

static uint32_t members_of(struct thread *t)
{
    const struct ptx_operand *o = &t->at->ops[t->at->nops - 1];
    struct value v = interp_get(t, o, PTX_B32);

    if (v.any)
        interp_stop(t->in, "line %u: undefined members", t->at->pos.line);
    return (uint32_t)v.bits;
}

static void shuffle(const struct lanes *l, uint32_t lane, const struct ptx_operand *o)
{
    struct thread *t = l->t[lane];
    const struct ptx_insn *insn = t->at;
    struct value vb = interp_get(t, &o[1], PTX_B32), vc = interp_get(t, &o[2], PTX_B32), d = { 0, true };
    int b = (int)(vb.bits & 31), j, segment = (int)(vc.bits >> 8 & 31), clamp = (int)(vc.bits & 31), most, least = (int)lane & segment;
    bool ok;

    most = least | (clamp & ~segment);
    j = ptx_has(insn, PTX_M_up) ? (int)lane - b : ptx_has(insn, PTX_M_down) ? (int)lane + b : ptx_has(insn, PTX_M_bfly) ? (int)lane ^ b
                                                                                            : least | (b & ~segment);
    ok = ptx_has(insn, PTX_M_up) ? j >= most : j <= most;
    j = ok ? j : (int)lane;
    if (!vb.any && !vc.any && l->present >> j & 1)
        d = l->a[j];
    interp_set(t, &insn->ops[0], d, PTX_B32);
    if (insn->pair)
        interp_set(t, &insn->ops[1], (struct value){ ok, vb.any || vc.any }, PTX_PRED);
}

static void vote(const struct lanes *l, uint32_t lane)
{
    const struct ptx_insn *insn = l->t[lane]->at;
    struct value v = { 0, false };
    uint32_t yes = 0;

    for (uint32_t i = 0; i < INTERP_LANES; i++)
        if (l->present >> i & 1) {
            yes |= (uint32_t)l->a[i].bits << i;
            v.any |= l->a[i].any;
        }
    v.bits = ptx_has(insn, PTX_M_ballot) ? yes : ptx_has(insn, PTX_M_any) ? yes != 0 : ptx_has(insn, PTX_M_uni) ? !yes || yes == l->present
                                                                                                               : yes == l->present;
    interp_set(l->t[lane], &insn->ops[0], v, ptx_has(insn, PTX_M_ballot) ? PTX_B32 : PTX_PRED);
}

static void match(const struct lanes *l, uint32_t lane)
{
    const struct ptx_insn *insn = l->t[lane]->at;
    struct value v = { 0, false };
    bool all = ptx_has(insn, PTX_M_all), same;

    for (uint32_t i = 0; i < INTERP_LANES; i++)
        if (l->present >> i & 1) {
            v.bits |= (uint64_t)(l->a[i].bits == l->a[lane].bits) << i;
            v.any |= l->a[i].any;
        }
    same = v.bits == l->present;
    if (all && !same)
        v.bits = 0;
    interp_set(l->t[lane], &insn->ops[0], v, PTX_B32);
    if (insn->pair)
        interp_set(l->t[lane], &insn->ops[1], (struct value){ same, v.any }, PTX_PRED);
}

static uint32_t joined(const struct ptx_insn *insn, uint32_t x, uint32_t y)
{
    bool less = insn->types[0] == PTX_S32 ? (int32_t)x < (int32_t)y : x < y;

    if (ptx_has(insn, PTX_M_add))
        return x + y;
    if (ptx_has(insn, PTX_M_min) || ptx_has(insn, PTX_M_max))
        return less == ptx_has(insn, PTX_M_min) ? x : y;
    return ptx_has(insn, PTX_M_and_) ? x & y : ptx_has(insn, PTX_M_or_) ? x | y : x ^ y;
}

static void reduce(const struct lanes *l, uint32_t lane)
{
    const struct ptx_insn *insn = l->t[lane]->at;
    struct value v = { 0, false };
    bool first = true;

    for (uint32_t i = 0; i < INTERP_LANES; i++)
        if (l->present >> i & 1) {
            v.bits = first ? l->a[i].bits : joined(insn, (uint32_t)v.bits, (uint32_t)l->a[i].bits);
            v.any |= l->a[i].any;
            first = false;
        }
    interp_set(l->t[lane], &insn->ops[0], v, insn->types[0]);
}

static void answer(const struct lanes *l, uint32_t lane)
{
    struct thread *t = l->t[lane];

    switch (t->at->op) {
    case PTX_I_shfl: shuffle(l, lane, &t->at->ops[t->at->pair ? 2 : 1]); break;
    case PTX_I_vote: vote(l, lane); break;
    case PTX_I_match: match(l, lane); break;
    case PTX_I_redux: reduce(l, lane); break;
    default: break;     /* bar.warp.sync */
    }
    t->state = RUNS;
}

static struct value brought(struct thread *t)
{
    const struct ptx_insn *insn = t->at;

    switch (insn->op) {
    case PTX_I_shfl: return interp_get(t, &insn->ops[insn->pair ? 2 : 1], PTX_B32);
    case PTX_I_vote: return interp_get(t, &insn->ops[1], PTX_PRED);
    case PTX_I_match: return interp_get(t, &insn->ops[insn->pair ? 2 : 1], insn->types[0]);
    case PTX_I_redux: return interp_get(t, &insn->ops[1], insn->types[0]);
    default: return (struct value){ 0, false };
    }
}

/* Gathers the lanes that wait with lane `first`: false if some are not there yet. */
static bool gather(struct interp *in, uint32_t warp, uint32_t first, struct lanes *l)
{
    struct thread *leader = &in->threads[warp * INTERP_LANES + first];

    *l = (struct lanes){ .members = members_of(leader) };
    if (!(l->members >> first & 1))
        interp_stop(in, "line %u: not a member itself", leader->at->pos.line);
    for (uint32_t i = 0; i < INTERP_LANES && warp * INTERP_LANES + i < in->nthreads; i++) {
        struct thread *t = &in->threads[warp * INTERP_LANES + i];
        if (!(l->members >> i & 1) || t->state == ENDED)
            continue;
        if (t->state != WAITS_FOR_WARP || t->at != leader->at || members_of(t) != l->members)
            return false;
        l->t[i] = t;
        l->a[i] = brought(t);
        l->present |= 1u << i;
    }
    return true;
}

static bool release_warp(struct interp *in, uint32_t warp)
{
    bool any = false;

    for (uint32_t i = 0; i < INTERP_LANES && warp * INTERP_LANES + i < in->nthreads; i++) {
        struct lanes l;
        if (in->threads[warp * INTERP_LANES + i].state != WAITS_FOR_WARP || !gather(in, warp, i, &l))
            continue;
        for (uint32_t lane = 0; lane < INTERP_LANES; lane++)
            if (l.present >> lane & 1)
                answer(&l, lane);
        any = true;
    }
    return any;
}

bool interp_release(struct interp *in)
{
    bool any = false;

    for (uint32_t w = 0; w * INTERP_LANES < in->nthreads; w++)
        any |= release_warp(in, w);
    return any || release_barriers(in);
}
