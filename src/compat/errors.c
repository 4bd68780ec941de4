/* Names, texts, versions. */
#include "src/compat/internal.h"

#include <stddef.h>

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
#define ROW(name, number, text) { name, #name, text },
    GPUDL_CUDART_ERRORS(ROW)
#undef ROW
};

static int find(cudaError_t error)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].error == error)
            return (int)i;
    return -1;
}

const char *cudaGetErrorName(cudaError_t error)
{
    int i = find(error);

    return i < 0 ? "unrecognized error code" : errors[i].name;
}

const char *cudaGetErrorString(cudaError_t error)
{
    int i = find(error);
    const gpudl_explanation *e;

    if (i < 0)
        return "unrecognized error code";
    if (errors[i].text)
        return errors[i].text;
    e = gpudl_explain(GPUDL_CODE_CUDA, (int)error);
    return e ? e->text : errors[i].name;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    const gpudl_driver_table *cu = gpudl_loader_driver(NULL);

    if (!version)
        return gpudl__rt_null("cudaDriverGetVersion", "version");
    *version = cu ? cu->version : 0;
    return cudaSuccess;
}

/* Programs ask whether it is 12080 before they use the library calls. */
cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return gpudl__rt_null("cudaRuntimeGetVersion", "version");
    *version = gpudl_loader_driver(NULL) ? CUDART_VERSION : 12000;
    return cudaSuccess;
}
