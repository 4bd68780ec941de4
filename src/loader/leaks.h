/* leaks.h - handles that are still out, by name, and where in the program they were made. */
#ifndef GPUDL_LOADER_LEAKS_H
#define GPUDL_LOADER_LEAKS_H

#include <stdbool.h>
#include <stddef.h>

#include <gpudl/gpudl.h>

bool gpudl__leaks_wanted(void);     /* GPUDL_LEAKS=1 */

/* One message for each, the first of them unless all are wanted. Not under the lock. */
void gpudl__leaks_name(gpudl_loader *l, const char *when, gpudl_log_function *log, void *user);

#endif
