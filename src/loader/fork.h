/* fork.h - a CUDA driver does not survive fork(2): in the child every release does nothing and every load says why it fails. */
#ifndef GPUDL_LOADER_FORK_H
#define GPUDL_LOADER_FORK_H

#include <stdbool.h>

void gpudl__fork_mark(void);        /* a driver is about to be opened; any number of times */
bool gpudl__forked(void);           /* this process is a child of the one that opened it; no system call where fork can wipe a page */

#endif
