/* fake.h - a folder with a stand-in for nvcc in it, sources and headers, and a cache. */
#ifndef TESTS_COMPILE_FAKE_H
#define TESTS_COMPILE_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "src/cache/cache.h"
#include "src/compile/compile.h"

extern char fake_folder[64]; /* absolute */
extern char fake_text[4096]; /* of the last failure */

/* cmocka's setup and teardown. */
int fake_begin(void **state);
int fake_end(void **state);

const char *fake_path(const char *name); /* of a file in the folder; overwritten by the eighth call after */
void fake_write(const char *name, const char *text);
unsigned fake_runs(void);                          /* how often the compiler ran */
struct cache *fake_cache(const struct cache_io *); /* in the folder; NULL: the system's calls */

/* A job for the fake compiler: the text, and no options. */
struct compile_job fake_job(struct cache *, const char *name, const char *text);
enum compile_error fake_compile(const struct compile_job *, struct compile_result *);
/* Compiles, which must work, and returns whether the PTX has the words in it. */
bool fake_makes(const struct compile_job *, const char *words, bool *kept);

#endif
