/* Twenty plugins that each load the same module of 200 kernels: through gpudl, each with a copy of its own from libgpudl.a, and raw,
 * by the driver's calls. What each way takes on the device and on the host, and how long the loads are; on the driver that
 * GPUDL_DRIVER names.
 *
 * Each way is a process of its own, which is this program again and tells its figures in a line. In it all is warm before anything
 * is counted: the plugins are open, and each has loaded and launched another, small module. Then each loads the module, gets a
 * kernel and launches it; then all kernels of all are made resident. Device memory is what cuMemGetInfo misses, host memory what
 * is private to the process (smaps_rollup), both since before the first load.
 *
 * The module is machine code of some 800 KB where the driver's linker makes that, else PTX of that size. */
#include "bench/device.h"
#include "bench/harness.h"
#include "bench/share_plugin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLUGINS = 20, RAW_LOADS = 4, KERNELS = 200, LINK_PTX = 1 };

struct file {
    char path[128];
    void *bytes;
    size_t size;
};

static char folder[] = "/tmp/gpudl-bench-share-XXXXXX";

/* What a way of loading takes. ns and bytes. */
struct figures {
    double first, others;                /* to have a kernel: of the first plugin, of all others together */
    double first_launch, other_launches; /* and its first launch has ended */
    double host, device;                 /* with a kernel launched by each; bytes */
    double host_all, device_all;         /* with all kernels resident */
};

/* ------------------------------------------------------------------------------------------------------------ the modules */

static char *print_ptx(unsigned kernels, unsigned steps, unsigned number)
{
    size_t size = 0;
    char *text = NULL;
    FILE *f = open_memstream(&text, &size);

    if (!f)
        return NULL;
    fprintf(f, ".version 7.0\n.target sm_75\n.address_size 64\n");
    for (unsigned i = 0; i < kernels; i++) {
        fprintf(f,
            ".visible .entry kernel_%u(.param .u64 to)\n{\n.reg .u32 %%r;\n.reg .u64 %%p;\nld.param.u64 %%p, [to];\n"
            "ld.global.u32 %%r, [%%p];\n",
            i);
        for (unsigned s = 0; s < steps; s++)
            fprintf(f, "mad.lo.u32 %%r, %%r, %%r, %u;\n", number + i * steps + s);
        fprintf(f, "st.global.u32 [%%p], %%r;\nret;\n}\n");
    }
    return fclose(f) == 0 ? text : NULL;
}

/* A copy of what the driver's linker makes of the text; NULL: it has none, or nothing to say of a device. */
static void *link_ptx(const gpudl_driver_table *cu, char *ptx, size_t *size)
{
    CUlinkState link;
    void *made, *copy = NULL;

    if (!cu->LinkCreate || !cu->LinkAddData || cu->LinkCreate(0, NULL, NULL, &link) != 0)
        return NULL;
    if (cu->LinkAddData(link, LINK_PTX, ptx, strlen(ptx) + 1, "module", 0, NULL, NULL) == 0 &&
        cu->LinkComplete(link, &made, size) == 0 && memcmp(made, "\177ELF", 4) == 0 && (copy = malloc(*size)))
        memcpy(copy, made, *size);
    cu->LinkDestroy(link);
    return copy;
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, size, f) == size;

    return f && fclose(f) == 0 && ok;
}

static bool make_module(const gpudl_driver_table *cu, const char *name, unsigned kernels, unsigned steps, size_t *size)
{
    char *ptx = print_ptx(kernels, steps, 1000), path[128];
    void *code = ptx ? link_ptx(cu, ptx, size) : NULL;
    bool ok;

    if (!code)
        *size = ptx ? strlen(ptx) : 0;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    ok = ptx && write_file(path, code ? code : ptx, *size);
    free(code);
    free(ptx);
    return ok;
}

static bool read_file(const char *name, struct file *f)
{
    struct stat st;
    int fd;
    bool ok;

    snprintf(f->path, sizeof(f->path), "%s/%s", folder, name);
    fd = open(f->path, O_RDONLY | O_CLOEXEC);
    ok = fd >= 0 && fstat(fd, &st) == 0 && (f->bytes = calloc(1, (size_t)st.st_size + 1)) &&
        read(fd, f->bytes, (size_t)st.st_size) == (ssize_t)st.st_size;
    f->size = ok ? (size_t)st.st_size : 0;
    close(fd);
    return ok;
}

/* ---------------------------------------------------------------------------------------------- one way, in its own process */

struct user {
    void *handle;
    const struct share_plugin *copy;
    gpudl_loader *loader;
    gpudl_library *library;
    CUlibrary raw;
    void *kernel; /* gpudl_kernel or CUkernel */
};

struct way {
    bool raw, from_file;
    const gpudl_driver_table *cu;
    CUdeviceptr word;
    struct user users[PLUGINS];
};

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, "bench_share: %s: %s\n", what, why);
    return false;
}

static bool check(const char *what, int err)
{
    char code[32];

    snprintf(code, sizeof(code), "CUDA error %d", err);
    return err ? complain(what, code) : true;
}

/* A file of its own is an object of its own. */
static bool open_plugin(struct user *u, unsigned i)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    char path[128];

    snprintf(path, sizeof(path), "%s/%u.so", folder, i);
    u->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    u->copy = u->handle ? dlsym(u->handle, "share_plugin") : NULL;
    if (!u->copy)
        return complain(path, dlerror());
    return u->copy->open(&options, &u->loader) == GPUDL_OK || complain("gpudl_loader_open", u->copy->error());
}

static bool load_raw(struct way *w, struct user *u, const struct file *f, const char *kernel)
{
    struct file read = { .bytes = NULL };
    int err;

    if (w->from_file && !read_file(strrchr(f->path, '/') + 1, &read))
        return complain(f->path, "cannot be read");
    err = w->cu->LibraryLoadData(&u->raw, read.bytes ? read.bytes : f->bytes, NULL, NULL, 0, NULL, NULL, 0);
    free(read.bytes);
    return check("cuLibraryLoadData", err) &&
        check("cuLibraryGetKernel", w->cu->LibraryGetKernel((CUkernel *)&u->kernel, u->raw, kernel));
}

static bool load(struct way *w, struct user *u, const struct file *f, const char *kernel)
{
    gpudl_source source = w->from_file ? gpudl_source_file(f->path) : gpudl_source_memory(f->bytes, f->size);

    if (w->raw)
        return load_raw(w, u, f, kernel);
    return (u->copy->load(u->loader, &source, NULL, &u->library) == GPUDL_OK &&
               u->copy->kernel(u->library, kernel, (gpudl_kernel **)&u->kernel) == GPUDL_OK) ||
        complain("load", u->copy->error());
}

static bool launch(struct way *w, struct user *u)
{
    gpudl_launch_config config = gpudl_launch_1d(1, 1);
    void *params[] = { &w->word };

    if (!w->raw && u->copy->launch(u->kernel, &config, params) != GPUDL_OK)
        return complain("launch", u->copy->error());
    if (w->raw && !check("cuLaunchKernel", w->cu->LaunchKernel((CUfunction)u->kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL)))
        return false;
    return check("cuCtxSynchronize", w->cu->CtxSynchronize());
}

static void drop(struct way *w, struct user *u)
{
    if (w->raw) {
        w->cu->LibraryUnload(u->raw);
        return;
    }
    u->copy->kernel_release(u->kernel);
    u->copy->release(u->library);
}

static bool make_kernel_resident(struct way *w, struct user *u, const char *name)
{
    gpudl_kernel *k;
    CUkernel raw;
    CUfunction f;

    if (!w->raw) {
        if (u->copy->kernel(u->library, name, &k) != GPUDL_OK)
            return complain(name, u->copy->error());
        u->copy->kernel_release(k);
        return true;
    }
    if (!check("cuLibraryGetKernel", w->cu->LibraryGetKernel(&raw, u->raw, name)) || !w->cu->KernelGetFunction)
        return w->cu->KernelGetFunction == NULL;
    return check("cuKernelGetFunction", w->cu->KernelGetFunction(&f, raw)) &&
        (!w->cu->FuncLoad || check("cuFuncLoad", w->cu->FuncLoad(f)));
}

static bool make_resident(struct way *w, struct user *u)
{
    char name[32];

    for (unsigned i = 0; i < KERNELS; i++) {
        snprintf(name, sizeof(name), "kernel_%u", i);
        if (!make_kernel_resident(w, u, name))
            return false;
    }
    if (w->raw || !w->cu->KernelGetFunction)
        return true;
    return u->copy->make_resident(u->library, NULL, 0, gpudl_now()) == GPUDL_OK || complain("make_resident", u->copy->error());
}

/* Private to this process, as it would be twenty times: bytes. */
static double host_bytes(void)
{
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    double all = 0, kb;

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "Private_Dirty: %lf kB", &kb) == 1 || sscanf(line, "Private_Hugetlb: %lf kB", &kb) == 1)
            all += kb * 1024;
    if (f)
        fclose(f);
    return all;
}

static double device_bytes(const struct way *w)
{
    size_t left = 0, total = 0;

    if (w->cu->MemGetInfo)
        w->cu->MemGetInfo(&left, &total);
    return -(double)left;
}

static bool warm_up(struct way *w, struct user *u)
{
    struct file small;
    bool ok = read_file("small", &small) && load(w, u, &small, "kernel_0") && launch(w, u);

    if (ok)
        drop(w, u);
    free(small.bytes);
    return ok;
}

static bool measure(struct way *w, unsigned n, const struct file *module, struct figures *r)
{
    double host, device;

    for (unsigned i = 0; i < n; i++)
        if ((!w->raw && !open_plugin(&w->users[i], i)) || !warm_up(w, &w->users[i]))
            return false;
    host = host_bytes();
    device = device_bytes(w);
    for (unsigned i = 0; i < n; i++) {
        double start = bench_now(), loaded;
        if (!load(w, &w->users[i], module, "kernel_0"))
            return false;
        loaded = bench_now();
        if (!launch(w, &w->users[i]))
            return false;
        *(i ? &r->others : &r->first) += loaded - start;
        *(i ? &r->other_launches : &r->first_launch) += bench_now() - start;
    }
    r->host = host_bytes() - host;
    r->device = device_bytes(w) - device;
    for (unsigned i = 0; i < n; i++)
        if (!make_resident(w, &w->users[i]))
            return false;
    r->host_all = host_bytes() - host;
    r->device_all = device_bytes(w) - device;
    return true;
}

/* argv: --way raw|gpudl memory|file NUMBER FOLDER. Leaves as it is: the end of the process is nobody's measure. */
static int be_a_way(char **argv)
{
    struct way *w = calloc(1, sizeof(*w));
    struct bench_device device;
    struct figures r = { 0 };
    struct file module;
    bool ok;

    snprintf(folder, sizeof(folder), "%s", argv[5]);
    bench_pin();
    if (!w || !bench_device_open(NULL, &device) || !read_file("module", &module))
        return 1;
    w->raw = strcmp(argv[2], "raw") == 0;
    w->from_file = strcmp(argv[3], "file") == 0;
    w->cu = device.driver;
    w->word = bench_device_buffer(&device, NULL, 4);
    ok = w->word && measure(w, (unsigned)atoi(argv[4]), &module, &r);
    printf("figures %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", r.first, r.others, r.first_launch, r.other_launches, r.host,
        r.device, r.host_all, r.device_all);
    fflush(stdout);
    _exit(!ok);
}

/* ----------------------------------------------------------------------------------------------------------- side by side */

/* A way to be run, and what was seen last. */
struct run {
    const char *way, *from;
    unsigned n;
    struct figures last;
};

static bool read_figures(FILE *f, struct figures *r)
{
    char line[1024];

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "figures %lf %lf %lf %lf %lf %lf %lf %lf", &r->first, &r->others, &r->first_launch, &r->other_launches,
                &r->host, &r->device, &r->host_all, &r->device_all) == 8)
            return true;
    return false;
}

static bool run(struct run *r)
{
    char n[16];
    int fds[2], status = 1;
    FILE *said;
    bool ok;
    pid_t child;

    snprintf(n, sizeof(n), "%u", r->n);
    if (pipe(fds) != 0)
        return false;
    child = fork();
    if (child == 0) {
        dup2(fds[1], STDOUT_FILENO);
        close(fds[0]);
        close(fds[1]);
        execl("/proc/self/exe", "bench_share", "--way", r->way, r->from, n, folder, (char *)NULL);
        _exit(127);
    }
    close(fds[1]);
    said = fdopen(fds[0], "r");
    ok = read_figures(said, &r->last);
    if (said)
        fclose(said);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 && ok;
}

static double others(void *arg)
{
    struct run *r = arg;

    return run(r) ? r->last.others : -1;
}

static double others_launched(void *arg)
{
    struct run *r = arg;

    return run(r) ? r->last.other_launches : -1;
}

/* Of the raw loads the first is the dearest: the others' mean is one. */
static double one_raw(void *arg)
{
    struct run *r = arg;

    return run(r) ? r->last.others / (r->n - 1) : -1;
}

static double one_raw_launched(void *arg)
{
    struct run *r = arg;

    return run(r) ? r->last.other_launches / (r->n - 1) : -1;
}

static void compare_times(struct bench_report *report, struct run *gpudl, struct run *raw)
{
    const struct bench_side load[] = { { "gpudl", others, gpudl }, { "raw", one_raw, raw } };
    const struct bench_side launched[] = { { "gpudl", others_launched, gpudl }, { "raw", one_raw_launched, raw } };
    char name[64];

    snprintf(name, sizeof(name), "19 loads / one raw, %s", gpudl->from);
    if (bench_wanted(report, name))
        bench_compare(report, name, load, 2, 5, 1);
    snprintf(name, sizeof(name), "the same, launched, %s", gpudl->from);
    if (bench_wanted(report, name))
        bench_compare(report, name, launched, 2, 5, 1);
}

static double mib(double bytes)
{
    return bytes / (1 << 20);
}

/* Side by side: one raw load, one through gpudl, twenty raw, twenty plugins. */
static void compare_memory(struct bench_report *report)
{
    struct run runs[] = { { .way = "raw", .n = 1 }, { .way = "gpudl", .n = 1 }, { .way = "raw", .n = PLUGINS },
        { .way = "gpudl", .n = PLUGINS } };

    bench_note(report, "%-28s %12s %12s %12s %12s %12s %12s", "", "first load", "all others", "device", "host", "device, all",
        "host, all");
    for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
        const struct figures *f = &runs[i].last;
        runs[i].from = "memory";
        if (!run(&runs[i]))
            return;
        bench_note(report, "%2u %-25s %9.3f ms %9.3f ms %8.2f MiB %8.2f MiB %8.2f MiB %8.2f MiB", runs[i].n,
            runs[i].way[0] == 'r' ? "raw" : "through gpudl", f->first / 1e6, f->others / 1e6, mib(f->device), mib(f->host),
            mib(f->device_all), mib(f->host_all));
    }
    bench_note(report, "over one copy, %d plugins: device %+.2f MiB, host %+.2f MiB; all kernels resident: %+.2f MiB, %+.2f MiB",
        PLUGINS, mib(runs[3].last.device - runs[1].last.device), mib(runs[3].last.host - runs[1].last.host),
        mib(runs[3].last.device_all - runs[1].last.device_all), mib(runs[3].last.host_all - runs[1].last.host_all));
}

/* ------------------------------------------------------------------------------------------------------------------- files */

static bool copy_plugins(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);
    struct stat st;
    void *bytes;
    int fd;
    bool ok;

    path[n > 0 ? n : 0] = '\0';
    strcpy(strrchr(path, '/') + 1, "../lib/libgpudl_bench_plugin.so");
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        return complain(path, "is not there");
    bytes = malloc((size_t)st.st_size);
    ok = bytes && read(fd, bytes, (size_t)st.st_size) == st.st_size;
    close(fd);
    for (unsigned i = 0; i < PLUGINS && ok; i++) {
        snprintf(path, sizeof(path), "%s/%u.so", folder, i);
        ok = write_file(path, bytes, (size_t)st.st_size);
    }
    free(bytes);
    return ok;
}

static void remove_files(void)
{
    char path[128];

    for (unsigned i = 0; i < PLUGINS; i++) {
        snprintf(path, sizeof(path), "%s/%u.so", folder, i);
        unlink(path);
    }
    snprintf(path, sizeof(path), "%s/module", folder);
    unlink(path);
    snprintf(path, sizeof(path), "%s/small", folder);
    unlink(path);
    rmdir(folder);
}

/* Machine code takes some 18 bytes a step, PTX some 28. */
static bool make_files(struct bench_report *report)
{
    struct bench_device device;
    size_t small, size = 0;
    bool ok;

    if (!mkdtemp(folder) || !bench_device_open(NULL, &device))
        return false;
    ok = copy_plugins() && make_module(device.driver, "small", 1, 1, &small) &&
        make_module(device.driver, "module", KERNELS, 140, &size);
    bench_note(report, "%s: a module of %u kernels, %zu bytes", gpudl_loader_driver_text(device.loader), KERNELS, size);
    bench_device_close(&device);
    return ok;
}

int main(int argc, char **argv)
{
    struct bench_report *report;
    struct run gpudl = { .way = "gpudl", .from = "memory", .n = PLUGINS },
               raw = { .way = "raw", .from = "memory", .n = RAW_LOADS };

    if (argc == 6 && strcmp(argv[1], "--way") == 0)
        return be_a_way(argv);
    report = bench_begin(argc, argv, "twenty plugins load one module: gpudl / raw");
    if (make_files(report)) {
        compare_memory(report);
        compare_times(report, &gpudl, &raw);
        gpudl.from = raw.from = "file";
        compare_times(report, &gpudl, &raw);
    } else {
        bench_note(report, "no device, or no modules for it: nothing to measure");
    }
    remove_files();
    return bench_end(report);
}
