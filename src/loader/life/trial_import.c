/* What a caller gave as trials, checked, as records. */
#include <string.h>

#include "src/loader/error.h"
#include "src/loader/options.h"
#include "src/loader/life/trial.h"
#include "src/loader/life/trial_format.h"

enum { TIMEOUT = 30 };          /* seconds */
enum { LARGEST_ARGUMENT = 32764, LARGEST_SCALAR = 8 };

static const size_t LARGEST_BUFFER = (size_t)1 << 40;
static const unsigned char element_sizes[] = { 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8 };

/* ---------------------------------------------------------------------------------------------------------------- records */

static bool make_room(struct trials *t, size_t more)
{
    size_t room = t->room ? t->room : 1024;
    unsigned char *larger;

    if (more <= t->room - t->size)
        return true;
    if (more > SIZE_MAX / 4 - t->size)
        return false;
    while (room < t->size + more)
        room *= 2;
    larger = gpudl__alloc(room);
    if (!larger)
        return false;
    if (t->size)
        memcpy(larger, t->records, t->size);
    gpudl__free(t->records);
    t->records = larger;
    t->room = room;
    return true;
}

static void append(struct trials *t, const void *bytes, size_t size)
{
    if (size)
        memcpy(t->records + t->size, bytes, size);
    t->size += size;
}

bool gpudl__trials_add(struct trials *t, unsigned type, const void *head, size_t head_size, const void *bytes, size_t size)
{
    const uint32_t words[2] = { htole32(type), 0 };
    const uint64_t all = htole64((uint64_t)head_size + size);

    if (size > SIZE_MAX / 8 || !make_room(t, TRIAL_RECORD_HEAD + head_size + size))
        return false;
    append(t, words, sizeof(words));
    append(t, &all, sizeof(all));
    append(t, head, head_size);
    append(t, bytes, size);
    return true;
}

static gpudl_status add(struct trials *t, unsigned type, const void *head, size_t head_size, const void *bytes, size_t size)
{
    return gpudl__trials_add(t, type, head, head_size, bytes, size) ? GPUDL_OK : gpudl__fail_memory("a copy of trials");
}

/* ---------------------------------------------------------------------------------------------------------------- a trial */

#define refuse(trial, format, ...) \
    gpudl__fail(GPUDL_ERROR_ARGUMENT, "gpudl_trial: trial %zu (they count from 0): " format, trial, __VA_ARGS__)

/* Arrays of structs of a newer header have larger ones: the size in the first says how far it is to the next. */
static const void *element_of(const void *array, size_t i)
{
    size_t size;

    memcpy(&size, array, sizeof(size));
    return (const char *)array + i * size;
}

static gpudl_status check_buffer(size_t trial, size_t i, const gpudl_trial_buffer *b)
{
    if (b->reserved || b->element >= sizeof(element_sizes))
        return refuse(trial, "buffer %zu: element is a gpudl_trial_element, not %u, and reserved is 0", i, b->element);
    if (b->nbytes > LARGEST_BUFFER || b->nbytes % element_sizes[b->element])
        return refuse(trial, "buffer %zu: its %zu bytes are more than 1 TiB, or no multiple of an element's %u", i, b->nbytes,
            (unsigned)element_sizes[b->element]);
    if (!(b->absolute >= 0) || !(b->relative >= 0))
        return refuse(trial, "buffer %zu: a tolerance is 0 or more", i);
    return GPUDL_OK;
}

static gpudl_status take_buffer(struct trials *t, size_t i, const void *given)
{
    gpudl_trial_buffer b;
    gpudl_status status = gpudl__options_import(&b, sizeof(b), given, "gpudl_trial_buffer");
    unsigned char head[32];

    if (status == GPUDL_OK)
        status = check_buffer(t->count, i, &b);
    if (status != GPUDL_OK)
        return status;
    memcpy(head, &(uint64_t){ htole64(b.nbytes) }, 8);
    memcpy(head + 8, (uint32_t[]){ htole32(b.element), 0 }, 8);
    memcpy(head + 16, (double[]){ b.absolute, b.relative }, 16); /* of this machine's, as device memory is */
    status = add(t, TRIAL_BUFFER, head, sizeof(head), NULL, 0);
    if (status == GPUDL_OK && b.bytes)
        status = add(t, TRIAL_CONTENT, NULL, 0, b.bytes, b.nbytes);
    if (status == GPUDL_OK && b.expected)
        status = add(t, TRIAL_EXPECTED, NULL, 0, b.expected, b.nbytes);
    return status;
}

static gpudl_status take_argument(struct trials *t, const gpudl_trial *trial, size_t i)
{
    const gpudl_arg *a = &trial->args[i];
    const uint32_t type = htole32(a->type);
    bool is_bytes = a->type == GPUDL_ARG_BYTES;

    if (a->type == GPUDL_TRIAL_ARG && a->value.integer >= trial->nbuffers)
        return refuse(t->count, "argument %zu is the address of buffer %llu, and there are %zu, which count from 0", i,
            (unsigned long long)a->value.integer, trial->nbuffers);
    if (a->type == GPUDL_TRIAL_ARG)
        return add(t, TRIAL_ARGUMENT, &type, sizeof(type), &(uint64_t){ htole64(a->value.integer) }, 8);
    if (a->type == GPUDL_ARG_POINTER && a->value.pointer)
        return refuse(t->count, "argument %zu is a pointer, which means nothing in another process: use gpudl_trial_arg()", i);
    if (a->type > GPUDL_ARG_POINTER || a->size > (is_bytes ? LARGEST_ARGUMENT : LARGEST_SCALAR) ||
        (is_bytes && a->size && !a->value.pointer))
        return refuse(t->count, "argument %zu is not as GPUDL_ARG() or gpudl_trial_arg() makes one", i);
    return add(t, TRIAL_ARGUMENT, &type, sizeof(type), is_bytes ? a->value.pointer : &a->value, a->size);
}

static gpudl_status take_trial(struct trials *t, const void *given)
{
    gpudl_trial trial;
    gpudl_status status = gpudl__options_import(&trial, sizeof(trial), given, "gpudl_trial");
    uint32_t head[8];

    if (status != GPUDL_OK)
        return status;
    if ((trial.nargs && !trial.args) || (trial.nbuffers && !trial.buffers))
        return refuse(t->count, "args or buffers is NULL, and there are %zu and %zu", trial.nargs, trial.nbuffers);
    for (int i = 0; i < 3; i++) {
        head[i] = htole32(trial.grid[i]);
        head[3 + i] = htole32(trial.block[i]);
    }
    head[6] = htole32(trial.shared_bytes);
    head[7] = htole32(trial.device);
    status = add(t, TRIAL_BEGIN, head, sizeof(head), NULL, 0);
    if (status == GPUDL_OK && trial.kernel)
        status = add(t, TRIAL_KERNEL, NULL, 0, trial.kernel, strlen(trial.kernel));
    for (size_t i = 0; i < trial.nbuffers && status == GPUDL_OK; i++)
        status = take_buffer(t, i, element_of(trial.buffers, i));
    for (size_t i = 0; i < trial.nargs && status == GPUDL_OK; i++)
        status = take_argument(t, &trial, i);
    return status;
}

static gpudl_status take_all(const gpudl_replace_options *o, struct trials *t)
{
    gpudl_status status = GPUDL_OK;

    t->timeout_ns = o->trial_timeout_ns ? o->trial_timeout_ns : TIMEOUT * UINT64_C(1000000000);
    if (o->trial_driver && !(t->driver = gpudl__alloc_string(o->trial_driver)))
        return gpudl__fail_memory("a driver's name");
    for (; t->count < o->ntrials && status == GPUDL_OK; t->count += status == GPUDL_OK)
        status = take_trial(t, element_of(o->trials, t->count));
    return status == GPUDL_OK ? add(t, TRIAL_END, NULL, 0, NULL, 0) : status;
}

gpudl_status gpudl__trials_import(const gpudl_replace_options *o, struct trials *out)
{
    struct trials t = { 0 };
    gpudl_status status;

    *out = t;
    if (!o->ntrials)
        return GPUDL_OK;
    if (!o->trials)
        return gpudl__fail_argument("gpudl_replace_options", "trials is NULL, and ntrials is not 0");
    status = take_all(o, &t);
    if (status == GPUDL_OK)
        *out = t;
    else
        gpudl__trials_release(&t);
    return status;
}

void gpudl__trials_release(struct trials *t)
{
    gpudl__free(t->records);
    gpudl__free(t->driver);
    *t = (struct trials){ 0 };
}
