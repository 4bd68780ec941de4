/* Any bytes as what gpudl-trial is told. What is read lies inside of them, and each argument that is a buffer's address has that buffer. */
#include <stdlib.h>

#include "tools/trial/description.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
    if (!holds)
        abort();
}

static void check_lies_in(struct span s, struct span all)
{
    check(!s.data || (s.data >= all.data && s.data <= all.data + all.size && s.size <= (size_t)(all.data + all.size - s.data)));
}

static void check_trial(const struct trial *t, struct span all)
{
    for (size_t i = 0; i < t->nbuffers; i++) {
        const struct buffer *b = &t->buffers[i];

        check(b->element <= GPUDL_TRIAL_F64);
        check_lies_in(b->content, all);
        check_lies_in(b->expected, all);
        check((!b->content.data || b->content.size == b->size) && (!b->expected.data || b->expected.size == b->size));
    }
    for (size_t i = 0; i < t->narguments; i++) {
        const gpudl_arg *a = &t->arguments[i].arg;

        check(a->type != GPUDL_TRIAL_ARG || t->arguments[i].buffer < t->nbuffers);
        if (a->type == GPUDL_ARG_BYTES)
            check_lies_in((struct span){ a->value.pointer, a->size }, all);
        else
            check(a->size <= sizeof(a->value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);      /* of this length, so that a sanitizer sees the first byte behind it */
    struct span all = { copy, size };
    struct description d;

    check(copy != NULL);
    if (size)
        memcpy(copy, data, size);
    if (!description_read(all, &d)) {
        check(d.ntrials && d.image.size);
        check_lies_in(d.image, all);
        for (size_t i = 0; i < d.ntrials; i++)
            check_trial(&d.trials[i], all);
        for (size_t i = 0; i < d.ntrials; i++) {
            const char *name = description_name(&d, d.trials[i].kernel);
            check(!name == !d.trials[i].kernel && (!name || strlen(name) <= size));
        }
    }
    description_free(&d);
    free(copy);
    return 0;
}
