/* report.h - what a fault was, for a person: one line on stderr, unless SOFTCUDA_QUIET is set, and in the driver's log. */
#ifndef SOFTCUDA_API_REPORT_H
#define SOFTCUDA_API_REPORT_H

#include "softcuda/api/launch.h"

/* The work's grid has ended in a fault. */
void sc_report_fault(const struct sc_kernel_work *);

/* logs.c: a line for cuLogsDumpToMemory and its kin. */
void sc_log(const char *line);

#endif
