/* A library that follows its file. Part of <gpudl/gpudl.h>, which includes it. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_WATCH_H
#define GPUDL_WATCH_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gpudl_watch_options {
    size_t size;                /* sizeof(gpudl_watch_options) */
    const gpudl_replace_options *replace;   /* how each replace is done; copied. NULL: the defaults */
    uint64_t poll_ns;           /* between looks at the file where the system does not tell of changes; 0: 250 ms */
    unsigned poll;              /* 1: never rely on being told */
    unsigned reserved;          /* 0 */
    /* Told of each outcome, in the thread that watches, under no lock: GPUDL_OK and the new generation, or why the library stayed
     * as it was, with the text. It may use the library, release it and stop the watch. NULL: outcomes are logged. */
    void (*told)(void *user, gpudl_library *library, gpudl_status status, const char *text, uint64_t generation);
    void *user;
} gpudl_watch_options;
#define GPUDL_WATCH_OPTIONS_INIT { sizeof(gpudl_watch_options), NULL, 0, 0, 0, NULL, NULL }

/**
 * Replace a library whenever its file changes, until gpudl_library_unwatch(), or the library's release.
 * @library:  loaded from a file; a relative path means what it means at this call
 * @options:  NULL for the defaults
 *
 * A change is a file written and closed, a file renamed or linked to that name, a symbolic link on the way to it that leads
 * elsewhere. What is told is loaded whatever the file's times and size say; what is looked at changes with them, and is loaded once more
 * a second later, as it may have been written twice within a tick of the file system's clock. Content that stayed the same is not
 * told. Files that are still being written are waited for: what cannot be loaded is told only when it has stayed the same for
 * half a second. The system tells of changes (inotify); on network file systems and the like the file is looked at, every
 * poll_ns. One thread a loader does all of it, and each replace; it begins with the first watch.
 *
 * Watching anew changes the options. GPUDL_ERROR_ARGUMENT: the library was not loaded from a file.
 */
GPUDL_API gpudl_status gpudl_library_watch(gpudl_library *library, const gpudl_watch_options *options);

/* No replace begins after this, and none is under way, unless it is called from told(). A trial under way is ended. */
GPUDL_API void gpudl_library_unwatch(gpudl_library *library);

#ifdef __cplusplus
}
#endif
#endif
