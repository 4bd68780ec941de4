/* link_kept.c - what nvJitLink made, in the cache: found again by what it was given, byte by byte, and by which nvJitLink it was.
 *
 * An entry's meta is the linker's name and what it remarked, each with its NUL; its data is the image. */
#include <stdio.h>

#include "src/compile/internal.h"
#include "src/compile/link_parts.h"
#include "src/util/alloc.h"

enum { KEY_VERSION = 1 };

void gpudl__link_key(
    const struct link_parts *parts, const char *library, const char *const *options, size_t noptions, struct cache_key *key)
{
    struct cache_key_maker m;

    gpudl__key_begin(&m, "link", KEY_VERSION);
    gpudl__identify_file(library, &m);
    for (size_t i = 0; i < noptions; i++)
        gpudl__key_add_text(&m, "option", options[i]);
    for (size_t i = 0; i < parts->n; i++) {
        gpudl__key_add_number(&m, "kind", parts->items[i].kind);
        gpudl__key_add_text(&m, "name", parts->items[i].name);  /* remarks have it */
        gpudl__key_add(&m, "input", parts->items[i].bytes);
    }
    gpudl__key_end(&m, key);
}

bool gpudl__link_kept_get(struct cache *cache, const struct cache_key *key, struct link_result *out)
{
    struct cache_hit hit;
    const char *linker, *log;
    size_t linker_size, log_size;

    if (!gpudl__cache_get(cache, key, &hit))
        return false;
    linker = span_string(hit.meta, 0, sizeof(out->linker), &linker_size);
    log = linker ? span_string(hit.meta, linker_size + 1, hit.meta.size, &log_size) : NULL;
    if (log) {
        *out = (struct link_result){ .bytes = (unsigned char *)(uintptr_t)hit.data.data, .size = hit.data.size, .kept = true };
        hit.data = (struct span){ NULL, 0 };
        snprintf(out->linker, sizeof(out->linker), "%s", linker);
        out->log = gpudl__link_keep_log(log);
    }
    gpudl__cache_release(&hit);
    return log != NULL;
}

void gpudl__link_kept_put(struct cache *cache, const struct cache_key *key, const struct link_job *job, const struct link_result *r)
{
    struct strings meta = { .data = NULL };
    char label[120], target[16];
    struct text t = gpudl__text_init(label, sizeof(label));

    gpudl__link_name_target(job, target);
    gpudl__text_add(&t, "%s, %s, of ", r->linker, target);
    gpudl__link_name_inputs(job, &t);
    gpudl__strings_add(&meta, r->linker);
    gpudl__strings_add(&meta, r->log ? r->log : "");
    if (!meta.failed)
        gpudl__cache_put(cache, key, label, (struct span){ (const unsigned char *)meta.data, meta.used }, (struct span){ r->bytes, r->size });
    gpudl__strings_free(&meta);
}
