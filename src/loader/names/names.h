/* names.h - from the name that a person writes to the one in the image.
 *
 * Accepted are the name as in the image ("_Z5saxpyPKfPfi"), and as the source writes it: "saxpy", "ns::scale<float, 4>",
 * with the parameters "saxpy(float const*, float*, int)", or a template without its arguments where there is one instance of
 * it. White space does not matter. */
#ifndef GPUDL_LOADER_NAMES_H
#define GPUDL_LOADER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "src/loader/names/index.h"
#include "src/util/text.h"

enum name_result { NAME_FOUND, NAME_NONE, NAME_AMBIGUOUS, NAME_NO_MEMORY };

/* On NAME_NONE the text tells the nearest names, on NAME_AMBIGUOUS those that answer to it. */
enum name_result gpudl__name_find(
    const struct names *names, const struct name_index *x, const char *wanted, size_t *index, struct text *t);
/* Up to a few of the names, as the source writes them where that is known. */
void gpudl__name_list(const struct names *names, struct text *t);

/* demangle.c. From libc's heap: the caller calls free(). NULL: not mangled, no memory, or no C++ runtime library on this
 * machine. */
char *gpudl__demangle(const char *mangled);
bool gpudl__can_demangle(void);

/* spell.c: spelling of C++ names; all of them write into the text that they are given, which only gets shorter. */
void gpudl__spell_normalise(char *name);        /* one spelling: no needless space, no suffix on integers */
/* A demangled, normalised function in pieces: "void ns::scale<float,4>(float*)" is its plain name "ns::scale<float,4>", and
 * that with parameters. */
struct spelled {
    const char *plain, *parameters;             /* plain ends where parameters, "(float*)", begin; parameters may be "" */
    size_t plain_size, family_size;             /* family: plain without the template arguments at its end */
};
struct spelled gpudl__spell_split(const char *demangled);
/* In edits; most: as many or more. */
size_t gpudl__spell_distance(const char *a, size_t na, const char *b, size_t nb, size_t most);

#endif
