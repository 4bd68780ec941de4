/* What programs call: all of it is there, so that a program that asks before starts with either build. */
#include <stdio.h>

#include "src/basic/basic.h"

static const char no_compilers[] = "compilers of CUDA C++", no_linkers[] = "linkers", no_cache[] = "a cache on disk",
                  no_trust[] = "digests and signatures", no_watches[] = "watches of files";

/* ----------------------------------------------------------------------------------------------------------------------- compile */

gpudl_status gpudl_compile(
    gpudl_loader *loader, const gpudl_source *source, const gpudl_compile_options *options, gpudl_code **out)
{
    (void)loader, (void)source, (void)options, (void)out;
    return gpudl__basic_lacks("gpudl_compile", no_compilers);
}

void gpudl_code_release(gpudl_code *code)
{
    (void)code;
}

gpudl_status gpudl_code_describe(gpudl_code *code, gpudl_code_info *out)
{
    (void)code, (void)out;
    return gpudl__basic_lacks("gpudl_code_describe", no_compilers);
}

const char *gpudl_code_header(gpudl_code *code, size_t index)
{
    (void)code, (void)index;
    return NULL;
}

const char *gpudl_code_name(gpudl_code *code, const char *expression)
{
    (void)code, (void)expression;
    return NULL;
}

size_t gpudl_compilers(void (*each)(void *user, const char *kind, const char *path), void *user, char *missing, size_t size)
{
    static const char none[] = "none: this is a basic build of gpudl";

    (void)each, (void)user;
    if (missing && size)
        snprintf(missing, size, "%s", none);
    return sizeof(none) - 1;
}

/* -------------------------------------------------------------------------------------------------------------------------- link */

gpudl_status gpudl_library_link(
    gpudl_loader *loader, const gpudl_source *sources, size_t n, const gpudl_load_options *options, gpudl_library **out)
{
    (void)loader, (void)sources, (void)n, (void)options, (void)out;
    return gpudl__basic_lacks("gpudl_library_link", no_linkers);
}

gpudl_status gpudl_linked_make(
    gpudl_loader *loader, const gpudl_source *sources, size_t n, const gpudl_link_options *options, gpudl_linked **out)
{
    (void)loader, (void)sources, (void)n, (void)options, (void)out;
    return gpudl__basic_lacks("gpudl_linked_make", no_linkers);
}

void gpudl_linked_release(gpudl_linked *linked)
{
    (void)linked;
}

const void *gpudl_linked_bytes(gpudl_linked *linked, size_t *size)
{
    (void)linked;
    if (size)
        *size = 0;
    return NULL;
}

const char *gpudl_linked_log(gpudl_linked *linked)
{
    (void)linked;
    return "";
}

const char *gpudl_linked_linker(gpudl_linked *linked)
{
    (void)linked;
    return "";
}

gpudl_status gpudl_linker_describe(gpudl_loader *loader, size_t index, gpudl_linker_info *out)
{
    (void)loader, (void)index, (void)out;
    return gpudl__basic_lacks("gpudl_linker_describe", no_linkers);
}

/* ------------------------------------------------------------------------------------------------------------------------- cache */

gpudl_status gpudl_cache_describe(gpudl_loader *loader, gpudl_cache_info *out)
{
    (void)loader, (void)out;
    return gpudl__basic_lacks("gpudl_cache_describe", no_cache);
}

gpudl_status gpudl_cache_list(gpudl_loader *loader, void (*each)(void *user, const gpudl_cache_entry *), void *user)
{
    (void)loader, (void)each, (void)user;
    return gpudl__basic_lacks("gpudl_cache_list", no_cache);
}

gpudl_status gpudl_cache_trim(gpudl_loader *loader, uint64_t bytes, uint64_t *removed)
{
    (void)loader, (void)bytes, (void)removed;
    return gpudl__basic_lacks("gpudl_cache_trim", no_cache);
}

/* ------------------------------------------------------------------------------------------------------------------------- trust */

gpudl_status gpudl_trust_check(const gpudl_source *source, const gpudl_trust_options *options, gpudl_trust_report *out)
{
    (void)source, (void)options, (void)out;
    return gpudl__basic_lacks("gpudl_trust_check", no_trust);
}

gpudl_status gpudl_trust_digest(const gpudl_source *source, char digest[GPUDL_DIGEST_TEXT])
{
    (void)source, (void)digest;
    return gpudl__basic_lacks("gpudl_trust_digest", no_trust);
}

gpudl_status gpudl_trust_keygen(
    const char *password, char public_key[GPUDL_PUBLIC_KEY_TEXT], char secret_key[GPUDL_SECRET_KEY_TEXT])
{
    (void)password, (void)public_key, (void)secret_key;
    return gpudl__basic_lacks("gpudl_trust_keygen", no_trust);
}

int gpudl_trust_key_is_locked(const char *secret_key)
{
    (void)secret_key;
    return 0;
}

gpudl_status gpudl_trust_sign(const gpudl_source *source, const gpudl_sign_options *options, char signature[GPUDL_SIGNATURE_TEXT])
{
    (void)source, (void)options, (void)signature;
    return gpudl__basic_lacks("gpudl_trust_sign", no_trust);
}

/* ------------------------------------------------------------------------------------------------------------------------- watch */

gpudl_status gpudl_library_watch(gpudl_library *library, const gpudl_watch_options *options)
{
    (void)library, (void)options;
    return gpudl__basic_lacks("gpudl_library_watch", no_watches);
}

void gpudl_library_unwatch(gpudl_library *library)
{
    (void)library;
}
