/* The one place where it is decided. What costs (a hash of all bytes, an Ed25519 verification) is done once for all policies, and
 * only if one of them asks. */
#include "src/trust/trust.h"

enum { NAMED_MOST = 4 }; /* keys in a message */

static bool wants_digest(const struct trust_policy *p)
{
    return p->level == TRUST_BY_DIGEST || (p->level == TRUST_BY_SIGNATURE && gpudl__trust_digests_count(p->digests));
}

static bool is_strict(const struct trust_policy *policies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (policies[i].level != TRUST_NONE)
            return true;
    return false;
}

bool gpudl__trust_wants_signature(const struct trust_policy *policies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (policies[i].level == TRUST_BY_SIGNATURE)
            return true;
    return false;
}

/* ---- digests */

static bool revokes_contents(const struct trust_policy *policies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (gpudl__trust_keys_revoke_contents(policies[i].keys))
            return true;
    return false;
}

static bool needs_digest(const struct trust_policy *policies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (wants_digest(&policies[i]))
            return true;
    return revokes_contents(policies, n);
}

static enum trust_error check_revoked(
    const struct trust_policy *policies, size_t n, const struct sha256 *digest, const char *what, struct text *why)
{
    char digits[SHA256_TEXT];

    for (size_t i = 0; i < n; i++)
        if (gpudl__trust_keys_revoked_content(policies[i].keys, digest)) {
            gpudl__sha256_print(digest, digits);
            return trust_fail(
                TRUST_REVOKED, why, "%s, whose SHA-256 is %s, is revoked: it must not be used any more", what, digits);
        }
    return TRUST_OK;
}

/* A file that a manifest names must be what it says there, and not what it says of another. */
static enum trust_error check_digest(
    const struct trust_policy *p, const struct trust_subject *s, const struct sha256 *digest, bool *open, struct text *why)
{
    char digits[SHA256_TEXT];
    bool listed = false;

    *open = false;
    if (s->path && gpudl__trust_digests_name(p->digests, s->path, digest, &listed))
        return TRUST_OK;
    if (!listed) {
        *open = !gpudl__trust_digests_have(p->digests, digest);
        return TRUST_OK;
    }
    gpudl__sha256_print(digest, digits);
    return trust_fail(TRUST_OTHER_DIGEST, why,
        "its SHA-256 is %s, and the manifest has another for this file: it was changed since, or the manifest is of other files",
        digits);
}

/* ---- signatures */

static bool is_revoked(const struct trust_policy *policies, size_t n, const unsigned char id[KEY_ID])
{
    for (size_t i = 0; i < n; i++)
        if (gpudl__trust_keys_revoked(policies[i].keys, id))
            return true;
    return false;
}

static enum trust_error unknown_key(const struct trust_policy *p, const unsigned char found[KEY_ID], struct text *why)
{
    size_t n = gpudl__trust_keys_count(p->keys);
    char id[KEY_ID_TEXT];

    gpudl__key_id_print(found, id);
    gpudl__text_add(why, "is signed with key %s, which is not among the %zu trusted", id, n);
    for (size_t i = 0; i < n && i < NAMED_MOST; i++) {
        gpudl__key_id_print(gpudl__trust_keys_at(p->keys, i)->id, id);
        gpudl__text_add(why, "%s%s", i ? ", " : " (", id);
    }
    return trust_fail(TRUST_UNKNOWN_KEY, why, "%s: if you trust its owner, add the public key to the key ring",
        n > NAMED_MOST ? ", ...)"
            : n        ? ")"
                       : "");
}

/* Ids are no proof: several keys may have the same one, so each of them is tried. `verified` is the key of an earlier success. */
static enum trust_error check_keys(const struct trust_policy *p, const struct signature *s, struct span message,
    const struct public_key **verified, struct text *why)
{
    size_t n = gpudl__trust_keys_count(p->keys);
    enum trust_error error = TRUST_UNKNOWN_KEY;

    for (size_t i = 0; i < n; i++) {
        const struct public_key *key = gpudl__trust_keys_at(p->keys, i);

        if (memcmp(key->id, s->id, KEY_ID) != 0)
            continue;
        gpudl__text_clear(why);
        if (*verified && memcmp(*verified, key, sizeof(*key)) == 0)
            return TRUST_OK;
        error = gpudl__signature_verify(s, key, message, why);
        if (!error) {
            *verified = key;
            return TRUST_OK;
        }
    }
    return error == TRUST_UNKNOWN_KEY ? unknown_key(p, s->id, why) : error;
}

static bool knows_key(const struct trust_policy *p, const unsigned char id[KEY_ID])
{
    for (size_t i = 0; i < gpudl__trust_keys_count(p->keys); i++)
        if (memcmp(gpudl__trust_keys_at(p->keys, i)->id, id, KEY_ID) == 0)
            return true;
    return false;
}

/* The cheap questions come before the content is hashed. */
static enum trust_error check_signer(const struct trust_policy *policies, size_t n, const struct signature *s, struct text *why)
{
    char id[KEY_ID_TEXT];

    if (is_revoked(policies, n, s->id)) {
        gpudl__key_id_print(s->id, id);
        return trust_fail(TRUST_REVOKED, why, "is signed with key %s, which is revoked: get it signed with another one", id);
    }
    for (size_t i = 0; i < n; i++)
        if (policies[i].level == TRUST_BY_SIGNATURE && !knows_key(&policies[i], s->id))
            return unknown_key(&policies[i], s->id, why);
    return TRUST_OK;
}

static enum trust_error check_signature(const struct trust_policy *policies, size_t n, const struct trust_subject *subject,
    struct trust_finding *out, struct text *why)
{
    const struct public_key *verified = NULL;
    unsigned char hash[PREHASH];
    enum trust_error error;
    struct span message;

    if (!subject->signature.data)
        return trust_fail(TRUST_UNSIGNED, why, "is not signed");
    gpudl__text_add(why, "its signature cannot be read: ");
    error = gpudl__signature_read(subject->signature, &out->signature, why);
    if (error)
        return error;
    gpudl__text_clear(why);
    error = check_signer(policies, n, &out->signature, why);
    if (error)
        return error;
    message = gpudl__signature_message(out->signature.prehashed, subject->bytes, hash);
    for (size_t i = 0; i < n && !error; i++)
        if (policies[i].level == TRUST_BY_SIGNATURE)
            error = check_keys(&policies[i], &out->signature, message, &verified, why);
    out->verified = !error;
    return error;
}

/* ---- all of it */

static enum trust_error check_digests(
    const struct trust_policy *policies, size_t n, const struct trust_subject *subject, struct trust_finding *f, struct text *why)
{
    enum trust_error error;
    bool open;

    f->digest = gpudl__sha256(subject->bytes);
    f->digested = true;
    f->entry_judged = revokes_contents(policies, n);
    error = check_revoked(policies, n, &f->digest, "it", why);
    for (size_t i = 0; i < n && !error; i++) {
        if (!wants_digest(&policies[i]))
            continue;
        error = check_digest(&policies[i], subject, &f->digest, &open, why);
        f->entry_wanted |= (uint64_t)open << i;
    }
    return error;
}

enum trust_error gpudl__trust_check(const struct trust_policy *policies, size_t n, const struct trust_subject *subject,
    struct trust_finding *out, struct text *why)
{
    struct trust_finding f = { .digested = false };
    enum trust_error error = TRUST_OK;

    if (is_strict(policies, n)) {
        if (gpudl__trust_wants_signature(policies, n))
            error = check_signature(policies, n, subject, &f, why);
        if (!error && needs_digest(policies, n))
            error = check_digests(policies, n, subject, &f, why);
    }
    if (!error)
        *out = f;
    return error;
}

bool gpudl__trust_open_question(const struct trust_finding *f)
{
    return f->entry_wanted || f->entry_judged;
}

static enum trust_error other_digest(
    const struct trust_policy *p, const struct trust_finding *f, const struct sha256 *entry, struct text *why)
{
    char whole[SHA256_TEXT], part[SHA256_TEXT];

    gpudl__sha256_print(&f->digest, whole);
    gpudl__sha256_print(entry, part);
    return trust_fail(TRUST_OTHER_DIGEST, why,
        "its SHA-256 is %s, that of its code for this device is %s, and neither is among the %zu that are trusted: it was changed "
        "since, or is to be added",
        whole, part, gpudl__trust_digests_count(p->digests));
}

enum trust_error gpudl__trust_check_entry(
    const struct trust_policy *policies, size_t n, const struct trust_finding *f, struct span entry, struct text *why)
{
    struct sha256 digest = gpudl__sha256(entry);
    enum trust_error error = check_revoked(policies, n, &digest, "its code for this device", why);

    for (size_t i = 0; i < n && !error; i++)
        if ((f->entry_wanted >> i & 1) && !gpudl__trust_digests_have(policies[i].digests, &digest))
            error = other_digest(&policies[i], f, &digest, why);
    return error;
}
