/* trust.h - is this content trusted? Keys and digests are gathered once and then only read, by any number of threads; a policy
 * says which of them a content must answer to. Knows bytes only: files are read by whoever calls.
 *
 * Policies are stacked: each has to be satisfied by itself, so one more can only ask for more. A key or a digest that one of them
 * has revoked is revoked for all. */
#ifndef GPUDL_TRUST_TRUST_H
#define GPUDL_TRUST_TRUST_H

#include "src/trust/error.h"
#include "src/trust/minisign.h"
#include "src/trust/sha256.h"

/* The order is that of strictness. */
enum trust_level { TRUST_NONE, TRUST_BY_DIGEST, TRUST_BY_SIGNATURE };

/* To be called before a key is made or a password tried, any number of times; false: this machine has no random numbers. What only
 * hashes and verifies does without: libsodium's portable BLAKE2b, which it has until then, can be twice as fast as its AVX2 one. */
bool gpudl__trust_init(void);

/* ---- keys.c: public keys, and what is revoked */
struct trust_keys;
struct trust_keys *gpudl__trust_keys_create(void);      /* NULL: no memory */
void gpudl__trust_keys_free(struct trust_keys *);       /* accepts NULL */
enum trust_error gpudl__trust_keys_add(struct trust_keys *, struct span file, struct text *why);
/* A list of what is trusted no more, a line each: a key's id, a public key, the SHA-256 of a content. '#' begins a comment. */
enum trust_error gpudl__trust_keys_revoke(struct trust_keys *, struct span list, struct text *why);
size_t gpudl__trust_keys_count(const struct trust_keys *);
const struct public_key *gpudl__trust_keys_at(const struct trust_keys *, size_t);
bool gpudl__trust_keys_revoked(const struct trust_keys *, const unsigned char id[KEY_ID]);
bool gpudl__trust_keys_revoke_contents(const struct trust_keys *);      /* does it revoke any? */
bool gpudl__trust_keys_revoked_content(const struct trust_keys *, const struct sha256 *);
bool gpudl__trust_keys_same(const struct trust_keys *, const struct trust_keys *);

/* ---- digests.c: pinned digests, and manifests */
struct trust_digests;
struct trust_digests *gpudl__trust_digests_create(void);
void gpudl__trust_digests_free(struct trust_digests *);
enum trust_error gpudl__trust_digests_add(struct trust_digests *, const char *hex, struct text *why);
/* folder: what its names are relative to, an absolute path. */
enum trust_error gpudl__trust_digests_add_manifest(
    struct trust_digests *, const char *folder, struct span manifest, struct text *why);
size_t gpudl__trust_digests_count(const struct trust_digests *);
bool gpudl__trust_digests_have(const struct trust_digests *, const struct sha256 *);
/* Does a manifest name this file, by its absolute path? Then *listed, and whether one of its digests under that name is it. */
bool gpudl__trust_digests_name(const struct trust_digests *, const char *path, const struct sha256 *, bool *listed);
bool gpudl__trust_digests_same(const struct trust_digests *, const struct trust_digests *);

/* An absolute path from a folder and a name, with "//", "/./" and "./" taken out, as names are compared; NULL: no memory. Release
 * it with gpudl__free(). */
char *gpudl__trust_path(const char *folder, const char *name);

/* ---- check.c */
struct trust_policy {
    enum trust_level level;
    const struct trust_keys *keys;          /* may be NULL; lent */
    const struct trust_digests *digests;    /* the same. If there are any they hold, whether a signature is wanted or not */
};

struct trust_subject {
    const char *path;                       /* of a file, as gpudl__trust_path() makes it; NULL: it is none */
    struct span bytes;
    struct span signature;                  /* a file of minisign's; data NULL: there is none */
};

/* What was found out on the way. */
struct trust_finding {
    bool digested;
    struct sha256 digest;                   /* of the bytes, if digested */
    bool verified;                          /* there was a signature, and it is good: */
    struct signature signature;
    uint64_t entry_wanted;                  /* a bit for each policy that only an entry's bytes can satisfy now */
    bool entry_judged;                      /* the entry's digest may be a revoked one */
};

/* At most 64 policies. */
bool gpudl__trust_wants_signature(const struct trust_policy *, size_t n);
enum trust_error gpudl__trust_check(
    const struct trust_policy *, size_t n, const struct trust_subject *, struct trust_finding *out, struct text *why);
/* The decompressed bytes of the one entry that is used. To be asked only of what passed the first check, and only if that one
 * left something open. */
bool gpudl__trust_open_question(const struct trust_finding *);
enum trust_error gpudl__trust_check_entry(
    const struct trust_policy *, size_t n, const struct trust_finding *, struct span entry, struct text *why);

#endif
