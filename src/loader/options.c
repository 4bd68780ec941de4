#include "src/loader/options.h"

#include <stdbool.h>
#include <string.h>

#include "src/loader/error.h"

enum { LARGEST = 4096 }; /* a size beyond this was never set by a program */

static bool is_plausible(size_t given)
{
    return given >= sizeof(size_t) && given <= LARGEST;
}

gpudl_status gpudl__options_import(void *dst, size_t known, const void *src, const char *name)
{
    const unsigned char *bytes = src;
    size_t given;

    memcpy(&given, src, sizeof(given));
    if (!is_plausible(given))
        return gpudl__fail(
            GPUDL_ERROR_ARGUMENT, "%s.size is %zu: set it to sizeof(%s), or use its INIT macro", name, given, name);
    for (size_t i = known; i < given; i++)
        if (bytes[i])
            return gpudl__fail(GPUDL_ERROR_TOO_NEW,
                "%s has a member at byte %zu that this gpudl (%d.%d.%d) does not know: it was built for a newer one; "
                "install that, or leave the member 0",
                name, i, GPUDL_VERSION_MAJOR, GPUDL_VERSION_MINOR, GPUDL_VERSION_PATCH);
    memset(dst, 0, known);
    memcpy(dst, src, given < known ? given : known);
    memcpy(dst, &known, sizeof(known));
    return GPUDL_OK;
}

gpudl_status gpudl__flags_check(uint64_t given, uint64_t known, const char *name)
{
    if (!(given & ~known))
        return GPUDL_OK;
    return gpudl__fail(GPUDL_ERROR_TOO_NEW, "%s.flags is 0x%llx, and this gpudl (%d.%d.%d) knows 0x%llx: leave the others out, or install a newer one", name,
        (unsigned long long)given, GPUDL_VERSION_MAJOR, GPUDL_VERSION_MINOR, GPUDL_VERSION_PATCH, (unsigned long long)known);
}

gpudl_status gpudl__result_check(const void *dst, const char *name)
{
    size_t given;

    if (!dst)
        return gpudl__fail(GPUDL_ERROR_ARGUMENT, "the %s to fill is NULL", name);
    memcpy(&given, dst, sizeof(given));
    if (is_plausible(given))
        return GPUDL_OK;
    return gpudl__fail(
        GPUDL_ERROR_ARGUMENT, "%s.size_of_struct is %zu: set it to sizeof(%s) before it is filled", name, given, name);
}

void gpudl__result_export(void *dst, const void *src, size_t known)
{
    unsigned char *to = dst;
    size_t given;

    memcpy(&given, dst, sizeof(given));
    if (given > known)
        memset(to + known, 0, given - known);
    memcpy(to + sizeof(given), (const unsigned char *)src + sizeof(given), (given < known ? given : known) - sizeof(given));
}
