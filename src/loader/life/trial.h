/* trial.h - trial launches of a version, in a process of their own. What the caller gave is taken in once, as the records that
 * gpudl-trial reads. */
#ifndef GPUDL_LOADER_TRIAL_H
#define GPUDL_LOADER_TRIAL_H

#include "src/loader/loader.h"

/* All zero: there are none. */
struct trials {
    unsigned char *records;
    size_t size, room;
    size_t count;
    char *driver;               /* NULL: the loader's own */
    uint64_t timeout_ns;
};

/* Copies and checks; of a complete struct. On failure there is nothing to release. */
gpudl_status gpudl__trials_import(const gpudl_replace_options *o, struct trials *out);
void gpudl__trials_release(struct trials *t);

/* Runs them. Under no lock of the loader's; a cancel of this thread's task ends it. */
gpudl_status gpudl__trials_run(const struct trials *t, const struct version *v);

/* replace.c. gpudl_library_replace() with what was taken in: o is complete, and its own trials are not looked at. */
gpudl_status gpudl__library_replace(
    gpudl_library *lib, const gpudl_source *source, const gpudl_replace_options *o, const struct trials *trials);

/* --------------------------------------------------------------------------------------------------------- within the trials */

/* Appends a record of two pieces. False: no memory. */
bool gpudl__trials_add(struct trials *t, unsigned type, const void *head, size_t head_size, const void *bytes, size_t size);

/* trial_find.c. The path of gpudl-trial; or fails, and says where was looked. */
gpudl_status gpudl__trial_find(char *path, size_t size);

/* trial_child.c. One conversation: the pieces go to its standard input, one line comes back, without its end and not longer than
 * size; then it is no more. GPUDL_OK without a line: *ended says how it ended, as waitpid() does, or -1: nobody knows. */
struct trial_talk {
    const struct span *pieces;
    size_t npieces;
    uint64_t timeout_ns;
    char *answer;
    size_t size;
    int ended;
};
gpudl_status gpudl__trial_talk(const char *program, struct trial_talk *talk);

#endif
