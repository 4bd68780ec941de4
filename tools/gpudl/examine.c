/* examine.c - see examine.h. */
#include "tools/gpudl/examine.h"

#include <gpudl/gpudl.h>

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* -------------------------------------------------------------------------------------------------------------------- drivers */

static void be_quiet(void *user, gpudl_log_level level, const char *text)
{
    (void)user, (void)level, (void)text;
}

static gpudl_status open_driver(const char *wanted, gpudl_loader **out)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;

    options.driver = wanted;
    options.log = be_quiet;
    return gpudl_loader_open(&options, out);
}

static bool ask_device(const gpudl_driver_table *cu, int index, struct device_finding *out)
{
    CUdevice device;

    return cu->DeviceGet(&device, index) == 0 && cu->DeviceGetName(out->name, sizeof(out->name), device) == 0 &&
        cu->DeviceGetAttribute(&out->major, GPUDL_DEVICE_COMPUTE_CAPABILITY_MAJOR, device) == 0 &&
        cu->DeviceGetAttribute(&out->minor, GPUDL_DEVICE_COMPUTE_CAPABILITY_MINOR, device) == 0 &&
        (!cu->DeviceTotalMem || cu->DeviceTotalMem(&out->bytes, device) == 0);
}

static void ask_devices(const gpudl_driver_table *cu, struct driver_finding *d)
{
    int count = 0;

    if (cu->DeviceGetCount(&count))
        return;
    while (d->ndevices < count && d->ndevices < MOST_DEVICES && ask_device(cu, d->ndevices, &d->devices[d->ndevices]))
        d->ndevices++;
}

static void list_lacks(const gpudl_driver_table *cu, struct driver_finding *d)
{
#define LACK(name, since, need, without, params) \
    if (!cu->name && d->nlacks < MOST_LACKS) \
        d->lacks[d->nlacks++] = (struct lack_finding){ "cu" #name, without, since };
    GPUDL_DRIVER_FUNCTIONS(LACK)
#undef LACK
}

static void examine_driver(const char *name, const char *places, struct findings *f)
{
    struct driver_finding *d = &f->drivers[f->ndrivers++];
    const gpudl_driver_table *cu;
    gpudl_loader *loader;

    d->name = name;
    d->places = places;
    if (open_driver(name, &loader) != GPUDL_OK) {
        snprintf(d->text, sizeof(d->text), "%s", gpudl_error_text());
        return;
    }
    cu = gpudl_loader_driver(loader);
    d->found = true;
    d->version = cu->version;
    snprintf(d->text, sizeof(d->text), "%s", gpudl_loader_driver_text(loader));
    snprintf(d->emulated, sizeof(d->emulated), "%s", gpudl_loader_emulated(loader));
    ask_devices(cu, d);
    list_lacks(cu, d);
    gpudl_loader_close(loader);
}

static bool is_word(const char *driver)
{
    return !driver || !*driver || !strcmp(driver, "auto") || !strcmp(driver, "nvidia") || !strcmp(driver, "softcuda");
}

static void examine_drivers(struct findings *f)
{
    const char *wanted = getenv("GPUDL_DRIVER");
    gpudl_loader *loader;

    examine_driver("nvidia", "libcuda.so.1 as the dynamic linker finds it, then in /usr/lib/wsl/lib", f);
    examine_driver("softcuda",
        "libsoftcuda.so beside libgpudl.so, beside the program, in ../lib of it, then as the dynamic linker finds it", f);
    if (!is_word(wanted))
        examine_driver(wanted, "what GPUDL_DRIVER names", f);
    f->usable = open_driver(NULL, &loader) == GPUDL_OK;
    snprintf(f->chosen, sizeof(f->chosen), "%s", f->usable ? gpudl_loader_driver_text(loader) : gpudl_error_text());
    f->features = gpudl_features(f->usable ? loader : NULL);
    if (f->usable)
        gpudl_loader_close(loader);
}

/* ------------------------------------------------------------------------------------------------------------------- softcuda */

static void examine_cpu(struct findings *f)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    char line[256];

    f->threads = threads > 0 ? (unsigned)threads : 1;
    snprintf(f->cpu, sizeof(f->cpu), "unknown");
    while (file && fgets(line, sizeof(line), file))
        if (!strncmp(line, "model name", 10) && sscanf(line, "%*[^:]: %127[^\n]", f->cpu) == 1)
            break;
    if (file)
        fclose(file);
}

static bool is_found(const struct findings *f, const char *driver)
{
    for (size_t i = 0; i < f->ndrivers; i++)
        if (f->drivers[i].found && !strcmp(f->drivers[i].name, driver))
            return true;
    return false;
}

/* "19.1.7", as LLVM says it of itself; "": it is not in these bytes. Not memmem: between variables the address sanitizer has bytes
 * that its own may not read. */
__attribute__((no_sanitize("address"))) static void find_version(const char *bytes, size_t size, char *out, size_t room)
{
    static const char words[] = "LLVM version ";
    const size_t n = sizeof(words) - 1;
    size_t matched = 0, i = 0;

    *out = '\0';
    for (; i < size && matched < n; i++)
        matched = bytes[i] == words[matched] ? matched + 1 : bytes[i] == words[0];
    for (size_t k = 0; matched == n && k + 1 < room && i + k < size && bytes[i + k]; k++) {
        out[k] = bytes[i + k];
        out[k + 1] = '\0';
    }
}

/* softcuda has LLVM inside, or takes the system's: then that is in this process, too. */
static int find_llvm(struct dl_phdr_info *info, size_t size, void *user)
{
    struct findings *f = user;
    char version[sizeof(f->llvm)] = "";

    (void)size;
    if (!info->dlpi_name || (!strstr(info->dlpi_name, "libLLVM") && !strstr(info->dlpi_name, "softcuda")))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && !*version; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type == PT_LOAD && (p->p_flags & PF_R) && !(p->p_flags & PF_W))
            find_version((const char *)info->dlpi_addr + p->p_vaddr, p->p_filesz, version, sizeof(version));
    }
    if (*version)
        strcpy(f->llvm, version);
    return *version != '\0';
}

static void examine_llvm(struct findings *f)
{
    snprintf(f->llvm, sizeof(f->llvm), is_found(f, "softcuda") ? "of an unknown version" : "not loaded, as softcuda is not");
    dl_iterate_phdr(find_llvm, f);
}

static bool can_name(void)
{
    char text[16];

    gpudl_demangle("_Z1fv", text, sizeof(text));
    return !strcmp(text, "f()");
}

/* ----------------------------------------------------------------------------------------------------------------- compilers */

static void note_compiler(void *user, const char *kind, const char *path)
{
    struct findings *f = user;
    struct compiler_finding *c = &f->compilers[f->ncompilers];

    if (f->ncompilers == MOST_COMPILERS)
        return;
    snprintf(c->kind, sizeof(c->kind), "%s", kind);
    snprintf(c->path, sizeof(c->path), "%s", path);
    f->ncompilers++;
}

static void examine_compilers(struct findings *f)
{
    gpudl_compilers(note_compiler, f, f->no_compilers, sizeof(f->no_compilers));
    for (f->nlinkers = 0; f->nlinkers < MOST_LINKERS; f->nlinkers++) {
        f->linkers[f->nlinkers].size_of_struct = sizeof(f->linkers[0]);
        if (gpudl_linker_describe(NULL, f->nlinkers, &f->linkers[f->nlinkers]) != GPUDL_OK)
            break;
    }
    f->cache.size_of_struct = sizeof(f->cache);
    gpudl_cache_describe(NULL, &f->cache);
}

/* ---------------------------------------------------------------------------------------------------------------- environment */

static const struct {
    const char *name, *effect;
} known[] = {
    { "CUDA_VISIBLE_DEVICES", "only these devices are seen, in this order" },
    { "CUDA_DEVICE_ORDER", "how devices are numbered" },
    { "CUDA_FORCE_PTX_JIT", "unless 0, machine code is passed over and PTX compiled at each load" },
    { "CUDA_DISABLE_PTX_JIT", "unless 0, PTX is not compiled: only machine code for the device loads" },
    { "CUDA_DISABLE_JIT", "unless 0, PTX is not compiled: only machine code for the device loads" },
    { "CUDA_CACHE_DISABLE", "unless 0, the driver keeps no compiled PTX on disk: each process compiles again" },
    { "CUDA_CACHE_MAXSIZE", "bytes of compiled PTX that the driver keeps on disk" },
    { "CUDA_CACHE_PATH", "where the driver keeps compiled PTX" },
    { "CUDA_MODULE_LOADING", "EAGER: code becomes resident when it is loaded; LAZY: with its first launch" },
    { "CUDA_MODULE_DATA_LOADING", "when globals become resident" },
    { "CUDA_LAUNCH_BLOCKING", "unless 0, each launch waits for its kernel" },
    { "CUDA_MPS_PIPE_DIRECTORY", "work goes through an MPS server, if it runs there" },
    { "LD_LIBRARY_PATH", "libraries, drivers among them, are looked for in these folders first" },
    { "LD_PRELOAD", "these libraries come before all others" },
    { "CUDA_HOME", "the compilers in it come first" },
    { "CUDA_PATH", "the compilers in it come first" },
    { "GPUDL_CACHE_DIR", "where compiled code is kept" },
    { "GPUDL_CLANG_INCLUDE", "where clang's device header is" },
    { "GPUDL_COMPILER", "the compiler of CUDA C++, where programs ask for none" },
    { "GPUDL_LINKER", "the linker of relocatable code, where programs ask for none" },
    { "GPUDL_DRIVER", "the driver of programs that ask for none" },
    { "GPUDL_DRIVER_API", "what is newer in a driver is left unused, as if it were that old" },
    { "GPUDL_LEAKS", "1: what a program has not released is named when it ends" },
    { "GPUDL_QUIET", "1 silences gpudl's warnings" },
    { "GPUDL_TRACE", "a timeline of programs goes to this file" },
    { "GPUDL_TRACE_TABLES", "where the tables of a trace go" },
    { "GPUDL_TRACE_TIMES", "where a trace has times of devices from" },
    { "SOFTCUDA_CACHE", "off: softcuda keeps no compiled code on disk" },
    { "SOFTCUDA_COMPUTE_CAPABILITY", "what softcuda's devices say they are" },
    { "SOFTCUDA_CPU", "the CPU that softcuda compiles for" },
    { "SOFTCUDA_DEVICES", "how many devices softcuda has" },
    { "SOFTCUDA_DRIVER_VERSION", "what softcuda says its version is" },
    { "SOFTCUDA_DUMP_IR", "softcuda writes what it compiles" },
    { "SOFTCUDA_HAZARDS", "off: softcuda does not stall where a GPU would" },
    { "SOFTCUDA_MEMORY", "how much memory softcuda's devices have" },
    { "SOFTCUDA_THREADS", "how many threads softcuda works with" },
    { "SOFTCUDA_TRACE", "softcuda writes a timeline to this file" },
};

static const char *effect_of(const char *name)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (!strcmp(known[i].name, name))
            return known[i].effect;
    if (!strncmp(name, "GPUDL_", 6) || !strncmp(name, "SOFTCUDA_", 9))
        return "not known to this gpudl: is it misspelt?";
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct variable_finding *)a)->name, ((const struct variable_finding *)b)->name);
}

static void examine_environment(struct findings *f)
{
    for (char **e = environ; *e && f->nvariables < MOST_VARIABLES; e++) {
        struct variable_finding *v = &f->variables[f->nvariables];
        size_t length = strcspn(*e, "=");

        if (length >= sizeof(v->name))
            continue;
        memcpy(v->name, *e, length);
        v->name[length] = '\0';
        v->value = (*e)[length] ? *e + length + 1 : "";
        v->effect = effect_of(v->name);
        f->nvariables += v->effect != NULL;
    }
    qsort(f->variables, f->nvariables, sizeof(*f->variables), by_name);
}

/* -------------------------------------------------------------------------------------------------------------------- missing */

static void miss(struct findings *f, const char *what, const char *purpose, const char *remedy)
{
    f->missing[f->nmissing++] = (struct missing_finding){ what, purpose, remedy };
}

static void list_missing(struct findings *f)
{
    if (!is_found(f, "nvidia") && access("/dev/nvidiactl", F_OK) != 0)
        miss(f, "an NVIDIA GPU (there is no /dev/nvidiactl)", "kernels at full speed",
            "install NVIDIA's driver where there is a GPU; start a container with --gpus all");
    else if (!is_found(f, "nvidia") && access("/dev/nvidiactl", R_OK | W_OK) != 0)
        miss(f, "access to /dev/nvidiactl", "kernels on the GPU", "run as a user who may open /dev/nvidia*");
    else if (!is_found(f, "nvidia"))
        miss(f, "a driver library that works with the GPU", "kernels on the GPU", "see what it says above");
    if (!is_found(f, "softcuda"))
        miss(
            f, "softcuda", "kernels without a GPU", "build or install gpudl with it, and keep libsoftcuda.so beside libgpudl.so");
    if (!(f->features & GPUDL_BUILT_COMPILE))
        miss(f, "a full build of gpudl", "sources that are loaded, linking, trust, watches, trials",
            "build it with GPUDL_FEATURES=full");
    else if (!f->ncompilers)
        miss(f, "a compiler of CUDA C++ (NVRTC, nvcc, clang)", "sources that are loaded",
            "pip install nvidia-cuda-nvrtc, or apt install clang-19; or set CUDA_HOME to a toolkit");
    if (f->nlinkers && !f->linkers[0].usable)
        miss(f, "nvJitLink", "linking LTO-IR", "pip install nvidia-nvjitlink; or set CUDA_HOME to a toolkit (12.0 or later)");
    if (!f->names)
        miss(f, "a C++ runtime library (libstdc++.so.6)", "names of kernels as the source has them", "install libstdc++6");
}

void examine(struct findings *out)
{
    memset(out, 0, sizeof(*out));
    examine_drivers(out);
    examine_cpu(out);
    examine_llvm(out);
    examine_compilers(out);
    out->names = can_name();
    examine_environment(out);
    list_missing(out);
}
