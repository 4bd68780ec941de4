/* Digests, checks, keys and signatures for programs. No driver is needed for any of it. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/loader/error.h"
#include "src/loader/options.h"
#include "src/loader/source/trust.h"
#include "src/util/alloc.h"

_Static_assert((int)GPUDL_DIGEST_TEXT == (int)SHA256_TEXT && (int)GPUDL_PUBLIC_KEY_TEXT == (int)PUBLIC_KEY_TEXT &&
        (int)GPUDL_SECRET_KEY_TEXT == (int)SECRET_KEY_TEXT && (int)GPUDL_SIGNATURE_TEXT == (int)SIGNATURE_TEXT,
    "the header has the sizes of src/trust");

static gpudl_status start(const char *function)
{
    return gpudl__trust_init()
        ? GPUDL_OK
        : gpudl__fail(GPUDL_ERROR_TRUST_SETUP, "%s: this machine gives no random numbers (getrandom, /dev/urandom)", function);
}

/* ---- looking */

gpudl_status gpudl_trust_digest(const gpudl_source *source, char out[GPUDL_DIGEST_TEXT])
{
    struct content content;
    struct sha256 digest;
    gpudl_status status;

    if (!out)
        return gpudl__fail_argument("gpudl_trust_digest", "digest is NULL");
    status = gpudl__content_any(source, true, &content);
    if (status != GPUDL_OK)
        return status;
    digest = gpudl__sha256(content.bytes);
    gpudl__content_release(&content);
    gpudl__sha256_print(&digest, out);
    return GPUDL_OK;
}

static void copy_comment(struct span comment, char *to, size_t size)
{
    size_t n = comment.size < size ? comment.size : size - 4;

    memcpy(to, comment.data, n);
    memcpy(to + n, n < comment.size ? "..." : "", n < comment.size ? 4 : 1);
}

static void report(const struct content *content, const struct trust_finding *f, gpudl_trust_report *out)
{
    gpudl_trust_report r = { .size_of_struct = sizeof(r) };
    struct sha256 digest = f->digested ? f->digest : gpudl__sha256(content->bytes);

    gpudl__sha256_print(&digest, r.digest);
    if (f->verified) {
        gpudl__key_id_print(f->signature.id, r.key_id);
        r.prehashed = f->signature.prehashed;
        copy_comment(f->signature.comment, r.comment, sizeof(r.comment));
    }
    gpudl__result_export(out, &r, sizeof(r));
}

gpudl_status gpudl_trust_check(const gpudl_source *source, const gpudl_trust_options *options, gpudl_trust_report *out)
{
    struct trust_finding finding;
    struct content content;
    gpudl_status status = out ? gpudl__result_check(out, "gpudl_trust_report") : GPUDL_OK;
    void *mine;

    if (!options)
        return gpudl__fail_argument("gpudl_trust_check", "options is NULL: they say what is trusted");
    if (status == GPUDL_OK)
        status = gpudl__content_any(source, false, &content);
    if (status != GPUDL_OK)
        return status;
    status = gpudl__trust_judge(options, &content, &finding, &mine);
    if (status == GPUDL_OK && out)
        report(&content, &finding, out);
    gpudl__free(mine);
    gpudl__content_release(&content);
    return status;
}

/* ---- keys */

gpudl_status gpudl_trust_keygen(
    const char *password, char public_key[GPUDL_PUBLIC_KEY_TEXT], char secret_key[GPUDL_SECRET_KEY_TEXT])
{
    char reason[256];
    struct text why = gpudl__text_init(reason, sizeof(reason));
    struct public_key public;
    struct secret_key key;
    enum trust_error error;
    gpudl_status status;

    if (!public_key || !secret_key)
        return gpudl__fail_argument("gpudl_trust_keygen", "public_key or secret_key is NULL");
    if (password && !*password)
        return gpudl__fail_argument("gpudl_trust_keygen", "the password is empty: NULL makes a key without one");
    status = start("gpudl_trust_keygen");
    if (status != GPUDL_OK)
        return status;
    gpudl__secret_key_make(&key);
    public = gpudl__secret_key_public(&key);
    error = gpudl__secret_key_write(&key, password, gpudl__key_cost, secret_key, &why);
    if (!error)
        gpudl__public_key_write(&public, public_key);
    sodium_memzero(&key, sizeof(key));
    return error ? gpudl__fail(gpudl__trust_status(error), "gpudl_trust_keygen: %s", reason) : GPUDL_OK;
}

static struct span text_span(const char *text)
{
    return (struct span){ (const unsigned char *)text, text ? strlen(text) : 0 };
}

int gpudl_trust_key_is_locked(const char *secret_key)
{
    return gpudl__secret_key_is_locked(text_span(secret_key));
}

/* ---- signing */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* What minisign writes, so that one signature can be told from another. A name that does not fit in a line stays away. */
static void describe(const struct content *c, bool legacy, char *out, size_t size)
{
    const char *name = last_part(c->name);

    if (strpbrk(name, "\r\n") || strlen(name) > 255)
        name = "";
    snprintf(out, size, "timestamp:%lld\tfile:%s%s", (long long)time(NULL), name, legacy ? "" : "\thashed");
}

static gpudl_status sign(const struct content *c, const gpudl_sign_options *o, char signature[GPUDL_SIGNATURE_TEXT])
{
    char reason[512], comment[512];
    struct text why = gpudl__text_init(reason, sizeof(reason));
    struct secret_key key;
    enum trust_error error = gpudl__secret_key_read(text_span(o->secret_key), o->password, &key, &why);

    describe(c, o->legacy, comment, sizeof(comment));
    if (!error)
        error = gpudl__signature_write(&key, c->bytes, !o->legacy,
            o->untrusted_comment ? o->untrusted_comment : "signature made by gpudl",
            o->trusted_comment ? o->trusted_comment : comment, signature, &why);
    sodium_memzero(&key, sizeof(key));
    return error ? gpudl__fail(gpudl__trust_status(error), "gpudl_sign_options: %s", reason) : GPUDL_OK;
}

/* From a private copy: a content that changes between the two passes of a legacy signature would tell the key. */
gpudl_status gpudl_trust_sign(const gpudl_source *source, const gpudl_sign_options *given, char signature[GPUDL_SIGNATURE_TEXT])
{
    struct content content;
    gpudl_sign_options o;
    gpudl_status status;

    if (!given || !signature)
        return gpudl__fail_argument("gpudl_trust_sign", "options or signature is NULL");
    status = gpudl__options_import(&o, sizeof(o), given, "gpudl_sign_options");
    if (status == GPUDL_OK && (o.legacy > 1 || o.reserved || !o.secret_key))
        status = gpudl__fail_argument("gpudl_sign_options", "secret_key is given, legacy is 0 or 1, and reserved is 0");
    if (status == GPUDL_OK && o.password)
        status = start("gpudl_trust_sign");
    if (status == GPUDL_OK)
        status = gpudl__content_any(source, false, &content);
    if (status != GPUDL_OK)
        return status;
    status = sign(&content, &o, signature);
    gpudl__content_release(&content);
    return status;
}
