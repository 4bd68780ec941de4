/* signature.h - a kernel's parameters as a person knows them: of its C++ name where it has one, else as PTX declares them, else
 * their sizes. */
#ifndef GPUDL_LOADER_SIGNATURE_H
#define GPUDL_LOADER_SIGNATURE_H

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

#endif
