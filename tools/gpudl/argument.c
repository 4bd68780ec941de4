/* argument.c - see argument.h. */
#include "tools/gpudl/argument.h"
#include "tools/gpudl/command.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct element_type *leading_type(const char *text, const char **rest)
{
    size_t length = strcspn(text, ":[");

    *rest = text + length;
    return text[length] ? element_find(text, length) : NULL;
}

bool argument_is_meant(const char *text)
{
    const char *rest;

    return *text == '@' || (leading_type(text, &rest) && strncmp(rest, "::", 2));
}

static int wrong(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return STATUS_USAGE;
}

static int parse_value(const struct element_type *type, const char *text, void *out, char *why, size_t size)
{
    const char *reason;

    if (!element_parse(type, text, out, &reason))
        return STATUS_OK;
    snprintf(why, size, "'%s' %s (%s)", text, reason, type->name);
    return STATUS_USAGE;
}

static int read_file(const char *path, struct array *out, char *why, size_t size)
{
    char reason[256];

    if (!npy_read(path, out, reason, sizeof(reason)))
        return STATUS_OK;
    snprintf(why, size, "%s: %s", path, reason);
    return STATUS_FAILED;
}

/* "[3,4]" and what follows it. */
static int parse_dims(const char *text, struct array *array, const char **rest)
{
    char *end;

    for (array->ndims = 0; array->ndims < ARRAY_DIMS; text = end) {
        if (!isdigit((unsigned char)*++text))
            return -1;
        errno = 0;
        array->dims[array->ndims++] = strtoull(text, &end, 10);
        if (errno)
            return -1;
        *rest = end + 1;
        if (*end == ']')
            return 0;
        if (*end != ',')
            return -1;
    }
    return -1;
}

static int fill_from_file(struct array *array, const char *path, char *why, size_t size)
{
    struct array file;
    int status = read_file(path, &file, why, size);

    if (status != STATUS_OK)
        return status;
    if (file.type != array->type || file.count != array->count) {
        snprintf(why, size, "%s is %s[%zu]", path, file.type->name, file.count);
        status = STATUS_FAILED;
    } else {
        memcpy(array->data, file.data, file.count * file.type->size);
    }
    array_free(&file);
    return status;
}

static int fill(struct array *array, const char *with, size_t index, char *why, size_t size)
{
    uint64_t value = 0;
    int status;

    if (*with == '@')
        return fill_from_file(array, with + 1, why, size);
    if (!strcmp(with, "iota")) {
        element_fill_iota(array->type, array->data, array->count);
        return STATUS_OK;
    }
    if (!strcmp(with, "random")) {
        element_fill_random(array->type, array->data, array->count, index << 32);
        return STATUS_OK;
    }
    status = parse_value(array->type, with, &value, why, size);
    if (status == STATUS_OK)
        element_fill(array->type, array->data, array->count, &value);
    return status;
}

static int parse_buffer(const char *rest, size_t index, struct argument *a, char *why, size_t size)
{
    int status = STATUS_OK;

    if (parse_dims(rest, &a->array, &rest) || (*rest && *rest != '='))
        return wrong(why, size, "a buffer is TYPE[N], TYPE[N,M], ... and then nothing or =VALUE, =iota, =random, =@FILE.npy");
    a->array.type = a->type;
    if (array_allocate(&a->array)) {
        wrong(why, size, "the buffer is too large for this machine");
        return STATUS_FAILED;
    }
    if (*rest)
        status = fill(&a->array, rest + 1, index, why, size);
    if (status != STATUS_OK)
        array_free(&a->array);
    return status;
}

int argument_parse(const char *text, size_t index, struct argument *out, char *why, size_t size)
{
    struct argument a = { .text = text };
    const char *rest;
    int status;

    if (*text == '@') {
        a.is_buffer = true;
        status = read_file(text + 1, &a.array, why, size);
        a.type = a.array.type;
    } else {
        a.type = leading_type(text, &rest);
        if (!a.type) {
            snprintf(why, size, "an argument is TYPE:VALUE, TYPE[N] or @FILE.npy; the types are %s", element_names());
            return STATUS_USAGE;
        }
        a.is_buffer = *rest == '[';
        status = a.is_buffer ? parse_buffer(rest, index, &a, why, size) : parse_value(a.type, rest + 1, &a.scalar, why, size);
    }
    if (status == STATUS_OK)
        *out = a;
    return status;
}

void argument_free(struct argument *a)
{
    if (a->is_buffer)
        array_free(&a->array);
}

size_t argument_bytes(const struct argument *a)
{
    return a->is_buffer ? sizeof(CUdeviceptr) : a->type->size;
}
