/* Where driver libraries are looked for. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/driver/driver.h"
#include "src/util/text.h"

#define SOFTCUDA "libsoftcuda.so"

static void add_reason(char *text, const char *place)
{
    size_t used = strlen(text);
    struct text t = gpudl__text_init(text + used, DRIVER_TEXT_SIZE - used);
    const char *reason = dlerror();

    gpudl__text_add(&t, "%s%s", used ? "; " : "", reason ? reason : place);
}

void *gpudl__driver_find_path(const char *path, char *text)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        add_reason(text, path);
    return library;
}

void *gpudl__driver_find_nvidia(char *text)
{
    static const char *const places[] = { "libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1" };

    text[0] = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        if (i && access(places[i], F_OK) != 0)
            continue;
        void *library = gpudl__driver_find_path(places[i], text);
        if (library)
            return library;
    }
    return NULL;
}

/* SOFTCUDA in a folder that is told from the one of `file`. */
static void *find_beside(const char *file, const char *folder, char *text)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    char path[PATH_MAX];

    if (!slash || snprintf(path, sizeof(path), "%.*s%s" SOFTCUDA, (int)(slash - file), file, folder) >= (int)sizeof(path))
        return NULL;
    return gpudl__driver_find_path(path, text);
}

void *gpudl__driver_find_softcuda(char *text)
{
    static const char here;
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    Dl_info self;
    void *library = NULL;

    text[0] = '\0';
    if (dladdr(&here, &self))
        library = find_beside(self.dli_fname, "/", text);
    program[length > 0 ? length : 0] = '\0';
    if (!library)
        library = find_beside(program, "/", text);
    if (!library)
        library = find_beside(program, "/../lib/", text);
    return library ? library : gpudl__driver_find_path(SOFTCUDA, text);
}
