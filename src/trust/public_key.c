#include <sodium.h>
#include <stdio.h>

#include "src/trust/armor.h"
#include "src/trust/minisign.h"

struct public_record {
    unsigned char algorithm[2], id[KEY_ID], key[PUBLIC_KEY];
};
_Static_assert(sizeof(struct public_record) == 42, "the record has no padding");

void gpudl__key_id_print(const unsigned char id[KEY_ID], char text[KEY_ID_TEXT])
{
    for (size_t i = 0; i < KEY_ID; i++)
        snprintf(text + 2 * i, 3, "%02X", id[KEY_ID - 1 - i]);
}

bool gpudl__key_id_scan(struct span text, unsigned char id[KEY_ID])
{
    unsigned char backwards[KEY_ID];
    size_t n;

    if (text.size != KEY_ID_TEXT - 1 ||
        sodium_hex2bin(backwards, KEY_ID, (const char *)text.data, text.size, NULL, &n, NULL) != 0 || n != KEY_ID)
        return false;
    for (size_t i = 0; i < KEY_ID; i++)
        id[i] = backwards[KEY_ID - 1 - i];
    return true;
}

/* The one line of base64, behind at most one comment. */
static bool find_record(struct span file, struct span *record)
{
    struct span line, comment;

    if (!gpudl__line_next(&file, &line))
        return false;
    if (gpudl__line_value(line, UNTRUSTED_COMMENT, &comment) && !gpudl__line_next(&file, &line))
        return false;
    *record = gpudl__line_trim(line);
    while (gpudl__line_next(&file, &line))
        if (gpudl__line_trim(line).size)
            return false;
    return true;
}

enum trust_error gpudl__public_key_read(struct span file, struct public_key *out, struct text *why)
{
    struct public_record r;
    struct span line;

    if (!find_record(file, &line) || !gpudl__base64_read(line, &r, sizeof(r)))
        return trust_fail(TRUST_BAD_SETUP, why,
            "is no public key: that is a line that begins with \"" UNTRUSTED_COMMENT
            "\" and one of %zu characters of base64, as `gpudl keygen` and minisign write them",
            BASE64_TEXT(sizeof(r)) - 1);
    if (memcmp(r.algorithm, "Ed", 2) != 0) {
        gpudl__text_add(why, "is a key for the algorithm ");
        gpudl__text_quote(why, r.algorithm, 2);
        return trust_fail(TRUST_BAD_SETUP, why, ", and this gpudl knows 'Ed' (Ed25519)");
    }
    memcpy(out->id, r.id, sizeof(out->id));
    memcpy(out->key, r.key, sizeof(out->key));
    return TRUST_OK;
}

void gpudl__public_key_write(const struct public_key *key, char text[PUBLIC_KEY_TEXT])
{
    struct public_record r = { .algorithm = "Ed" };
    char line[BASE64_TEXT(sizeof(r))], id[KEY_ID_TEXT];

    memcpy(r.id, key->id, sizeof(r.id));
    memcpy(r.key, key->key, sizeof(r.key));
    gpudl__base64_print(&r, sizeof(r), line);
    gpudl__key_id_print(key->id, id);
    snprintf(text, PUBLIC_KEY_TEXT, UNTRUSTED_COMMENT "gpudl public key %s\n%s\n", id, line);
}
