/* image.c - modules of a given size, made for the device that is there. */
#include "bench/driver/experiment.h"

#include <stdlib.h>
#include <string.h>

#define BARE_BYTES 5500.0  /* of the two kernels' cubin for sm_90 */
#define BYTES_OF_STEP 18.2 /* of one mad with a constant, in code and what describes it; both by ptxas 13.0 */
#define STEPS_OF_KERNEL 700

static void print_entry(FILE *f, const char *name)
{
    fprintf(f,
        ".visible .entry %s(.param .u64 p)\n{\n.reg .u64 %%rd<2>;\n.reg .u32 %%r<2>;\nld.param.u64 %%rd1, [p];\n"
        "ld.global.u32 %%r1, [value];\n",
        name);
}

static char *new_ptx(size_t size)
{
    long steps = size > BARE_BYTES ? (long)(((double)size - BARE_BYTES) / BYTES_OF_STEP) : 0;
    char *text = NULL, name[32];
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);

    if (!f)
        return NULL;
    fputs(".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .u32 value;\n", f);
    for (int i = 0; i < 2 || steps > 0; i++) {
        snprintf(name, sizeof(name), "filler_%d", i);
        print_entry(f, i == 0 ? "one" : i == 1 ? "two" : name);
        for (int s = 0; i >= 2 && s < STEPS_OF_KERNEL && steps-- > 0; s++)
            fprintf(f, "mad.lo.u32 %%r1, %%r1, %%r1, %d;\n", i * STEPS_OF_KERNEL + s);
        fputs("st.global.u32 [%rd1], %r1;\nret;\n}\n", f);
    }
    return fclose(f) == 0 ? text : NULL;
}

/* What the driver makes of a text belongs to its link; the copy is ours. */
static void *linked(struct experiment *x, char *ptx)
{
    CUlinkState link;
    void *image = NULL, *copy = NULL;
    size_t size = 0;

    if (x->more.LinkCreate(0, NULL, NULL, &link) != 0)
        return NULL;
    if (x->more.LinkAddData(link, LINK_INPUT_PTX, ptx, strlen(ptx) + 1, "image", 0, NULL, NULL) == 0 &&
        x->more.LinkComplete(link, &image, &size) == 0 && (copy = malloc(size + 1))) {
        memcpy(copy, image, size);
        ((char *)copy)[size] = 0;
    }
    x->more.LinkDestroy(link);
    return copy;
}

const void *new_image(struct experiment *x, size_t size)
{
    char *ptx = new_ptx(size);
    void *image = ptx ? linked(x, ptx) : NULL;

    free(ptx);
    if (image && x->nimages < sizeof(x->images) / sizeof(*x->images)) {
        x->images[x->nimages++] = image;
        return image;
    }
    free(image);
    fprintf(stderr, "no image of %zu bytes\n", size);
    x->failed = true;
    return NULL;
}
