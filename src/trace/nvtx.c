/* The program's side of NVTX 3, as far as ranges need it. Its contract: the profiler's library is opened, and its function
 * InitializeInjectionNvtx2 is given one that gives it tables, by numbers; in those of a module each entry points to a place for a function,
 * and the profiler writes its own there. NVIDIA's header does the same for programs that are compiled with it. */
#include "src/trace/nvtx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/trace/nvtx_abi.h"

enum { LONGEST = 300 };

static void *functions[NVTX_MODULES][NVTX_FUNCTIONS];
static void **tables[NVTX_MODULES][NVTX_FUNCTIONS];

static int get_table(int module, void ****out, unsigned *size)
{
    if (module < 1 || module >= NVTX_MODULES || !out)
        return 0;
    for (int i = 1; i < NVTX_FUNCTIONS; i++)
        tables[module][i] = &functions[module][i];
    *out = tables[module];
    if (size)
        *size = NVTX_FUNCTIONS;
    return 1;
}

static void ignore(uint32_t profilers_version)
{
    (void)profilers_version;
}

static const struct nvtx_callbacks callbacks = { sizeof(callbacks), get_table };
static const struct nvtx_version version = { sizeof(version), NVTX_ABI_VERSION, 0, ignore };

static const void *export_table(uint32_t number)
{
    return number == NVTX_TABLE_CALLBACKS ? (const void *)&callbacks
        : number == NVTX_TABLE_VERSION    ? (const void *)&version
                                          : NULL;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic(void *) domain; /* NULL: nobody listens */

static void *domain_of(void)
{
    void *(*create)(const char *);

    *(void **)&create = functions[NVTX_CORE2][NVTX_CREATE_DOMAIN];
    return create && functions[NVTX_CORE2][NVTX_PUSH] && functions[NVTX_CORE2][NVTX_POP] ? create("gpudl") : NULL;
}

/* The library stays: it is the profiler's, and its functions are called until the end. */
static void look(void)
{
    const char *path = secure_getenv("NVTX_INJECTION64_PATH");
    void *library = path && *path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    int (*initialise)(nvtx_export_table *) = NULL;

    if (library)
        *(void **)&initialise = dlsym(library, "InitializeInjectionNvtx2");
    if (initialise && initialise(export_table))
        atomic_store(&domain, domain_of());
}

void gpudl__nvtx_open(void)
{
    pthread_once(&once, look);
}

bool gpudl__nvtx_push(const char *what, const char *of)
{
    void *d = atomic_load_explicit(&domain, memory_order_acquire);
    int (*push)(void *, const struct nvtx_attributes *);
    char text[LONGEST];

    if (!d)
        return false;
    snprintf(text, sizeof(text), "%s %s", what, of ? of : "");
    *(void **)&push = functions[NVTX_CORE2][NVTX_PUSH];
    push(d,
        &(struct nvtx_attributes){
            .version = NVTX_ABI_VERSION, .size = sizeof(struct nvtx_attributes), .message_type = NVTX_ASCII, .message = text });
    return true;
}

void gpudl__nvtx_pop(void)
{
    int (*pop)(void *);

    *(void **)&pop = functions[NVTX_CORE2][NVTX_POP];
    pop(atomic_load_explicit(&domain, memory_order_acquire));
}
