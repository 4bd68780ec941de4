/* explain.c - what codes mean: the public list of statuses and the driver's codes as data. */
#include "src/driver/codes.h"

#include <gpudl/gpudl.h>

#define STATUS(name, number, text, cause, remedy) { number, 0, "GPUDL_" #name, text, cause, remedy },
static const gpudl_explanation statuses[] = { GPUDL_STATUS_LIST(STATUS) };

#define CODE(name, number, poisons, text, cause, remedy) { number, poisons, #name, text, cause, remedy },
static const gpudl_explanation codes[] = { DRIVER_CODES(CODE) };

static const struct {
    const gpudl_explanation *rows;
    size_t n;
} tables[] = {
    [GPUDL_CODE_STATUS] = { statuses, sizeof(statuses) / sizeof(*statuses) },
    [GPUDL_CODE_CUDA] = { codes, sizeof(codes) / sizeof(*codes) },
};

const gpudl_explanation *gpudl_explain_nth(gpudl_code_kind kind, size_t index)
{
    if ((size_t)kind >= sizeof(tables) / sizeof(*tables) || index >= tables[kind].n)
        return NULL;
    return &tables[kind].rows[index];
}

const gpudl_explanation *gpudl_explain(gpudl_code_kind kind, int code)
{
    const gpudl_explanation *e;

    for (size_t i = 0; (e = gpudl_explain_nth(kind, i)); i++)
        if (e->code == code)
            return e;
    return NULL;
}

const char *gpudl_status_name(gpudl_status status)
{
    const gpudl_explanation *e = gpudl_explain(GPUDL_CODE_STATUS, (int)status);

    return e ? e->name : "GPUDL_ERROR_UNKNOWN";
}

const char *gpudl_status_text(gpudl_status status)
{
    const gpudl_explanation *e = gpudl_explain(GPUDL_CODE_STATUS, (int)status);

    return e ? e->text : "a status that this gpudl does not know";
}
