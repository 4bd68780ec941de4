/* fiber.c - see fiber.h. What a stopped fiber holds on its stack, from sp upwards:
 *     x86-64:  r15 r14 r13 r12 rbx rbp, return address
 *     aarch64: x19..x30, d8..d15 (160 bytes) */
#include "softcuda/run/fiber.h"

#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif

#ifdef FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* Saves the running context on its stack and its stack pointer in *save; continues at load. */
void sc_fiber_swap(void **save, void *load);
/* Where a prepared fiber begins: calls the entry function that sc_fiber_prepare left in registers. */
void sc_fiber_begin(void);

#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".hidden sc_fiber_swap\n"
    ".globl sc_fiber_swap\n"
    ".type sc_fiber_swap, @function\n"
    "sc_fiber_swap:\n"
    "    pushq %rbp\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    pushq %r14\n"
    "    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n"
    "    popq %r14\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    popq %rbp\n"
    "    ret\n"
    ".size sc_fiber_swap, . - sc_fiber_swap\n"
    ".hidden sc_fiber_begin\n"
    ".globl sc_fiber_begin\n"
    ".type sc_fiber_begin, @function\n"
    "sc_fiber_begin:\n"
    "    .cfi_startproc\n"
    "    .cfi_undefined rip\n"
    "    movq %r12, %rdi\n"
    "    call *%rbx\n"
    "    ud2\n"
    "    .cfi_endproc\n"
    ".size sc_fiber_begin, . - sc_fiber_begin\n");

static void *first_frame(unsigned char *top, void (*entry)(void *), void *arg)
{
    void **sp = (void **)top - 7;

    memset(sp, 0, 7 * sizeof(*sp));
    sp[3] = arg;                        /* r12 */
    sp[4] = (void *)entry;              /* rbx */
    sp[6] = (void *)sc_fiber_begin;     /* which then finds the stack aligned to 16 */
    return sp;
}

uint64_t sc_float_control(uint64_t set)
{
    uint32_t mxcsr = (uint32_t)set;
    uint16_t x87 = (uint16_t)(set >> 32);
    uint32_t old_mxcsr;
    uint16_t old_x87;

    __asm__ volatile("stmxcsr %0" : "=m"(old_mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(old_x87));
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    __asm__ volatile("fldcw %0" : : "m"(x87));
    return (uint64_t)old_x87 << 32 | old_mxcsr;
}
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".hidden sc_fiber_swap\n"
    ".globl sc_fiber_swap\n"
    ".type sc_fiber_swap, %function\n"
    "sc_fiber_swap:\n"
    "    sub sp, sp, #160\n"
    "    stp x19, x20, [sp, #0]\n"
    "    stp x21, x22, [sp, #16]\n"
    "    stp x23, x24, [sp, #32]\n"
    "    stp x25, x26, [sp, #48]\n"
    "    stp x27, x28, [sp, #64]\n"
    "    stp x29, x30, [sp, #80]\n"
    "    stp d8, d9, [sp, #96]\n"
    "    stp d10, d11, [sp, #112]\n"
    "    stp d12, d13, [sp, #128]\n"
    "    stp d14, d15, [sp, #144]\n"
    "    mov x9, sp\n"
    "    str x9, [x0]\n"
    "    mov sp, x1\n"
    "    ldp x19, x20, [sp, #0]\n"
    "    ldp x21, x22, [sp, #16]\n"
    "    ldp x23, x24, [sp, #32]\n"
    "    ldp x25, x26, [sp, #48]\n"
    "    ldp x27, x28, [sp, #64]\n"
    "    ldp x29, x30, [sp, #80]\n"
    "    ldp d8, d9, [sp, #96]\n"
    "    ldp d10, d11, [sp, #112]\n"
    "    ldp d12, d13, [sp, #128]\n"
    "    ldp d14, d15, [sp, #144]\n"
    "    add sp, sp, #160\n"
    "    ret\n"
    ".size sc_fiber_swap, . - sc_fiber_swap\n"
    ".hidden sc_fiber_begin\n"
    ".globl sc_fiber_begin\n"
    ".type sc_fiber_begin, %function\n"
    "sc_fiber_begin:\n"
    "    .cfi_startproc\n"
    "    .cfi_undefined x30\n"
    "    mov x0, x20\n"
    "    blr x19\n"
    "    brk #1\n"
    "    .cfi_endproc\n"
    ".size sc_fiber_begin, . - sc_fiber_begin\n");

static void *first_frame(unsigned char *top, void (*entry)(void *), void *arg)
{
    void **sp = (void **)top - 20;

    memset(sp, 0, 20 * sizeof(*sp));
    sp[0] = (void *)entry;              /* x19 */
    sp[1] = arg;                        /* x20 */
    sp[11] = (void *)sc_fiber_begin;    /* x30 */
    return sp;
}

uint64_t sc_float_control(uint64_t set)
{
    uint64_t old;

    __asm__ volatile("mrs %0, fpcr" : "=r"(old));
    __asm__ volatile("msr fpcr, %0" : : "r"(set));
    return old;
}
#else
#error "softcuda runs on x86-64 and aarch64"
#endif

void sc_fiber_adopt_thread(struct sc_fiber *f)
{
    memset(f, 0, sizeof(*f));
#ifdef FIBER_TSAN
    f->tsan = __tsan_get_current_fiber();
#endif
}

int sc_fiber_create(struct sc_fiber *f, size_t size, unsigned colour)
{
    unsigned char *base = mmap(NULL, SC_FIBER_GUARD + size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    memset(f, 0, sizeof(*f));
    if (base == MAP_FAILED)
        return -1;
    if (mprotect(base + SC_FIBER_GUARD, size, PROT_READ | PROT_WRITE)) {
        munmap(base, SC_FIBER_GUARD + size);
        return -1;
    }
    f->stack = base + SC_FIBER_GUARD;
    f->size = size;
    f->colour = colour % 16 * 256;
#ifdef FIBER_TSAN
    f->tsan = __tsan_create_fiber(0);
#endif
    return 0;
}

void sc_fiber_destroy(struct sc_fiber *f)
{
    if (!f->stack)
        return;
#ifdef FIBER_TSAN
    __tsan_destroy_fiber(f->tsan);
#endif
    munmap(f->stack - SC_FIBER_GUARD, SC_FIBER_GUARD + f->size);
    f->stack = NULL;
}

void *sc_fiber_top(const struct sc_fiber *f)
{
    return f->stack + f->size - f->colour;
}

bool sc_fiber_in_guard(const struct sc_fiber *f, const void *address)
{
    const unsigned char *p = address;

    return p >= f->stack - SC_FIBER_GUARD && p < f->stack;
}

void sc_fiber_prepare(struct sc_fiber *f, void (*entry)(void *), void *arg)
{
#ifdef FIBER_ASAN
    ASAN_UNPOISON_MEMORY_REGION(f->stack, f->size);
#endif
#ifdef FIBER_TSAN
    if (f->from) {                      /* was abandoned: its shadow call stack goes with it */
        __tsan_destroy_fiber(f->tsan);
        f->tsan = __tsan_create_fiber(0);
    }
#endif
    f->from = NULL;
    f->fake_stack = NULL;
    f->sp = first_frame(sc_fiber_top(f), entry, arg);
}

void sc_fiber_switch(struct sc_fiber *self, struct sc_fiber *to)
{
    to->from = self;
#ifdef FIBER_ASAN
    __sanitizer_start_switch_fiber(&self->fake_stack, to->stack, to->size);
#endif
#ifdef FIBER_TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    sc_fiber_swap(&self->sp, to->sp);
    sc_fiber_entered(self);
}

void sc_fiber_entered(struct sc_fiber *self)
{
#ifdef FIBER_ASAN
    const void *bottom;
    size_t size;

    __sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &size);
    self->fake_stack = NULL;
    if (!self->from->stack) {           /* the OS thread's stack, seen for the first time */
        self->from->stack = (unsigned char *)bottom;
        self->from->size = size;
    }
#else
    (void)self;
#endif
}
