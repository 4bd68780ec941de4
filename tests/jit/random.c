/* random.c - random programs: machine code for warps against an interpreter of single threads.
 *
 * A program is blocks of integer instructions on a few registers, some under guards, with random branches between the blocks, forwards and
 * backwards, on predicates that are uniform or not. Every thread has fuel, so every program ends. Fixed seeds. */
#include <stdbool.h>
#include <stdlib.h>

#include "tests/jit/harness.h"

#define NREG   6        /* %r1 to %r6 */
#define NWIDE  3        /* %rd1 to %rd3 */
#define NPRED  3        /* %p1 to %p3 */
#define NBLOCK 9
#define NINSN  7
#define FUEL   24

enum op { ADD, SUB, MUL, XOR, SHL, MAD, WIDEN_S, WIDEN_U, ADD64, MULWIDE, NARROW, SHL64, SETLT, SETEQ, SELP, LOAD, SPECIAL, NOPS };
static const char *const names[] = { "add.s32", "sub.s32", "mul.lo.s32", "xor.b32", "shl.b32", "mad.lo.s32", "cvt.s64.s32", "cvt.u64.u32",
    "add.s64", "mul.wide.s32", "cvt.u32.u64", "shl.b64", "setp.lt.s32", "setp.eq.s32", "selp.b32", "ld.global.u32", "mov.u32" };
static const char *const specials[] = { "%tid.x", "%tid.y", "%ctaid.x", "%ntid.x", "%laneid" };

struct insn { enum op op; int d, a, b, c, guard; bool guard_not, b_is_number; int32_t number; };
struct block { struct insn insn[NINSN]; int n, p, yes, no; bool p_not; };       /* p: 0 is an unconditional branch to yes */
struct program { struct block block[NBLOCK]; };

static uint64_t seed;

static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % n;
}

static void make(struct program *p)
{
    static const int32_t numbers[] = { 0, 1, 2, 3, 4, 8, 16, 31, -1, -4, 100, 0x7fffffff, (int32_t)0x9e3779b1 };

    for (int k = 0; k < NBLOCK; k++) {
        struct block *b = &p->block[k];
        b->n = 1 + (int)pick(NINSN);
        for (int i = 0; i < b->n; i++) {
            struct insn *in = &b->insn[i];
            *in = (struct insn){ .op = pick(NOPS), .d = (int)pick(100), .a = (int)pick(100), .b = (int)pick(100), .c = (int)pick(100),
                                 .guard = pick(6) ? 0 : 1 + (int)pick(NPRED), .guard_not = pick(2), .b_is_number = pick(2) };
            in->number = numbers[pick(sizeof(numbers) / sizeof(*numbers))];
            if (in->op == SHL || in->op == SHL64)
                in->number = (int32_t)pick(8);
        }
        b->p = pick(4) ? 1 + (int)pick(NPRED) : 0;
        b->p_not = pick(2);
        b->yes = pick(3) ? k + 1 + (int)pick(3) : (int)pick(NBLOCK);
        b->no = k + 1;
        b->yes = b->yes > NBLOCK ? NBLOCK : b->yes;
    }
}

#define R(x) (1 + (x) % NREG)
#define W(x) (1 + (x) % NWIDE)
#define P(x) (1 + (x) % NPRED)

static int print_insn(char *t, const struct insn *in)
{
    char b[32];
    int n = 0;

    if (in->b_is_number || in->op == SHL || in->op == SHL64)
        snprintf(b, sizeof(b), "%d", in->number);
    else
        snprintf(b, sizeof(b), in->op == ADD64 ? "%%rd%d" : "%%r%d", in->op == ADD64 ? W(in->b) : R(in->b));
    if (in->guard)
        n += sprintf(t + n, "@%s%%p%d ", in->guard_not ? "!" : "", in->guard);
    n += sprintf(t + n, "%s ", names[in->op]);
    switch (in->op) {
    case WIDEN_S: case WIDEN_U: n += sprintf(t + n, "%%rd%d, %%r%d;\n", W(in->d), R(in->a)); break;
    case NARROW: n += sprintf(t + n, "%%r%d, %%rd%d;\n", R(in->d), W(in->a)); break;
    case ADD64: case SHL64: n += sprintf(t + n, "%%rd%d, %%rd%d, %s;\n", W(in->d), W(in->a), b); break;
    case MULWIDE: n += sprintf(t + n, "%%rd%d, %%r%d, %s;\n", W(in->d), R(in->a), b); break;
    case SETLT: case SETEQ: n += sprintf(t + n, "%%p%d, %%r%d, %s;\n", P(in->d), R(in->a), b); break;
    case SELP: n += sprintf(t + n, "%%r%d, %%r%d, %s, %%p%d;\n", R(in->d), R(in->a), b, P(in->c)); break;
    case MAD: n += sprintf(t + n, "%%r%d, %%r%d, %s, %%r%d;\n", R(in->d), R(in->a), b, R(in->c)); break;
    case SPECIAL: n += sprintf(t + n, "%%r%d, %s;\n", R(in->d), specials[in->a % 5]); break;
    case LOAD:  /* one of 64 words, found through an index that may have wrapped */
        n = sprintf(t, "and.b32 %%r50, %%r%d, 63;\nsub.s32 %%r50, %%r50, %d;\ncvt.s64.s32 %%rd20, %%r50;\nadd.s64 %%rd20, %%rd20, %d;\n"
                       "shl.b64 %%rd20, %%rd20, 2;\nadd.s64 %%rd20, %%rd10, %%rd20;\n", R(in->a), in->b % 9, in->b % 9);
        if (in->guard)
            n += sprintf(t + n, "@%s%%p%d ", in->guard_not ? "!" : "", in->guard);
        n += sprintf(t + n, "ld.global.u32 %%r%d, [%%rd20];\n", R(in->d));
        break;
    default: n += sprintf(t + n, "%%r%d, %%r%d, %s;\n", R(in->d), R(in->a), b); break;
    }
    return n;
}

static char *print(const struct program *p)
{
    static char text[1 << 16];
    char *t = text;

    t += sprintf(t, "%s.global .align 4 .b32 words[64];\n.visible .entry k(.param .u64 o)\n{\n.reg .pred %%p<9>;\n.reg .b32 %%r<64>;\n.reg .b64 %%rd<32>;\n"
                    "ld.param.u64 %%rd0, [o];\nmov.u64 %%rd10, words;\nmov.u32 %%r40, %d;\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\n"
                    "mov.u32 %%r3, 7;\nmov.u32 %%r4, 0;\nmov.u32 %%r5, %%tid.y;\nmov.u32 %%r6, -5;\ncvt.u64.u32 %%rd1, %%r1;\nmov.u64 %%rd2, 1000;\n"
                    "mov.u64 %%rd3, 0;\nsetp.lt.s32 %%p1, %%r1, 5;\nsetp.eq.s32 %%p2, %%r2, 1;\nsetp.lt.s32 %%p3, %%r1, %%r5;\n", PTX, FUEL);
    for (int k = 0; k < NBLOCK; k++) {
        const struct block *b = &p->block[k];
        t += sprintf(t, "B%d:\nsub.s32 %%r40, %%r40, 1;\nsetp.le.s32 %%p8, %%r40, 0;\n@%%p8 bra B%d;\n", k, NBLOCK);
        for (int i = 0; i < b->n; i++)
            t += print_insn(t, &b->insn[i]);
        if (b->p)
            t += sprintf(t, "@%s%%p%d ", b->p_not ? "!" : "", b->p);
        t += sprintf(t, "bra B%d;\n", b->yes);
        if (b->p)
            t += sprintf(t, "bra B%d;\n", b->no);
    }
    t += sprintf(t, "B%d:\nmov.u32 %%r60, %%ntid.x;\nmov.u32 %%r61, %%ntid.y;\nmov.u32 %%r62, %%tid.y;\nmad.lo.s32 %%r62, %%r62, %%r60, 0;\n"
                    "mov.u32 %%r63, %%tid.x;\nadd.s32 %%r62, %%r62, %%r63;\nmul.lo.s32 %%r60, %%r60, %%r61;\nmov.u32 %%r61, %%ctaid.x;\n"
                    "mad.lo.s32 %%r62, %%r61, %%r60, %%r62;\nmul.wide.u32 %%rd20, %%r62, 64;\nadd.s64 %%rd20, %%rd0, %%rd20;\n", NBLOCK);
    for (int r = 0; r < NREG; r++)
        t += sprintf(t, "st.global.u32 [%%rd20+%d], %%r%d;\n", 4 * r, r + 1);
    for (int w = 0; w < NWIDE; w++)
        t += sprintf(t, "st.global.u64 [%%rd20+%d], %%rd%d;\n", 24 + 8 * w, w + 1);
    sprintf(t, "ret;\n}\n");
    return text;
}

struct thread { uint32_t r[NREG + 1]; uint64_t w[NWIDE + 1]; bool p[NPRED + 1]; unsigned tid_x, tid_y, ctaid, ntid_x, lane; };

static void step(struct thread *t, const struct insn *in)
{
    uint32_t a = t->r[R(in->a)], b = in->b_is_number ? (uint32_t)in->number : t->r[R(in->b)], *d = &t->r[R(in->d)];
    uint64_t wa = t->w[W(in->a)], wb = in->b_is_number ? (uint64_t)(int64_t)in->number : t->w[W(in->b)], *wd = &t->w[W(in->d)];
    const uint32_t special[] = { t->tid_x, t->tid_y, t->ctaid, t->ntid_x, t->lane };

    if (in->guard && t->p[in->guard] == in->guard_not)
        return;
    switch (in->op) {
    case ADD: *d = a + b; break;
    case SUB: *d = a - b; break;
    case MUL: *d = a * b; break;
    case XOR: *d = a ^ b; break;
    case SHL: *d = a << in->number; break;
    case MAD: *d = a * b + t->r[R(in->c)]; break;
    case WIDEN_S: *wd = (uint64_t)(int64_t)(int32_t)a; break;
    case WIDEN_U: *wd = a; break;
    case ADD64: *wd = wa + wb; break;
    case MULWIDE: *wd = (uint64_t)((int64_t)(int32_t)a * (int32_t)b); break;
    case NARROW: *d = (uint32_t)wa; break;
    case SHL64: *wd = wa << in->number; break;
    case SETLT: t->p[P(in->d)] = (int32_t)a < (int32_t)b; break;
    case SETEQ: t->p[P(in->d)] = a == b; break;
    case SELP: *d = t->p[P(in->c)] ? a : b; break;
    case LOAD: *d = 0; break;
    default: *d = special[in->a % 5]; break;
    }
}

static void interpret(const struct program *p, struct thread *t)
{
    int k = 0;

    t->r[1] = t->tid_x, t->r[2] = t->ctaid, t->r[3] = 7, t->r[4] = 0, t->r[5] = t->tid_y, t->r[6] = (uint32_t)-5;
    t->w[1] = t->tid_x, t->w[2] = 1000, t->w[3] = 0;
    t->p[1] = t->tid_x < 5, t->p[2] = t->ctaid == 1, t->p[3] = t->tid_x < t->tid_y;
    for (int fuel = FUEL - 1; k < NBLOCK && fuel > 0; fuel--) {
        const struct block *b = &p->block[k];
        for (int i = 0; i < b->n; i++)
            step(t, &b->insn[i]);
        k = !b->p || t->p[b->p] != b->p_not ? b->yes : b->no;
    }
}

static void compare(const struct program *p, unsigned grid, struct shape3 block, unsigned number)
{
    unsigned threads = block.x * block.y;

    int fault = run_shaped(print(p), (struct shape3){ grid, 1, 1 }, block, 0);

    if (fault != -1)
        fail_msg("program %u ends with fault %d", number, fault);
    for (unsigned i = 0; i < grid * threads; i++) {
        unsigned lin = i % threads;
        struct thread t = { .tid_x = lin % block.x, .tid_y = lin / block.x, .ctaid = i / threads, .ntid_x = block.x, .lane = lin % 32 };
        uint32_t want[12];
        interpret(p, &t);
        memcpy(want, t.r + 1, sizeof(uint32_t) * NREG);
        memcpy(want + NREG, t.w + 1, sizeof(uint64_t) * NWIDE);
        for (unsigned j = 0; j < 12; j++)
            if (out[16 * i + j] != want[j]) {
                if (getenv("JIT_RANDOM_ONLY"))
                    fputs(print(p), stdout);
                fail_msg("program %u, block %ux%u, thread %u: word %u is %#x, should be %#x", number, block.x, block.y, i, j,
                         out[16 * i + j], want[j]);
            }
    }
}

static void random_programs_do_what_single_threads_do(void **state)
{
    static const struct shape3 shapes[] = { { 64, 1, 1 }, { 37, 1, 1 }, { 8, 8, 1 }, { 32, 3, 1 }, { 5, 7, 1 }, { 16, 5, 1 } };
    const char *count = getenv("JIT_RANDOM"), *only = getenv("JIT_RANDOM_ONLY");
    unsigned n = count ? (unsigned)atoi(count) : 150, first = only ? (unsigned)atoi(only) : 0;

    (void)state;
    for (unsigned i = first; i < (only ? first + 1 : n); i++) {
        static struct program p;
        seed = 1000 + i;
        pick(2);
        make(&p);
        compare(&p, 3, shapes[i % (sizeof(shapes) / sizeof(*shapes))], i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs_do_what_single_threads_do) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
