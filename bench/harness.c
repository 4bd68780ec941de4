#include "bench/harness.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_SIDES 8
#define MIN_ROUNDS 9u
#define MAX_ROUNDS 401u
#define TARGET_NS 1.5e9 /* of one comparison */
#define RESAMPLES 2000

struct bench_report {
    const char *title, *only;
    FILE *json;
    unsigned rounds; /* from the command line; 0: the bench's own */
    bool header_printed, first_row, failed;
    double medians[MAX_SIDES]; /* of the last comparison */
};

static cpu_set_t cpus_before_pin;
static bool pinned;
static clockid_t bench_clock = CLOCK_MONOTONIC;

double bench_now(void)
{
    struct timespec t;

    clock_gettime(bench_clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void bench_use_cpu_time(void)
{
    bench_clock = CLOCK_PROCESS_CPUTIME_ID;
}

void bench_pin(void)
{
    cpu_set_t one;
    int last = -1;

    if (pinned || sched_getaffinity(0, sizeof(cpus_before_pin), &cpus_before_pin) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &cpus_before_pin))
            last = cpu;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    pinned = sched_setaffinity(0, sizeof(one), &one) == 0;
}

void bench_unpin(void)
{
    if (pinned)
        sched_setaffinity(0, sizeof(cpus_before_pin), &cpus_before_pin);
    pinned = false;
}

/* ----------------------------------------------------------------------------------------------------------------- statistics */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The q-quantile of n sorted values. */
static double quantile(const double *sorted, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;

    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static struct bench_summary summarise(const double *samples, size_t n)
{
    double sorted[MAX_ROUNDS];

    memcpy(sorted, samples, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_value);
    return (struct bench_summary){ sorted[0], quantile(sorted, n, 0.5), quantile(sorted, n, 0.25), quantile(sorted, n, 0.75) };
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The 95% interval of median(a) / median(b): rounds are drawn with replacement, both samples of a round together. */
static void ratio_interval(const double *a, const double *b, size_t n, double *low, double *high)
{
    static double ratios[RESAMPLES];
    uint64_t state = 0x9e3779b97f4a7c15u;

    for (size_t r = 0; r < RESAMPLES; r++) {
        double x[MAX_ROUNDS], y[MAX_ROUNDS];

        for (size_t i = 0; i < n; i++) {
            size_t k = next_random(&state) % n;

            x[i] = a[k];
            y[i] = b[k];
        }
        ratios[r] = summarise(x, n).median / summarise(y, n).median;
    }
    qsort(ratios, RESAMPLES, sizeof(*ratios), by_value);
    *low = quantile(ratios, RESAMPLES, 0.025);
    *high = quantile(ratios, RESAMPLES, 0.975);
}

/* --------------------------------------------------------------------------------------------------------------------- output */

static const char *nice(double ns, char text[24])
{
    if (ns < 1e4)
        snprintf(text, 24, "%.1f ns", ns);
    else if (ns < 1e6)
        snprintf(text, 24, "%.2f us", ns / 1e3);
    else
        snprintf(text, 24, "%.2f ms", ns / 1e6);
    return text;
}

static void print_row(struct bench_report *r, const char *name, const char *of, double ratio, double low, double high,
    double budget, const struct bench_summary *a, const struct bench_summary *b)
{
    char best[24], ma[24], mb[24], ratio_text[64] = "", best_text[24] = "", good[24] = "";

    if (!r->header_printed)
        printf("%-24s %-9s %-9s %-22s %-24s %12s %12s %8s %12s\n", "ratio [95% interval]", "of bests", "budget", "bench", "of",
            "median", "best", "spread", "other");
    r->header_printed = true;
    if (b) {
        snprintf(ratio_text, sizeof(ratio_text), "%.3f [%.3f, %.3f]", ratio, low, high);
        snprintf(best_text, sizeof(best_text), "%.3f", a->best / b->best);
    }
    if (budget > 0)
        snprintf(good, sizeof(good), "%.2f%s", budget, ratio > budget ? " !" : "");
    printf("%-24s %-9s %-9s %-22s %-24s %12s %12s %7.1f%% %12s\n", ratio_text, best_text, good, name, of, nice(a->median, ma),
        nice(a->best, best), 100 * (a->high - a->low) / a->median, b ? nice(b->median, mb) : "");
    fflush(stdout);
}

static void json_summary(FILE *f, const char *key, const struct bench_summary *s)
{
    fprintf(f, ", \"%s\": {\"median_ns\": %.9g, \"best_ns\": %.9g, \"quartiles_ns\": [%.9g, %.9g]}", key, s->median, s->best,
        s->low, s->high);
}

static void json_row(struct bench_report *r, const char *name, const char *of, size_t rounds, double ratio, double low,
    double high, double budget, const struct bench_summary *a, const struct bench_summary *b)
{
    if (!r->json)
        return;
    fprintf(r->json, "%s\n  {\"bench\": \"%s\", \"of\": \"%s\", \"rounds\": %zu", r->first_row ? "" : ",", name, of, rounds);
    if (b)
        fprintf(r->json, ", \"ratio\": %.6g, \"interval\": [%.6g, %.6g]", ratio, low, high);
    if (budget > 0)
        fprintf(r->json, ", \"budget\": %.6g", budget);
    json_summary(r->json, "first", a);
    if (b)
        json_summary(r->json, "other", b);
    fputc('}', r->json);
    r->first_row = false;
}

/* ---------------------------------------------------------------------------------------------------------------- comparisons */

/* The samples of all sides, interleaved. The side that begins a round changes, so that no side always follows the same other. */
static bool take_samples(const struct bench_side *sides, size_t n, size_t rounds, double (*samples)[MAX_ROUNDS])
{
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < n; i++) {
            size_t s = (i + round) % n;

            samples[s][round] = sides[s].sample(sides[s].arg);
            if (samples[s][round] < 0)
                return false;
        }
    return true;
}

/* A warm-up round; from its time, how many rounds fit. 0: a side failed. */
static size_t warm_up(const struct bench_side *sides, size_t n)
{
    double start, rounds;

    for (size_t s = 0; s < n; s++)
        if (sides[s].sample(sides[s].arg) < 0)
            return 0;
    start = bench_now();
    for (size_t s = 0; s < n; s++)
        if (sides[s].sample(sides[s].arg) < 0)
            return 0;
    rounds = TARGET_NS / (bench_now() - start);
    return rounds < MIN_ROUNDS ? MIN_ROUNDS : rounds > MAX_ROUNDS ? MAX_ROUNDS : (size_t)rounds;
}

bool bench_compare(
    struct bench_report *r, const char *name, const struct bench_side *sides, size_t n, unsigned rounds, double budget)
{
    static double samples[MAX_SIDES][MAX_ROUNDS];
    struct bench_summary first;
    size_t count;

    memset(r->medians, 0, sizeof(r->medians));
    if (n == 0 || n > MAX_SIDES || !bench_wanted(r, name))
        return true;
    count = warm_up(sides, n);
    if (count && r->rounds)
        count = r->rounds;
    else if (count && rounds)
        count = rounds < MAX_ROUNDS ? rounds : MAX_ROUNDS;
    if (!count || !take_samples(sides, n, count, samples)) {
        fprintf(stderr, "%s: a sample failed\n", name);
        r->failed = true;
        return false;
    }
    first = summarise(samples[0], count);
    r->medians[0] = first.median;
    for (size_t s = n > 1 ? 1 : 0; s < n; s++) {
        struct bench_summary other = summarise(samples[s], count);
        double good = s <= 1 ? budget : 0, low = 0, high = 0, ratio = first.median / other.median;
        const struct bench_summary *b = s ? &other : NULL;
        char of[96];

        r->medians[s] = other.median;
        if (s)
            ratio_interval(samples[0], samples[s], count, &low, &high);
        snprintf(of, sizeof(of), s ? "%s / %s" : "%s", sides[0].name, sides[s].name);
        print_row(r, name, of, ratio, low, high, good, &first, b);
        json_row(r, name, of, count, ratio, low, high, good, &first, b);
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------------------------- report */

static void usage(const char *program)
{
    fprintf(stderr, "usage: %s [--json FILE] [--rounds 1..%u] [--only TEXT] [--cpu-time] [--no-pin]\n", program, MAX_ROUNDS);
    exit(2);
}

struct bench_report *bench_begin(int argc, char **argv, const char *title)
{
    struct bench_report *r = calloc(1, sizeof(*r));
    const char *json = NULL;
    bool pin = true;

    if (!r)
        exit(1);
    r->title = title;
    r->first_row = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--no-pin") == 0)
            pin = false;
        else if (strcmp(argv[i], "--cpu-time") == 0)
            bench_use_cpu_time();
        else if (i + 1 == argc)
            usage(argv[0]);
        else if (strcmp(argv[i], "--json") == 0)
            json = argv[++i];
        else if (strcmp(argv[i], "--only") == 0)
            r->only = argv[++i];
        else if (strcmp(argv[i], "--rounds") == 0)
            r->rounds = (unsigned)strtoul(argv[++i], NULL, 10);
        else
            usage(argv[0]);
    }
    if (r->rounds > MAX_ROUNDS)
        usage(argv[0]);
    if (json && !(r->json = fopen(json, "w"))) {
        perror(json);
        exit(2);
    }
    if (pin)
        bench_pin();
    printf("# %s\n", title);
    if (r->json)
        fprintf(r->json, "{\"title\": \"%s\", \"rows\": [", title);
    return r;
}

double bench_median(const struct bench_report *r, size_t side)
{
    return side < MAX_SIDES ? r->medians[side] : 0;
}

bool bench_wanted(const struct bench_report *r, const char *name)
{
    return !r->only || strstr(name, r->only);
}

void bench_note(struct bench_report *r, const char *format, ...)
{
    va_list args;

    (void)r;
    va_start(args, format);
    fputs("# ", stdout);
    vprintf(format, args);
    fputc('\n', stdout);
    va_end(args);
    fflush(stdout);
}

int bench_end(struct bench_report *r)
{
    int status = r->failed ? 1 : 0;

    if (r->json) {
        fputs("\n]}\n", r->json);
        if (fclose(r->json) != 0)
            status = 1;
    }
    free(r);
    return status;
}
