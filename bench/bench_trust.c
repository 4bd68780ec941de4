/* What a trust policy adds to a load: a digest, a signature over the hash, a legacy one over the content, for cubins of 4 KB, 800
 * KB and 10 MB, each against the same load without a policy; and against such a load with the bare work beside it, a hash and the
 * two Ed25519 verifications of a minisign signature, so that what else there is would show.
 *
 * The cubin is for sm_90, with zeros behind it: it wants a GPU of that kind, or the null driver, over which a load costs least. */
#include "bench/device.h"
#include "bench/harness.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/trust/sha256.h"

struct file {
    char path[96];
    unsigned char *bytes;
    size_t size;
    unsigned loads; /* of one sample */
};

struct trust_bench {
    gpudl_loader *loaders[3]; /* by policy */
    char folder[64];
    struct file file;
    struct {
        char public[GPUDL_PUBLIC_KEY_TEXT], secret[GPUDL_SECRET_KEY_TEXT];
    } keys;
    unsigned char ed_public[32], ed_secret[64], ed_signature[64];
    unsigned char hash[64];
};

enum { NONE, DIGEST, SIGNATURE };

/* ---------------------------------------------------------------------------------------------------------------- the samples */

static bool load(gpudl_loader *loader, const char *path)
{
    gpudl_library *library;

    if (gpudl_library_load(loader, GPUDL_FILE(path), NULL, &library) != GPUDL_OK) {
        fprintf(stderr, "%s\n", gpudl_error_text());
        return false;
    }
    gpudl_library_release(library);
    return true;
}

/* beside: the bare work, or NULL. */
static double sample_loads(struct trust_bench *b, int policy, void (*beside)(struct trust_bench *))
{
    double start = bench_now();

    for (unsigned i = 0; i < b->file.loads; i++) {
        if (!load(b->loaders[policy], b->file.path))
            return -1;
        if (beside)
            beside(b);
    }
    return (bench_now() - start) / b->file.loads;
}

static void hash_sha256(struct trust_bench *b)
{
    struct sha256 digest = gpudl__sha256((struct span){ b->file.bytes, b->file.size });

    memcpy(b->hash, &digest, sizeof(digest));
}

static void verify_twice(struct trust_bench *b)
{
    crypto_generichash_blake2b(b->hash, sizeof(b->hash), b->file.bytes, b->file.size, NULL, 0);
    for (int i = 0; i < 2; i++)
        if (crypto_sign_verify_detached(b->ed_signature, b->hash, sizeof(b->hash), b->ed_public) != 0)
            abort();
}

static void verify_once(struct trust_bench *b)
{
    if (crypto_sign_verify_detached(b->ed_signature, b->hash, sizeof(b->hash), b->ed_public) != 0)
        abort();
}

static double sample_none(void *b)
{
    return sample_loads(b, NONE, NULL);
}

static double sample_digest(void *b)
{
    return sample_loads(b, DIGEST, NULL);
}

static double sample_signature(void *b)
{
    return sample_loads(b, SIGNATURE, NULL);
}

static double sample_bare_digest(void *b)
{
    return sample_loads(b, NONE, hash_sha256);
}

static double sample_bare_signature(void *b)
{
    return sample_loads(b, NONE, verify_twice);
}

static double sample_verify(void *b)
{
    double start = bench_now();

    for (int i = 0; i < 16; i++)
        verify_once(b);
    return (bench_now() - start) / 16;
}

/* ------------------------------------------------------------------------------------------------------------------ the files */

static bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, size, f) == size;

    return f && fclose(f) == 0 && ok;
}

static bool sign_file(struct trust_bench *b, unsigned legacy)
{
    gpudl_sign_options o = GPUDL_SIGN_OPTIONS_INIT;
    char signature[GPUDL_SIGNATURE_TEXT], path[128];

    o.secret_key = b->keys.secret;
    o.legacy = legacy;
    snprintf(path, sizeof(path), "%s.minisig", b->file.path);
    return gpudl_trust_sign(GPUDL_FILE(b->file.path), &o, signature) == GPUDL_OK &&
        write_file(path, signature, strlen(signature));
}

/* The cubin with zeros behind it, up to this size. */
static bool make_file(struct trust_bench *b, size_t size)
{
    char path[512];
    FILE *f = bench_data("trust.cubin", path, sizeof(path)) ? fopen(path, "rb") : NULL;

    free(b->file.bytes);
    b->file.bytes = calloc(1, size);
    b->file.size = size;
    b->file.loads = size < 100000 ? 64 : size < 2000000 ? 4 : 1;
    snprintf(b->file.path, sizeof(b->file.path), "%s/k.cubin", b->folder);
    if (!f || !b->file.bytes || fread(b->file.bytes, 1, size, f) == 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return false;
    }
    fclose(f);
    crypto_generichash_blake2b(b->hash, sizeof(b->hash), b->file.bytes, size, NULL, 0);
    crypto_sign_detached(b->ed_signature, NULL, b->hash, sizeof(b->hash), b->ed_secret);
    return write_file(b->file.path, b->file.bytes, size) && sign_file(b, 0);
}

/* Made in another process: in this one, as in one that only loads, libsodium stays as it is before it is initialised (trust.h). */
static bool make_keys(struct trust_bench *b)
{
    unsigned char seed[32] = { 1 };
    int ends[2], status = 1;
    pid_t child;
    bool ok;

    crypto_sign_seed_keypair(b->ed_public, b->ed_secret, seed);
    if (pipe(ends) != 0)
        return false;
    child = fork();
    if (!child) {
        ok = gpudl_trust_keygen(NULL, b->keys.public, b->keys.secret) == GPUDL_OK &&
            write(ends[1], &b->keys, sizeof(b->keys)) == (ssize_t)sizeof(b->keys);
        _exit(!ok);
    }
    ok = child > 0 && waitpid(child, &status, 0) == child && status == 0 &&
        read(ends[0], &b->keys, sizeof(b->keys)) == (ssize_t)sizeof(b->keys);
    close(ends[0]);
    close(ends[1]);
    return ok;
}

static void remove_files(const struct trust_bench *b)
{
    char path[128];

    unlink(b->file.path);
    snprintf(path, sizeof(path), "%s.minisig", b->file.path);
    unlink(path);
    rmdir(b->folder);
}

/* ---------------------------------------------------------------------------------------------------------------- comparisons */

static gpudl_loader *open_loader(const gpudl_trust_options *trust)
{
    gpudl_loader_options o = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_loader *l = NULL;

    o.trust = trust;
    if (gpudl_loader_open(&o, &l) != GPUDL_OK)
        fprintf(stderr, "%s\n", gpudl_error_text());
    return l;
}

/* Pins are of the file at hand. */
static bool open_loaders(struct trust_bench *b)
{
    gpudl_trust_options by_digest = GPUDL_TRUST_OPTIONS_INIT, by_signature = GPUDL_TRUST_OPTIONS_INIT;
    char digest[GPUDL_DIGEST_TEXT];
    const char *const digests[] = { digest }, *const keys[] = { b->keys.public };

    if (gpudl_trust_digest(GPUDL_FILE(b->file.path), digest) != GPUDL_OK)
        return false;
    by_digest.policy = GPUDL_TRUST_DIGEST;
    by_digest.digests = digests, by_digest.ndigests = 1;
    by_signature.policy = GPUDL_TRUST_SIGNATURE;
    by_signature.keys = keys, by_signature.nkeys = 1;
    b->loaders[NONE] = open_loader(NULL);
    b->loaders[DIGEST] = open_loader(&by_digest);
    b->loaders[SIGNATURE] = open_loader(&by_signature);
    return b->loaders[NONE] && b->loaders[DIGEST] && b->loaders[SIGNATURE];
}

static void close_loaders(struct trust_bench *b)
{
    for (int i = NONE; i <= SIGNATURE; i++)
        gpudl_loader_close(b->loaders[i]);
}

static void compare(
    struct bench_report *report, struct trust_bench *b, const char *name, double (*sample)(void *), double (*bare)(void *))
{
    const struct bench_side sides[] = { { name, sample, b }, { "no policy", sample_none, b },
        { "no policy + bare work", bare, b } };
    char title[64];
    double added;

    snprintf(title, sizeof(title), "%zu KB: load, %s", b->file.size / 1000, name);
    if (!bench_compare(report, title, sides, bare ? 3 : 2, 0, 0))
        return;
    added = bench_median(report, 0) - bench_median(report, 1);
    bench_note(report, "  adds %.1f us, %.2f GB/s", added / 1000, (double)b->file.size / added);
}

static void compare_size(struct bench_report *report, struct trust_bench *b, size_t size)
{
    if (!make_file(b, size) || !open_loaders(b))
        return;
    compare(report, b, "digest", sample_digest, sample_bare_digest);
    compare(report, b, "signature", sample_signature, sample_bare_signature);
    if (sign_file(b, 1))
        compare(report, b, "legacy signature", sample_signature, NULL);
    close_loaders(b);
}

static bool can_load(struct trust_bench *b)
{
    gpudl_loader *l = make_file(b, 4000) ? open_loader(NULL) : NULL;
    gpudl_library *library;
    bool can = l && gpudl_library_load(l, GPUDL_FILE(b->file.path), NULL, &library) == GPUDL_OK;

    if (can)
        gpudl_library_release(library);
    gpudl_loader_close(l);
    return can;
}

int main(int argc, char **argv)
{
    struct bench_report *report = bench_begin(argc, argv, "load under a trust policy / load without one");
    static struct trust_bench b = { .folder = "/tmp/gpudl-bench-XXXXXX" };
    const struct bench_side verify = { "Ed25519 verification", sample_verify, &b };

    if (!mkdtemp(b.folder) || !make_keys(&b))
        return 1;
    if (can_load(&b)) {
        bench_compare(report, "one Ed25519 verification of 64 bytes", &verify, 1, 0, 0);
        compare_size(report, &b, 4000);
        compare_size(report, &b, 800000);
        compare_size(report, &b, 10000000);
    } else {
        bench_note(report, "this driver takes no sm_90 cubin: GPUDL_DRIVER=build/lib/libnulldrv.so takes anything");
    }
    remove_files(&b);
    free(b.file.bytes);
    return bench_end(report);
}
