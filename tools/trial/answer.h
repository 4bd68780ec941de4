/* answer.h - the one line that gpudl-trial answers, on what was its standard output. Kernels print elsewhere, and a driver's words
 * on stderr are kept to be told with a fault. */
#ifndef GPUDL_TRIAL_ANSWER_H
#define GPUDL_TRIAL_ANSWER_H

/* Takes standard output for itself and leaves /dev/null in its place; keeps the first 64 KB of standard error. 0, or -1. */
int answer_prepare(void);

/* A line of words, the last piece a text that is escaped. Ends the process, for whatever goes on in it. */
__attribute__((noreturn, format(printf, 2, 3))) void answer(const char *text, const char *words, ...);
/* text, and what was written to standard error so far. */
__attribute__((noreturn)) void answer_fault(unsigned trial, int cuda, const char *text);

#endif
