/* archive.c - static archives: "!<arch>\n", then members on even offsets, each behind a header of 60 bytes
 *     name[16] date[12] user[6] group[6] mode[8] size[10] end[2]
 * in text. "/" and "/SYM64/" are indices of symbols, "//" holds long names, which "/123" points into; BSD writes "#1/len" and
 * puts the name before the data. Members may be host objects, cubins, fatbins, PTX or LTO-IR; others carry no code.
 * A thin archive ("!<thin>\n") has no data for its members: they are files of their own. */
#include "src/image/internal.h"

#define MAGIC_SIZE 8u
#define HEADER 60u
#define THIN_NAMED 4

struct member {
    struct span name, data;
    bool special;               /* an index, or the long names */
};

struct archive {
    struct span bytes, long_names;
    size_t at;
    bool thin;
};

/* Decimal, padded with blanks. */
static bool read_number(struct span s, uint64_t *out)
{
    size_t i = 0;
    uint64_t v = 0;

    for (; i < s.size && s.data[i] >= '0' && s.data[i] <= '9'; i++)
        v = 10 * v + (uint64_t)(s.data[i] - '0');       /* 16 digits at most */
    *out = v;
    if (!i)
        return false;
    for (; i < s.size; i++)
        if (s.data[i] != ' ')
            return false;
    return true;
}

static struct span trim(struct span s)
{
    while (s.size && s.data[s.size - 1] == ' ')
        s.size--;
    return s;
}

/* GNU ends names in '/', in the table of long ones in "/\n". */
static struct span long_name(const struct archive *a, uint64_t at)
{
    struct span rest = span_from(a->long_names, at);
    const unsigned char *end = rest.size ? memchr(rest.data, '\n', rest.size) : NULL;

    if (end)
        rest.size = (size_t)(end - rest.data);
    if (rest.size && rest.data[rest.size - 1] == '/')
        rest.size--;
    return rest;
}

static bool name_is(struct span name, const char *what)
{
    return name.size == strlen(what) && memcmp(name.data, what, name.size) == 0;
}

/* The name is in front of the data; padded with NULs. */
static bool bsd_name(struct span length, struct member *m)
{
    uint64_t n;
    const unsigned char *nul;

    if (!read_number(length, &n) || !span_cut(m->data, 0, n, &m->name))
        return false;
    m->data = span_from(m->data, n);
    nul = m->name.size ? memchr(m->name.data, 0, m->name.size) : NULL;
    if (nul)
        m->name.size = (size_t)(nul - m->name.data);
    m->special = span_is(m->name, 0, "__.SYMDEF", 9);
    return true;
}

static bool read_name(struct archive *a, struct span field, struct member *m)
{
    uint64_t at;

    m->name = trim(field);
    m->special = name_is(m->name, "/") || name_is(m->name, "/SYM64/") || name_is(m->name, "//");
    if (m->special)
        return true;
    if (span_is(m->name, 0, "#1/", 3))
        return bsd_name(span_from(m->name, 3), m);
    if (span_is(m->name, 0, "/", 1) && read_number(span_from(m->name, 1), &at))
        m->name = long_name(a, at);
    else if (m->name.size && m->name.data[m->name.size - 1] == '/')
        m->name.size--;
    m->special = span_is(m->name, 0, "__.SYMDEF", 9);
    return true;
}

/* False at the end, and where the archive is damaged: t says how then. */
static bool next_member(struct archive *a, struct member *m, enum image_error *error, struct text *t)
{
    struct span h, rest;
    uint64_t size;
    bool has_data;

    *error = IMAGE_OK;
    if (a->at >= a->bytes.size)
        return false;
    *m = (struct member){ .name = { a->bytes.data + a->at, 0 } };
    if (!span_cut(a->bytes, a->at, HEADER, &h)) {
        *error = gpudl__image_fail(t, IMAGE_TRUNCATED, "archive: the header of a member at 0x%zx is cut off", a->at);
        return false;
    }
    if (!span_is(h, 58, "`\n", 2) || !read_number((struct span){ h.data + 48, 10 }, &size)) {
        *error = gpudl__image_fail(t, IMAGE_DAMAGED, "archive: no header of a member at 0x%zx", a->at);
        return false;
    }
    m->special = span_is(h, 0, "/ ", 2) || span_is(h, 0, "// ", 3) || span_is(h, 0, "/SYM64/", 7);
    has_data = !a->thin || m->special;
    rest = span_from(a->bytes, a->at + HEADER);
    m->data = (struct span){ rest.data, has_data && size < rest.size ? (size_t)size : has_data ? rest.size : 0 };
    if (!read_name(a, (struct span){ h.data, 16 }, m)) {
        *error = gpudl__image_fail(t, IMAGE_DAMAGED, "archive: the name of the member at 0x%zx is longer than it", a->at);
        return false;
    }
    if (has_data && size > rest.size) {
        gpudl__image_fail(t, IMAGE_TRUNCATED, "archive member ");
        gpudl__text_quote(t, m->name.data, m->name.size);
        gpudl__text_add(t, " is truncated: %llu bytes, %zu present", (unsigned long long)size, rest.size);
        *error = IMAGE_TRUNCATED;
    }
    if (name_is(m->name, "//"))
        a->long_names = m->data;
    a->at = has_data ? a->at + HEADER + (size_t)(size < rest.size ? size + (size & 1) : rest.size) : a->at + HEADER;
    return true;
}

static enum image_error add_member(struct image *im, const struct member *m, struct text *t)
{
    struct text none = gpudl__text_init(NULL, 0);
    enum image_format format = IMAGE_UNKNOWN;
    size_t before = im->ncontainers;
    enum image_error error = gpudl__image_detect(m->data, &format, &none);
    const char *name;

    if (format == IMAGE_UNKNOWN || (format == IMAGE_PTX && error))
        return IMAGE_OK;
    name = gpudl__arena_string(&im->arena, m->name.data, m->name.size);
    if (!name)
        return gpudl__image_no_memory(t);
    switch (format) {
    case IMAGE_FATBIN: return gpudl__fatbin_add(im, m->data, name, NULL, t);
    case IMAGE_HOST_ELF: return gpudl__host_elf_add(im, m->data, name, t);
    case IMAGE_ARCHIVE: return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "an archive inside of an archive is not read here");
    default:
        error = gpudl__single_add(im, format, m->data, t);
        if (im->ncontainers > before)
            im->containers[before].member = name;
        return error;
    }
}

/* A member that cannot be read does not spoil the others. */
static enum image_error read_member(struct image *im, const struct member *m, struct text *t)
{
    enum image_error error = add_member(im, m, t);
    char text[300];
    struct text all = gpudl__text_init(text, sizeof(text));

    if (!error || error == IMAGE_NO_MEMORY)
        return error;
    gpudl__text_add(&all, "archive member ");
    gpudl__text_quote(&all, m->name.data, m->name.size);
    gpudl__text_add(&all, ": %s", t->data);
    if (error == IMAGE_NOT_SUPPORTED)
        gpudl__image_note(im, "%s", text);
    else
        gpudl__image_damaged(im, error, text);
    return IMAGE_OK;
}

enum image_error gpudl__archive_add(struct image *im, struct span part, struct text *t)
{
    struct archive a = { .bytes = part, .at = MAGIC_SIZE };
    enum image_error error, wrong;
    struct member m;

    while (next_member(&a, &m, &wrong, t)) {
        if (wrong)
            gpudl__image_damaged(im, wrong, t->data);
        error = m.special ? IMAGE_OK : read_member(im, &m, t);
        if (error)
            return error;
    }
    if (wrong)
        gpudl__image_damaged(im, wrong, t->data);
    if (!im->ncontainers)
        gpudl__image_note(im, "no CUDA code in this archive");
    return IMAGE_OK;
}

void gpudl__archive_thin_names(struct span bytes, struct text *t)
{
    struct archive a = { .bytes = bytes, .at = MAGIC_SIZE, .thin = true };
    struct text none = gpudl__text_init(NULL, 0);
    enum image_error error;
    struct member m;
    size_t n = 0;

    while (next_member(&a, &m, &error, &none)) {
        if (m.special)
            continue;
        if (n < THIN_NAMED) {
            gpudl__text_add(t, n ? ", " : ": ");
            gpudl__text_quote(t, m.name.data, m.name.size);
        }
        n++;
    }
    if (n > THIN_NAMED)
        gpudl__text_add(t, " and %zu more", n - THIN_NAMED);
}
