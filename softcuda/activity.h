/* activity.h - what softcuda tells of what its devices have done, to whoever asks: tools that draw timelines. Found by name in the library:
 * softcuda_listen, softcuda_mark. Plain data, no includes of softcuda's. */
#ifndef SOFTCUDA_ACTIVITY_H
#define SOFTCUDA_ACTIVITY_H

#include <stdint.h>

enum softcuda_activity_kind { SOFTCUDA_KERNEL, SOFTCUDA_COPY, SOFTCUDA_FILL, SOFTCUDA_HOST };

struct softcuda_activity {
    enum softcuda_activity_kind kind;
    uint32_t device;
    uint64_t stream;            /* of HOST: the thread */
    uint64_t begin, end;        /* ns of CLOCK_MONOTONIC */
    uint64_t mark;              /* of the launch, or 0 */
    uint64_t bytes;             /* of a copy or fill */
    const char *name, *of;      /* lent; of: HOST only */
    uint32_t grid[3], block[3], static_shared, dynamic_shared;
};

/* Called on threads of softcuda's, when something has ended, one call at a time. It must not call the driver. */
typedef void softcuda_listener(void *user, const struct softcuda_activity *);

#pragma GCC visibility push(default)
/* Nobody is called any more when it returns from a NULL. Returns 0, or -1: somebody else listens. */
int softcuda_listen(softcuda_listener *, void *user);
/* Launches that the calling thread makes from now on have this mark. */
void softcuda_mark(uint64_t mark);
#pragma GCC visibility pop

#endif
