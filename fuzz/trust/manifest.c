/* Any bytes as a manifest: names are not empty, fit, and hold no NUL; a content that is listed under a name is trusted under it,
 * and as often as there are lines. */
#include "fuzz/trust/common.h"
#include "src/trust/manifest.h"
#include "src/util/alloc.h"

enum { NAME_SIZE = 4096 };

static void check_path(const char *path)
{
    CHECK(!*path || *path == '/');
    CHECK(!strstr(path, "//") && !strstr(path, "/./"));
}

static void check_line(const struct trust_digests *digests, const struct sha256 *digest, const char *name)
{
    char *path = gpudl__trust_path("/some/./folder/", name);
    bool listed = false;

    CHECK(path);
    check_path(path);
    CHECK(gpudl__trust_digests_have(digests, digest));
    CHECK(gpudl__trust_digests_name(digests, path, digest, &listed) && listed);
    gpudl__free(path);
}

static void check_lines(struct span file, const struct trust_digests *digests, enum trust_error expected)
{
    char name[NAME_SIZE];
    struct sha256 digest;
    struct reason why;
    enum trust_error error;
    unsigned line = 0;
    size_t n = 0;
    bool more;

    for (;;) {
        error = gpudl__manifest_next(&file, &line, &digest, name, sizeof(name), &more, reason_begin(&why));
        if (error || !more)
            break;
        CHECK(memchr(name, 0, sizeof(name)) && *name);
        check_line(digests, &digest, name);
        n++;
    }
    CHECK(error == expected && n == gpudl__trust_digests_count(digests));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = copy_input(data, size);
    struct span file = { copy, size };
    struct trust_digests *digests = gpudl__trust_digests_create();
    struct reason why;
    enum trust_error error;

    CHECK(digests);
    error = gpudl__trust_digests_add_manifest(digests, "/some/folder", file, reason_begin(&why));
    reason_check(&why, error);
    check_lines(file, digests, error);
    gpudl__trust_digests_free(digests);
    free(copy);
    return 0;
}
