/* __cxa_demangle of whatever C++ runtime there is; gpudl itself links none. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "src/loader/names/names.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *(*demangle)(const char *mangled, char *buffer, size_t *size, int *status);

static void find(void)
{
    static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1", "libc++.so.1" };

    *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    for (size_t i = 0; !demangle && i < sizeof(libraries) / sizeof(*libraries); i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        if (library)
            *(void **)&demangle = dlsym(library, "__cxa_demangle");
    }
}

bool gpudl__can_demangle(void)
{
    pthread_once(&once, find);
    return demangle;
}

char *gpudl__demangle(const char *mangled)
{
    int status;

    if (mangled[0] != '_' || mangled[1] != 'Z' || !gpudl__can_demangle())
        return NULL;
    return demangle(mangled, NULL, NULL, &status);
}
