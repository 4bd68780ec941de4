/* link.c - the linker of the driver API. What it returns is called a cubin and is PTX, as softcuda loads no other; a real driver
 * would load it too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcuda/api/link.h"

enum { ERROR_SIZE = 8192 };

struct CUlinkState_st {
    uint32_t magic;
    unsigned sm;
    struct load_log log;
    struct link_texts texts;
    char *result;
};

static struct sc_handles states = SC_HANDLES(struct CUlinkState_st);

static CUresult check(CUlinkState s)
{
    CUresult r = sc_ready();

    if (r)
        return r;
    return s && s->magic == SC_LINK ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuLinkCreate_v2(unsigned int n, CUjit_option *options, void **values, CUlinkState *state)
{
    struct load_log log;
    CUlinkState s;
    CUcontext c;
    CUresult r = sc_enter(&c);

    if (r)
        return r;
    if (!state || sc_load_log_init(&log, n, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    if (!(s = sc_handle_new(&states, SC_LINK)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    s->sm = c->device->major * 10 + c->device->minor;
    s->log = log;
    *state = s;
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState s, CUjitInputType type, void *data, size_t size, const char *name, unsigned int n,
                          CUjit_option *options, void **values)
{
    CUresult r = check(s);

    (void)n, (void)options, (void)values;
    if (r)
        return r;
    if (!data || !size || (int)type < CU_JIT_INPUT_CUBIN || (int)type > CU_JIT_INPUT_NVVM)
        return CUDA_ERROR_INVALID_VALUE;
    r = sc_link_texts_add(&s->texts, type, data, size, name, s->sm, &s->log);
    sc_load_log_finish(&s->log);
    return r;
}

CUresult cuLinkAddFile_v2(CUlinkState s, CUjitInputType type, const char *path, unsigned int n, CUjit_option *options, void **values)
{
    CUresult r = check(s);
    size_t size;
    char *bytes;

    if (r)
        return r;
    if (!path)
        return CUDA_ERROR_INVALID_VALUE;
    if (!(bytes = sc_read_file(path, &size, &r)))
        return r;
    r = cuLinkAddData_v2(s, type, bytes, size, path, n, options, values);
    free(bytes);
    return r;
}

/* The result is loaded once, so that what is wrong with it is said here. */
static CUresult try_out(CUlinkState s, size_t size)
{
    struct program *p;
    CUresult r = sc_program_load(s->result, size, s->sm, &s->log, &p);

    if (!r)
        sc_program_unref(p);
    return r;
}

static bool is_provided(const char *name)
{
    return sc_rt_extern(name) != NULL;
}

CUresult cuLinkComplete(CUlinkState s, void **cubin, size_t *size)
{
    char error[ERROR_SIZE], *text;
    size_t length;
    CUresult r = check(s);

    if (r)
        return r;
    if (!cubin || !s->texts.n)
        return CUDA_ERROR_INVALID_VALUE;
    if (ptx_join(s->texts.items, s->texts.n, is_provided, &text, &length, error, sizeof(error))) {
        sc_load_log_error(&s->log, error);
        sc_load_log_finish(&s->log);
        return error[0] ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_OUT_OF_MEMORY;
    }
    free(s->result);
    if (!(s->result = malloc(strlen(LINKED_TAG) + length + 1))) {
        free(text);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(s->result, LINKED_TAG, strlen(LINKED_TAG));
    memcpy(s->result + strlen(LINKED_TAG), text, length + 1);
    free(text);
    r = try_out(s, strlen(LINKED_TAG) + length + 1);
    sc_load_log_finish(&s->log);
    *cubin = s->result;
    if (size)
        *size = strlen(LINKED_TAG) + length + 1;
    return r;
}

CUresult cuLinkDestroy(CUlinkState s)
{
    CUresult r = check(s);

    if (r)
        return r;
    sc_link_texts_free(&s->texts);
    free(s->result);
    sc_handle_free(&states, s);
    return CUDA_SUCCESS;
}
