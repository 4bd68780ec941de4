/* signature.h - a kernel's parameters as a person knows them: of its C++ name where it has one, else as PTX declares them, else
 * their sizes. */
#ifndef GPUDL_LOADER_SIGNATURE_H
#define GPUDL_LOADER_SIGNATURE_H

#include <gpudl/gpudl.h>

#include "src/image/image.h"
#include "src/util/text.h"

/* Of one kernel. Its memory is libc's. */
struct signature {
    const struct image_kernel *kernel;
    char *spelled;              /* demangled; NULL: not a C++ name */
    const char *parameters;     /* in it, "(int,float*)"; NULL: not known, or not as many as the image has */
};

struct signature gpudl__signature_open(const struct image_kernel *kernel);
void gpudl__signature_close(struct signature *s);

/* Which gpudl_arg_types the i-th parameter takes, a bit for each; of its kind only, not its size. */
uint32_t gpudl__signature_accepts(const struct signature *s, size_t i);
/* "float const*", "f32", "12 bytes" */
void gpudl__signature_add_param(const struct signature *s, size_t i, struct text *t);
/* "ns::scale<float,4>(float*)" */
void gpudl__signature_add(const struct signature *s, struct text *t);
/* "unsigned int" of a gpudl_arg_type; NULL: there is none such. */
const char *gpudl__arg_type_name(unsigned type);
/* "double (8 bytes)", as messages have it */
void gpudl__arg_add(const gpudl_arg *a, struct text *t);

/* Does the i-th parameter take what a program spells `given` (NULL: not told) and passes as this gpudl_arg_type? As far as both are C++ names,
 * and beyond what gpudl__signature_accepts() says (types.c). */
enum spelled_fit {
    SPELLED_FITS,
    SPELLED_OTHER, /* another type */
    SPELLED_CONST  /* the kernel may write to what the program has as const */
};
enum spelled_fit gpudl__signature_fits(const struct signature *s, size_t i, unsigned type, const char *given);
/* "float*", the i-th parameter of the C++ name; an empty span where there is none. */
struct span gpudl__signature_piece(const struct signature *s, size_t i);

#endif
