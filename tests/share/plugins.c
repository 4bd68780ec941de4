#include "tests/share/copy.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static int library_path(const char *kind, char *path, size_t size)
{
    char program[3072];
    ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

    program[n > 0 ? n : 0] = '\0';
    *strrchr(program, '/') = '\0';
    return snprintf(path, size, "%s/../lib/libgpudl_share_%s.so", program, kind) < (int)size;
}

/* The dynamic linker knows a file by its inode. */
static int copy_file(const char *from, char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = in < 0 ? -1 : mkstemps(to, 3);
    struct stat st;
    int ok = out >= 0 && fstat(in, &st) == 0;

    for (off_t left = ok ? st.st_size : 0; left > 0 && ok;) {
        ssize_t n = sendfile(out, in, NULL, (size_t)left);
        ok = n > 0;
        left -= n;
    }
    close(in);
    close(out);
    return ok;
}

_Bool plugin_open(struct plugin *p, const char *kind)
{
    int own = strcmp(kind, "static") == 0;
    char path[4096];

    p->handle = NULL;
    if (!library_path(kind, path, sizeof(path)))
        return 0;
    strcpy(p->path, "/tmp/gpudl-share-XXXXXX.so");
    if (own && !copy_file(path, p->path)) {
        perror(path);
        return 0;
    }
    p->handle = dlopen(own ? p->path : path, RTLD_NOW | RTLD_LOCAL);
    if (own)
        unlink(p->path);
    if (!p->handle) {
        fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
    p->copy = dlsym(p->handle, "gpudl_copy");
    return p->copy != NULL;
}

_Bool plugin_reopen(struct plugin *p)
{
    p->handle = dlopen(p->path, RTLD_NOW | RTLD_NOLOAD);
    return p->handle != NULL;
}

_Bool plugin_close(struct plugin *p)
{
    void *again;

    dlclose(p->handle);
    p->handle = NULL;
    again = dlopen(p->path, RTLD_NOW | RTLD_NOLOAD);
    if (again)
        dlclose(again);
    return !again;
}
