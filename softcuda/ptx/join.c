/* join.c - see join.h. */
#include "softcuda/ptx/join.h"

#include <stdarg.h>
#include <stdlib.h>

#include "softcuda/ptx/join_parts.h"

void join_complain(struct join *j, const char *format, ...)
{
    va_list list;

    if (j->error->used)
        gpudl__text_add(j->error, "\n");
    va_start(list, format);
    gpudl__text_add_args(j->error, format, list);
    va_end(list);
}

static int run(struct join *j)
{
    for (uint32_t i = 0; i < j->n && !j->no_memory; i++)
        join_read(j, i);
    if (!j->no_memory && !j->error->used)
        join_settle(j);
    if (!j->no_memory && !j->error->used)
        join_write(j);
    if (j->no_memory)
        gpudl__text_clear(j->error);
    return j->no_memory || j->error->used ? -1 : 0;
}

int ptx_join(const struct ptx_source *texts, size_t n, bool (*provided)(const char *name), char **out, size_t *size, char *error,
    size_t error_size)
{
    struct text t = gpudl__text_init(error, error_size);
    struct join j = { .texts = texts, .n = (uint32_t)n, .provided = provided, .error = &t };
    int err;

    j.sources = calloc(n + 1, sizeof(*j.sources));
    j.no_memory = !j.sources;
    err = run(&j);
    for (uint32_t i = 0; j.sources && i < j.n; i++)
        ptx_symbols_free(&j.sources[i].names);
    ptx_symbols_free(&j.globals);
    ptx_symbols_free(&j.written);
    ptx_vec_free(&j.statements);
    ptx_vec_free(&j.symbols);
    free(j.sources);
    if (err) {
        ptx_vec_free(&j.out);
        return -1;
    }
    *out = j.out.data;
    *size = j.out.n - 1;
    return 0;
}
