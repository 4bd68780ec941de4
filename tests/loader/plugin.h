/* plugin.h - what the plugin of test_ends.c exports. */
#ifndef TESTS_LOADER_PLUGIN_H
#define TESTS_LOADER_PLUGIN_H

#include <gpudl/gpudl.h>

/* Loads, launches, loads beside, watches; a gpudl_status. */
__attribute__((visibility("default"))) int plugin_run(const char *driver, const char *file, int close_it);

/* Launches once on a stream that is being captured, releases all, and tries to close its loader; a gpudl_status. */
__attribute__((visibility("default"))) int plugin_capture(const char *driver, CUstream stream);

#endif
