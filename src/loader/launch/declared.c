/* What a program takes a kernel's parameters to be, held against the image before there is a launch. */
#include "src/loader/error.h"
#include "src/loader/launch/plan.h"
#include "src/loader/launch/use.h"
#include "src/loader/names/signature.h"

static const char function[] = "gpudl_kernel_check";

static gpudl_status check_one(const gpudl_kernel *k, const struct signature *s, const gpudl_arg *a, const char *type, size_t i)
{
    const struct image_kernel *kernel = s->kernel;
    struct plan_param p = { kernel->params[i].size, gpudl__signature_accepts(s, i) };
    enum spelled_fit fit = gpudl__signature_fits(s, i, a->type, type);

    if (!plan_accepts(&p, a) || fit == SPELLED_OTHER)
        return gpudl__refuse_arg(k, kernel, a, type, i, "");
    if (fit == SPELLED_CONST)
        return gpudl__refuse_arg(k, kernel, a, type, i, "; the kernel may write to what the program has as const");
    return GPUDL_OK;
}

static gpudl_status check_all(
    const gpudl_kernel *k, const struct image_kernel *kernel, const gpudl_arg *args, const char *const *types, size_t n)
{
    struct signature s;
    gpudl_status status = GPUDL_OK;

    if (!kernel->params_known)
        return gpudl__refuse_unknown(k);
    if (n != kernel->nparams)
        return gpudl__refuse_count(k, kernel, n);
    s = gpudl__signature_open(kernel);
    for (size_t i = 0; i < n && status == GPUDL_OK; i++)
        status = check_one(k, &s, &args[i], types ? types[i] : NULL, i);
    gpudl__signature_close(&s);
    return status;
}

gpudl_status gpudl_kernel_check(gpudl_kernel *k, const gpudl_arg *args, const char *const *types, size_t n)
{
    gpudl_status status;
    struct use u;

    if (n && !args)
        return gpudl__fail_argument(function, "args is NULL, and n is not 0");
    status = gpudl__use_hold(k, function, NULL, &u);
    if (status != GPUDL_OK)
        return status;
    status = check_all(k, u.kernel, args, types, n);
    gpudl__use_drop(&u);
    return status;
}
