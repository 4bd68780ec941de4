/* error.c - names and texts of errors. */
#include "softcuda/api/functions.h"

struct entry { int code; const char *name, *text; };

#define ENTRY(name, number, text) { number, #name, text },
static const struct entry entries[] = { SC_ABI_ERRORS(ENTRY) };

static const struct entry *find(CUresult code)
{
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (entries[i].code == (int)code)
            return &entries[i];
    return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **text)
{
    const struct entry *e = find(error);

    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = e ? e->name : NULL;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    const struct entry *e = find(error);

    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = e ? e->text : NULL;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
