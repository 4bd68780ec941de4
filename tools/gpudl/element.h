/* element.h - the types of values: one element to and from text, and filling arrays of them. */
#ifndef GPUDL_TOOL_ELEMENT_H
#define GPUDL_TOOL_ELEMENT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct element_type {
    const char *name;       /* "f32" */
    char kind;              /* 'i', 'u' or 'f', as in a .npy descr */
    unsigned char size;     /* bytes: 1, 2, 4 or 8 */
};

/* The type whose name is these length characters, or NULL. */
const struct element_type *element_find(const char *name, size_t length);
const struct element_type *element_find_kind(char kind, size_t size);
const char *element_names(void);    /* "i8 i16 ...", for messages */

/* 0 and a value that the type holds; -1 and why not: lent, static. */
int element_parse(const struct element_type *, const char *text, void *out, const char **why);
/* Digits that read back as the same value, and no more than needed. */
void element_print(const struct element_type *, const void *value, FILE *);

/* Of a floating-point type. */
double element_real(const struct element_type *, const void *value);

void element_fill(const struct element_type *, void *data, size_t count, const void *value);
void element_fill_iota(const struct element_type *, void *data, size_t count);      /* 0, 1, 2, ... wrapping as the type does */
/* Floats in [0, 1), integers over their whole range; the same for the same seed, everywhere. */
void element_fill_random(const struct element_type *, void *data, size_t count, uint64_t seed);

#endif
