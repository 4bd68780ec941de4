#include <sodium.h>
#include <stdio.h>

#include "src/trust/armor.h"
#include "src/trust/minisign.h"

enum { SALT = crypto_pwhash_scryptsalsa208sha256_SALTBYTES };

/* What the password masks. */
struct secret_part {
    unsigned char id[KEY_ID], key[SECRET_KEY], check[32];
};
struct secret_record {
    unsigned char algorithm[2], kdf[2], check_algorithm[2], salt[SALT], work[8], memory[8];
    struct secret_part part;
};
_Static_assert(sizeof(struct secret_record) == 158, "the record has no padding");

const struct key_cost gpudl__key_cost = { crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE,
    crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE };

static const unsigned char no_kdf[2];

void gpudl__secret_key_make(struct secret_key *out)
{
    unsigned char public[PUBLIC_KEY];

    randombytes_buf(out->id, sizeof(out->id));
    crypto_sign_keypair(public, out->key);
}

struct public_key gpudl__secret_key_public(const struct secret_key *key)
{
    struct public_key public;

    memcpy(public.id, key->id, sizeof(public.id));
    memcpy(public.key, key->key + SECRET_KEY - PUBLIC_KEY, sizeof(public.key));
    return public;
}

static void make_check(const struct secret_part *part, unsigned char check[32])
{
    crypto_generichash_blake2b_state state;

    crypto_generichash_blake2b_init(&state, NULL, 0, 32);
    crypto_generichash_blake2b_update(&state, (const unsigned char *)"Ed", 2);
    crypto_generichash_blake2b_update(&state, part->id, sizeof(part->id));
    crypto_generichash_blake2b_update(&state, part->key, sizeof(part->key));
    crypto_generichash_blake2b_final(&state, check, 32);
    sodium_memzero(&state, sizeof(state));
}

/* The same masks and unmasks. */
static bool mask(struct secret_record *r, const char *password)
{
    unsigned char stream[sizeof(r->part)], *bytes = (unsigned char *)&r->part;
    struct span numbers = { r->work, sizeof(r->work) + sizeof(r->memory) };
    bool done;

    done = crypto_pwhash_scryptsalsa208sha256(stream, sizeof(stream), password, strlen(password), r->salt, span_u64(numbers, 0),
               (size_t)span_u64(numbers, 8)) == 0;
    for (size_t i = 0; done && i < sizeof(stream); i++)
        bytes[i] ^= stream[i];
    sodium_memzero(stream, sizeof(stream));
    return done;
}

static bool find_record(struct span file, struct secret_record *r)
{
    struct span line, comment;

    return gpudl__line_next(&file, &line) && gpudl__line_value(line, UNTRUSTED_COMMENT, &comment) &&
        gpudl__line_next(&file, &line) && gpudl__base64_read(gpudl__line_trim(line), r, sizeof(*r)) &&
        memcmp(r->algorithm, "Ed", 2) == 0 && memcmp(r->check_algorithm, "B2", 2) == 0 &&
        (memcmp(r->kdf, "Sc", 2) == 0 || memcmp(r->kdf, no_kdf, 2) == 0);
}

bool gpudl__secret_key_is_locked(struct span file)
{
    struct secret_record r;
    bool locked = find_record(file, &r) && memcmp(r.kdf, no_kdf, 2) != 0;

    sodium_memzero(&r, sizeof(r));
    return locked;
}

/* A file must not make this process allocate what it likes. */
static enum trust_error check_cost(const struct secret_record *r, struct text *why)
{
    struct span numbers = { r->work, sizeof(r->work) + sizeof(r->memory) };

    if (span_u64(numbers, 0) <= 4 * gpudl__key_cost.work && span_u64(numbers, 8) <= 2 * gpudl__key_cost.memory)
        return TRUST_OK;
    return trust_fail(TRUST_BAD_SETUP, why, "wants %llu steps and %llu bytes to check a password: the key file is damaged",
        (unsigned long long)span_u64(numbers, 0), (unsigned long long)span_u64(numbers, 8));
}

static enum trust_error unlock(struct secret_record *r, const char *password, struct text *why)
{
    enum trust_error error = check_cost(r, why);

    if (error)
        return error;
    if (!password)
        return trust_fail(TRUST_WRONG_PASSWORD, why, "the secret key has a password, and none was given");
    return mask(r, password) ? TRUST_OK : trust_fail(TRUST_NO_MEMORY, why, "no host memory to check the password with");
}

/* Signing with a public half that is not the secret one's would give the secret away. */
static bool has_its_public_half(const struct secret_part *part)
{
    unsigned char public[PUBLIC_KEY], again[SECRET_KEY];
    bool same;

    crypto_sign_seed_keypair(public, again, part->key);
    same = sodium_memcmp(again, part->key, sizeof(again)) == 0;
    sodium_memzero(again, sizeof(again));
    return same;
}

/* A key without a password has a check of zeros, as minisign writes it. */
static bool is_sound(const struct secret_record *r, bool locked)
{
    unsigned char check[sizeof(r->part.check)];

    make_check(&r->part, check);
    return (sodium_memcmp(r->part.check, check, sizeof(check)) == 0 ||
               (!locked && sodium_is_zero(r->part.check, sizeof(check)))) &&
        has_its_public_half(&r->part);
}

static enum trust_error open_record(struct secret_record *r, const char *password, struct secret_key *out, struct text *why)
{
    bool locked = memcmp(r->kdf, no_kdf, 2) != 0;
    enum trust_error error = locked ? unlock(r, password, why) : TRUST_OK;

    if (error)
        return error;
    if (!is_sound(r, locked))
        return locked ? trust_fail(TRUST_WRONG_PASSWORD, why, "the password is not this secret key's")
                      : trust_fail(TRUST_BAD_SETUP, why, "the secret key is damaged: its checksum is not right");
    memcpy(out->id, r->part.id, sizeof(out->id));
    memcpy(out->key, r->part.key, sizeof(out->key));
    return TRUST_OK;
}

enum trust_error gpudl__secret_key_read(struct span file, const char *password, struct secret_key *out, struct text *why)
{
    struct secret_record r;
    enum trust_error error;

    if (find_record(file, &r))
        error = open_record(&r, password, out, why);
    else
        error = trust_fail(TRUST_BAD_SETUP, why,
            "the text is no secret key: that is a line that begins with \"" UNTRUSTED_COMMENT
            "\" and one of %zu characters of base64, as `gpudl keygen` and minisign write them",
            BASE64_TEXT(sizeof(r)) - 1);
    sodium_memzero(&r, sizeof(r));
    return error;
}

enum trust_error gpudl__secret_key_write(
    const struct secret_key *key, const char *password, struct key_cost cost, char text[SECRET_KEY_TEXT], struct text *why)
{
    struct secret_record r = { .algorithm = "Ed", .check_algorithm = "B2" };
    char line[BASE64_TEXT(sizeof(r))];
    uint64_t number;
    bool done = true;

    memcpy(r.part.id, key->id, sizeof(r.part.id));
    memcpy(r.part.key, key->key, sizeof(r.part.key));
    if (password) {
        memcpy(r.kdf, "Sc", 2);
        randombytes_buf(r.salt, sizeof(r.salt));
        number = htole64(cost.work);
        memcpy(r.work, &number, sizeof(r.work));
        number = htole64(cost.memory);
        memcpy(r.memory, &number, sizeof(r.memory));
        make_check(&r.part, r.part.check);
        done = mask(&r, password);
    }
    gpudl__base64_print(&r, sizeof(r), line);
    if (done)
        snprintf(
            text, SECRET_KEY_TEXT, UNTRUSTED_COMMENT "gpudl %s secret key\n%s\n", password ? "encrypted" : "unencrypted", line);
    sodium_memzero(&r, sizeof(r));
    sodium_memzero(line, sizeof(line));
    return done ? TRUST_OK
                : trust_fail(TRUST_NO_MEMORY, why, "no host memory for the password: it takes %llu bytes",
                      (unsigned long long)cost.memory);
}
