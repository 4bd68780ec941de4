/* Lives of libraries: what gpudl's way costs, against the driver's calls by hand, and what it costs the others.
 *
 *   - load again: bytes that are loaded already, for a second user; by hand they are loaded a second time
 *   - first launch: of code that was made resident, against the hundredth
 *   - replace, others: the longest launch of two threads that launch all the time, while code is replaced under them; and of
 *     eight, where nothing can be replaced by hand
 *   - release, others: the same while code is let go behind running kernels
 *   - saved to launched: from a rename to the number that the new kernel writes, seen by the host; by hand without a watch
 *
 * The images are machine code that the driver's linker makes for the device. */
#include "bench/device.h"
#include "bench/harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IMAGES = 8, FEW_LAUNCHERS = 2, MOST_LAUNCHERS = 8, FILLERS = 200, LONG_KERNELS = 50 };

struct image {
    void *bytes;
    size_t size;
};

struct bench {
    struct bench_device device;
    const gpudl_driver_table *cu;
    int (*link_create)(unsigned, int *, void **, void **);
    int (*link_add)(void *, int, void *, size_t, const char *, unsigned, int *, void **);
    int (*link_complete)(void *, void **, size_t *);
    int (*link_destroy)(void *);
    CUcontext context;
    CUstream stream;
    volatile unsigned *word;    /* host memory that kernels write */
    volatile unsigned *gate;    /* and one that they wait for */
    struct image small[IMAGES], large[IMAGES];
    gpudl_library *library;     /* that is replaced, */
    gpudl_kernel *kernel;       /* of which the others launch this */
    CUlibrary by_hand;          /* the same by hand, */
    _Atomic(CUkernel) by_hand_kernel;   /* and this */
    struct launcher *launchers; /* that are at it, or NULL */
    unsigned nlaunchers;
    unsigned next;
    char path[96], other[96];
    bool failed;
};

static bool check(struct bench *b, bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s: %s\n", what, gpudl_error_text());
        b->failed = true;
    }
    return ok;
}

/* -------------------------------------------------------------------------------------------------------------------- images */

/* set(u64 to) writes the number; wait(u64 gate) waits until *gate is not 0; fillers make it large. */
static char *print_ptx(unsigned number, unsigned fillers)
{
    size_t size = 0;
    char *text = NULL;
    FILE *f = open_memstream(&text, &size);

    if (!f)
        return NULL;
    fprintf(f,
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry set(.param .u64 to)\n{\n.reg .u32 %%r;\n.reg .u64 %%p;\nld.param.u64 %%p, [to];\n"
        "mov.u32 %%r, %u;\nst.volatile.global.u32 [%%p], %%r;\nret;\n}\n"
        ".visible .entry wait(.param .u64 gate)\n{\n.reg .u32 %%r;\n.reg .u64 %%p;\n.reg .pred %%q;\nld.param.u64 %%p, [gate];\n"
        "L:\nld.volatile.global.u32 %%r, [%%p];\nsetp.eq.u32 %%q, %%r, 0;\n@%%q bra L;\nret;\n}\n",
        number);
    for (unsigned i = 0; i < fillers; i++) {
        fprintf(f, ".visible .entry filler%u(.param .u64 to)\n{\n.reg .u32 %%r;\n.reg .u64 %%p;\nld.param.u64 %%p, [to];\n"
                   "ld.global.u32 %%r, [%%p];\n", i);
        for (unsigned s = 0; s < 150; s++)
            fprintf(f, "mad.lo.u32 %%r, %%r, %%r, %u;\n", number + i * 150 + s);
        fprintf(f, "st.global.u32 [%%p], %%r;\nret;\n}\n");
    }
    return fclose(f) == 0 ? text : NULL;
}

static bool make_image(struct bench *b, unsigned number, unsigned fillers, struct image *out)
{
    char *ptx = print_ptx(number, fillers);
    void *link = NULL, *made;
    bool ok = ptx && b->link_create(0, NULL, NULL, &link) == 0;

    ok = ok && b->link_add(link, 1 /* PTX */, ptx, strlen(ptx) + 1, "image", 0, NULL, NULL) == 0 &&
        b->link_complete(link, &made, &out->size) == 0 && (out->bytes = malloc(out->size + 1));
    if (ok) {
        memcpy(out->bytes, made, out->size);
        ((char *)out->bytes)[out->size] = '\0';
    }
    if (link)
        b->link_destroy(link);
    free(ptx);
    return ok;
}

static bool find(struct bench *b, const char *name, int version, void *out)
{
    void *function = NULL;
    int found;
    bool ok = b->cu->GetProcAddress(name, &function, version, 0, &found) == 0 && function;

    memcpy(out, &function, sizeof(function));
    return ok;
}

static bool make_images(struct bench *b)
{
    bool ok = find(b, "cuLinkCreate", 6050, &b->link_create) && find(b, "cuLinkAddData", 6050, &b->link_add) &&
        find(b, "cuLinkComplete", 5050, &b->link_complete) && find(b, "cuLinkDestroy", 5050, &b->link_destroy);

    for (unsigned i = 0; i < IMAGES && ok; i++)
        ok = make_image(b, 1000 + i, 0, &b->small[i]) && make_image(b, 2000 + i, FILLERS, &b->large[i]);
    return check(b, ok, "the driver's linker");
}

/* --------------------------------------------------------------------------------------------------------------- load again */

struct again {
    struct bench *b;
    const struct image *image;
};

static double load_again(void *arg)
{
    struct again *a = arg;
    gpudl_library *lib = NULL;
    double start = bench_now(), ns;
    bool ok = gpudl_library_load(a->b->device.loader, GPUDL_MEMORY(a->image->bytes, a->image->size), NULL, &lib) == GPUDL_OK;

    ns = bench_now() - start;
    gpudl_library_release(lib);
    return check(a->b, ok, "load again") ? ns : -1;
}

static double load_by_hand(void *arg)
{
    struct again *a = arg;
    CUlibrary lib;
    double start = bench_now(), ns;
    bool ok = a->b->cu->LibraryLoadData(&lib, a->image->bytes, NULL, NULL, 0, NULL, NULL, 0) == 0;

    ns = bench_now() - start;
    return ok && a->b->cu->LibraryUnload(lib) == 0 ? ns : -1;
}

static void compare_loads(struct bench_report *r, struct bench *b)
{
    struct again small = { b, &b->small[0] }, large = { b, &b->large[0] };
    const struct bench_side s[] = { { "gpudl", load_again, &small }, { "driver", load_by_hand, &small } };
    const struct bench_side l[] = { { "gpudl", load_again, &large }, { "driver", load_by_hand, &large } };

    bench_note(r, "images of %zu and %zu bytes", small.image->size, large.image->size);
    bench_compare(r, "load again, small", s, 2, 0, 0.2);
    bench_compare(r, "load again, large", l, 2, 0, 0.2);
}

/* ------------------------------------------------------------------------------------------------------------- first launch */

struct launch {
    struct bench *b;
    unsigned which;             /* the first, or the hundredth */
};

/* Of code that was not there before; the hundredth after 99 that are not timed. */
static double time_launch(void *arg)
{
    struct launch *l = arg;
    struct bench *b = l->b;
    const struct image *image = &b->small[b->next++ % IMAGES];
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    CUdeviceptr to = (CUdeviceptr)(uintptr_t)b->word;
    gpudl_library *lib = NULL;
    gpudl_kernel *k = NULL;
    double start = 0, ns = 0;
    bool ok;

    config.stream = b->stream;
    ok = gpudl_library_load(b->device.loader, GPUDL_MEMORY(image->bytes, image->size), NULL, &lib) == GPUDL_OK &&
        gpudl_kernel_get(lib, "set", &k) == GPUDL_OK && gpudl_library_make_resident(lib, NULL, 0, gpudl_now()) == GPUDL_OK;
    for (unsigned i = 1; i <= l->which && ok; i++) {
        start = bench_now();
        ok = gpudl_kernel_launch_params(k, &config, (void *[]){ &to }) == GPUDL_OK;
        ns = bench_now() - start;
    }
    b->cu->StreamSynchronize(b->stream);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    gpudl_loader_trim(b->device.loader, 0, 0);
    gpudl_loader_reap(b->device.loader, 1000000000, NULL);
    return check(b, ok, "first launch") ? ns : -1;
}

static void compare_launches(struct bench_report *r, struct bench *b)
{
    struct launch first = { b, 1 }, hundredth = { b, 100 };
    const struct bench_side s[] = { { "first", time_launch, &first }, { "hundredth", time_launch, &hundredth } };

    bench_compare(r, "first launch, resident", s, 2, 50, 0);
}

/* --------------------------------------------------------------------------------------------------------------- the others */

struct launcher {
    struct bench *b;
    pthread_t thread;
    bool by_hand, reaps;
    CUstream stream;            /* made before anybody launches: a GPU's driver keeps who makes one waiting while many launch */
    atomic_bool stop;
    _Atomic uint64_t longest, launches;
};

static bool launch_one(struct launcher *l, gpudl_launch_config *config)
{
    CUdeviceptr to = (CUdeviceptr)(uintptr_t)l->b->word;
    void *params[] = { &to };

    if (!l->by_hand)
        return gpudl_kernel_launch_params(l->b->kernel, config, params) == GPUDL_OK;
    return l->b->cu->LaunchKernel((CUfunction)(void *)atomic_load(&l->b->by_hand_kernel), 1, 1, 1, 1, 1, 1, 0, config->stream,
               params, NULL) == 0;
}

static void *launch_all_the_time(void *arg)
{
    struct launcher *l = arg;
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    bool ok = l->b->cu->CtxSetCurrent(l->b->context) == 0;

    config.stream = l->stream;
    for (unsigned i = 1; ok && !atomic_load(&l->stop); i++) {
        double start = bench_now();
        uint64_t ns;

        ok = launch_one(l, &config);
        ns = (uint64_t)(bench_now() - start);
        if (ns > atomic_load(&l->longest))
            atomic_store(&l->longest, ns);
        atomic_fetch_add(&l->launches, 1);
        if (i % 64 == 0) {
            l->b->cu->StreamSynchronize(config.stream);
            if (l->reaps)
                gpudl_loader_reap(l->b->device.loader, 0, NULL);
        }
    }
    l->b->cu->StreamSynchronize(config.stream);
    if (!ok)
        l->b->failed = true;
    return NULL;
}

static void wait_for_launches(struct launcher *l, uint64_t n)
{
    for (unsigned i = 0; i < l->b->nlaunchers; i++) {
        uint64_t until = atomic_load(&l[i].launches) + n;
        while (atomic_load(&l[i].launches) < until && !l->b->failed)
            usleep(10);
    }
}

/* The longest launch of any thread while work is done n times. */
static double longest_beside(struct bench *b, bool by_hand, bool reaps, bool (*work)(struct bench *, unsigned), unsigned n)
{
    struct launcher l[MOST_LAUNCHERS];
    uint64_t longest = 0;

    for (unsigned i = 0; i < b->nlaunchers; i++) {
        l[i] = (struct launcher){ .b = b, .by_hand = by_hand, .reaps = reaps && i == 0 };
        check(b, b->cu->StreamCreate(&l[i].stream, GPUDL_STREAM_NON_BLOCKING) == 0, "a stream");
    }
    for (unsigned i = 0; i < b->nlaunchers; i++)
        pthread_create(&l[i].thread, NULL, launch_all_the_time, &l[i]);
    b->launchers = l;
    wait_for_launches(l, 200);
    for (unsigned i = 0; i < b->nlaunchers; i++)
        atomic_store(&l[i].longest, 0);
    for (unsigned i = 0; i < n && !b->failed; i++) {
        check(b, work(b, i), "work beside launches");
        wait_for_launches(l, 2);
    }
    for (unsigned i = 0; i < b->nlaunchers; i++) {
        atomic_store(&l[i].stop, true);
        pthread_join(l[i].thread, NULL);
        longest = atomic_load(&l[i].longest) > longest ? atomic_load(&l[i].longest) : longest;
    }
    for (unsigned i = 0; i < b->nlaunchers; i++)
        b->cu->StreamDestroy(l[i].stream);
    b->launchers = NULL;
    return b->failed ? -1 : (double)longest;
}

static bool replace_now(struct bench *b, unsigned i)
{
    const struct image *image = &b->large[i % IMAGES];

    return gpudl_library_replace(b->library, GPUDL_MEMORY(image->bytes, image->size), NULL) == GPUDL_OK;
}

static bool replace_at_points(struct bench *b, unsigned i)
{
    const struct image *image = &b->large[i % IMAGES];
    gpudl_replace_options o = GPUDL_REPLACE_OPTIONS_INIT;

    o.when = gpudl_by(2000000000);
    return gpudl_library_replace(b->library, GPUDL_MEMORY(image->bytes, image->size), &o) == GPUDL_OK;
}

static bool replace_by_hand(struct bench *b, unsigned i)
{
    CUlibrary lib, old = b->by_hand;
    CUkernel kernel;
    CUfunction f;
    bool ok = b->cu->LibraryLoadData(&lib, b->large[i % IMAGES].bytes, NULL, NULL, 0, NULL, NULL, 0) == 0 &&
        b->cu->LibraryGetKernel(&kernel, lib, "set") == 0 && b->cu->KernelGetFunction(&f, kernel) == 0;

    if (!ok)
        return false;
    atomic_store(&b->by_hand_kernel, kernel);
    b->by_hand = lib;
    if (b->launchers)
        wait_for_launches(b->launchers, 2); /* no launch of the old one is under way */
    return !old || b->cu->LibraryUnload(old) == 0;
}

static double beside_replace(void *arg)
{
    return longest_beside(arg, false, false, replace_now, 8);
}
static double beside_replace_at_points(void *arg)
{
    return longest_beside(arg, false, true, replace_at_points, 8);
}
static double beside_replace_by_hand(void *arg)
{
    return longest_beside(arg, true, false, replace_by_hand, 8);
}

static void compare_replaces(struct bench_report *r, struct bench *b)
{
    const struct bench_side s[] = { { "gpudl", beside_replace, b }, { "by hand", beside_replace_by_hand, b } };
    const struct bench_side p[] = { { "gpudl, points", beside_replace_at_points, b }, { "by hand", beside_replace_by_hand, b } };

    bench_compare(r, "replace, others", s, 2, 10, 1);
    bench_compare(r, "replace at points, others", p, 2, 10, 1);
    b->nlaunchers = MOST_LAUNCHERS; /* by hand it would not come through on a GPU, see docs/DRIVER-BEHAVIOUR.md, 9 */
    bench_compare(r, "replace, 8 others", s, 1, 10, 0);
    b->nlaunchers = FEW_LAUNCHERS;
}

/* ------------------------------------------------------------------------------------------------------ release, behind kernels */

static bool begin_long_kernels(struct bench *b, gpudl_kernel *wait)
{
    gpudl_launch_config config = gpudl_launch_1d(LONG_KERNELS, 1);
    CUdeviceptr gate = (CUdeviceptr)(uintptr_t)b->gate;

    *b->gate = 0;
    config.stream = b->stream;
    return gpudl_launch(wait, &config, gate) == GPUDL_OK;
}

static void *open_gate_later(void *arg)
{
    struct bench *b = arg;

    usleep(100000);
    *b->gate = 1;
    return NULL;
}

static bool release_it(struct bench *b, unsigned i)
{
    gpudl_library *lib = NULL;
    gpudl_kernel *k = NULL, *wait = NULL;
    pthread_t opener;
    bool ok = gpudl_library_load(b->device.loader, GPUDL_MEMORY(b->small[i % IMAGES].bytes, b->small[i % IMAGES].size), NULL, &lib) ==
            GPUDL_OK && gpudl_kernel_get(lib, "set", &k) == GPUDL_OK &&
        gpudl_library_make_resident(lib, NULL, 0, gpudl_now()) == GPUDL_OK &&
        gpudl_kernel_get(b->library, "wait", &wait) == GPUDL_OK && begin_long_kernels(b, wait);

    pthread_create(&opener, NULL, open_gate_later, b);
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    gpudl_loader_trim(b->device.loader, 0, 0);
    pthread_join(opener, NULL);
    b->cu->StreamSynchronize(b->stream);
    gpudl_kernel_release(wait);
    gpudl_loader_reap(b->device.loader, 1000000000, NULL);
    return ok;
}

static bool unload_it(struct bench *b, unsigned i)
{
    CUlibrary lib;
    CUkernel k;
    CUfunction f;
    gpudl_kernel *wait = NULL;
    pthread_t opener;
    bool ok = b->cu->LibraryLoadData(&lib, b->small[i % IMAGES].bytes, NULL, NULL, 0, NULL, NULL, 0) == 0 &&
        b->cu->LibraryGetKernel(&k, lib, "set") == 0 && b->cu->KernelGetFunction(&f, k) == 0 &&
        gpudl_kernel_get(b->library, "wait", &wait) == GPUDL_OK && begin_long_kernels(b, wait);

    pthread_create(&opener, NULL, open_gate_later, b);
    ok = ok && b->cu->LibraryUnload(lib) == 0;
    pthread_join(opener, NULL);
    b->cu->StreamSynchronize(b->stream);
    gpudl_kernel_release(wait);
    return ok;
}

static double beside_release(void *arg)
{
    return longest_beside(arg, false, false, release_it, 1);
}
static double beside_unload(void *arg)
{
    return longest_beside(arg, false, false, unload_it, 1);
}

static void compare_releases(struct bench_report *r, struct bench *b)
{
    const struct bench_side s[] = { { "gpudl", beside_release, b }, { "cuLibraryUnload", beside_unload, b } };

    bench_compare(r, "release, others", s, 2, 10, 0);
}

/* -------------------------------------------------------------------------------------------------------- saved to launched */

static bool save(struct bench *b, const struct image *image)
{
    FILE *f = fopen(b->other, "wb");
    bool ok = f && fwrite(image->bytes, 1, image->size, f) == image->size;

    return f && fclose(f) == 0 && ok;
}

static bool launch_until(struct bench *b, gpudl_kernel *k, unsigned number)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    CUdeviceptr to = (CUdeviceptr)(uintptr_t)b->word;
    double patience = bench_now() + 5e9;

    config.stream = b->stream;
    while (*b->word != number && bench_now() < patience)
        if (gpudl_launch(k, &config, to) != GPUDL_OK || b->cu->StreamSynchronize(b->stream) != 0)
            return false;
    return *b->word == number;
}

static double saved_to_launched(void *arg)
{
    struct bench *b = arg;
    unsigned i = b->next++ % IMAGES;
    double start;

    if (!check(b, save(b, &b->small[i]), b->other))
        return -1;
    start = bench_now();
    rename(b->other, b->path);
    return check(b, launch_until(b, b->kernel, 1000 + i), "saved to launched") ? bench_now() - start : -1;
}

static double saved_by_hand(void *arg)
{
    struct bench *b = arg;
    unsigned i = b->next++ % IMAGES;
    gpudl_library *lib = NULL;
    gpudl_kernel *k = NULL;
    double start, ns = -1;

    if (!check(b, save(b, &b->small[i]), b->other))
        return -1;
    start = bench_now();
    if (gpudl_library_load(b->device.loader, GPUDL_FILE(b->other), NULL, &lib) == GPUDL_OK &&
        gpudl_kernel_get(lib, "set", &k) == GPUDL_OK && launch_until(b, k, 1000 + i))
        ns = bench_now() - start;
    gpudl_kernel_release(k);
    gpudl_library_release(lib);
    return check(b, ns >= 0, "saved, by hand") ? ns : -1;
}

/* Nothing is warm, so that each is read, loaded and made resident. */
static void compare_saves(struct bench_report *r, struct bench *b)
{
    const struct bench_side s[] = { { "watched", saved_to_launched, b }, { "loaded", saved_by_hand, b } };
    gpudl_library *lib = NULL;
    bool ok;

    snprintf(b->other, sizeof(b->other), "%s.new", b->path);
    ok = save(b, &b->small[IMAGES - 1]) && rename(b->other, b->path) == 0 &&
        gpudl_library_load(b->device.loader, GPUDL_FILE(b->path), NULL, &lib) == GPUDL_OK &&
        gpudl_library_watch(lib, NULL) == GPUDL_OK;
    gpudl_kernel_release(b->kernel);
    b->kernel = NULL;
    ok = ok && gpudl_kernel_get(lib, "set", &b->kernel) == GPUDL_OK;
    if (check(b, ok, "a watched file"))
        bench_compare(r, "saved to launched", s, 2, 40, 0);
    gpudl_library_release(lib);
    unlink(b->path);
    unlink(b->other);
}

/* ---------------------------------------------------------------------------------------------------------------------------- */

static bool begin(struct bench *b)
{
    void *words = NULL;
    bool ok = b->cu->CtxGetCurrent(&b->context) == 0 && b->cu->StreamCreate(&b->stream, GPUDL_STREAM_NON_BLOCKING) == 0 &&
        b->cu->MemHostAlloc(&words, 64, 3) == 0;

    b->word = words;
    b->gate = b->word + 8;
    ok = check(b, ok, "a stream and memory") && make_images(b) &&
        gpudl_library_load(b->device.loader, GPUDL_MEMORY(b->large[0].bytes, b->large[0].size), NULL, &b->library) == GPUDL_OK &&
        gpudl_kernel_get(b->library, "set", &b->kernel) == GPUDL_OK &&
        gpudl_library_make_resident(b->library, NULL, 0, gpudl_now()) == GPUDL_OK && replace_by_hand(b, 0);
    return check(b, ok, "the beginning");
}

static void end(struct bench *b)
{
    gpudl_kernel_release(b->kernel);
    gpudl_library_release(b->library);
    if (b->by_hand)
        b->cu->LibraryUnload(b->by_hand);
    b->cu->StreamDestroy(b->stream);
    b->cu->MemFreeHost((void *)b->word);
    for (unsigned i = 0; i < IMAGES; i++) {
        free(b->small[i].bytes);
        free(b->large[i].bytes);
    }
    bench_device_close(&b->device);
}

int main(int argc, char **argv)
{
    struct bench_report *report = bench_begin(argc, argv, "lives of libraries: gpudl / by hand");
    struct bench b = { .path = "/tmp/gpudl-bench-life-XXXXXX", .nlaunchers = FEW_LAUNCHERS };
    int fd = mkstemp(b.path);

    bench_unpin();
    if (fd < 0 || !bench_device_open(NULL, &b.device))
        return 1;
    close(fd);
    b.cu = b.device.driver;
    bench_note(report, "%s", gpudl_loader_driver_text(b.device.loader));
    if (begin(&b)) {
        compare_loads(report, &b);
        compare_launches(report, &b);
        compare_replaces(report, &b);
        compare_releases(report, &b);
        compare_saves(report, &b);
    }
    end(&b);
    return bench_end(report) | b.failed;
}
