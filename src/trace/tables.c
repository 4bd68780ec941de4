#include "src/trace/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/util/alloc.h"

enum { BINS = 256, WIDTH = 16 };

struct summary {
    struct summary *next; /* in its bin */
    enum trace_kind kind;
    uint64_t calls, ns, least, most, bytes;
    char name[];
};

void gpudl__tables_init(struct tables *t, uint64_t start)
{
    memset(t, 0, sizeof(*t));
    t->start = start;
}

void gpudl__tables_free(struct tables *t)
{
    struct summary *next;

    for (size_t i = 0; i < t->nrows; i++)
        gpudl__free((void *)(uintptr_t)t->rows[i].name);
    gpudl__free(t->rows);
    for (size_t i = 0; t->bins && i < BINS; i++)
        for (struct summary *s = t->bins[i]; s; s = next) {
            next = s->next;
            gpudl__free(s);
        }
    gpudl__free(t->bins);
    memset(t, 0, sizeof(*t));
}

/* ------------------------------------------------------------------------------------------------------------------- collecting */

static size_t bin_of(const char *name)
{
    uint32_t h = 2166136261u;

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h % BINS;
}

static struct summary *make_summary(struct tables *t, struct summary **bin, const struct trace_record *r)
{
    size_t size = strlen(r->name) + 1;
    struct summary *s = gpudl__alloc_zero(sizeof(*s) + size);

    if (!s)
        return NULL;
    s->kind = r->kind;
    s->least = UINT64_MAX;
    memcpy(s->name, r->name, size);
    s->next = *bin;
    *bin = s;
    t->nsummaries++;
    return s;
}

static struct summary *summary_of(struct tables *t, const struct trace_record *r)
{
    struct summary **bin, *s;

    if (!t->bins)
        t->bins = gpudl__alloc_zero(BINS * sizeof(*t->bins));
    if (!t->bins)
        return NULL;
    bin = &t->bins[bin_of(r->name)];
    for (s = *bin; s && (s->kind != r->kind || strcmp(s->name, r->name)); s = s->next)
        ;
    return s ? s : make_summary(t, bin, r);
}

static void add_row(struct tables *t, const struct trace_record *r)
{
    char *name;

    if (!t->rows)
        t->rows = gpudl__alloc(TABLES_ROWS * sizeof(*t->rows));
    name = t->rows && t->nrows < TABLES_ROWS ? gpudl__alloc_string(r->name) : NULL;
    if (!name) {
        t->left_out++;
        return;
    }
    t->rows[t->nrows] = *r;
    t->rows[t->nrows].name = name;
    t->rows[t->nrows++].of = NULL;
}

void gpudl__tables_add(struct tables *t, const struct trace_record *r)
{
    uint64_t ns = r->end - r->begin;
    struct summary *s;

    if (r->kind == TRACE_LAUNCH) {
        t->launches += !r->failed;
        return;
    }
    t->timed += r->kind == TRACE_KERNEL && r->number;
    if (trace_on_device(r))
        add_row(t, r);
    s = summary_of(t, r);
    if (!s)
        return;
    s->calls++;
    s->ns += ns;
    s->bytes += r->bytes;
    s->least = ns < s->least ? ns : s->least;
    s->most = ns > s->most ? ns : s->most;
}

/* --------------------------------------------------------------------------------------------------------------------- printing */

/* "1.234 ms", in a column. */
static void put_time(FILE *f, uint64_t ns, int width)
{
    static const char *const units[] = { "us", "ms", "s" };
    double value = (double)ns / 1e3;
    int unit = 0;

    while (unit < 2 && value >= 1000) {
        value /= 1000;
        unit++;
    }
    fprintf(f, "%*.3f %-2s", width - 3, value, units[unit]);
}

static const char *scaled(char room[WIDTH], double value, const char *unit)
{
    static const char *const steps[] = { "", "K", "M", "G", "T" };
    int step = 0;

    while (step < 4 && value >= 1000) {
        value /= 1000;
        step++;
    }
    snprintf(room, WIDTH, step ? "%.2f %s%s" : "%.0f %s%s", value, steps[step], unit);
    return room;
}

static void put_name(FILE *f, const char *name, enum trace_kind kind, char *(*demangle)(const char *))
{
    char *words = demangle && kind == TRACE_KERNEL ? demangle(name) : NULL;

    fprintf(f, "%s\n", words ? words : name);
    free(words);
}

static void put_shape(FILE *f, const struct trace_record *r)
{
    char grid[40], block[40], shared[WIDTH] = "-", registers[WIDTH] = "-";

    snprintf(grid, sizeof(grid), "%u,%u,%u", r->grid[0], r->grid[1], r->grid[2]);
    snprintf(block, sizeof(block), "%u,%u,%u", r->block[0], r->block[1], r->block[2]);
    if (r->registers)
        snprintf(registers, sizeof(registers), "%u", r->registers);
    scaled(shared, (double)r->static_shared + r->dynamic_shared, "B");
    fprintf(f, " %16s %12s %5s %10s %10s %12s", grid, block, registers, shared, "-", "-");
}

static void put_bytes(FILE *f, const struct trace_record *r)
{
    uint64_t ns = r->end - r->begin;
    char size[WIDTH], rate[WIDTH] = "-";

    scaled(size, (double)r->bytes, "B");
    if (ns)
        scaled(rate, (double)r->bytes * 1e9 / (double)ns, "B/s");
    fprintf(f, " %16s %12s %5s %10s %10s %12s", "-", "-", "-", "-", size, rate);
}

static int by_beginning(const void *a, const void *b)
{
    uint64_t x = ((const struct trace_record *)a)->begin, y = ((const struct trace_record *)b)->begin;

    return (x > y) - (x < y);
}

static void print_rows(const struct tables *t, FILE *f, char *(*demangle)(const char *))
{
    if (!t->nrows)
        return;
    qsort(t->rows, t->nrows, sizeof(*t->rows), by_beginning);
    fprintf(f, "%12s %12s %16s %12s %5s %10s %10s %12s %6s %6s  %s\n", "start", "duration", "grid", "block", "regs", "shared",
        "size", "rate", "device", "stream", "name");
    for (size_t i = 0; i < t->nrows; i++) {
        const struct trace_record *r = &t->rows[i];
        put_time(f, r->begin > t->start ? r->begin - t->start : 0, 12);
        putc(' ', f);
        put_time(f, r->end - r->begin, 12);
        r->kind == TRACE_KERNEL ? put_shape(f, r) : put_bytes(f, r);
        fprintf(f, " %6u %6" PRIu64 "  ", r->device, r->track);
        put_name(f, r->name, r->kind, demangle);
    }
    if (t->left_out)
        fprintf(f, "%" PRIu64 " more are in the file only.\n", t->left_out);
}

static int by_time(const void *a, const void *b)
{
    const struct summary *x = *(struct summary *const *)a, *y = *(struct summary *const *)b;

    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void put_summary(FILE *f, const struct summary *s, uint64_t all, char *(*demangle)(const char *))
{
    char size[WIDTH] = "-", rate[WIDTH] = "-";

    if (s->bytes)
        scaled(size, (double)s->bytes, "B");
    if (s->bytes && s->ns && s->kind != TRACE_SPAN)
        scaled(rate, (double)s->bytes * 1e9 / (double)s->ns, "B/s");
    fprintf(f, "%7.2f ", all ? 100.0 * (double)s->ns / (double)all : 0.0);
    put_time(f, s->ns, 12);
    fprintf(f, " %8" PRIu64 " ", s->calls);
    put_time(f, s->ns / s->calls, 12);
    putc(' ', f);
    put_time(f, s->least, 12);
    putc(' ', f);
    put_time(f, s->most, 12);
    fprintf(f, " %10s %12s  ", size, rate);
    put_name(f, s->name, s->kind, demangle);
}

/* Those of devices, or those of the host. */
static void print_summary(const struct tables *t, FILE *f, bool host, char *(*demangle)(const char *))
{
    struct summary **list = gpudl__alloc((t->nsummaries + 1) * sizeof(struct summary *));
    uint64_t all = 0;
    size_t n = 0;

    for (size_t i = 0; list && t->bins && i < BINS; i++)
        for (struct summary *s = t->bins[i]; s; s = s->next)
            if ((s->kind == TRACE_SPAN) == host) {
                list[n++] = s;
                all += s->ns;
            }
    if (n) {
        qsort(list, n, sizeof(*list), by_time);
        fprintf(f, "\n%7s %12s %8s %12s %12s %12s %10s %12s  %s\n", "time %", "time", "calls", "average", "least", "most", "size",
            "rate", host ? "on the host" : "on the device");
    }
    for (size_t i = 0; i < n; i++)
        put_summary(f, list[i], all, demangle);
    gpudl__free(list);
}

void gpudl__tables_print(const struct tables *t, FILE *f, const char *times, char *(*demangle)(const char *))
{
    fprintf(f, "gpudl: what ran; times are %s.\n", times);
    print_rows(t, f, demangle);
    print_summary(t, f, false, demangle);
    print_summary(t, f, true, demangle);
    if (t->launches > t->timed)
        fprintf(f,
            "\nOf %" PRIu64 " launches through gpudl, %" PRIu64
            " have no time of their own: captured into graphs, or not finished.\n",
            t->launches, t->launches - t->timed);
}
