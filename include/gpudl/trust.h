/* Which code may be loaded. Part of <gpudl/gpudl.h>, which includes it. */
#include <gpudl/gpudl.h>
#ifndef GPUDL_TRUST_H
#define GPUDL_TRUST_H

#ifdef __cplusplus
extern "C" {
#endif

/* A policy says what a content must have before it is parsed and loaded.
 *
 *     static const char key[] = "RWS7bmqQmnsuOf3mybMMie41KPSc579PrSUgTatD3YMA9rwUvufv257x";
 *     const char *const keys[] = { key };
 *     gpudl_trust_options trust = GPUDL_TRUST_OPTIONS_INIT;
 *     gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
 *
 *     trust.policy = GPUDL_TRUST_SIGNATURE;
 *     trust.keys = keys, trust.nkeys = 1;
 *     options.trust = &trust;
 *
 * A loader opened with these options loads k.fatbin only with a k.fatbin.minisig beside it that was made with that key: by
 * `gpudl sign`, by minisign, or by gpudl_trust_sign(). The bytes that were checked are the bytes that are parsed and loaded;
 * nothing is read a second time.
 *
 * What this defends against, and what not, is in docs/SECURITY.md. */

/* What a content must have to be loaded; each is stricter than those before it. */
typedef enum gpudl_trust_policy {
    GPUDL_TRUST_DEFAULT = 0,    /* of a loader: NONE; of a load: the loader's */
    GPUDL_TRUST_NONE = 1,       /* nothing */
    GPUDL_TRUST_DIGEST = 2,     /* a SHA-256 that is known: of all its bytes, or of the decompressed bytes of the one entry that
                                   is loaded, so that a PTX can be pinned wherever it travels */
    GPUDL_TRUST_SIGNATURE = 3   /* a signature by a trusted key over all its bytes; and the digest, too, where any are given */
} gpudl_trust_policy;

/* In gpudl_loader_options for all loads, in gpudl_load_options for one. Both hold then: a load can only ask for more. One that
 * names a policy less strict than its loader's fails with GPUDL_ERROR_TRUST_WEAKER. A library keeps the policy that its load
 * named, and replacements of it answer to that, unless they name one. A watched file that is refused is tried again when its
 * signature changes.
 *
 * Files are read, and all else is copied, by the call that takes the options; a loader goes by what was in them when it was
 * opened. Key ring and lists must belong to root or this user, and nobody else may be able to write to them. */
typedef struct gpudl_trust_options {
    size_t size;                /* sizeof(gpudl_trust_options) */
    gpudl_trust_policy policy;
    /* Loaders only. 1: the policy is the whole process's from now on, even if opening this loader fails. It holds for each load
     * through every loader, also those that were opened before and the default one, and cannot be taken back; and gpudl heeds
     * none of its environment variables any more. */
    unsigned locked;
    /* Whose signatures are good: those of the public keys in all the files *.pub of this folder; or NULL. */
    const char *key_ring;
    /* Keys beside those of the ring: each the text of a public key file, or its line of base64 alone. */
    const char *const *keys;
    size_t nkeys;
    /* A list of what is trusted no more, a line each: the id of a key (16 hexadecimal digits), a public key, or the SHA-256 of a
     * content; '#' begins a comment. NULL: the file "revoked" in the key ring, where there is one. */
    const char *revoked;
    /* A file as sha256sum writes it; or NULL. Names are relative to its folder. A file that it names must be what it says of that
     * name; any other content must be one of those in it. */
    const char *manifest;
    /* Digests beside those of the manifest: SHA-256, 64 hexadecimal digits. */
    const char *const *digests;
    size_t ndigests;
    /* Loads only: the text of a minisign signature file, for a source that does not bring its own (gpudl_source.signature). NULL: it is
     * read from NAME.minisig beside a file NAME, and there is none for other sources. */
    const void *signature;
    size_t signature_size;
} gpudl_trust_options;
#define GPUDL_TRUST_OPTIONS_INIT \
    { sizeof(gpudl_trust_options), GPUDL_TRUST_DEFAULT, 0, NULL, NULL, 0, NULL, NULL, NULL, 0, NULL, 0 }

#define GPUDL_DIGEST_TEXT 65    /* bytes of a SHA-256 in 64 lower-case hexadecimal digits, with its NUL */

/* What was found. Set size_of_struct to sizeof(gpudl_trust_report). */
typedef struct gpudl_trust_report {
    size_t size_of_struct;
    char digest[GPUDL_DIGEST_TEXT];
    char key_id[17];            /* of the key that signed: 16 hexadecimal digits; "" where no signature was wanted */
    unsigned char prehashed;    /* 1: the signature is over the content's BLAKE2b-512, 0: over the content itself */
    char comment[1024];         /* the trusted comment, which was signed as well; cut at 1020 bytes, and then ends in "..." */
} gpudl_trust_report;

/**
 * Would this content be trusted? For contents that are not to be loaded, or not by gpudl.
 * @source:   any: files need not hold an image, and CUDA C++ is as good as anything else
 * @options:  whose policy is DIGEST or SIGNATURE; a locked policy holds as well
 * @out:      written on success only; may be NULL
 *
 * Digests are those of all bytes here, as which entry is loaded depends on a device.
 */
GPUDL_API gpudl_status gpudl_trust_check(const gpudl_source *source, const gpudl_trust_options *options, gpudl_trust_report *out);

/* The SHA-256 of a source, of whatever content. */
GPUDL_API gpudl_status gpudl_trust_digest(const gpudl_source *source, char digest[GPUDL_DIGEST_TEXT]);

#define GPUDL_PUBLIC_KEY_TEXT 256   /* bytes that hold any text that gpudl_trust_keygen() writes, with its NUL */
#define GPUDL_SECRET_KEY_TEXT 512
#define GPUDL_SIGNATURE_TEXT 4096   /* and gpudl_trust_sign() */

/**
 * Make a key pair: the texts of the two files that minisign and gpudl keep them in.
 * @password:    of the secret key, which takes a second and a gigabyte of memory to check (as with minisign); NULL: it has none,
 *               and whoever reads the file can sign
 * @public_key:  may be known to all
 * @secret_key:  nobody else may read it; the caller overwrites it when it is done
 */
GPUDL_API gpudl_status gpudl_trust_keygen(const char *password, char public_key[GPUDL_PUBLIC_KEY_TEXT],
                                          char secret_key[GPUDL_SECRET_KEY_TEXT]);

/* 1: the text is a secret key that has a password. */
GPUDL_API int gpudl_trust_key_is_locked(const char *secret_key);

typedef struct gpudl_sign_options {
    size_t size;                /* sizeof(gpudl_sign_options) */
    const char *secret_key;     /* the text of a secret key file */
    const char *password;       /* NULL: it has none */
    const char *trusted_comment;    /* is signed as well, one line; NULL: time and the source's name, as minisign writes them */
    const char *untrusted_comment;  /* is not; NULL: says that this is a signature */
    unsigned legacy;            /* 1: the content itself is signed, not its BLAKE2b-512, for readers before minisign 0.6 */
    unsigned reserved;          /* 0 */
} gpudl_sign_options;
#define GPUDL_SIGN_OPTIONS_INIT { sizeof(gpudl_sign_options), NULL, NULL, NULL, NULL, 0, 0 }

/**
 * Sign a source, of whatever content.
 * @signature:  the text of a signature file, to be kept as NAME.minisig beside the file NAME
 */
GPUDL_API gpudl_status gpudl_trust_sign(const gpudl_source *source, const gpudl_sign_options *options,
                                        char signature[GPUDL_SIGNATURE_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
