#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cache/folder.h"

const char *folder_base = "/tmp";
char folder[64], warning[600];
unsigned warnings;
static char parent[48];

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *at)
{
    (void)st, (void)what, (void)at;
    return remove(path);
}

int folder_new(void **state)
{
    (void)state;
    snprintf(parent, sizeof(parent), "%s/gpudl-cache-XXXXXX", folder_base);
    if (!mkdtemp(parent))
        return -1;
    snprintf(folder, sizeof(folder), "%s/cache", parent);
    warnings = 0;
    warning[0] = 0;
    return 0;
}

int folder_remove(void **state)
{
    (void)state;
    return nftw(parent, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void note(void *user, const char *text)
{
    (void)user;
    snprintf(warning, sizeof(warning), "%s", text);
    warnings++;
}

struct cache *cache_in(const char *path, const struct cache_io *io, uint64_t max_bytes)
{
    const struct cache_options o = { .cheap = !io, .folder = path, .io = io, .max_bytes = max_bytes, .warn = note };

    return gpudl__cache_open(&o);
}

struct cache *cache_here(void)
{
    return cache_in(folder, NULL, 1 << 20);
}

struct cache_key key_number(uint64_t n)
{
    struct cache_key_maker m;
    struct cache_key key;

    gpudl__key_begin(&m, "test", 1);
    gpudl__key_add_number(&m, "n", n);
    gpudl__key_end(&m, &key);
    return key;
}

struct span data_number(uint64_t n, unsigned char room[4096])
{
    size_t size = 100 + n * 37 % 3996;

    for (size_t i = 0; i < size; i++)
        room[i] = (unsigned char)(n + i * (n | 1));
    return (struct span){ room, size };
}

bool put_number(struct cache *c, uint64_t n)
{
    struct cache_key key = key_number(n);
    unsigned char room[4096];
    uint64_t meta[2] = { n, ~n };
    char label[32];

    snprintf(label, sizeof(label), "number %d", (int)n);
    return gpudl__cache_put(c, &key, label, (struct span){ (const unsigned char *)meta, sizeof(meta) }, data_number(n, room));
}

bool get_number(struct cache *c, uint64_t n)
{
    struct cache_key key = key_number(n);
    unsigned char room[4096];
    struct span data = data_number(n, room);
    uint64_t meta[2] = { n, ~n };
    struct cache_hit hit;

    if (!gpudl__cache_get(c, &key, &hit))
        return false;
    if (hit.meta.size != sizeof(meta) || memcmp(hit.meta.data, meta, sizeof(meta)) || hit.data.size != data.size ||
        memcmp(hit.data.data, data.data, data.size))
        abort();        /* also in a process that cmocka does not watch */
    gpudl__cache_release(&hit);
    return true;
}

void path_of(uint64_t n, char path[256])
{
    struct cache_key key = key_number(n);
    char name[CACHE_KEY_TEXT];

    gpudl__key_print(&key, name);
    snprintf(path, 256, "%s/v2/%s", folder, name);
}

struct cache_counts counts_of(const struct cache *c)
{
    struct cache_counts counts;

    gpudl__cache_counts(c, &counts);
    return counts;
}

size_t read_bytes(const char *path, unsigned char *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, room, f) : 0;

    assert_non_null(f);
    fclose(f);
    return n;
}

void write_bytes(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}
