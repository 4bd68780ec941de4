/* host.c - twenty plugins, each with a gpudl of its own, load the same module: as one copy in the driver, or as twenty. Then one plugin hands
 * a kernel to another, which has not loaded it. */
#include "plugin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLUGINS = 20 };

static const struct plugin *plugins[PLUGINS];

/* Ends the program where a call returned an error. */
static void must(const char *error, const char *call)
{
    if (!error)
        return;
    fprintf(stderr, "%s: %s\n", call, error);
    exit(1);
}
#define MUST(call) must(call, #call)
#define MUST_BE(condition) must(condition ? NULL : "it is not so", #condition)

/* The dynamic linker opens a file once, and knows it by its inode: so each plugin is a copy, in memory, whose descriptor stays open. */
static const struct plugin *open_plugin(const char *path)
{
    int original = open(path, O_RDONLY | O_CLOEXEC), copy = memfd_create("plugin", MFD_CLOEXEC);
    const struct plugin *(*the_plugin)(void);
    struct stat st;
    char name[64];
    void *handle;

    MUST_BE(original >= 0 && copy >= 0 && fstat(original, &st) == 0);
    MUST_BE(sendfile(copy, original, NULL, (size_t)st.st_size) == st.st_size);
    close(original);
    snprintf(name, sizeof(name), "/proc/self/fd/%d", copy);
    handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    must(handle ? NULL : dlerror(), path);
    *(void **)&the_plugin = dlsym(handle, "the_plugin");
    must(the_plugin ? NULL : dlerror(), path);
    return the_plugin();
}

static unsigned mixed(unsigned x)
{
    for (unsigned i = 0; i < 2048; i++)
        x = (x ^ i) * 1664525u;
    return x;
}

/* KB of the device, as the driver says, and of this process. softcuda's code is the process's memory. */
static void memory(long *device, long *process)
{
    FILE *f = fopen("/proc/self/statm", "re");
    size_t unused, all;

    MUST_BE(gpudl_loader_driver(NULL)->MemGetInfo(&unused, &all) == 0);
    MUST_BE(f && fscanf(f, "%*d %ld", process) == 1);
    fclose(f);
    *device = (long)((all - unused) / 1024), *process *= sysconf(_SC_PAGESIZE) / 1024;
}

/* Once before anything is measured, so that what drivers make but once is made. */
static void warm_up(const struct plugin *p)
{
    unsigned x = 0;

    MUST(p->start(1, "mix.fatbin"));
    MUST(p->run(&x));
    p->stop();
}

static void load_in_all(int share)
{
    long device[2], process[2];
    gpudl_loader_stats stats;
    int loads = 0;

    memory(&device[0], &process[0]);
    for (unsigned i = 0; i < PLUGINS; i++) {
        unsigned x = i;

        MUST(plugins[i]->start(share, "mix.fatbin"));
        MUST(plugins[i]->run(&x));
        MUST_BE(x == mixed(i));
        MUST(plugins[i]->count(&stats));
        loads += (int)stats.loads;
    }
    memory(&device[1], &process[1]);
    printf("   all run; the driver was given the module %d times; %ld KB of the device, %ld KB of the process\n", loads,
        device[1] - device[0], process[1] - process[0]);
    for (int i = 0; i < PLUGINS; i++)
        plugins[i]->stop();
}

/* The two know nothing of each other's gpudl: what passes between them is the driver's handle. */
static void hand_over(const struct plugin *a, const struct plugin *b)
{
    unsigned x = 7;
    CUkernel kernel;

    MUST(a->start(1, "mix.fatbin"));
    MUST(b->start(1, NULL));
    MUST(a->lend(&kernel));
    MUST(b->run_lent(kernel, &x));
    a->take_back();
    MUST_BE(x == mixed(7));
    printf("   B made %#x of 7 with A's kernel\n", x);
    b->stop();
    a->stop();
}

int main(void)
{
    must(gpudl_loader_use_device(NULL, 0) ? gpudl_error_text() : NULL, "using a device");
    for (int i = 0; i < PLUGINS; i++)
        plugins[i] = open_plugin("../../lib/libexample_plugin.so");
    warm_up(plugins[0]);

    printf("1. %d plugins that share what they load:\n", PLUGINS);
    load_in_all(1);
    printf("2. %d plugins that do not:\n", PLUGINS);
    load_in_all(0);
    printf("3. Plugin A hands a kernel to plugin B:\n");
    hand_over(plugins[0], plugins[1]);
    return 0;
}
