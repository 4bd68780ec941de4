/* ptx_scan.h - what the scanner of PTX declarations shares: ptx_scan.c has its words, ptx_kernel.c reads kernels, ptx_module.c
 * all else. The first error ends a scan; its text is written by then. */
#ifndef GPUDL_IMAGE_PTX_SCAN_H
#define GPUDL_IMAGE_PTX_SCAN_H

#include "src/image/internal.h"
#include "src/image/ptx_lex.h"

enum linkage { INTERNAL, VISIBLE, WEAK, COMMON, EXTERN };

struct scan {
    struct ptx_lexer l;
    struct contents *out;
    struct text *t;
    bool details;
    enum linkage linkage;               /* of the statement being read */
    size_t kernels_room, globals_room, params_room;
    struct image_param *params;         /* of the kernel being read */
    size_t nparams;
    struct image_resources *resources;  /* of all kernels, where details are asked for */
    struct image_resources head;        /* of the kernel being read */
    const char **externs, **functions;
    uint8_t *bindings;                  /* of the functions */
    size_t resources_room, externs_room, functions_room, bindings_room;
};

enum image_error gpudl__scan_no_memory(struct scan *s);
enum image_error gpudl__scan_cut_off(struct scan *s, const char *where, struct span name);
enum image_error gpudl__scan_unexpected(struct scan *s, const char *wanted);
enum image_error gpudl__scan_overflows(struct scan *s, struct span name);
/* Room for one more item in an array of the contents' arena; false: no memory. */
bool gpudl__scan_reserve(struct scan *s, void **array, size_t used, size_t *room, size_t item);

enum image_type gpudl__ptx_type(struct span word);          /* .u32, .bf16x2, .texref (a handle); IMAGE_NO_TYPE: not one */
unsigned gpudl__ptx_type_size(enum image_type type);        /* bytes */
enum image_space gpudl__ptx_space(struct span word);
enum image_binding gpudl__scan_binding(enum linkage linkage);

/* After '[', to ']': a number, or nothing (*open); an expression is *odd. An overflow sticks at UINT64_MAX. */
enum image_error gpudl__scan_dimension(struct scan *s, uint64_t *count, bool *open, bool *odd);
bool gpudl__scan_align(struct scan *s, uint64_t *align);    /* after ".align": a power of two */

enum image_error gpudl__scan_entry(struct scan *s);         /* after ".entry" */

#endif
