/* merge.c - a hundred small modules, loaded one by one and linked into one. Each load costs the same little whatever is in it,
 * and so does making the code ready on the device; so many small modules are better loaded as one large one. */
#include <gpudl/gpudl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MODULES = 100, TEXT = 1024, ELEMENTS = 32 };

static gpudl_loader *loader;
static const gpudl_driver_table *cu;
static CUdeviceptr memory; /* MODULES * ELEMENTS numbers */

/* Ends the program where a call failed. gpudl leaves a text that says why; a function of the driver's returns CUDA's code. */
static void must(int failed, const char *call)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: failed with %d. %s\n", call, failed, gpudl_error_text());
    exit(1);
}
#define MUST(call) must(call, #call)

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Module n has one kernel, polyN(to): to[i] = i * i + n, whose middle part is a function that every module has and none shows
 * to the others: without .visible its name is each module's own. What is to be seen must have names of its own: poly0, poly1
 * ... */
static gpudl_source write_module(int n, char text[TEXT])
{
    int size = snprintf(text, TEXT,
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".func (.reg .u32 %%r) square(.reg .u32 %%a)\n{\nmul.lo.u32 %%r, %%a, %%a;\nret;\n}\n"
        ".visible .entry poly%d(.param .u64 to)\n{\n.reg .b64 %%p, %%o;\n.reg .b32 %%i, %%n;\n"
        "mov.u32 %%i, %%tid.x;\nld.param.u64 %%p, [to];\ncvta.to.global.u64 %%p, %%p;\nmul.wide.u32 %%o, %%i, 4;\n"
        "add.u64 %%p, %%p, %%o;\ncall (%%n), square, (%%i);\nadd.u32 %%n, %%n, %d;\nst.global.u32 [%%p], %%n;\nret;\n}\n",
        n, n);

    return gpudl_source_memory(text, (size_t)size);
}

static void launch(gpudl_library *library, int n)
{
    gpudl_launch_config config = gpudl_launch_1d(1, ELEMENTS);
    gpudl_kernel *kernel;
    char name[16];

    snprintf(name, sizeof(name), "poly%d", n);
    MUST(gpudl_kernel_get(library, name, &kernel));
    MUST(gpudl_launch(kernel, &config, memory + (CUdeviceptr)n * ELEMENTS * sizeof(unsigned)));
    gpudl_kernel_release(kernel);
}

/* How many of the kernels have written what they should; and forgets it. */
static int count_right(void)
{
    static unsigned seen[MODULES][ELEMENTS];
    int right = 0;

    MUST(cu->MemcpyDtoH(seen, memory, sizeof(seen)));
    MUST(cu->MemsetD8(memory, 0xff, sizeof(seen)));
    for (unsigned n = 0; n < MODULES; n++) {
        unsigned i = 0;

        while (i < ELEMENTS && seen[n][i] == i * i + n)
            i++;
        right += i == ELEMENTS;
    }
    return right;
}

/* From bytes to results, each by itself. */
static double run_alone(const gpudl_source *sources, int *right)
{
    gpudl_library *libraries[MODULES];
    double begin = now_ms(), took;

    for (int n = 0; n < MODULES; n++) {
        MUST(gpudl_library_load(loader, &sources[n], NULL, &libraries[n]));
        launch(libraries[n], n);
    }
    MUST(cu->CtxSynchronize());
    took = now_ms() - begin;
    *right = count_right();
    for (int n = 0; n < MODULES; n++)
        gpudl_library_release(libraries[n]);
    return took;
}

/* All as one: n is 1, an image that was linked before, or MODULES, which are linked now. What was linked is kept on disk, but not
 * here, so that the second run of this program costs what the first did. */
static double run_together(const gpudl_source *sources, size_t n, int *right)
{
    gpudl_compile_options compile = GPUDL_COMPILE_OPTIONS_INIT;
    gpudl_load_options options = GPUDL_LOAD_OPTIONS_INIT;
    gpudl_library *library;
    double begin = now_ms(), took;

    compile.flags = GPUDL_COMPILE_NO_CACHE;
    options.compile = &compile;
    if (n == 1)
        MUST(gpudl_library_load(loader, sources, NULL, &library));
    else
        MUST(gpudl_library_link(loader, sources, n, &options, &library));
    for (int i = 0; i < MODULES; i++)
        launch(library, i);
    MUST(cu->CtxSynchronize());
    took = now_ms() - begin;
    *right = count_right();
    gpudl_library_release(library);
    return took;
}

/* An image as one would be kept in a file: `gpudl link` makes them, too. */
static gpudl_source link_before(const gpudl_source *sources, size_t n, gpudl_linked **linked)
{
    const void *bytes;
    size_t size;

    MUST(gpudl_linked_make(loader, sources, n, NULL, linked));
    bytes = gpudl_linked_bytes(*linked, &size);
    return gpudl_source_memory(bytes, size);
}

static int compare(const char *what, const gpudl_source *each, const gpudl_source *together, size_t n)
{
    int right_alone, right_together;
    double alone = run_alone(each, &right_alone), one = run_together(together, n, &right_together);

    printf("%s, one by one: %d of %d kernels are right, %.1f ms\n", what, right_alone, MODULES, alone);
    printf("%s, as one:     %d of %d kernels are right, %.1f ms, %.1f times faster\n", what, right_together, MODULES, one,
        alone / one);
    return right_alone != MODULES || right_together != MODULES;
}

/* With machine code there is nothing to compile at load, so what is left are the loads. */
static int compare_images(const gpudl_source *sources)
{
    gpudl_source images[MODULES], image;
    gpudl_linked *linked[MODULES + 1];
    int wrong;

    for (int n = 0; n < MODULES; n++)
        images[n] = link_before(&sources[n], 1, &linked[n]);
    image = link_before(sources, MODULES, &linked[MODULES]);
    wrong = compare("linked before", images, &image, 1);
    for (int n = 0; n <= MODULES; n++)
        gpudl_linked_release(linked[n]);
    return wrong;
}

int main(void)
{
    static char texts[MODULES][TEXT];
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_source sources[MODULES];
    int wrong;

    /* Drivers keep compiled PTX on disk, too, unless they are told before they are opened; and the loader keeps code warm. */
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    setenv("SOFTCUDA_CACHE", "off", 1);
    options.warm_count = GPUDL_NONE_AT_ALL;
    MUST(gpudl_loader_open(&options, &loader));
    MUST(gpudl_loader_use_device(loader, 0));
    cu = gpudl_loader_driver(loader);
    MUST(cu->MemAlloc(&memory, MODULES * ELEMENTS * sizeof(unsigned)));
    for (int n = 0; n < MODULES; n++)
        sources[n] = write_module(n, texts[n]);

    wrong = compare("PTX", sources, sources, MODULES);
    if (gpudl_loader_is_software(loader))
        printf("linked before: not on softcuda, which links PTX to PTX\n");
    else
        wrong |= compare_images(sources);
    MUST(cu->MemFree(memory));
    gpudl_loader_close(loader);
    return wrong;
}
