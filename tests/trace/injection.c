/* injection.c - a profiler that knows NVTX, as far as it gets: writes down what it is told, in the file that INJECTION_LOG names. */
#include <stdio.h>
#include <stdlib.h>

#include "src/trace/nvtx_abi.h"

static FILE *out;

static void *create_domain(const char *name)
{
    fprintf(out, "domain %s\n", name);
    return &out;
}

static int push(void *domain, const struct nvtx_attributes *a)
{
    fprintf(out, "%s push %s\n", domain == &out && a->message_type == NVTX_ASCII ? "good" : "bad", a->message);
    return fflush(out);
}

static int pop(void *domain)
{
    fprintf(out, "%s pop\n", domain == &out ? "good" : "bad");
    return fflush(out);
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(nvtx_export_table *get);
int InitializeInjectionNvtx2(nvtx_export_table *get)
{
    const struct nvtx_callbacks *c = get(NVTX_TABLE_CALLBACKS);
    const struct nvtx_version *v = get(NVTX_TABLE_VERSION);
    const char *name = getenv("INJECTION_LOG");
    void ***table;
    unsigned size;

    out = name ? fopen(name, "w") : NULL;
    if (!out || !c || !v || v->version != NVTX_ABI_VERSION)
        return 0;
    v->set_profilers(NVTX_ABI_VERSION);
    for (int module = 1; module < NVTX_MODULES; module++)
        if (!c->get_table(module, &table, &size) || size != NVTX_FUNCTIONS)
            return 0;
    c->get_table(NVTX_CORE2, &table, &size);
    *table[NVTX_PUSH] = (void *)push;
    *table[NVTX_POP] = (void *)pop;
    *table[NVTX_CREATE_DOMAIN] = (void *)create_domain;
    return 1;
}
