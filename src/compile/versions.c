/* versions.c - which versions of a library a folder has. Unlike glob(), which a look into the cache would feel. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **gpudl__versions_in(const char *folder, const char *stem, struct strings *names)
{
    size_t n = strlen(stem);
    DIR *d = opendir(folder);
    const struct dirent *e;
    const char **sorted;

    while (d && (e = readdir(d)))
        if (!strncmp(e->d_name, stem, n) && isdigit((unsigned char)e->d_name[n]))
            gpudl__strings_add(names, e->d_name);
    if (d)
        closedir(d);
    sorted = gpudl__strings_array(names);
    if (sorted && names->count)
        qsort(sorted, names->count, sizeof(*sorted), by_name);
    return sorted;
}
