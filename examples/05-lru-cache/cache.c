/* cache.c - a program that has more modules than it wants loaded at a time. It takes each when it needs it and releases it at once; the loader
 * keeps the last few that were used, up to a bound, and lets the longest unused one go. */
#include <gpudl/gpudl.h>

#include <stdio.h>
#include <stdlib.h>

enum { BOUND = 3 };

static gpudl_loader *loader;
static const gpudl_driver_table *cu;
static CUdeviceptr memory;

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(1);
}
#define MUST(call) must(call, #call)

/* Module n: a kernel that answers n * n. Any source would do, a file too: what counts are the bytes. */
static size_t write_module(int n, char *out, size_t size)
{
    return (size_t)snprintf(out, size,
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry square(.param .u64 to)\n{\n.reg .b64 %%p;\n.reg .b32 %%n;\n"
        "ld.param.u64 %%p, [to];\ncvta.to.global.u64 %%p, %%p;\nmov.u32 %%n, %d;\nmul.lo.u32 %%n, %%n, %%n;\n"
        "st.global.u32 [%%p], %%n;\nret;\n}\n",
        n);
}

/* What a program does that keeps no handles: load, launch, release. */
static void use(int n)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    gpudl_library *library;
    gpudl_kernel *square;
    int answer = 0;
    char text[512];
    size_t size = write_module(n, text, sizeof(text));

    MUST(gpudl_library_load(loader, GPUDL_MEMORY(text, size), NULL, &library));
    MUST(gpudl_kernel_get(library, "square", &square));
    MUST(gpudl_launch(square, &config, memory));
    MUST(cu->MemcpyDtoH(&answer, memory, sizeof(answer)));
    gpudl_kernel_release(square);
    gpudl_library_release(library);
    printf("module %d answers %2d", n, answer);
}

static gpudl_loader_stats statistics(void)
{
    gpudl_loader_stats s = { .size_of_struct = sizeof(s) };

    MUST(gpudl_loader_statistics(loader, &s));
    return s;
}

int main(void)
{
    static const int wanted[] = { 1, 2, 3, 1, 4, 1, 5, 1, 2 }; /* module 1 is in use all the time, the others now and then */
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader_stats before, after;
    uint64_t evicted = 0;

    options.warm_count = BOUND; /* there is warm_bytes, too */
    options.share = GPUDL_SHARE_NOTHING; /* else a load would find what is evicted and not unloaded yet */
    MUST(gpudl_loader_open(&options, &loader));
    MUST(gpudl_loader_use_device(loader, 0));
    cu = gpudl_loader_driver(loader);
    MUST(cu->MemAlloc(&memory, sizeof(int)));

    printf("%d modules at most are kept while nobody holds them.\n", BOUND);
    after = statistics();
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        before = after;
        use(wanted[i]);
        after = statistics();
        evicted = after.loads - after.warm; /* what the driver was given, and no load would find any more */
        printf(": %s, %zu kept, %d evicted\n", after.warm_hits > before.warm_hits ? "hit " : "miss", after.warm, (int)evicted);
    }
    printf("%d hits, %d misses, %d evictions\n", (int)after.warm_hits, (int)after.loads, (int)evicted);

    /* Evicted is not unloaded: that would wait for kernels that run, so it is done at a moment that the program names. */
    MUST(gpudl_loader_reap(loader, UINT64_MAX, NULL));
    printf("unloaded at the next good moment: %d of them\n", (int)statistics().unloads);
    MUST(cu->MemFree(memory));
    gpudl_loader_close(loader);
    return 0;
}
