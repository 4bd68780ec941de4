/* loads.c - every kernel of every PTX file in a folder becomes machine code, for blocks of 256 and of 100 threads. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/jit/jit.h"

static char text[4 << 20];

static size_t read_file(const char *folder, const char *name)
{
    char path[4096];
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if ((f = fopen(path, "r"))) {
        n = fread(text, 1, sizeof(text) - 1, f);
        fclose(f);
    }
    text[n] = 0;
    return n;
}

static unsigned failed_kernels(const char *name, const struct ptx_module *m, struct jit_unit *unit)
{
    static const uint32_t shapes[2][3] = { { 256, 1, 1 }, { 100, 1, 1 } };
    struct jit_error err;
    struct jit_code code;
    unsigned failed = 0;

    for (uint32_t f = 0; f < m->nfuncs; f++)
        for (unsigned s = 0; s < 2 && m->funcs[f].entry; s++)
            if (jit_compile(unit, &m->funcs[f], shapes[s], &code, &err)) {
                printf("%s: %s, %u threads: %s\n", name, m->funcs[f].name, shapes[s][0], err.text);
                failed++;
            }
    return failed;
}

static unsigned failed_file(const char *name, size_t size)
{
    struct ptx_error perr;
    struct jit_error err;
    struct jit_unit *unit;
    struct ptx_module *m = ptx_parse(text, size, &perr);
    unsigned failed = 1;

    if (!m) {
        printf("%s: line %u: %s\n", name, perr.pos.line, perr.text);
        return 1;
    }
    if (jit_check(m, &err) || jit_unit_create(m, &unit, &err)) {
        printf("%s: line %u: %s\n", name, err.pos.line, err.text);
    } else {
        failed = failed_kernels(name, m, unit);
        jit_unit_destroy(unit);
    }
    ptx_module_destroy(m);
    return failed;
}

int main(int argc, char **argv)
{
    DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
    unsigned files = 0, failed = 0;

    if (!folder)
        return 2;
    for (struct dirent *e; (e = readdir(folder));) {
        const char *end = strrchr(e->d_name, '.');
        if (!end || strcmp(end, ".ptx"))
            continue;
        failed += failed_file(e->d_name, read_file(argv[1], e->d_name));
        files++;
    }
    closedir(folder);
    printf("%u files, %u failures\n", files, failed);
    return failed || !files;
}
