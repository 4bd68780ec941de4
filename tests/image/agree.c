/* Prints what image/ finds in the machine code of files, a kernel a line, for agree_cuobjdump.sh to compare. Not a test by
 * itself:     sm  kernel  registers  stack  static shared  constant bank 0
 * "-" is what the image does not tell, or not before it is linked. Functions of the device follow as lines that tell nothing
 * else, as cuobjdump lists some of them too. What is damaged goes to stderr, and ends in 1. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/image/details.h"
#include "src/image/image.h"

static struct {
    size_t entries, cubins, kernels, globals, incomplete, failed;
} sum;

static void print(uint32_t v)
{
    if (v == IMAGE_NOT_KNOWN)
        printf("\t-");
    else
        printf("\t%u", v);
}

static void print_kernel(const struct image_entry *e, const struct image_kernel *k, const struct image_resources *r)
{
    printf("%u%.1s\t%s", e->payload_sm, &e->suffix, k->name);
    print(r->registers);
    print(e->relocatable ? IMAGE_NOT_KNOWN : r->stack != IMAGE_NOT_KNOWN ? r->stack : r->frame);
    print(e->relocatable ? IMAGE_NOT_KNOWN : r->shared);
    print(r->param_base == IMAGE_NOT_KNOWN ? IMAGE_NOT_KNOWN : r->param_base + k->param_bytes);
    printf("\n");
    sum.kernels++;
    if (r->complete)
        return;
    sum.incomplete++;
    fprintf(stderr, "%s: %s\n", k->name, r->problem);
}

static bool print_function(void *user, const struct image_symbol *s)
{
    const struct image_entry *e = user;

    if (s->type == 2 && s->section && !(s->other & 0x10))
        printf("%u%.1s\t%s\t-\t-\t-\t-\tfunction\n", e->payload_sm, &e->suffix, s->name);
    return true;
}

static void print_entry(struct image *im, size_t i)
{
    const struct image_entry *e = gpudl__image_entry(im, i);
    const struct image_details *d;
    const struct image_kernel *k;
    const struct image_global *g;
    size_t n, globals;
    char text[512];

    sum.entries++;
    if (e->format != IMAGE_CUBIN)
        return;
    sum.cubins++;
    if (gpudl__image_kernels(im, i, &k, &n, text, sizeof(text)) || gpudl__image_globals(im, i, &g, &globals, text, sizeof(text))
        || gpudl__image_details(im, i, &d, text, sizeof(text))) {
        fprintf(stderr, "%s\n", text);
        sum.failed++;
        return;
    }
    sum.globals += globals;
    for (size_t j = 0; j < n; j++)
        print_kernel(e, &k[j], &d->kernels[j]);
    gpudl__image_symbols(im, i, print_function, (void *)e, text, sizeof(text));
    gpudl__image_forget(im, i);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int print_file(const char *path)
{
    int fd = open(path, O_RDONLY);
    struct image *im = NULL;
    double begin = seconds();
    struct stat st;
    char text[512];
    void *p;

    if (fd < 0 || fstat(fd, &st) || (p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED) {
        perror(path);
        return 1;
    }
    close(fd);
    if (gpudl__image_inspect((struct span){ p, (size_t)st.st_size }, NULL, &im, text, sizeof(text))) {
        fprintf(stderr, "%s: %s\n", path, text);
        return 1;
    }
    fprintf(stderr, "%s: opened in %.1f ms\n", path, 1e3 * (seconds() - begin));
    for (size_t i = 0; i < gpudl__image_count(im); i++)
        print_entry(im, i);
    fprintf(stderr, "%s: %zu containers, %zu entries, %.1f ms; %s%s\n", path, gpudl__image_container_count(im),
        gpudl__image_count(im),
        1e3 * (seconds() - begin), gpudl__image_damage(im, NULL), gpudl__image_notes(im));
    gpudl__image_close(im);
    munmap(p, (size_t)st.st_size);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++)
        failed |= print_file(argv[i]);
    fprintf(stderr, "%zu entries, %zu cubins, %zu kernels, %zu globals; %zu incomplete kernels, %zu unreadable cubins\n",
        sum.entries,
        sum.cubins, sum.kernels, sum.globals, sum.incomplete, sum.failed);
    return failed || sum.incomplete || sum.failed;
}
