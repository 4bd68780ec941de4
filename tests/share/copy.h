/* copy.h - a copy of gpudl in this process: the calls of the one that a plugin brings, or of the program's own. */
#ifndef TESTS_SHARE_COPY_H
#define TESTS_SHARE_COPY_H

#include <gpudl/gpudl.h>

#define COPY_CALLS(X) \
    X(loader_open) X(loader_close) X(loader_statistics) X(loader_reap) X(loader_trim) X(loader_use_device) X(loader_driver) \
    X(library_load) X(library_release) X(library_pin) X(version_unpin) X(version_native) X(version_global) X(library_make_resident) \
    X(library_replace) X(library_load_async) X(task_wait) X(task_release) X(kernel_get) X(kernel_release) X(kernel_param_count) \
    X(kernel_launch) X(kernel_launch_params) X(kernel_attribute) X(kernel_set_attribute) X(error_text)

struct gpudl_copy {
#define MEMBER(name) __typeof__(&gpudl_##name) name;
    COPY_CALLS(MEMBER)
#undef MEMBER
    void (*crash)(void);        /* in its own code, not in gpudl's */
};

#define COPY_INIT(crash_) { COPY_CALLS(COPY_CALL) crash_ }
#define COPY_CALL(name) gpudl_##name,

/* ------------------------------------------------------------------------------------------------------- plugins.c */

struct plugin {
    void *handle;               /* NULL: not open */
    const struct gpudl_copy *copy;
    char path[256];
};

/* "static", "shared" or "other", from the folder of libraries beside the program. A static one is a file of its own each time, so it
 * is loaded each time. False: it cannot be, and stderr says why. */
_Bool plugin_open(struct plugin *p, const char *kind);
_Bool plugin_reopen(struct plugin *p);      /* the same again, whose code has stayed */
/* False: its code stays in the process. */
_Bool plugin_close(struct plugin *p);

#endif
