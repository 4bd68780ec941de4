/* find.c - which compilers there are, and where. Nothing is opened or run for it: a file of the right name in one of the places is a
 * compiler, and what it is made of is told by what the file system says of it and by its build id. */
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

enum { CLANG_OLDEST = 17 };

static const char *const names[COMPILER_KINDS] = { "nvrtc", "nvcc", "clang" };

const char *gpudl__compiler_name(enum compiler_kind kind)
{
    return names[kind];
}

static atomic_bool ignored;

void gpudl__compilers_ignore_environment(void)
{
    atomic_store(&ignored, true);
}

const char *gpudl__environment(const char *variable)
{
    return atomic_load(&ignored) ? NULL : secure_getenv(variable);
}

/* A place is a folder from the environment, or the system's, and a pattern below it. */
struct place {
    const char *variable; /* names the folder, or with list several; NULL: pattern is a whole path */
    bool list;
    const char *pattern;
};

/* Where a library of the toolkit is; wheel: what pip calls the folder of its package. */
#define WHEELS(base, file, wheel) \
    { base, false, "lib*/python3*/site-packages/nvidia/cu[0-9]*/lib/" file }, \
    { base, false, "lib*/python3*/site-packages/nvidia/" wheel "/lib/" file }
#define LIBRARY_PLACES(file, wheel) \
    { "CUDA_HOME", false, "lib64/" file }, \
    { "CUDA_HOME", false, "lib/" file }, \
    { "CUDA_PATH", false, "lib64/" file }, \
    { "CUDA_PATH", false, "lib/" file }, \
    { "LD_LIBRARY_PATH", true, file }, \
    WHEELS("VIRTUAL_ENV", file, wheel), \
    { "CONDA_PREFIX", false, "lib/" file }, \
    WHEELS("CONDA_PREFIX", file, wheel), \
    WHEELS("the program", file, wheel), \
    { NULL, false, "/usr/local/cuda/lib64/" file }, \
    { NULL, false, "/usr/local/cuda/lib/" file }, \
    { NULL, false, "/usr/local/cuda-[0-9]*/lib64/" file }, \
    { NULL, false, "/opt/cuda/lib64/" file }, \
    { NULL, false, "/usr/lib/*-linux-gnu*/" file }, \
    { NULL, false, "/usr/lib64/" file }, \
    { NULL, false, "/usr/local/lib/" file }, \
    WHEELS("HOME/.local", file, wheel), \
    { NULL, false, "/usr/lib/python3/dist-packages/nvidia/c*/lib/" file }, \
    { NULL, false, "/usr/local/lib/python3*/*-packages/nvidia/c*/lib/" file }

static const struct place nvrtc_places[] = { LIBRARY_PLACES("libnvrtc.so.[0-9]*", "cuda_nvrtc") };
static const struct place nvjitlink_places[] = { LIBRARY_PLACES("libnvJitLink.so.[0-9]*", "nvjitlink") };

static const struct place cupti_places[] = {
    LIBRARY_PLACES("libcupti.so.[0-9]*", "cuda_cupti"),
    { "CUDA_HOME", false, "extras/CUPTI/lib64/libcupti.so.[0-9]*" },
    { NULL, false, "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.[0-9]*" },
};

static const struct place nvcc_places[] = {
    { "CUDA_HOME", false, "bin/nvcc" },
    { "CUDA_PATH", false, "bin/nvcc" },
    { "PATH", true, "nvcc" },
    { NULL, false, "/usr/local/cuda/bin/nvcc" },
    { NULL, false, "/usr/local/cuda-[0-9]*/bin/nvcc" },
    { NULL, false, "/opt/cuda/bin/nvcc" },
};

static const struct place clang_places[] = {
    { "PATH", true, "clang-19" },
    { "PATH", true, "clang-2[0-9]" },
    { "PATH", true, "clang" },
    { NULL, false, "/usr/lib/llvm-19/bin/clang" },
    { NULL, false, "/usr/lib/llvm-2[0-9]/bin/clang" },
    { "PATH", true, "clang-1[78]" },
};

static const struct {
    const struct place *list;
    size_t n;
} places[COMPILER_KINDS] = {
    { nvrtc_places, sizeof(nvrtc_places) / sizeof(*nvrtc_places) },
    { nvcc_places, sizeof(nvcc_places) / sizeof(*nvcc_places) },
    { clang_places, sizeof(clang_places) / sizeof(*clang_places) },
};

/* ---- one place */

/* The folder above the program's own, which is where a Python that we run in has its packages. */
static const char *program_prefix(char room[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", room, PATH_MAX - 1);

    room[n > 0 ? n : 0] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(room, '/');
        if (!slash || slash == room)
            return NULL;
        *slash = '\0';
    }
    return room;
}

static const char *value_of(const char *variable, char room[PATH_MAX])
{
    const char *value;

    if (!strcmp(variable, "the program"))
        return program_prefix(room);
    if (!strcmp(variable, "HOME/.local")) {
        value = gpudl__environment("HOME");
        return value && *value && snprintf(room, PATH_MAX, "%s/.local", value) < PATH_MAX ? room : NULL;
    }
    value = gpudl__environment(variable);
    return value && *value ? value : NULL;
}

/* A folder's name as a pattern that matches it. */
static bool escape(const char *folder, size_t size, char pattern[2 * PATH_MAX])
{
    size_t used = 0;

    for (size_t i = 0; i < size; i++) {
        if (used + 2 >= 2 * PATH_MAX)
            return false;
        if (strchr("*?[\\", folder[i]))
            pattern[used++] = '\\';
        pattern[used++] = folder[i];
    }
    pattern[used] = '\0';
    return true;
}

static unsigned clang_version(const char *path)
{
    char real[PATH_MAX];
    const char *at = realpath(path, real) ? strstr(real, "llvm-") : NULL;

    if (at)
        return (unsigned)atoi(at + 5);
    at = strstr(path, "clang-");
    return at ? (unsigned)atoi(at + 6) : 0;
}

static bool is_usable(enum compiler_kind kind, const char *path)
{
    struct stat st;
    unsigned version;

    if (stat(path, &st) || !S_ISREG(st.st_mode))
        return false;
    if (kind == COMPILER_NVRTC)
        return true;
    if (access(path, X_OK))
        return false;
    version = kind == COMPILER_CLANG ? clang_version(path) : 0;
    return !version || version >= CLANG_OLDEST;
}

/* "FOLDER/STEM[0-9]*", and nothing else to be matched. */
static bool names_versions(const char *pattern, char folder[PATH_MAX], char stem[64])
{
    static const char digits[] = "[0-9]*";
    const char *slash = strrchr(pattern, '/'), *open = strpbrk(pattern, "*?[\\");

    return slash && open > slash && !strcmp(open, digits) && snprintf(folder, PATH_MAX, "%.*s", (int)(slash - pattern), pattern) < PATH_MAX &&
        snprintf(stem, 64, "%.*s", (int)(open - slash - 1), slash + 1) < 64;
}

static bool take_newest_in(enum compiler_kind kind, const char *folder, const char *stem, char path[PATH_MAX])
{
    struct strings list = { .data = NULL };
    const char **all = gpudl__versions_in(folder, stem, &list);
    bool found = false;

    for (size_t i = 0; all && i < list.count; i++) {
        char one[PATH_MAX];

        if (snprintf(one, sizeof(one), "%s/%s", folder, all[i]) >= (int)sizeof(one) || !is_usable(kind, one) ||
            (found && strverscmp(one, path) <= 0))
            continue;
        memcpy(path, one, sizeof(one));
        found = true;
    }
    gpudl__free(all);
    gpudl__strings_free(&list);
    return found;
}

/* The newest of those that a pattern matches. */
static bool take_newest(enum compiler_kind kind, const char *pattern, char path[PATH_MAX])
{
    char folder[PATH_MAX], stem[64];
    const char *best = NULL;
    glob_t found;

    if (names_versions(pattern, folder, stem))
        return take_newest_in(kind, folder, stem, path);
    if (glob(pattern, GLOB_NOSORT, NULL, &found))
        return false;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (is_usable(kind, found.gl_pathv[i]) && (!best || strverscmp(found.gl_pathv[i], best) > 0))
            best = found.gl_pathv[i];
    if (best)
        best = snprintf(path, PATH_MAX, "%s", best) < PATH_MAX ? path : NULL;
    globfree(&found);
    return best != NULL;
}

static bool look_in(enum compiler_kind kind, const char *folder, size_t size, const char *below, char path[PATH_MAX])
{
    char pattern[2 * PATH_MAX + 128];
    size_t used;

    if (!size || *folder != '/' || !escape(folder, size, pattern))
        return false;
    used = strlen(pattern);
    snprintf(pattern + used, sizeof(pattern) - used, "/%s", below);
    return take_newest(kind, pattern, path);
}

static bool look_at(enum compiler_kind kind, const struct place *p, char path[PATH_MAX])
{
    char room[PATH_MAX];
    const char *value = p->variable ? value_of(p->variable, room) : "";

    if (!p->variable)
        return take_newest(kind, p->pattern, path);
    if (!value)
        return false;
    if (!p->list)
        return look_in(kind, value, strlen(value), p->pattern, path);
    for (const char *at = value; *at; at += *at == ':') {
        size_t n = strcspn(at, ":");
        if (look_in(kind, at, n, p->pattern, path))
            return true;
        at += n;
    }
    return false;
}

/* Where was looked, for a person: "CUDA_HOME (not set), PATH, /usr/local/cuda". */
static void tell_list(const char *name, const struct place *list, size_t n, struct text *t)
{
    const char *last = "";

    gpudl__text_add(t, "%s: in ", name);
    for (size_t i = 0; i < n; i++) {
        const struct place *p = &list[i];
        char room[PATH_MAX];
        const char *value = p->variable ? value_of(p->variable, room) : NULL;

        if (p->variable && !strcmp(last, p->variable))
            continue;
        last = p->variable ? p->variable : "";
        if (!p->variable)
            gpudl__text_add(t, "%s%s", i ? ", " : "", p->pattern);
        else if (!value)
            gpudl__text_add(t, "%s%s (not set)", i ? ", " : "", p->variable);
        else if (p->list)
            gpudl__text_add(t, "%s%s", i ? ", " : "", p->variable);
        else
            gpudl__text_add(t, "%s%s (%s)", i ? ", " : "", p->variable, value);
    }
}

static void tell_places(enum compiler_kind kind, struct text *t)
{
    tell_list(names[kind], places[kind].list, places[kind].n, t);
}

bool gpudl__find_cupti(char path[PATH_MAX])
{
    for (size_t i = 0; i < sizeof(cupti_places) / sizeof(*cupti_places); i++)
        if (look_at(COMPILER_NVRTC, &cupti_places[i], path))
            return true;
    return false;
}

bool gpudl__find_nvjitlink(char path[PATH_MAX], struct text *looked)
{
    size_t n = sizeof(nvjitlink_places) / sizeof(*nvjitlink_places);

    for (size_t i = 0; i < n; i++)
        if (look_at(COMPILER_NVRTC, &nvjitlink_places[i], path))
            return true;
    tell_list("nvJitLink", nvjitlink_places, n, looked);
    return false;
}

/* ---- the folders of a toolkit */

static bool is_folder_with(const char *folder, const char *file)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof(path), "%s/%s", folder, file) < (int)sizeof(path) && access(path, R_OK) == 0;
}

static bool take_beside(const char *file, struct compiler *c)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    char path[PATH_MAX];

    return slash && snprintf(path, sizeof(path), "%.*s/../share/gpudl/clang", (int)(slash - file), file) < (int)sizeof(path) &&
        is_folder_with(path, CLANG_HEADER) && realpath(path, c->include[0]);
}

/* Beside this library, or the program. */
static void find_device_header(struct compiler *c)
{
    static const char here;
    const char *own = gpudl__environment("GPUDL_CLANG_INCLUDE");
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    Dl_info self;

    program[n > 0 ? n : 0] = '\0';
    if (own && is_folder_with(own, CLANG_HEADER) && realpath(own, c->include[0]))
        return;
    if (dladdr(&here, &self) && take_beside(self.dli_fname, c))
        return;
    if (!take_beside(program, c))
        c->include[0][0] = '\0';
}

/* What is beside a folder that has no symbolic links on the way to it: "../include". */
static bool path_beside(const char *folder, const char *relative, char path[PATH_MAX])
{
    size_t n = strlen(folder);

    for (; !strncmp(relative, "../", 3); relative += 3)
        while (n && folder[--n] != '/')
            ;
    return snprintf(path, PATH_MAX, "%.*s/%s", (int)n, folder, relative) < PATH_MAX;
}

/* NVRTC searches no folder by itself; a source that includes <cuda_fp16.h> means the toolkit's. */
static void find_toolkit(struct compiler *c)
{
    static const char *const beside[] = { "../include", "../../cuda_runtime/include" };
    static const char *const more[] = { "../include/cccl", "../../cuda_cccl/include" };
    char folder[PATH_MAX];
    size_t n = 0;

    snprintf(folder, sizeof(folder), "%s", c->real);
    *strrchr(folder, '/') = '\0';
    for (size_t i = 0; i < sizeof(beside) / sizeof(*beside) && !n; i++)
        n += path_beside(folder, beside[i], c->include[n]) && strcmp(c->include[n], "/usr/include") != 0 &&
            is_folder_with(c->include[n], "cuda_fp16.h");
    for (size_t i = 0; n == 1 && i < sizeof(more) / sizeof(*more); i++)
        n += path_beside(folder, more[i], c->include[n]) && access(c->include[n], R_OK) == 0;
    c->include[n][0] = '\0';
}

static void find_includes(struct compiler *c)
{
    if (!realpath(c->path, c->real))
        memcpy(c->real, c->path, sizeof(c->real));
    if (c->kind == COMPILER_NVRTC)
        find_toolkit(c);
    else if (c->kind == COMPILER_CLANG)
        find_device_header(c);
}

/* ---- choosing */

static bool makes(enum compiler_kind kind, enum compile_format format)
{
    return kind != COMPILER_CLANG || format == COMPILE_PTX;
}

static bool find_kind(enum compiler_kind kind, struct compiler *out)
{
    *out = (struct compiler){ .kind = kind };
    for (size_t i = 0; i < places[kind].n; i++)
        if (look_at(kind, &places[kind].list[i], out->path)) {
            find_includes(out);
            return true;
        }
    return false;
}

static enum compile_error find_path(const char *wanted, struct compiler *out, struct text *why)
{
    const char *slash = strrchr(wanted, '/'), *base = slash ? slash + 1 : wanted;
    int kind = 0;

    while (kind < COMPILER_KINDS && !strstr(base, names[kind]))
        kind++;
    *out = (struct compiler){ .kind = (enum compiler_kind)kind };
    if (kind == COMPILER_KINDS) {
        gpudl__text_add(why,
            "the compiler '%s' is none that is known: name nvrtc, nvcc or clang, or the path of one, which has that word in "
            "its file's name",
            wanted);
        return COMPILE_NO_COMPILER;
    }
    if (!realpath(wanted, out->path)) {
        gpudl__text_add(why, "the compiler '%s' cannot be used: %s", wanted, strerror(errno));
        return COMPILE_NO_COMPILER;
    }
    if (!is_usable(out->kind, wanted)) {
        gpudl__text_add(why, "the compiler '%s' cannot be used: it is no file, not executable, or a clang older than %d", wanted,
            CLANG_OLDEST);
        return COMPILE_NO_COMPILER;
    }
    if (strlen(wanted) < PATH_MAX && *wanted == '/')
        snprintf(out->path, sizeof(out->path), "%s", wanted); /* a name may say what the file's own does not */
    find_includes(out);
    return COMPILE_OK;
}

static void tell_none(enum compile_format format, struct text *why)
{
    gpudl__text_add(
        why, "no CUDA C++ compiler was found%s. Looked for ", format == COMPILE_PTX ? "" : " that makes machine code or LTO-IR");
    for (int kind = 0; kind < COMPILER_KINDS; kind++) {
        if (!makes((enum compiler_kind)kind, format))
            continue;
        gpudl__text_add(why, kind ? "; for " : "");
        tell_places((enum compiler_kind)kind, why);
    }
    gpudl__text_add(why,
        ". Install one: NVRTC with `pip install nvidia-cuda-nvrtc` or the CUDA toolkit%s; or name one in GPUDL_COMPILER",
        format == COMPILE_PTX ? ", or clang with `apt install clang-19`" : "");
}

static enum compile_error find_named(const char *wanted, enum compile_format format, struct compiler *out, struct text *why)
{
    int kind = 0;

    while (kind < COMPILER_KINDS && strcmp(wanted, names[kind]))
        kind++;
    if (kind == COMPILER_KINDS) {
        enum compile_error error = find_path(wanted, out, why);
        if (error)
            return error;
        kind = (int)out->kind;
    } else if (!find_kind((enum compiler_kind)kind, out)) {
        gpudl__text_add(why, "the compiler that was asked for is not there. Looked for ");
        tell_places((enum compiler_kind)kind, why);
        return COMPILE_NO_COMPILER;
    }
    if (makes((enum compiler_kind)kind, format))
        return COMPILE_OK;
    gpudl__text_add(why, "clang makes PTX only, and %s is wanted: ask for PTX, or for nvrtc or nvcc",
        format == COMPILE_CUBIN ? "a cubin" : "LTO-IR");
    return COMPILE_NO_COMPILER;
}

enum compile_error gpudl__compiler_find(
    const char *wanted, enum compile_format format, unsigned passed, struct compiler *out, struct text *why)
{
    if (!wanted || !*wanted)
        wanted = gpudl__environment("GPUDL_COMPILER");
    if (wanted && *wanted && strcmp(wanted, "auto"))
        return find_named(wanted, format, out, why);
    for (int kind = 0; kind < COMPILER_KINDS; kind++)
        if (!(passed & 1u << kind) && makes((enum compiler_kind)kind, format) && find_kind((enum compiler_kind)kind, out))
            return COMPILE_OK;
    tell_none(format, why);
    return COMPILE_NO_COMPILER;
}

void gpudl__compilers_list(void (*each)(void *, const struct compile_found *), void *user, struct text *looked)
{
    struct compiler c;

    for (int kind = 0; kind < COMPILER_KINDS; kind++) {
        if (find_kind((enum compiler_kind)kind, &c)) {
            struct compile_found f = { names[kind], c.path, NULL };
            each(user, &f);
        } else {
            gpudl__text_add(looked, looked->used ? "; for " : "");
            tell_places((enum compiler_kind)kind, looked);
        }
    }
}
