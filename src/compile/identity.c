/* identity.c - what a compiler is made of: the files that it consists of, as the file system tells them, and the build ids in them. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

#define ELF_MAGIC "\177ELF\2\1" /* 64 bits, little-endian */

enum { HEAD_SIZE = 4096, NOTE_GNU_BUILD_ID = 3, SEGMENT_NOTE = 4 };

/* The description of the build id among the notes; empty: none. */
static struct span id_among(struct span notes)
{
    while (notes.size >= 12) {
        uint64_t name = span_u32(notes, 0), size = span_u32(notes, 4), type = span_u32(notes, 8);
        uint64_t at = 12 + ((name + 3) & ~3ull);
        struct span id;

        if (type == NOTE_GNU_BUILD_ID && name == 4 && span_is(notes, 12, "GNU", 4) && span_cut(notes, at, size, &id))
            return id;
        notes = span_from(notes, at + ((size + 3) & ~3ull));
    }
    return (struct span){ NULL, 0 };
}

static void add_build_id(int fd, struct cache_key_maker *m)
{
    unsigned char head[HEAD_SIZE], room[HEAD_SIZE];
    ssize_t n = pread(fd, head, sizeof(head), 0);
    struct span elf = { head, n > 0 ? (size_t)n : 0 };
    uint64_t table = span_u64(elf, 32), entry = span_u16(elf, 54), count = span_u16(elf, 56);

    if (!span_is(elf, 0, ELF_MAGIC, 6))
        return;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = table + i * entry, size = span_u64(elf, at + 32);
        struct span id;

        if (span_u32(elf, at) != SEGMENT_NOTE)
            continue;
        n = pread(fd, room, size < sizeof(room) ? (size_t)size : sizeof(room), (off_t)span_u64(elf, at + 8));
        id = id_among((struct span){ room, n > 0 ? (size_t)n : 0 });
        if (id.size)
            gpudl__key_add(m, "build id", id);
    }
}

void gpudl__identify_file(const char *path, struct cache_key_maker *m)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    if (fd < 0 || fstat(fd, &st)) {
        gpudl__key_add_text(m, "file that is not there", path);
    } else {
        gpudl__key_add_text(m, "file", path);
        gpudl__key_add_number(m, "bytes", (uint64_t)st.st_size);
        gpudl__key_add_number(m, "changed", (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec);
        add_build_id(fd, m);
    }
    if (fd >= 0)
        close(fd);
}

/* NVRTC's second half: the same for every hit, so its folder is read here and not by glob(). */
static void add_builtins(const char *real, struct cache_key_maker *m)
{
    struct strings names = { .data = NULL };
    char folder[PATH_MAX], path[PATH_MAX];
    const char **all;

    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(real, '/') - real), real);
    all = gpudl__versions_in(folder, "libnvrtc-builtins.so.", &names);
    for (size_t i = 0; all && i < names.count; i++)
        if (snprintf(path, sizeof(path), "%s/%s", folder, all[i]) < (int)sizeof(path))
            gpudl__identify_file(path, m);
    gpudl__free(all);
    gpudl__strings_free(&names);
}

/* Beside the compiler's own file. */
static void add_beside(const char *real, const char *pattern, struct cache_key_maker *m)
{
    char path[PATH_MAX];
    const char *slash = strrchr(real, '/');
    glob_t found;

    if (!slash || snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - real), real, pattern) >= (int)sizeof(path) ||
        glob(path, 0, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        gpudl__identify_file(found.gl_pathv[i], m);
    globfree(&found);
}

/* nvcc preprocesses with the host's compiler, which is the first in the path unless a variable says otherwise. */
static void add_from_path(const char *name, struct cache_key_maker *m)
{
    const char *path = gpudl__environment("PATH");
    char file[PATH_MAX];

    while (path && *path) {
        size_t n = strcspn(path, ":");
        if (n && snprintf(file, sizeof(file), "%.*s/%s", (int)n, path, name) < (int)sizeof(file) && access(file, X_OK) == 0) {
            char real[PATH_MAX];
            gpudl__identify_file(realpath(file, real) ? real : file, m);
            return;
        }
        path += n + (path[n] == ':');
    }
}

static void add_variables(struct cache_key_maker *m)
{
    static const char *const variables[] = { "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "C_INCLUDE_PATH",
        "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS" };

    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        const char *value = gpudl__environment(variables[i]);
        if (value)
            gpudl__key_add_text(m, variables[i], value);
    }
}

void gpudl__compiler_identify(const struct compiler *c, struct cache_key_maker *m)
{
    static const char *const parts[COMPILER_KINDS][5] = {
        { NULL },
        { "nvcc.profile", "cudafe++", "ptxas", "../nvvm/bin/cicc", "../nvvm/libdevice/*.bc" },
        { "../lib/libclang-cpp.so*", "../lib/libLLVM*.so*" },
    };

    gpudl__key_add_text(m, "compiler", gpudl__compiler_name(c->kind));
    gpudl__identify_file(c->real, m);
    if (c->kind == COMPILER_NVRTC) {
        add_builtins(c->real, m);
        return;
    }
    for (size_t i = 0; i < 5 && parts[c->kind][i]; i++)
        add_beside(c->real, parts[c->kind][i], m);
    add_variables(m);
    if (c->kind == COMPILER_NVCC) {
        add_from_path("gcc", m);
        add_from_path("g++", m);
    }
}
