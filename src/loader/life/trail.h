/* trail.h - a path as the file system has it now: the file, and what on the way to it would lead elsewhere if it changed. */
#ifndef GPUDL_LOADER_TRAIL_H
#define GPUDL_LOADER_TRAIL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { TRAIL_MOST = 16 };

/* A name in a folder that is watched. */
struct sign {
    int folder;                 /* inotify's watch descriptor */
    char name[NAME_MAX + 1];
};

struct trail {
    unsigned n;
    struct sign signs[TRAIL_MOST];  /* the file, and symbolic links */
};

/* path is absolute. Watches the folders that count. False: some cannot be watched. */
bool gpudl__trail_follow(struct trail *t, int inotify, const char *path);
bool gpudl__trail_goes_through(const struct trail *t, int folder);
bool gpudl__trail_has(const struct trail *t, int folder, const char *name);

/* Do changes by other machines, or others than the kernel, go untold on this file's file system? */
bool gpudl__is_remote(const char *path);

#endif
