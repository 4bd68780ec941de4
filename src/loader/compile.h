/* compile.h - CUDA C++ among the sources: what the options say, as compile/ takes it, and what came of it. */
#ifndef GPUDL_LOADER_COMPILE_H
#define GPUDL_LOADER_COMPILE_H

#include <gpudl/gpudl.h>

#include "src/loader/loader.h"

/* Turns CUDA C++ into what the loader's device takes, in its place; leaves everything else alone. options may be NULL. */
gpudl_status gpudl__content_compile(gpudl_loader *l, const gpudl_load_options *options, struct content *content);

/* cache.c: where results are kept; opened on first use, closed with the loader. l NULL: the process's own. May be NULL: nothing is kept. */
struct cache *gpudl__loader_cache(gpudl_loader *l);
/* The caller's loader; else the default one if it is open; else NULL. */
gpudl_loader *gpudl__loader_if_open(gpudl_loader *given);

#endif
