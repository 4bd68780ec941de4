/* asker.h - a thread that waits for a context, so that others can stop waiting. For drivers without cuCtxRecordEvent (CUDA 12.5), which
 * have no event behind the work of all streams: streams that do not wait for the legacy one are seen by cuCtxSynchronize alone. */
#ifndef GPUDL_LOADER_ASKER_H
#define GPUDL_LOADER_ASKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <gpudl/driver.h>

struct gpudl_loader;

struct question;

/* Under the loader's lock. One question at a time; who does not wait for the answer leaves it to be. */
struct asker {
    pthread_t id;
    pthread_cond_t changed;
    bool started, closing;
    bool busy;                       /* with a question, whether anybody waits for the answer or not */
    struct question *next, *current; /* to be taken; of who waits for the answer */
};

void gpudl__asker_init(struct asker *a);
/* Until the context has finished all that it had been given, or the deadline. The driver's code, GPUDL_CU_NOT_READY at the deadline. */
int gpudl__asker_wait(struct gpudl_loader *l, CUcontext context, uint64_t deadline);
void gpudl__asker_join(struct gpudl_loader *l); /* not under the lock; waits for a question that is out */

#endif
