/* compile.h - CUDA C++ among the sources: what the options say, as compile/ takes it, and what came of it. */
#ifndef GPUDL_LOADER_COMPILE_H
#define GPUDL_LOADER_COMPILE_H

#include <gpudl/gpudl.h>

#include "src/loader/loader.h"

/* Turns CUDA C++ into what the loader's device takes, in its place; leaves everything else alone. options may be NULL. */
gpudl_status gpudl__content_compile(
    gpudl_loader *l, const gpudl_compile_options *options, const struct load_settings *settings, struct content *content);

/* compile_options.c */
gpudl_status gpudl__compile_import(const gpudl_compile_options *given, gpudl_compile_options *out); /* lends what they point to */
/* With all that they point to, for gpudl__free(); NULL where none were given. */
gpudl_status gpudl__compile_copy(const gpudl_compile_options *given, gpudl_compile_options **out);
gpudl_status gpudl__compile_of_load(const gpudl_load_options *given, gpudl_compile_options **out);

/* The same for a link: relocatable code for this architecture, in this format where the options name none. l may be NULL. */
gpudl_status gpudl__content_compile_part(gpudl_loader *l, const gpudl_compile_options *options, unsigned sm, char suffix,
    gpudl_format format, struct content *content);

/* cache.c: where results are kept; opened on first use, closed with the loader. l NULL: the process's own. May be NULL: nothing is kept. */
struct cache *gpudl__loader_cache(gpudl_loader *l);
/* The caller's loader; else the default one if it is open; else NULL. */
gpudl_loader *gpudl__loader_if_open(gpudl_loader *given);

#endif
