/* minisign.h - the files of minisign, read and written: Ed25519 keys and signatures with comments.
 *
 * All are lines of text; what is between brackets is base64, numbers are little-endian:
 *
 *     public key      untrusted comment: TEXT
 *                     ["Ed" id[8] key[32]]
 *     secret key      untrusted comment: TEXT
 *                     ["Ed" kdf[2] "B2" salt[32] work:u64 memory:u64 id[8] key[64] check[32]]
 *     signature       untrusted comment: TEXT
 *                     ["Ed" or "ED", id[8] signature[64]]
 *                     trusted comment: TEXT
 *                     [global[64]]
 *
 * kdf is "Sc", and then the last three fields are masked with the bytes that scrypt makes of a password, or two zeros. check is the
 * BLAKE2b-256 of "Ed" id key, or zeros where kdf is none. "Ed" signs the content (legacy), "ED" its BLAKE2b-512 (prehashed). global
 * signs signature[64] and the trusted comment, so that this one is as good as the content; the untrusted one proves nothing. An id
 * is a random number that tells keys apart. */
#ifndef GPUDL_TRUST_MINISIGN_H
#define GPUDL_TRUST_MINISIGN_H

#include "src/trust/error.h"
#include "src/util/span.h"

enum { KEY_ID = 8, PUBLIC_KEY = 32, SECRET_KEY = 64, SIGNATURE = 64, PREHASH = 64 };

/* Texts that are written here have room for their comments and their NUL. */
enum { KEY_ID_TEXT = 17, PUBLIC_KEY_TEXT = 256, SECRET_KEY_TEXT = 512, SIGNATURE_TEXT = 4096 };
/* Bytes of a comment that is written; of a trusted one that is read. */
enum { COMMENT_WRITTEN = 1000, COMMENT_MOST = 8191 };

struct public_key {
    unsigned char id[KEY_ID];
    unsigned char key[PUBLIC_KEY];
};

struct secret_key {
    unsigned char id[KEY_ID];
    unsigned char key[SECRET_KEY];      /* the last half is the public one */
};

struct signature {
    bool prehashed;
    unsigned char id[KEY_ID];
    unsigned char bytes[SIGNATURE];
    struct span comment;                /* the trusted one; lent by the file */
    unsigned char global[SIGNATURE];
};

/* What guessing one password costs. */
struct key_cost {
    uint64_t work, memory;              /* operations; bytes */
};
extern const struct key_cost gpudl__key_cost;       /* minisign's own */

/* As minisign writes an id: 16 upper-case hexadecimal digits, the last byte first. */
void gpudl__key_id_print(const unsigned char id[KEY_ID], char text[KEY_ID_TEXT]);
bool gpudl__key_id_scan(struct span text, unsigned char id[KEY_ID]);

/* The whole file, or its line of base64 alone. */
enum trust_error gpudl__public_key_read(struct span file, struct public_key *out, struct text *why);
void gpudl__public_key_write(const struct public_key *, char text[PUBLIC_KEY_TEXT]);

void gpudl__secret_key_make(struct secret_key *out);
struct public_key gpudl__secret_key_public(const struct secret_key *);
/* Is a password needed to read it? */
bool gpudl__secret_key_is_locked(struct span file);
/* password: NULL for a key that has none. */
enum trust_error gpudl__secret_key_read(struct span file, const char *password, struct secret_key *out, struct text *why);
enum trust_error gpudl__secret_key_write(const struct secret_key *, const char *password, struct key_cost,
    char text[SECRET_KEY_TEXT], struct text *why);

enum trust_error gpudl__signature_read(struct span file, struct signature *out, struct text *why);
/* What is signed of some content: itself, or its hash in memory of the caller's. */
struct span gpudl__signature_message(bool prehashed, struct span content, unsigned char hash[PREHASH]);
/* Both signatures, with this very key. */
enum trust_error gpudl__signature_verify(
    const struct signature *, const struct public_key *, struct span message, struct text *why);
/* content is read twice if it is not hashed first: nobody else may be able to write to it. */
enum trust_error gpudl__signature_write(const struct secret_key *, struct span content, bool prehashed, const char *untrusted,
    const char *trusted, char text[SIGNATURE_TEXT], struct text *why);

#endif
