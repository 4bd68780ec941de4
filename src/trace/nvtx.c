/* The program's side of NVTX 3, as far as ranges need it. Its contract: the profiler's library is opened, and its function
 * InitializeInjectionNvtx2 is given one that gives it tables, by numbers; in those of a module each entry points to a place for a function,
 * and the profiler writes its own there. NVIDIA's header does the same for programs that are compiled with it. */
#include "src/trace/nvtx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TABLE_CALLBACKS = 1, TABLE_VERSION = 3, VERSION = 3 };
enum { MODULE_CORE2 = 5, MODULES = 7, FUNCTIONS = 16 };
enum { PUSH = 4, POP = 5, CREATE_DOMAIN = 12 }; /* of CORE2 */
enum { MESSAGE_ASCII = 1, LONGEST = 300 };

/* nvtxEventAttributes */
struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
};

static void *functions[MODULES][FUNCTIONS];
static void **tables[MODULES][FUNCTIONS];

static int get_table(int module, void ****out, unsigned *size)
{
    if (module < 1 || module >= MODULES || !out)
        return 0;
    for (int i = 1; i < FUNCTIONS; i++)
        tables[module][i] = &functions[module][i];
    *out = tables[module];
    if (size)
        *size = FUNCTIONS;
    return 1;
}

static const struct { size_t size; int (*get)(int, void ****, unsigned *); } callbacks = { sizeof(callbacks), get_table };
static const struct { size_t size; uint32_t version, reserved; void *nothing[2]; } version = { sizeof(version), VERSION, 0, { NULL } };

static const void *export_table(uint32_t number)
{
    return number == TABLE_CALLBACKS ? (const void *)&callbacks : number == TABLE_VERSION ? (const void *)&version : NULL;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic(void *) domain;      /* NULL: nobody listens */

static void *domain_of(void)
{
    void *(*create)(const char *);

    *(void **)&create = functions[MODULE_CORE2][CREATE_DOMAIN];
    return create && functions[MODULE_CORE2][PUSH] && functions[MODULE_CORE2][POP] ? create("gpudl") : NULL;
}

/* The library stays: it is the profiler's, and its functions are called until the end. */
static void look(void)
{
    const char *path = secure_getenv("NVTX_INJECTION64_PATH");
    void *library = path && *path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    int (*initialise)(const void *(*)(uint32_t)) = NULL;

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
    int (*push)(void *, const struct attributes *);
    char text[LONGEST];

    if (!d)
        return false;
    snprintf(text, sizeof(text), "%s %s", what, of ? of : "");
    *(void **)&push = functions[MODULE_CORE2][PUSH];
    push(d, &(struct attributes){ .version = VERSION, .size = sizeof(struct attributes), .message_type = MESSAGE_ASCII, .message = text });
    return true;
}

void gpudl__nvtx_pop(void)
{
    int (*pop)(void *);

    *(void **)&pop = functions[MODULE_CORE2][POP];
    pop(atomic_load_explicit(&domain, memory_order_acquire));
}
