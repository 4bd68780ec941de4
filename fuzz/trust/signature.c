/* Any bytes as a signature of some content: one that can be read holds its parts in the way that they are written, and none is good
 * but those that the owner of the key made. */
#include "fuzz/trust/common.h"
#include "src/trust/armor.h"

/* The key of tests/trust/data/alice.pub signed this; all its signatures in the corpus are of it. */
static const char content[] = "what is signed";
static const char alice[] = "RWSDpXK7m47XdaHN8HcCv9722JbT361HAquV1BsaNZ2hIvIDFWrpXmaw";

/* Written again, line by line, it is what was read, but for the ends of the lines. */
static void check_lines(struct span file, const struct signature *s)
{
    unsigned char record[2 + KEY_ID + SIGNATURE];
    char line[BASE64_TEXT(sizeof(record))], last[BASE64_TEXT(SIGNATURE)];
    struct span text, rest = file;

    memcpy(record, s->prehashed ? "ED" : "Ed", 2);
    memcpy(record + 2, s->id, KEY_ID);
    memcpy(record + 2 + KEY_ID, s->bytes, SIGNATURE);
    gpudl__base64_print(record, sizeof(record), line);
    gpudl__base64_print(s->global, SIGNATURE, last);
    CHECK(gpudl__line_next(&rest, &text) && gpudl__line_next(&rest, &text));
    CHECK(text.size == strlen(line) && !memcmp(text.data, line, text.size));
    CHECK(gpudl__line_next(&rest, &text));
    CHECK(s->comment.size <= text.size && !memcmp(s->comment.data, text.data + text.size - s->comment.size, s->comment.size));
    CHECK(gpudl__line_next(&rest, &text));
    CHECK(text.size == strlen(last) && !memcmp(text.data, last, text.size) && !rest.size);
}

/* The comments that the owner signed. */
static void check_good(const struct signature *s)
{
    CHECK(s->comment.size == 9 && (!memcmp(s->comment.data, "by a fuzz", 9) || !memcmp(s->comment.data, "by legacy", 9)));
}

static void check_policy(struct span file, const struct signature *s, enum trust_error read)
{
    struct trust_keys *keys = gpudl__trust_keys_create();
    struct trust_policy policy = { TRUST_BY_SIGNATURE, keys, NULL };
    struct trust_subject subject = { .bytes = { (const unsigned char *)content, sizeof(content) - 1 }, .signature = file };
    struct trust_finding f;
    enum trust_error error;
    struct reason why;

    CHECK(keys &&
        !gpudl__trust_keys_add(keys, (struct span){ (const unsigned char *)alice, sizeof(alice) - 1 }, reason_begin(&why)));
    error = gpudl__trust_check(&policy, 1, &subject, &f, reason_begin(&why));
    reason_check(&why, error);
    CHECK(!read || error == read);
    if (!error)
        check_good(s);
    gpudl__trust_keys_free(keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = copy_input(data, size);
    struct span file = { copy, size };
    struct signature s;
    struct reason why;
    enum trust_error error;

    error = gpudl__signature_read(file, &s, reason_begin(&why));
    reason_check(&why, error);
    if (!error)
        check_lines(file, &s);
    check_policy(file, &s, error);
    free(copy);
    return 0;
}
