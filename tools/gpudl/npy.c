/* npy.c - see npy.h. A file, little-endian:
 *     "\x93NUMPY" major:u8 minor:u8 length:u16 (major 1) or u32 (2, 3)
 *     header[length]     the text of a Python dict: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *     data */
#include "tools/gpudl/npy.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char magic[6] = { '\x93', 'N', 'U', 'M', 'P', 'Y' };
enum { HEADER_MAX = 65536, ALIGNMENT = 64 };

int array_allocate(struct array *array)
{
    size_t bytes;

    array->count = 1;
    for (size_t i = 0; i < array->ndims; i++)
        if (__builtin_mul_overflow(array->count, array->dims[i], &array->count))
            return -1;
    if (__builtin_mul_overflow(array->count, array->type->size, &bytes))
        return -1;
    array->data = calloc(bytes ? bytes : 1, 1);
    return array->data ? 0 : -1;
}

void array_free(struct array *array)
{
    free(array->data);
    array->data = NULL;
}

/* ----------------------------------------------------------------------------------------------------------------- the header */

/* The rest of the dict; nothing beyond end is looked at. Each taker skips blanks first. */
struct cursor {
    const char *at, *end;
};

static bool take(struct cursor *c, char wanted)
{
    while (c->at < c->end && isspace((unsigned char)*c->at))
        c->at++;
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool take_word(struct cursor *c, const char *word)
{
    size_t length = strlen(word);

    while (c->at < c->end && isspace((unsigned char)*c->at))
        c->at++;
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length))
        return false;
    c->at += length;
    return true;
}

static bool take_string(struct cursor *c, char *text, size_t size)
{
    size_t length = 0;
    char quote = '\'';

    if (!take(c, quote) && !take(c, quote = '"'))
        return false;
    while (c->at < c->end && *c->at != quote && length + 1 < size)
        text[length++] = *c->at++;
    text[length] = 0;
    return take(c, quote);
}

static bool take_size(struct cursor *c, size_t *out)
{
    size_t value = 0;
    const char *start;

    while (c->at < c->end && isspace((unsigned char)*c->at))
        c->at++;
    start = c->at;
    for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *c->at - '0', &value))
            return false;
    *out = value;
    return c->at > start;
}

static bool take_shape(struct cursor *c, struct array *array)
{
    if (!take(c, '('))
        return false;
    for (array->ndims = 0; !take(c, ')');) {
        if (array->ndims == ARRAY_DIMS || !take_size(c, &array->dims[array->ndims++]))
            return false;
        if (!take(c, ','))
            return take(c, ')');
    }
    return true;
}

struct header {
    char descr[16];
    bool has_descr, has_order, has_shape, fortran;
    struct array array;     /* dims */
};

static bool parse_item(struct cursor *c, struct header *h)
{
    char key[32];

    if (!take_string(c, key, sizeof(key)) || !take(c, ':'))
        return false;
    if (!strcmp(key, "descr"))
        return h->has_descr = take_string(c, h->descr, sizeof(h->descr));
    if (!strcmp(key, "shape"))
        return h->has_shape = take_shape(c, &h->array);
    if (strcmp(key, "fortran_order"))
        return false;
    h->fortran = take_word(c, "True");
    return h->has_order = h->fortran || take_word(c, "False");
}

static bool parse_header(const char *text, size_t length, struct header *h)
{
    struct cursor c = { text, text + length };

    if (!take(&c, '{'))
        return false;
    while (!take(&c, '}'))
        if (!parse_item(&c, h) || (!take(&c, ',') && (c.at == c.end || *c.at != '}')))
            return false;
    return h->has_descr && h->has_order && h->has_shape;
}

/* '<f4': order, kind, bytes. */
static const struct element_type *parse_descr(const char *descr)
{
    char *end;
    unsigned long size;

    if (!*descr || !strchr("<|=", descr[0]))
        return NULL;
    size = strtoul(descr + 1 + !!descr[1], &end, 10);
    return *end || (descr[0] == '|' && size != 1) ? NULL : element_find_kind(descr[1], size);
}

/* ---------------------------------------------------------------------------------------------------------------------- files */

static int cannot(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return -1;
}

/* The header's text, malloc'ed, without a closing NUL; NULL: this is no .npy file. */
static char *read_header(FILE *file, size_t *length)
{
    unsigned char start[12];
    size_t wide;
    char *text;

    if (fread(start, 1, 8, file) != 8 || memcmp(start, magic, sizeof(magic)) || start[6] < 1 || start[6] > 3)
        return NULL;
    wide = start[6] == 1 ? 2 : 4;
    if (fread(start + 8, 1, wide, file) != wide)
        return NULL;
    *length = start[8] | (size_t)start[9] << 8;
    if (wide == 4)
        *length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    if (*length > HEADER_MAX)
        return NULL;
    text = malloc(*length + 1);
    if (text && fread(text, 1, *length, file) == *length)
        return text;
    free(text);
    return NULL;
}

/* A header may promise anything: memory is taken only for what a file really holds. */
static bool file_is_shorter(FILE *file, const struct array *array)
{
    struct stat st;
    off_t at = ftello(file);
    size_t bytes = array->type->size;

    if (fstat(fileno(file), &st) || !S_ISREG(st.st_mode) || at < 0)
        return false;
    for (size_t i = 0; i < array->ndims; i++)
        if (__builtin_mul_overflow(bytes, array->dims[i], &bytes))
            return true;
    return st.st_size < at || (size_t)(st.st_size - at) < bytes;
}

static int read_data(FILE *file, struct array *array, char *why, size_t size)
{
    if (file_is_shorter(file, array))
        return cannot(why, size, "the data ends too early");
    if (array_allocate(array))
        return cannot(why, size, "the array is too large for this machine");
    if (fread(array->data, array->type->size, array->count, file) == array->count && getc(file) == EOF && !ferror(file))
        return 0;
    array_free(array);
    return cannot(why, size,
        ferror(file) ? strerror(errno) : feof(file) ? "the data ends too early" : "more follows after the array");
}

static int read_array(FILE *file, struct array *out, char *why, size_t size)
{
    struct header h = { .has_descr = false };
    size_t length, folded = 0;
    char *text = read_header(file, &length);
    bool parsed;

    if (!text)
        return cannot(why, size, ferror(file) ? strerror(errno) : "this is not a .npy file");
    parsed = parse_header(text, length, &h);
    free(text);
    if (!parsed)
        return cannot(why, size, "this .npy header is not understood (plain arrays of up to 8 dimensions are)");
    for (size_t i = 0; i < h.array.ndims; i++)
        folded += h.array.dims[i] > 1;
    if (h.fortran && folded > 1)
        return cannot(why, size, "the array is in Fortran order; save it with numpy.ascontiguousarray");
    h.array.type = parse_descr(h.descr);
    if (!h.array.type) {
        snprintf(why, size, "elements of type '%s'; little-endian %s are known", h.descr, element_names());
        return -1;
    }
    if (read_data(file, &h.array, why, size))
        return -1;
    *out = h.array;
    return 0;
}

int npy_read(const char *path, struct array *out, char *why, size_t size)
{
    FILE *file = fopen(path, "rb");
    int status;

    if (!file)
        return cannot(why, size, strerror(errno));
    status = read_array(file, out, why, size);
    fclose(file);
    return status;
}

/* The header with its dict, padded so that the data is aligned: its length. */
static size_t make_header(const struct array *array, char *out, size_t size)
{
    size_t length, total;
    int used;

    used = snprintf(out, size, "%.6s%c%c..{'descr': '%c%c%d', 'fortran_order': False, 'shape': (", magic, 1, 0,
        array->type->size == 1 ? '|' : '<', array->type->kind, array->type->size);
    for (size_t i = 0; i < array->ndims; i++)
        used += snprintf(out + used, size - (size_t)used, i ? ", %zu" : "%zu", array->dims[i]);
    used += snprintf(out + used, size - (size_t)used, array->ndims == 1 ? ",), }" : "), }");
    total = ((size_t)used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(out + used, ' ', total - (size_t)used - 1);
    out[total - 1] = '\n';
    length = total - 10;
    out[7] = 0;
    out[8] = (char)(length & 255);
    out[9] = (char)(length >> 8);
    return total;
}

int npy_write(const char *path, const struct array *array, char *why, size_t size)
{
    char header[512];
    size_t length = make_header(array, header, sizeof(header));
    FILE *file = fopen(path, "wb");
    bool written;

    if (!file)
        return cannot(why, size, strerror(errno));
    written = fwrite(header, 1, length, file) == length &&
        fwrite(array->data, array->type->size, array->count, file) == array->count;
    if (fclose(file) || !written)
        return cannot(why, size, strerror(errno));
    return 0;
}
