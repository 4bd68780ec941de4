/* Any bytes as one text, or as several with a byte of 1 between them, through the joiner: it refuses them with words, or makes a
 * text; and a text that parses is one that parses, too, when it is joined alone. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/image/check.h"
#include "softcuda/ptx/join.h"
#include "softcuda/ptx/ptx.h"

#define CHECK(what)                                                         \
    do {                                                                    \
        if (!(what)) {                                                      \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            abort();                                                        \
        }                                                                   \
    } while (0)

enum { MOST = 8 };

static bool parses(const char *text, size_t size)
{
    struct ptx_error err;
    struct ptx_module *m = ptx_parse(text, size, &err);

    ptx_module_destroy(m);
    return m != NULL;
}

/* Nothing is missing: all that has no definition is the driver's. */
static bool all(const char *name)
{
    (void)name;
    return true;
}

static void join(const struct ptx_source *sources, size_t n)
{
    bool good = n == 1 && parses(sources[0].text, sources[0].size);
    char error[512], *out;
    size_t size;

    if (ptx_join(sources, n, all, &out, &size, error, sizeof(error))) {
        CHECK(error[0] && memchr(error, 0, sizeof(error)));
        return;
    }
    CHECK(strlen(out) == size);
    CHECK(!good || parses(out, size));
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_source sources[MOST];
    char *texts[MOST];
    size_t n = 0, at = 0;

    do {
        const uint8_t *end = size > at ? memchr(data + at, 1, size - at) : NULL;
        size_t length = end && n + 1 < MOST ? (size_t)(end - data) - at : size - at;

        CHECK(texts[n] = malloc(length ? length : 1));      /* its own size, so that a sanitizer sees the first byte read too many */
        if (length)
            memcpy(texts[n], data + at, length);
        sources[n] = (struct ptx_source){ texts[n], length, "text", n % 3 == 2 };
        at += length + 1;
        n++;
    } while (n < MOST && at <= size);
    join(sources, n);
    if (n == 1) {
        sources[1] = sources[0];
        join(sources, 2);
    }
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    return 0;
}
