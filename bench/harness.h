/* harness.h - timing two or more ways of doing the same, fairly.
 *
 * Samples are interleaved (A B C A B C ...), so that a machine that slows down slows all of them; the process is pinned to one
 * CPU unless a bench is about threads. Reported: the ratio of medians with a 95% interval (bootstrap over the rounds), the
 * medians and their spread. The table goes to stdout, ratios first; the samples' summary to a JSON file when asked. Not
 * thread-safe: one bench, one report. */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_side {
    const char *name;
    double (*sample)(void *);   /* does the work once; its cost in ns for one unit of it, or below 0: failed, the bench ends */
    void *arg;
};

struct bench_summary {
    double best, median, low, high;     /* ns; low and high: the quartiles */
};

struct bench_report;

/* Options of the command line: --json FILE, --rounds N, --only TEXT (benches whose name holds it), --cpu-time, --no-pin.
 * Exits on a wrong one. */
struct bench_report *bench_begin(int argc, char **argv, const char *title);
bool bench_wanted(const struct bench_report *, const char *name);
/* Times sides[0] against each of the others: rounds samples of each after one to warm up (rounds 0: a number that takes a
 * second or so). A row for each of the others; for n == 1 a row without a ratio. budget: the ratio that is good enough against
 * sides[1], for the reader; 0: none. Returns false if a side failed. */
bool bench_compare(struct bench_report *, const char *name, const struct bench_side *sides, size_t n, unsigned rounds,
    double budget);
/* Of a side in the last comparison, ns; 0: there was none. */
double bench_median(const struct bench_report *, size_t side);
void bench_note(struct bench_report *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the JSON, frees. Returns the process's exit status: times never make it fail, samples that failed do. */
int bench_end(struct bench_report *);

double bench_now(void);         /* ns; with --cpu-time those that the process ran, on any CPU */
void bench_use_cpu_time(void);  /* as --cpu-time does, for a process that a bench starts */
void bench_pin(void);           /* this thread, and those it starts, to the last CPU that it may run on */
void bench_unpin(void);         /* undoes bench_pin */

#endif
