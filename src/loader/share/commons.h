/* commons.h - what copies of gpudl in one process have in common: a program's own, and those of plugins that each link libgpudl.a,
 * or bring another libgpudl.so.
 *
 * Each copy carries an ELF note that says in which format it shares, and where its pointer to the commons is. The first loader of
 * a copy looks through the notes of all objects of the process: where a copy of the same format has commons already they are this
 * one's too, else it makes them. Copies of other formats, and those in other namespaces (dlmopen), are not met.
 *
 * In the commons is plain data: no function pointers, nothing from anybody's heap, as a plugin goes with its code and its
 * allocator. They are anonymous memory, private, so that a forked child has its own. The last copy to leave unmaps them.
 *
 * The lock is robust: where its owner ends inside (a thread that was cancelled), the next one goes on. Whoever writes keeps the
 * order in which that leaks something at most. */
#ifndef GPUDL_LOADER_COMMONS_H
#define GPUDL_LOADER_COMMONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Goes up with each change of what is in the commons, or of what it means. */
#ifndef COMMONS_FORMAT
#define COMMONS_FORMAT 1
#endif

enum { COMMONS_BUCKETS = 256, COMMONS_PATH = 256 };

struct record;

struct commons {
    pthread_mutex_t lock;
    atomic_size_t members;                      /* copies */
    struct record *buckets[COMMONS_BUCKETS];    /* under the lock */
    atomic_size_t orphans;                      /* records that no loader has; written under the lock */
    struct spare *kept;                         /* pages (pages.h); under the lock */
    size_t nkept;
};

/* What was met on the way. */
struct commons_report {
    bool made;                  /* these are the first */
    unsigned strangers;         /* copies of another format */
    unsigned format, own;       /* of one of them, and of this copy */
    char stranger[COMMONS_PATH];        /* the object that it is in; "": the program */
};

/* For a loader, before it has anything of them; NULL: no memory. Each join wants one leave, when the loader has nothing of them any more. */
struct commons *gpudl__commons_join(struct commons_report *report);
void gpudl__commons_leave(void);
/* The copy itself goes, with loaders that were never closed. */
void gpudl__commons_abandon(void);

void gpudl__commons_lock(struct commons *c);
void gpudl__commons_unlock(struct commons *c);

/* A robust mutex that tells its own owner that it has it already (EDEADLK). */
void gpudl__commons_init_lock(pthread_mutex_t *lock);
/* 0, also after an owner that ended inside; or EDEADLK. */
int gpudl__commons_take(pthread_mutex_t *lock);

#endif
