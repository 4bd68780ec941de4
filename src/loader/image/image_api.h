/* image_api.h - images for programs: image/ behind the public header. No driver is needed for any of it. */
#ifndef GPUDL_LOADER_IMAGE_API_H
#define GPUDL_LOADER_IMAGE_API_H

#include <pthread.h>

#include <gpudl/gpudl.h>

#include "src/image/explain.h"
#include "src/loader/source/read.h"

enum { IMAGE_TEXT_SIZE = 2048 };

/* The lock is for what image/ reads on first use. */
struct gpudl_image {
    pthread_mutex_t lock;
    struct content content;
    struct image *image;
};

/* The status of what image/ says. */
gpudl_status gpudl__image_status(enum image_error error);
const char *gpudl__image_advice(enum image_error error); /* what to do, behind what was found: "; ...", or "" */
gpudl_status gpudl__misfit_status(enum image_misfit why);
gpudl_status gpudl__verdict_status(enum image_verdict verdict);

/* What a device of this architecture under this driver takes; cuda_version 0: one that knows all that gpudl does. */
struct image_target gpudl__target_of(unsigned sm, int cuda_version, bool software);

gpudl_param_info gpudl__param_info(const struct image_param *p);

/* Taken at the door of each call on an entry: checks the arguments and locks. Only after a success unlock. */
gpudl_status gpudl__image_enter(gpudl_image *im, size_t entry, const char *function);
void gpudl__image_leave(gpudl_image *im);
/* "FILE: text" */
gpudl_status gpudl__image_refuse(const gpudl_image *im, enum image_error error, const char *text);

#endif
