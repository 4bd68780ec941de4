#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/compile/fake.h"

char fake_folder[64], fake_text[4096];
static char compiler[96];

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *at)
{
    (void)st, (void)what, (void)at;
    return remove(path);
}

int fake_begin(void **state)
{
    FILE *from = fopen(FAKE_NVCC, "rb"), *to;
    char bytes[8192];
    size_t n;

    (void)state;
    snprintf(fake_folder, sizeof(fake_folder), "/tmp/gpudl-test-compile-XXXXXX");
    if (!from || !mkdtemp(fake_folder))
        return -1;
    snprintf(compiler, sizeof(compiler), "%s/fake-nvcc", fake_folder);
    n = fread(bytes, 1, sizeof(bytes), from);
    fclose(from);
    to = fopen(compiler, "wb");
    if (!to || fwrite(bytes, 1, n, to) != n || fclose(to) || chmod(compiler, 0700))
        return -1;
    return 0;
}

int fake_end(void **state)
{
    (void)state;
    return nftw(fake_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *fake_path(const char *name)
{
    static char paths[8][256];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, 256, "%s/%s", fake_folder, name);
    return path;
}

void fake_write(const char *name, const char *text)
{
    char *path = strdup(fake_path(name));
    FILE *f;

    for (char *at = path + strlen(fake_folder) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    free(path);
}

unsigned fake_runs(void)
{
    FILE *f = fopen(fake_path("runs"), "rb");
    unsigned runs = 0;

    for (int c; f && (c = fgetc(f)) != EOF;)
        runs += c == '\n';
    if (f)
        fclose(f);
    return runs;
}

struct cache *fake_cache(const struct cache_io *io)
{
    const struct cache_options o = { .folder = fake_path("cache"), .cheap = true, .io = io };

    return gpudl__cache_open(&o);
}

struct compile_job fake_job(struct cache *cache, const char *name, const char *text)
{
    return (struct compile_job){
        .name = name,
        .text = { (const unsigned char *)text, strlen(text) },
        .compiler = compiler,
        .target = { .sm = 75, .format = COMPILE_PTX, .exact = true },
        .cache = cache,
    };
}

enum compile_error fake_compile(const struct compile_job *job, struct compile_result *out)
{
    struct text why = gpudl__text_init(fake_text, sizeof(fake_text));

    return gpudl__compile(job, out, &why);
}

bool fake_makes(const struct compile_job *job, const char *words, bool *kept)
{
    struct compile_result r;
    bool found;

    if (fake_compile(job, &r)) {
        fprintf(stderr, "%s\n", fake_text);
        abort(); /* also in a process that cmocka does not watch */
    }
    found = strstr((const char *)r.bytes.data, words) != NULL;
    if (kept)
        *kept = r.kept;
    gpudl__compile_release(&r);
    return found;
}
