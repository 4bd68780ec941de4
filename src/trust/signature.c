#include <sodium.h>
#include <stdio.h>

#include "src/trust/armor.h"
#include "src/trust/minisign.h"

#define TRUSTED_COMMENT "trusted comment: "

struct signature_record {
    unsigned char algorithm[2], id[KEY_ID], bytes[SIGNATURE];
};
_Static_assert(sizeof(struct signature_record) == 74, "the record has no padding");

/* ---- reading */

static enum trust_error take_record(struct span line, struct signature *s, struct text *why)
{
    struct signature_record r;

    if (!gpudl__base64_read(line, &r, sizeof(r)))
        return trust_fail(TRUST_BAD_SIGNATURE, why, "its second line is not the base64 of %zu bytes", sizeof(r));
    s->prehashed = r.algorithm[0] == 'E' && r.algorithm[1] == 'D';
    if (!s->prehashed && memcmp(r.algorithm, "Ed", 2) != 0) {
        gpudl__text_add(why, "it is made with the algorithm ");
        gpudl__text_quote(why, r.algorithm, 2);
        return trust_fail(TRUST_BAD_SIGNATURE, why, ", and this gpudl knows 'Ed' and 'ED' (Ed25519)");
    }
    memcpy(s->id, r.id, sizeof(s->id));
    memcpy(s->bytes, r.bytes, sizeof(s->bytes));
    return TRUST_OK;
}

/* Nothing may be in it that is not accounted for. */
enum trust_error gpudl__signature_read(struct span file, struct signature *out, struct text *why)
{
    struct span line, untrusted;
    struct signature s = { 0 };
    enum trust_error error;

    if (!gpudl__line_next(&file, &line) || !gpudl__line_value(line, UNTRUSTED_COMMENT, &untrusted))
        return trust_fail(TRUST_BAD_SIGNATURE, why, "its first line does not begin with \"" UNTRUSTED_COMMENT "\"");
    if (!gpudl__line_next(&file, &line))
        return trust_fail(TRUST_BAD_SIGNATURE, why, "it ends after its first line");
    error = take_record(line, &s, why);
    if (error)
        return error;
    if (!gpudl__line_next(&file, &line) || !gpudl__line_value(line, TRUSTED_COMMENT, &s.comment))
        return trust_fail(TRUST_BAD_SIGNATURE, why, "its third line does not begin with \"" TRUSTED_COMMENT "\"");
    if (!gpudl__line_next(&file, &line) || !gpudl__base64_read(line, s.global, sizeof(s.global)))
        return trust_fail(TRUST_BAD_SIGNATURE, why, "its fourth line is not the base64 of %zu bytes", sizeof(s.global));
    if (file.size)
        return trust_fail(TRUST_BAD_SIGNATURE, why, "it has more than four lines");
    *out = s;
    return TRUST_OK;
}

/* ---- verifying */

struct span gpudl__signature_message(bool prehashed, struct span content, unsigned char hash[PREHASH])
{
    if (!prehashed)
        return content;
    crypto_generichash_blake2b(hash, PREHASH, content.data, content.size, NULL, 0);
    return (struct span){ hash, PREHASH };
}

static struct span join(const unsigned char bytes[SIGNATURE], struct span comment, unsigned char joined[SIGNATURE + COMMENT_MOST])
{
    memcpy(joined, bytes, SIGNATURE);
    memcpy(joined + SIGNATURE, comment.data, comment.size);
    return (struct span){ joined, SIGNATURE + comment.size };
}

static bool is_signed(const unsigned char signature[SIGNATURE], struct span message, const struct public_key *key)
{
    return crypto_sign_verify_detached(signature, message.data, message.size, key->key) == 0;
}

enum trust_error gpudl__signature_verify(
    const struct signature *s, const struct public_key *key, struct span message, struct text *why)
{
    unsigned char joined[SIGNATURE + COMMENT_MOST];
    char id[KEY_ID_TEXT];

    gpudl__key_id_print(key->id, id);
    if (memcmp(s->id, key->id, KEY_ID) != 0)
        return trust_fail(TRUST_UNKNOWN_KEY, why, "it is not signed with key %s", id);
    if (s->comment.size > COMMENT_MOST)
        return trust_fail(
            TRUST_BAD_SIGNATURE, why, "its trusted comment has %zu bytes, and may have %d", s->comment.size, COMMENT_MOST);
    if (!is_signed(s->bytes, message, key))
        return trust_fail(TRUST_BAD_SIGNATURE, why,
            "key %s did not sign these bytes: they, or the signature, are not what was signed; get both again, or sign anew", id);
    if (!is_signed(s->global, join(s->bytes, s->comment, joined), key))
        return trust_fail(TRUST_BAD_SIGNATURE, why,
            "the bytes are what key %s signed, and the trusted comment is not: get the signature again, or sign anew", id);
    return TRUST_OK;
}

/* ---- signing */

static enum trust_error check_comment(const char *comment, const char *which, struct text *why)
{
    size_t n = strlen(comment);

    if (n > COMMENT_WRITTEN)
        return trust_fail(TRUST_BAD_SETUP, why, "the %s comment has %zu bytes, and may have %d", which, n, COMMENT_WRITTEN);
    if (strpbrk(comment, "\r\n"))
        return trust_fail(TRUST_BAD_SETUP, why, "the %s comment has more than one line", which);
    return TRUST_OK;
}

static void sign(const struct secret_key *key, struct span message, unsigned char signature[SIGNATURE])
{
    crypto_sign_detached(signature, NULL, message.data, message.size, key->key);
}

enum trust_error gpudl__signature_write(const struct secret_key *key, struct span content, bool prehashed, const char *untrusted,
    const char *trusted, char text[SIGNATURE_TEXT], struct text *why)
{
    struct signature_record r = { .algorithm = { 'E', prehashed ? 'D' : 'd' } };
    unsigned char hash[PREHASH], joined[SIGNATURE + COMMENT_MOST], global[SIGNATURE];
    char line[BASE64_TEXT(sizeof(r))], last[BASE64_TEXT(SIGNATURE)];
    struct span comment = { (const unsigned char *)trusted, strlen(trusted) };
    enum trust_error error = check_comment(untrusted, "untrusted", why);

    if (!error)
        error = check_comment(trusted, "trusted", why);
    if (error)
        return error;
    memcpy(r.id, key->id, sizeof(r.id));
    sign(key, gpudl__signature_message(prehashed, content, hash), r.bytes);
    sign(key, join(r.bytes, comment, joined), global);
    gpudl__base64_print(&r, sizeof(r), line);
    gpudl__base64_print(global, sizeof(global), last);
    snprintf(text, SIGNATURE_TEXT, UNTRUSTED_COMMENT "%s\n%s\n" TRUSTED_COMMENT "%s\n%s\n", untrusted, line, trusted, last);
    return TRUST_OK;
}
