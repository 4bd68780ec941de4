/* table.h - what an experiment found, as tables: markdown on stdout, to be pasted into docs/DRIVER-BEHAVIOUR.md, and JSON where
 * asked for. A cell is a text or a time in ns. Cells fill the open row from left to right. Not thread-safe.
 *
 * In a child process (child.h) there are no tables: its cells go to its parent, which has one open. */
#ifndef BENCH_DRIVER_TABLE_H
#define BENCH_DRIVER_TABLE_H

#include <stdbool.h>
#include <stdio.h>

/* The JSON's head; json may be NULL. */
void tables_begin(FILE *json, const char *name, const char *question, const char *driver, bool quick);
void tables_end(void);

/* Ends the table before it. Columns: names with | between them. */
void table_begin(const char *title, const char *columns);
void cell_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cell_ns(double ns);                                                        /* below 0: not measured, an empty cell */
void row_end(void);                                                             /* cells that are missing are empty */
unsigned table_cells(void);                                                     /* in the open row */
void table_note(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a sentence below the table */

/* From here on, cells go to f, a line each. */
void table_send_to(FILE *f);
/* Takes such a line; false: it is none. */
bool table_receive(const char *line);

#endif
