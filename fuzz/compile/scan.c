/* Any text as a source: the scan ends, stays inside of it, and says the same twice. Names that it includes are looked for in a folder that is
 * not there. */
#include <stdio.h>
#include <stdlib.h>

#include "src/compile/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct scan scan(struct span text, struct cache_key *key)
{
    static const char *const folders[] = { "/nowhere/at/all" }, *const defines[] = { "N=<a.h>", "M" };
    const struct scan_place place = { folders, 1, NULL, 0, defines, 2, 0, NULL };
    struct cache_key_maker m;
    struct scan out;

    gpudl__key_begin(&m, "fuzz", 1);
    if (!gpudl__scan("/nowhere/k.cu", text, NULL, 0, &place, &m, &out))
        abort();
    gpudl__key_end(&m, key);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *text = malloc(size ? size : 1); /* of this length, so that a sanitizer sees the first byte behind it */
    struct cache_key one, two;
    char header[256], from[256], *log;
    struct scan a, b;

    if (!text || !(log = malloc(size + 1)))
        return 0;
    memcpy(text, data, size);
    memcpy(log, data, size);
    log[size] = '\0';
    a = scan((struct span){ text, size }, &one);
    b = scan((struct span){ text, size }, &two);
    if (memcmp(&one, &two, sizeof(one)) || a.partial != b.partial || (a.foreign && !a.partial))
        abort();
    gpudl__log_judge(log);
    gpudl__log_header(log, header, sizeof(header), from, sizeof(from));
    free(text);
    free(log);
    return 0;
}
