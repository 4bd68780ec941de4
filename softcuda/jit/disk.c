#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/jit/disk.h"
#include "src/cache/cache.h"

#define META_SIZE       16      /* of which the first byte says whether the code may wait; the object behind it stays aligned */
#define BUILD_ID_MAX    64

static struct cache *cache;
static struct {
    unsigned char bytes[BUILD_ID_MAX];
    size_t size;
} build;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- the build id of the object that holds this code */

static void find_note(const struct dl_phdr_info *object, const ElfW(Phdr) *segment)
{
    const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr), *end = at + segment->p_memsz;

    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        const char *name = at + sizeof(*note), *bytes = name + ((note->n_namesz + 3) & ~3u);

        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4) && note->n_descsz <= BUILD_ID_MAX) {
            memcpy(build.bytes, bytes, note->n_descsz);
            build.size = note->n_descsz;
            return;
        }
        at = bytes + ((note->n_descsz + 3) & ~3u);
    }
}

static bool holds(const struct dl_phdr_info *object, uintptr_t address)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && address - (object->dlpi_addr + object->dlpi_phdr[i].p_vaddr) < object->dlpi_phdr[i].p_memsz)
            return true;
    return false;
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size, (void)arg;
    if (!holds(object, (uintptr_t)&cache))
        return 0;
    for (unsigned i = 0; i < object->dlpi_phnum && !build.size; i++)
        if (object->dlpi_phdr[i].p_type == PT_NOTE)
            find_note(object, &object->dlpi_phdr[i]);
    return 1;
}

/* ---- the cache */

/* A driver has no other place to say it. */
static void warn(void *user, const char *text)
{
    const char *quiet = secure_getenv("GPUDL_QUIET");

    (void)user;
    if (!quiet || !strcmp(quiet, "0"))
        fprintf(stderr, "softcuda: %s; SOFTCUDA_CACHE=off is silent\n", text);
}

static void start(void)
{
    const struct cache_options options = { .cheap = true, .warn = warn };
    const char *wish = secure_getenv("SOFTCUDA_CACHE");

    dl_iterate_phdr(look_at_object, NULL);
    if (build.size && !(wish && !strcmp(wish, "off")) && !secure_getenv("SOFTCUDA_DUMP_IR"))   /* a dump needs a compile */
        cache = gpudl__cache_open(&options);
}

void disk_add_maker(struct cache_key_maker *m)
{
    unsigned major, minor, patch;

    pthread_once(&once, start);
    LLVMGetVersion(&major, &minor, &patch);
    gpudl__key_add_number(m, "llvm", major * 1000000ull + minor * 1000 + patch);
    gpudl__key_add(m, "build", (struct span){ build.bytes, build.size });
}

LLVMMemoryBufferRef disk_find(const struct cache_key *key, bool *may_wait)
{
    struct cache_hit hit;
    LLVMMemoryBufferRef object;

    pthread_once(&once, start);
    if (!gpudl__cache_get(cache, key, &hit))
        return NULL;
    *may_wait = span_u8(hit.meta, 0);
    object = LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)hit.data.data, hit.data.size, "cached");
    gpudl__cache_release(&hit);
    return object;
}

void disk_keep(const struct cache_key *key, const char *label, LLVMMemoryBufferRef object, bool may_wait)
{
    unsigned char meta[META_SIZE] = { may_wait };
    struct span data = { (const unsigned char *)LLVMGetBufferStart(object), LLVMGetBufferSize(object) };

    gpudl__cache_put(cache, key, label, (struct span){ meta, sizeof(meta) }, data);
}

void disk_drop(const struct cache_key *key)
{
    gpudl__cache_drop(cache, key);
}

void softcuda_cache_stats(struct softcuda_cache_stats *stats)
{
    struct cache_counts counts;

    pthread_once(&once, start);
    gpudl__cache_counts(cache, &counts);
    *stats = (struct softcuda_cache_stats){ counts.hits, counts.misses, counts.stored, counts.healed };
}
