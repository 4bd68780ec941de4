/* tables.h - two tables of a trace: everything that devices did, and a summary by name. Not locked. */
#ifndef GPUDL_TRACE_TABLES_H
#define GPUDL_TRACE_TABLES_H

#include <stdio.h>

#include "src/trace/timeline.h"

enum { TABLES_ROWS = 10000 };       /* of the first table; the second one always counts everything */

struct tables {
    struct trace_record *rows;
    struct summary **bins;          /* by name */
    size_t nrows, nsummaries;
    uint64_t start, left_out, launches, timed;  /* timed: launches whose kernel has been seen */
};

void gpudl__tables_init(struct tables *t, uint64_t start);
void gpudl__tables_add(struct tables *t, const struct trace_record *r);
/* demangle: malloc's, or NULL for a name that stays; may be NULL. */
void gpudl__tables_print(const struct tables *t, FILE *to, const char *times, char *(*demangle)(const char *));
void gpudl__tables_free(struct tables *t);

#endif
