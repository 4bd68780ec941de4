/* moment.h - work that waits for a moment when waiting for running kernels hurts nobody. */
#ifndef GPUDL_LOADER_MOMENT_H
#define GPUDL_LOADER_MOMENT_H

#include "src/loader/loader.h"

/* Runs it in this thread, or in the one that named the moment; its failure becomes this thread's. Returns what run does, or
 * GPUDL_ERROR_TIMEOUT. hurried: set, and moment_came told, by those who cannot wait for that: it is run at once. May be NULL. */
gpudl_status gpudl__at_moment(
    gpudl_loader *l, gpudl_when when, const atomic_bool *hurried, gpudl_status (*run)(void *user), void *user);

#endif
