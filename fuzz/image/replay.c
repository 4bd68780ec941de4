/* Runs a fuzz target once on every file of the folders named, as a test: what was found once stays found, without a fuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/image/check.h"

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    unsigned char *data;
    long size;

    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
        perror(path);
        return 1;
    }
    data = malloc((size_t)size + 1);
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
        perror(path);
        return 1;
    }
    fclose(f);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return 0;
}

static int replay_folder(const char *folder, unsigned *files)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    char path[4096];
    int failed = 0;

    if (!d) {
        perror(folder);
        return 1;
    }
    while ((e = readdir(d)) != NULL) {
        if (e->d_name[0] == '.' || e->d_type == DT_DIR)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        failed |= replay_file(path);
        ++*files;
    }
    closedir(d);
    return failed;
}

int main(int argc, char **argv)
{
    unsigned files = 0;
    int failed = 0;

    for (int i = 1; i < argc; i++)
        failed |= replay_folder(argv[i], &files);
    printf("%u files replayed\n", files);
    return failed || !files;
}
