/* The linker: keeps its inputs, and gives back what it was told to. */
#include "tests/nulldriver/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS_MOST = 128, OPTIONS_MOST = 16 };

struct input {
    int type;
    char name[160];
};

struct CUlinkState_st {
    int *options;
    void **values;
    unsigned n;
    unsigned char *result;
    size_t size;
};

atomic_long alive_links;
static unsigned char *linked;
static size_t linked_size;
static char *link_log;
static struct input inputs[INPUTS_MOST];    /* of the last link */
static size_t ninputs;

static unsigned char *copy(const void *bytes, size_t size)
{
    unsigned char *c = bytes ? malloc(size + 1) : NULL;

    if (c) {
        memcpy(c, bytes, size);
        c[size] = '\0';
    }
    return c;
}

void nulldrv_set_linked(const void *bytes, size_t size)
{
    free(linked);
    linked = copy(bytes, size);
    linked_size = size;
}

void nulldrv_set_link_log(const char *log)
{
    free(link_log);
    link_log = log ? strdup(log) : NULL;
}

const char *nulldrv_link_input(size_t n, int *type)
{
    if (n >= ninputs)
        return NULL;
    *type = inputs[n].type;
    return inputs[n].name;
}

/* Of the last link. */
static int given[OPTIONS_MOST];
static void *given_values[OPTIONS_MOST];
static unsigned ngiven;

int nulldrv_link_option(int option, void **value)
{
    for (unsigned i = 0; i < ngiven; i++)
        if (given[i] == option) {
            *value = given_values[i];
            return 1;
        }
    return 0;
}

void reset_links(void)
{
    ngiven = 0;
    nulldrv_set_linked(NULL, 0);
    nulldrv_set_link_log(NULL);
    ninputs = 0;
}

/* Buffers of options stay the caller's until the end, as the driver's manual says. */
int null_LinkCreate(unsigned n, int *options, void **values, CUlinkState *out)
{
    CUcontext context = NULL;

    ENTER(LinkCreate);
    null_CtxGetCurrent(&context);
    if (!context)
        return 201;
    *out = calloc(1, sizeof(**out));
    **out = (struct CUlinkState_st){ .options = options, .values = values, .n = n };
    ninputs = 0;
    for (ngiven = 0; ngiven < n && ngiven < OPTIONS_MOST; ngiven++) {
        given[ngiven] = options[ngiven];
        given_values[ngiven] = values[ngiven];
    }
    atomic_fetch_add(&alive_links, 1);
    return 0;
}

int null_LinkAddData(CUlinkState state, int type, void *data, size_t size, const char *name, unsigned n, int *options, void **values)
{
    (void)n, (void)options, (void)values;
    ENTER(LinkAddData);
    if (!data || !size || ninputs == INPUTS_MOST)
        return 1;
    inputs[ninputs].type = type;
    snprintf(inputs[ninputs++].name, sizeof(inputs[0].name), "%s", name);
    if (!state->result) {
        state->result = copy(data, size);
        state->size = size;
    }
    return 0;
}

int null_LinkComplete(CUlinkState state, void **out, size_t *size)
{
    ENTER(LinkComplete);
    write_log(state->options, state->values, state->n, GPUDL_JIT_ERROR_LOG_BUFFER, GPUDL_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, link_log);
    if (link_log)
        return 218;
    *out = linked ? linked : state->result;
    *size = linked ? linked_size : state->size;
    return 0;
}

int null_LinkDestroy(CUlinkState state)
{
    free(state->result);
    free(state);
    atomic_fetch_sub(&alive_links, 1);
    ENTER(LinkDestroy);
    return 0;
}
