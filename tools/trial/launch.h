/* launch.h - the image loaded, and each trial launched and compared. */
#ifndef GPUDL_TRIAL_LAUNCH_H
#define GPUDL_TRIAL_LAUNCH_H

#include "tools/trial/description.h"

/* Answers, and with that ends. */
__attribute__((noreturn)) void launch_all(struct description *d);

#endif
