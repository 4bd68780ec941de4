/* fork.h - a CUDA driver does not survive fork(2): in the child every release does nothing and every load says why it fails. */
#ifndef GPUDL_LOADER_FORK_H
#define GPUDL_LOADER_FORK_H

#include <stdbool.h>

void gpudl__fork_mark(void);        /* a driver is about to be opened; any number of times */
/* This process is a child of the one that opened it. No system call where the kernel can wipe a page on fork. */
bool gpudl__forked(void);

#endif
