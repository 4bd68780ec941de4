#include "src/loader/mixed.h"

#include <string.h>

#include "src/image/fatbin_write.h"
#include "src/loader/context.h"
#include "src/loader/error.h"
#include "src/loader/image/image_api.h"
#include "src/loader/source/trust.h"

enum { TEXT_SIZE = 2048, MOST_DEVICES = 64, MOST_ENTRIES = 16, NONE = -1 };

struct mixed {
    int entry_of[MOST_DEVICES];   /* NONE: no code for it */
    size_t entries[MOST_ENTRIES]; /* each once; the first is the version's */
    size_t n;
    struct span joined; /* of several: the fatbin of them */
};

/* ------------------------------------------------------------------------------------------------------------- one device */

/* The entry that a device takes; NONE: text says why not. Returns the driver's code. */
static int choose_for(struct version *v, int device, int *entry, enum image_misfit *why, char *text)
{
    struct image_target target = v->loader->target;
    int err = gpudl__driver_sm(&v->loader->driver.table, device, &target.sm);

    if (!err)
        *entry = gpudl__image_choose(v->image, &target, why, text, TEXT_SIZE);
    return err;
}

gpudl_status gpudl__version_has(struct version *v, int device)
{
    char text[TEXT_SIZE] = "", words[256];
    struct text t = gpudl__text_init(words, sizeof(words));
    enum image_misfit why = MISFIT_ARCH;
    int entry;

    if (!v->mixed || device < 0 || device >= MOST_DEVICES || v->mixed->entry_of[device] != NONE)
        return GPUDL_OK;
    pthread_mutex_lock(&v->loader->lock); /* the image is looked into under it */
    choose_for(v, device, &entry, &why, text);
    pthread_mutex_unlock(&v->loader->lock);
    gpudl__device_words(v->loader, device, &t);
    return gpudl__fail(gpudl__misfit_status(why), "%s has no code for %s: %s", v->content.name, words, text);
}

/* ------------------------------------------------------------------------------------------------------------ all devices */

static bool add(struct mixed *m, int entry)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->entries[i] == (size_t)entry)
            return true;
    if (m->n == MOST_ENTRIES)
        return false;
    m->entries[m->n++] = (size_t)entry;
    return true;
}

static gpudl_status choose_all(struct version *v, struct mixed *m)
{
    gpudl_loader *l = v->loader;
    char first[TEXT_SIZE], text[TEXT_SIZE];
    enum image_misfit why = MISFIT_ARCH, first_why = MISFIT_ARCH;
    int err = 0;

    for (int i = 0; i < l->driver.devices && i < MOST_DEVICES && !err; i++) {
        err = choose_for(v, i, &m->entry_of[i], i ? &why : &first_why, i ? text : first);
        if (!err && m->entry_of[i] != NONE && !add(m, m->entry_of[i]))
            return gpudl__fail(
                GPUDL_ERROR_UNSUPPORTED, "%s: devices of more than %d architectures", v->content.name, MOST_ENTRIES);
    }
    if (err)
        return gpudl__fail_cuda(
            GPUDL_ERROR_DRIVER, &l->driver.table, "cuDeviceGetAttribute", err, "%s: what each device takes", v->content.name);
    return m->n
        ? GPUDL_OK
        : gpudl__fail(gpudl__misfit_status(first_why), "%s: no device has code in it; of device 0: %s", v->content.name, first);
}

static gpudl_status failed(const struct version *v, enum image_error error, const char *text)
{
    return gpudl__fail(gpudl__image_status(error), "%s: %s", v->content.name, text);
}

static const struct image_kernel *find(const struct image_kernel *kernels, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

static bool takes_same(const struct image_kernel *a, const struct image_kernel *b)
{
    bool same = !a->params_known || !b->params_known || a->nparams == b->nparams;

    for (uint32_t i = 0; a->params_known && b->params_known && same && i < a->nparams; i++)
        same = a->params[i].offset == b->params[i].offset && a->params[i].size == b->params[i].size;
    return same;
}

/* A kernel handle is one for all devices, so they have the same kernels. */
static gpudl_status compare(struct version *v, size_t a, size_t b)
{
    const struct image_kernel *ours, *theirs, *same;
    size_t n, other;
    char text[TEXT_SIZE];
    enum image_error error = gpudl__image_kernels(v->image, a, &ours, &n, text, sizeof(text));

    if (!error)
        error = gpudl__image_kernels(v->image, b, &theirs, &other, text, sizeof(text));
    if (error)
        return failed(v, error, text);
    for (size_t i = 0; i < n; i++) {
        same = find(theirs, other, ours[i].name);
        if (!same || !takes_same(&ours[i], same) || n != other)
            return gpudl__fail(GPUDL_ERROR_UNSUPPORTED,
                "%s: its code for sm_%u and for sm_%u, which devices of this machine take, differ in kernel '%s': %s; what is loaded for "
                "all devices has the same kernels for each",
                v->content.name, gpudl__image_entry(v->image, a)->sm, gpudl__image_entry(v->image, b)->sm, ours[i].name,
                !same            ? "one has none"
                    : n != other ? "one has kernels besides"
                                 : "they take different parameters");
    }
    return GPUDL_OK;
}

/* Under the entry's own name; an image without several entries never comes here. */
static gpudl_status join(struct version *v, struct mixed *m)
{
    struct fatbin_part parts[MOST_ENTRIES];
    char text[TEXT_SIZE] = "a fatbin of what the devices take could not be made";
    enum image_error error = IMAGE_OK;
    gpudl_status status = GPUDL_OK;

    for (size_t i = 0; i < m->n && !error && status == GPUDL_OK; i++) {
        const struct image_entry *e = gpudl__image_entry(v->image, m->entries[i]);

        parts[i] = (struct fatbin_part){ .format = e->format, .sm = e->sm, .suffix = e->suffix };
        error = gpudl__image_payload(v->image, m->entries[i], &parts[i].bytes, text, sizeof(text));
        if (!error && i)
            status = compare(v, m->entries[0], m->entries[i]);
    }
    if (!error && status == GPUDL_OK)
        error = gpudl__fatbin_write(parts, m->n, &m->joined);
    v->code = m->joined;
    return error ? failed(v, error, text) : status;
}

gpudl_status gpudl__mixed_choose(struct version *v)
{
    struct mixed *m = gpudl__alloc_zero(sizeof(*m));
    char text[TEXT_SIZE];
    enum image_error error;
    gpudl_status status;

    if (!m)
        return gpudl__fail_memory("what each device takes");
    v->mixed = m;
    status = choose_all(v, m);
    if (status != GPUDL_OK)
        return status;
    v->entry = m->entries[0];
    if (m->n > 1)
        return join(v, m);
    error = gpudl__image_payload(v->image, v->entry, &v->code, text, sizeof(text));
    return error ? failed(v, error, text) : GPUDL_OK;
}

void gpudl__mixed_free(struct version *v)
{
    if (v->mixed)
        gpudl__free((void *)(uintptr_t)v->mixed->joined.data);
    gpudl__free(v->mixed);
    v->mixed = NULL;
}

bool gpudl__version_varies(const struct version *v)
{
    return v->mixed && v->mixed->n > 1;
}

/* Where the version was taken from what others loaded, its bytes are looked into now. */
static gpudl_status admit_code(struct version *v, const struct content *content)
{
    gpudl_status status = GPUDL_OK;

    if (!content->question)
        return GPUDL_OK;
    if (!v->code.data) {
        pthread_mutex_lock(&v->loader->lock);
        status = gpudl__version_image(v);
        pthread_mutex_unlock(&v->loader->lock);
    }
    return status == GPUDL_OK ? gpudl__trust_admit_entry(content, v->code) : status;
}

gpudl_status gpudl__version_admit(struct version *v, const struct content *content)
{
    gpudl_status status = GPUDL_OK;
    char text[TEXT_SIZE];
    struct span bytes;

    if (!gpudl__version_varies(v))
        return admit_code(v, content);
    for (size_t i = 0; i < v->mixed->n && status == GPUDL_OK; i++) {
        enum image_error error = gpudl__image_payload(v->image, v->mixed->entries[i], &bytes, text, sizeof(text));
        status = error ? failed(v, error, text) : gpudl__trust_admit_entry(content, bytes);
    }
    return status;
}
