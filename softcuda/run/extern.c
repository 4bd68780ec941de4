/* extern.c - the functions of CUDA's device runtime that device code calls by name.
 *
 * They read device pointers, which may fault: the launch then ends in the middle of a call. So no lock is held and nothing is
 * allocated while one is read. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "softcuda/run/services.h"
#include "softcuda/run/worker.h"

#define LINE_MAX_BYTES 8192     /* of one printf; the rest is cut off */

static uint64_t read_lane(const void *param, unsigned lane, unsigned bytes)
{
    const unsigned char *p = param;
    uint64_t v = 0;

    for (unsigned b = 0; b < bytes; b++)
        v |= (uint64_t)p[b / 4 * (4 * SC_LANES) + lane * 4 + b % 4] << 8 * b;
    return v;
}

static void write_lane(void *param, unsigned lane, unsigned bytes, uint64_t v)
{
    unsigned char *p = param;

    for (unsigned b = 0; b < bytes; b++)
        p[b / 4 * (4 * SC_LANES) + lane * 4 + b % 4] = (unsigned char)(v >> 8 * b);
}

static struct sc_services *services(const struct sc_warp *w)
{
    return (struct sc_services *)(uintptr_t)w->heap;
}

/* printf's arguments: a C struct, each member aligned to its size, floats as double. */
struct packed { const unsigned char *data; size_t at; };

static uint64_t next_arg(struct packed *p, size_t size)
{
    uint64_t v = 0;

    p->at = (p->at + size - 1) / size * size;
    memcpy(&v, p->data + p->at, size);
    p->at += size;
    return v;
}

struct line { char text[LINE_MAX_BYTES]; size_t n; };

static void put(struct line *l, const char *text, size_t n)
{
    if (n > sizeof(l->text) - l->n)
        n = sizeof(l->text) - l->n;
    memcpy(l->text + l->n, text, n);
    l->n += n;
}

/* One conversion: "%-8.3" with its stars filled in; wide: it was qualified as 64 bits. */
struct spec { char text[64]; size_t n; bool wide; char letter; };

static const char *read_spec(const char *f, struct spec *s, struct packed *args)
{
    s->text[0] = '%';
    s->n = 1;
    s->wide = false;
    for (; *f && strchr("-+ #0123456789.*", *f); f++) {
        if (s->n + 16 > sizeof(s->text))
            continue;
        if (*f == '*')
            s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n, "%d", (int)next_arg(args, 4));
        else
            s->text[s->n++] = *f;
    }
    for (; *f && strchr("hlLjzt", *f); f++)
        s->wide |= *f != 'h' && *f != 'L';
    s->letter = *f;
    return *f ? f + 1 : f;
}

static void finish_spec(struct spec *s, const char *length)
{
    snprintf(s->text + s->n, sizeof(s->text) - s->n, "%s%c", length, s->letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int convert(struct spec *s, struct packed *args, char *out, size_t size)
{
    uint64_t v;
    double d;

    switch (s->letter) {
    case 'd': case 'i':
        v = next_arg(args, s->wide ? 8 : 4);
        finish_spec(s, PRIX64[0] == 'l' ? "l" : "ll");
        return snprintf(out, size, s->text, s->wide ? (int64_t)v : (int64_t)(int32_t)v);
    case 'u': case 'x': case 'X': case 'o':
        v = next_arg(args, s->wide ? 8 : 4);
        finish_spec(s, PRIX64[0] == 'l' ? "l" : "ll");
        return snprintf(out, size, s->text, v);
    case 'c':
        finish_spec(s, "");
        return snprintf(out, size, s->text, (int)next_arg(args, 4));
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        v = next_arg(args, 8);
        memcpy(&d, &v, sizeof(d));
        finish_spec(s, "");
        return snprintf(out, size, s->text, d);
    case 's':
        v = next_arg(args, 8);
        finish_spec(s, "");
        return snprintf(out, size, s->text, v ? (const char *)(uintptr_t)v : "(null)");
    case 'p':
        v = next_arg(args, 8);
        finish_spec(s, "");
        return snprintf(out, size, s->text, (void *)(uintptr_t)v);
    default:
        return -1;
    }
}
#pragma GCC diagnostic pop

/* Returns how many arguments were converted, as CUDA's printf does. */
static int format(struct line *l, const char *f, struct packed *args)
{
    char piece[1024];
    struct spec s;
    int count = 0, n;

    while (*f) {
        size_t plain = strcspn(f, "%");

        put(l, f, plain);
        f += plain;
        if (f[0] != '%')
            break;
        if (f[1] == '%') {
            put(l, f, 1);
            f += 2;
            continue;
        }
        f = read_spec(f + 1, &s, args);
        n = convert(&s, args, piece, sizeof(piece));
        if (n < 0)
            break;
        put(l, piece, (size_t)n < sizeof(piece) ? (size_t)n : sizeof(piece) - 1);
        count++;
    }
    return count;
}

static void extern_vprintf(struct sc_warp *w, uint32_t mask, void *const *args, void *ret)
{
    struct line line;

    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const char *f = (const char *)(uintptr_t)read_lane(args[0], lane, 8);
        struct packed packed = { (const unsigned char *)(uintptr_t)read_lane(args[1], lane, 8), 0 };
        int count = -1;

        line.n = 0;
        if (f)
            count = format(&line, f, &packed);
        if (line.n)
            sc_services_print(services(w), line.text, line.n);
        if (ret)
            write_lane(ret, lane, 4, (uint32_t)count);
    }
}

static void copy_text(char *out, size_t size, uint64_t address)
{
    snprintf(out, size, "%s", address ? (const char *)(uintptr_t)address : "?");
}

static void report_assert(const struct sc_warp *w, unsigned lane, void *const *args)
{
    char message[512], file[512], function[512];
    uint32_t t = w->warp * SC_LANES + lane;

    copy_text(message, sizeof(message), read_lane(args[0], lane, 8));
    copy_text(file, sizeof(file), read_lane(args[1], lane, 8));
    copy_text(function, sizeof(function), read_lane(args[3], lane, 8));
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
            (unsigned)read_lane(args[2], lane, 4), function, w->ctaid[0], w->ctaid[1], w->ctaid[2],
            t % w->ntid[0], t / w->ntid[0] % w->ntid[1], t / w->ntid[0] / w->ntid[1], message);
}

static void extern_assertfail(struct sc_warp *w, uint32_t mask, void *const *args, void *ret)
{
    (void)ret;
    for (uint32_t left = mask; left; left &= left - 1)
        report_assert(w, (unsigned)__builtin_ctz(left), args);
    if (mask)
        sc_rt_fault(w, SC_FAULT_ASSERT, 0);
}

static uint64_t heap_alloc(struct sc_services *s, uint64_t size)
{
    uint64_t p;

    if (!size || size > atomic_load(&s->heap_limit))
        return 0;
    if (atomic_fetch_add(&s->heap_used, size) + size <= atomic_load(&s->heap_limit)
        && (p = sc_devmem_alloc(s->memory, size, s->owner, SC_KIND_HEAP)))
        return p;
    atomic_fetch_sub(&s->heap_used, size);
    return 0;
}

static void extern_malloc(struct sc_warp *w, uint32_t mask, void *const *args, void *ret)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);

        write_lane(ret, lane, 8, heap_alloc(services(w), read_lane(args[0], lane, 8)));
    }
}

static void extern_free(struct sc_warp *w, uint32_t mask, void *const *args, void *ret)
{
    struct sc_services *s = services(w);
    struct sc_devmem_info info;

    (void)ret;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t p = read_lane(args[0], (unsigned)__builtin_ctz(left), 8);

        if (!p)
            continue;
        if (!sc_devmem_find(s->memory, p, &info) || !sc_devmem_free(s->memory, p, SC_KIND_HEAP))
            sc_rt_fault(w, SC_FAULT_TRAP, p);
        atomic_fetch_sub(&s->heap_used, info.size);
    }
}

sc_extern *sc_rt_extern(const char *name)
{
    static const struct { const char *name; sc_extern *function; } table[] = {
        { "vprintf", extern_vprintf },
        { "__assertfail", extern_assertfail },
        { "malloc", extern_malloc },
        { "free", extern_free },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (!strcmp(table[i].name, name))
            return table[i].function;
    return NULL;
}
