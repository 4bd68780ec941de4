/* Kernels give what the same in C gives, on the driver that GPUDL_DRIVER names.
 *
 * test_kernels [FILE] [--dump FILE | --compare FILE]: the cases of one .cu file, or all. --dump writes a digest of each
 * launch's exact results, --compare holds this run against such a file, of another device. Exits with 77 where there is no
 * such device. */
#include "tests/kernels/kernel_test.h"

#include <stdlib.h>
#include <string.h>

#define SKIPPED 77

struct options {
    const char *only; /* a .cu file's name without its end; NULL: all */
    FILE *dump, *compare;
};

struct count {
    unsigned passed, failed;
};

/* The digest in the other run's file of the launch with this name; false: none. */
static bool other_digest(FILE *f, const char *name, uint64_t *digest)
{
    unsigned long long value;
    char line[512];
    int at;

    rewind(f);
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%llx %n", &value, &at) == 1 && strcmp(line + at, name) == 0) {
            *digest = value;
            return true;
        }
    }
    return false;
}

static bool exchange_digest(const struct options *o, const char *name, uint64_t digest, char *error, size_t size)
{
    uint64_t other;

    if (o->dump)
        fprintf(o->dump, "%016llx %s\n", (unsigned long long)digest, name);
    if (!o->compare || (other_digest(o->compare, name, &other) && other == digest))
        return true;
    snprintf(error, size, "the bits are not those of the other run");
    return false;
}

static void run_shape(const struct options *o, const struct kt_device *device, const struct kt_case *c,
    const struct kt_shape *shape, struct count *count)
{
    char error[1024], name[256];
    struct kt k;

    kt_build(c, shape, &k);
    kt_name(c, &k, name, sizeof(name));
    if (kt_run(device, c, &k, error, sizeof(error)) && kt_matches_reference(&k, error, sizeof(error)) &&
        exchange_digest(o, name, kt_digest(&k), error, sizeof(error))) {
        count->passed++;
    } else {
        count->failed++;
        printf("FAILED %s: %s\n", name, error);
    }
    kt_finish(&k);
}

static FILE *open_or_exit(const char *path, const char *mode)
{
    FILE *f = fopen(path, mode);

    if (!f) {
        perror(path);
        exit(2);
    }
    return f;
}

static struct options read_options(int argc, char **argv)
{
    struct options o = { 0 };

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--dump") == 0 && i + 1 < argc)
            o.dump = open_or_exit(argv[++i], "w");
        else if (strcmp(argv[i], "--compare") == 0 && i + 1 < argc)
            o.compare = open_or_exit(argv[++i], "r");
        else
            o.only = argv[i];
    }
    return o;
}

int main(int argc, char **argv)
{
    struct options o = read_options(argc, argv);
    struct count count = { 0, 0 };
    struct kt_device device;
    gpudl_status status = kt_device_open(NULL, 0, &device);
    const struct kt_case *c;

    if (status == GPUDL_ERROR_NO_DRIVER || status == GPUDL_ERROR_NO_DEVICE) {
        printf("skipped: %s\n", gpudl_error_text());
        return SKIPPED;
    }
    if (status != GPUDL_OK) {
        printf("FAILED to open the driver: %s\n", gpudl_error_text());
        return 1;
    }
    for (size_t i = 0; (c = kt_case_at(i)); i++)
        for (size_t s = 0; s < c->nshapes && (!o.only || strcmp(o.only, c->file) == 0); s++)
            run_shape(&o, &device, c, &c->shapes[s], &count);
    kt_device_close(&device);
    printf("%u passed, %u failed\n", count.passed, count.failed);
    if (o.dump && fclose(o.dump) != 0)
        return 2;
    if (o.compare)
        fclose(o.compare);
    return count.failed || count.passed == 0;
}
