/* description.c - see description.h. */
#include "tools/trial/description.h"

#include <stdbool.h>
#include <stdlib.h>

#include "src/loader/life/trial_format.h"

static const char no_memory[] = "there is no memory for it", too_short[] = "a record is shorter than its kind",
                  misplaced[] = "a record of a trial comes before one begins, or one of a buffer before it";

/* One more at the end of an array; NULL: no memory. */
static void *grow(void *array, size_t *count, size_t size)
{
    void *larger =
        *count == (*count & -*count) || !*count ? realloc(*(void **)array, (*count ? 2 * *count : 1) * size) : *(void **)array;

    if (!larger)
        return NULL;
    *(void **)array = larger;
    memset((char *)larger + *count * size, 0, size);
    return (char *)larger + (*count)++ * size;
}

static const char *take_text(struct span s, char **out)
{
    free(*out);
    *out = memchr(s.data, 0, s.size) ? NULL : strndup((const char *)s.data, s.size);
    return *out ? NULL : "a text has a NUL in it, or there is no memory for it";
}

static const char *take_load(struct span s, struct description *d)
{
    gpudl_load_options *o = &d->load;

    if (s.size < 32)
        return too_short;
    o->max_image_bytes = span_u64(s, 0);
    o->flags = span_u64(s, 8);
    o->optimization = span_u32(s, 16);
    o->max_registers = span_u32(s, 20);
    o->fma = span_u32(s, 24);
    o->cache_mode = span_u32(s, 28);
    return s.size > 32 ? take_text(span_from(s, 32), &d->target) : NULL;
}

static const char *take_begin(struct span s, struct description *d)
{
    struct trial *t = s.size < 32 ? NULL : grow(&d->trials, &d->ntrials, sizeof(*t));

    if (!t)
        return s.size < 32 ? too_short : no_memory;
    for (int i = 0; i < 3; i++) {
        t->grid[i] = span_u32(s, 4 * (unsigned)i);
        t->block[i] = span_u32(s, 12 + 4 * (unsigned)i);
    }
    t->shared_bytes = span_u32(s, 24);
    t->device = span_u32(s, 28);
    return NULL;
}

static double f64_at(struct span s, uint64_t off)
{
    uint64_t bits = span_u64(s, off);
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static const char *take_buffer(struct span s, struct trial *t)
{
    struct buffer *b = s.size < 32 ? NULL : grow(&t->buffers, &t->nbuffers, sizeof(*b));

    if (!b)
        return s.size < 32 ? too_short : no_memory;
    b->size = span_u64(s, 0);
    b->element = span_u32(s, 8);
    b->absolute = f64_at(s, 16);
    b->relative = f64_at(s, 24);
    return b->element <= GPUDL_TRIAL_F64 ? NULL : "an element of no known type";
}

static const char *take_bytes(struct span s, struct trial *t, bool is_expected)
{
    struct buffer *b = t->nbuffers ? &t->buffers[t->nbuffers - 1] : NULL;

    if (!b)
        return misplaced;
    *(is_expected ? &b->expected : &b->content) = s;
    return s.size == b->size ? NULL : "the bytes of a buffer are not as many as it has";
}

static const char *take_argument(struct span s, struct trial *t)
{
    struct argument *a = s.size < 4 ? NULL : grow(&t->arguments, &t->narguments, sizeof(*a));
    struct span value = span_from(s, 4);

    if (!a)
        return s.size < 4 ? too_short : no_memory;
    a->arg.type = span_u32(s, 0);
    a->arg.size = (unsigned)value.size;
    a->buffer = (size_t)span_u64(value, 0);
    if (a->arg.type == GPUDL_ARG_BYTES)
        a->arg.value.pointer = value.data;
    else if (value.size <= sizeof(a->arg.value))
        memcpy(&a->arg.value, value.data, value.size);
    else
        return "an argument of more bytes than its type has";
    return NULL;
}

static const char *take_of_trial(unsigned type, struct span s, struct description *d)
{
    struct trial *t = d->ntrials ? &d->trials[d->ntrials - 1] : NULL;

    if (!t)
        return misplaced;
    switch (type) {
    case TRIAL_KERNEL:
        return take_text(s, &t->kernel);
    case TRIAL_ARGUMENT:
        return take_argument(s, t);
    case TRIAL_BUFFER:
        return take_buffer(s, t);
    case TRIAL_CONTENT:
        return take_bytes(s, t, false);
    case TRIAL_EXPECTED:
        return take_bytes(s, t, true);
    default:
        return "a record of no known kind";
    }
}

static const char *take(unsigned type, struct span s, struct description *d)
{
    switch (type) {
    case TRIAL_DRIVER:
        return take_text(s, &d->driver);
    case TRIAL_LOAD:
        return take_load(s, d);
    case TRIAL_NAME:
        return take_text(s, &d->name);
    case TRIAL_IMAGE:
        d->image = s;
        return NULL;
    case TRIAL_NAMES:
        d->names = s;
        return NULL;
    case TRIAL_LIMIT:
        d->limit_ns = span_u64(s, 0);
        return NULL;
    case TRIAL_BEGIN:
        return take_begin(s, d);
    default:
        return take_of_trial(type, s, d);
    }
}

static const char *check(const struct description *d)
{
    if (!d->image.size || !d->ntrials)
        return "it has no image, or no trial";
    for (size_t i = 0; i < d->ntrials; i++)
        for (size_t k = 0; k < d->trials[i].narguments; k++)
            if (d->trials[i].arguments[k].arg.type == GPUDL_TRIAL_ARG &&
                d->trials[i].arguments[k].buffer >= d->trials[i].nbuffers)
                return "an argument is the address of a buffer that is not there";
    return NULL;
}

const char *description_read(struct span bytes, struct description *out)
{
    uint64_t at = sizeof(TRIAL_MAGIC) - 1, size;
    const char *why = NULL;
    struct span record;
    unsigned type;

    *out = (struct description){ .load = GPUDL_LOAD_OPTIONS_INIT };
    if (!span_is(bytes, 0, TRIAL_MAGIC, sizeof(TRIAL_MAGIC) - 1))
        return "it does not begin with 'gpudl-trial 1': is libgpudl of another version?";
    while (!why) {
        type = span_u32(bytes, at);
        size = span_u64(bytes, at + 8);
        if (!span_holds(bytes, at, TRIAL_RECORD_HEAD) || !span_cut(bytes, at + TRIAL_RECORD_HEAD, size, &record))
            return "it ends too early";
        if (type == TRIAL_END)
            return check(out);
        why = take(type, record, out);
        at += TRIAL_RECORD_HEAD + size;
    }
    return why;
}

const char *description_name(const struct description *d, const char *kernel)
{
    const char *called, *name;
    size_t length;

    for (uint64_t at = 0; kernel && (called = span_string(d->names, at, SIZE_MAX, &length)); at += length + 1) {
        at += length + 1;
        name = span_string(d->names, at, SIZE_MAX, &length);
        if (!name)
            break;
        if (!strcmp(called, kernel))
            return name;
    }
    return kernel;
}

void description_free(struct description *d)
{
    for (size_t i = 0; i < d->ntrials; i++) {
        free(d->trials[i].kernel);
        free(d->trials[i].buffers);
        free(d->trials[i].arguments);
    }
    free(d->trials);
    free(d->driver);
    free(d->name);
    free(d->target);
    *d = (struct description){ .ntrials = 0 };
}
