/* files.c - parses every file that it is given, and builds the graph of every function: a look at the whole, for files that
 * nobody has read. */
#include <stdio.h>
#include <stdlib.h>

#include "softcuda/ptx/cfg.h"

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    long n;

    if (!f)
        return NULL;
    if (!fseek(f, 0, SEEK_END) && (n = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET)) {
        bytes = malloc((size_t)n + 1);
        *size = bytes ? fread(bytes, 1, (size_t)n, f) : 0;
    }
    fclose(f);
    return bytes;
}

static bool build_graphs(const struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        struct cfg *cfg = m->funcs[i].declared_only ? NULL : cfg_build(&m->funcs[i]);

        if (!cfg && !m->funcs[i].declared_only)
            return false;
        cfg_destroy(cfg);
    }
    return true;
}

static bool check(const char *path)
{
    struct ptx_error err = { .text = "cannot be read" };
    struct ptx_module *m = NULL;
    size_t size;
    char *text = read_file(path, &size);
    bool ok;

    if (text)
        m = ptx_parse(text, size, &err);
    free(text);
    if (!m)
        printf("%s:%u:%u: %s\n", path, err.pos.line, err.pos.column, err.text);
    ok = m && build_graphs(m);
    ptx_module_destroy(m);
    return ok;
}

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++)
        failed += !check(argv[i]);
    printf("%d of %d files failed\n", failed, argc - 1);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
