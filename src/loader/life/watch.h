/* watch.h - the thread that follows files. */
#ifndef GPUDL_LOADER_WATCH_H
#define GPUDL_LOADER_WATCH_H

#include <pthread.h>
#include <stdbool.h>

struct gpudl_loader;
struct gpudl_library;
struct watch;

/* A loader's. Under its lock, but for what only the thread has. */
struct watcher {
    bool started, closing;
    pthread_t thread;
    int inotify, wake;          /* wake: an eventfd */
    pthread_mutex_t trails;     /* held while a trail is made, which may take its time; taken before the loader's lock */
    struct watch *watches;
};

/* Not under the lock: its file is followed no more; waits for a replace that is under way in the other thread. */
void gpudl__watch_end(struct gpudl_library *lib);
void gpudl__watcher_join(struct gpudl_loader *l);
void gpudl__watcher_wake(struct gpudl_loader *l);   /* under the lock */

#endif
