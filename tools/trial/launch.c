/* launch.c - see launch.h. Nothing is given back: the process ends with its answer, and the driver with it. */
#include "tools/trial/launch.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/trial/answer.h"
#include "tools/trial/compare.h"

struct run {
    const struct description *description;
    gpudl_loader *loader;
    const gpudl_driver_table *driver;
    gpudl_library *library;
    struct trial *trial;
    unsigned number;
    const char *kernel;         /* its name in the image, once it is known */
};

/* --------------------------------------------------------------------------------------------------------------------- failures */

static void load_failed(void)
{
    answer(gpudl_error_text(), "load %d", gpudl_error_cuda());
}

static void launch_failed(const struct run *r)
{
    answer(gpudl_error_text(), "launch %u %d", r->number, gpudl_error_cuda());
}

/* What a driver says of its code, after what was tried. */
static const char *words_of(const struct run *r, const char *tried, const char *call, int code)
{
    static char text[1024];
    const char *name = NULL, *meaning = NULL;

    r->driver->GetErrorName(code, &name);
    r->driver->GetErrorString(code, &meaning);
    snprintf(text, sizeof(text), "%s: %s returned %d (%s: %s)", tried, call, code, name ? name : "an error of no known name",
        meaning ? meaning : "the driver has no words for it");
    return text;
}

static void check_memory(const struct run *r, size_t buffer, const char *call, int code)
{
    char tried[64];

    snprintf(tried, sizeof(tried), "the memory of buffer %zu", buffer);
    if (code)
        answer(words_of(r, tried, call, code), "launch %u %d", r->number, code);
}

/* After the launch whatever fails may be the kernel's doing. */
static void check_kernel(const struct run *r, const char *call, int code)
{
    char tried[1024];

    snprintf(tried, sizeof(tried), "kernel '%.900s' failed", r->kernel);
    if (code)
        answer_fault(r->number, code, words_of(r, tried, call, code));
}

/* ----------------------------------------------------------------------------------------------------------------------- a trial */

static void put_in(struct run *r)
{
    for (size_t i = 0; i < r->trial->nbuffers; i++) {
        struct buffer *b = &r->trial->buffers[i];
        const void *content = b->content.data ? b->content.data : calloc(b->size + 1, 1);

        if (!content)
            answer("there is no host memory for a buffer of zeroes", "launch %u 0", r->number);
        check_memory(r, i, "cuMemAlloc", r->driver->MemAlloc(&b->address, b->size ? b->size : 1));
        check_memory(r, i, "cuMemcpyHtoD", b->size ? r->driver->MemcpyHtoD(b->address, content, b->size) : 0);
        if (!b->content.data)
            free((void *)content);
    }
}

/* Where an image does not tell its parameters, they cannot be checked. */
static gpudl_status launch(struct run *r, gpudl_kernel *kernel, const gpudl_launch_config *config)
{
    size_t n = r->trial->narguments;
    gpudl_arg *args = calloc(n + 1, sizeof(*args));
    void **params = calloc(n + 1, sizeof(*params));
    size_t known;

    if (!args || !params)
        answer("there is no memory for its arguments", "launch %u 0", r->number);
    for (size_t i = 0; i < n; i++) {
        struct argument *a = &r->trial->arguments[i];

        args[i] = a->arg;
        if (a->arg.type == GPUDL_TRIAL_ARG) {
            args[i].type = GPUDL_ARG_ULLONG;
            args[i].value.integer = r->trial->buffers[a->buffer].address;
        }
        params[i] = args[i].type == GPUDL_ARG_BYTES ? (void *)args[i].value.pointer : &args[i].value;
    }
    if (gpudl_kernel_param_count(kernel, &known) == GPUDL_ERROR_UNSUPPORTED)
        return gpudl_kernel_launch_params(kernel, config, params);
    return gpudl_kernel_launch(kernel, config, args, n);
}

static char *print(unsigned element, const void *at)
{
    size_t size;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return strdup("?");
    element_print(compare_type(element), at, out);
    fclose(out);
    return text;
}

static void look_at(const struct run *r, size_t index)
{
    const struct buffer *b = &r->trial->buffers[index];
    unsigned size = compare_type(b->element)->size;
    unsigned char *got = malloc(b->size + 1);
    struct difference d;

    if (!got)
        answer("there is no host memory for what came out", "launch %u 0", r->number);
    check_kernel(r, "cuMemcpyDtoH", b->size ? r->driver->MemcpyDtoH(got, b->address, b->size) : 0);
    d = compare(b, got);
    if (d.count)
        answer(r->kernel, "mismatch %u %zu %llu %llu %llu %s %s", r->number, index, (unsigned long long)d.first,
            (unsigned long long)d.count, (unsigned long long)(b->size / size), print(b->element, got + d.first * size),
            print(b->element, b->expected.data + d.first * size));
    free(got);
}

static void perform(struct run *r)
{
    const uint32_t *grid = r->trial->grid, *block = r->trial->block;
    gpudl_launch_config config = gpudl_launch_3d(grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    gpudl_kernel *kernel;

    config.shared_bytes = r->trial->shared_bytes;
    if (gpudl_loader_use_device(r->loader, (int)r->trial->device) != GPUDL_OK ||
        gpudl_kernel_get(r->library, description_name(r->description, r->trial->kernel), &kernel) != GPUDL_OK)
        launch_failed(r);
    r->kernel = gpudl_kernel_name(kernel);
    put_in(r);
    if (launch(r, kernel, &config) != GPUDL_OK)
        launch_failed(r);
    check_kernel(r, "cuCtxSynchronize", r->driver->CtxSynchronize());
    for (size_t i = 0; i < r->trial->nbuffers; i++)
        if (r->trial->buffers[i].expected.data)
            look_at(r, i);
    for (size_t i = 0; i < r->trial->nbuffers; i++)
        r->driver->MemFree(r->trial->buffers[i].address);
}

static void keep_quiet(void *user, gpudl_log_level level, const char *text)
{
    (void)user, (void)level, (void)text;
}

void launch_all(struct description *d)
{
    gpudl_loader_options options = GPUDL_LOADER_OPTIONS_INIT;
    gpudl_source source = gpudl_source_memory(d->image.data, d->image.size);
    struct run r = { .description = d };

    options.driver = d->driver;
    options.log = keep_quiet;
    options.captures = GPUDL_CAPTURES_NONE;
    source.name = d->name;
    d->load.target = d->target;
    if (gpudl_loader_open(&options, &r.loader) != GPUDL_OK ||
        gpudl_library_load(r.loader, &source, &d->load, &r.library) != GPUDL_OK)
        load_failed();
    r.driver = gpudl_loader_driver(r.loader);
    for (size_t i = 0; i < d->ntrials; i++) {
        r.trial = &d->trials[i];
        r.number = (unsigned)i;
        perform(&r);
    }
    answer(NULL, "ok");
}
