/* fatbin.c - a fatbin, or several one after another.
 *
 * Container: magic:u32 version:u16(1) header_size:u16(16) size:u64, then `size` bytes of entries. Of an entry's header
 * (fatbin_entry.c) the walk needs its own size, a u32 at 4, and that of the payload behind it, a u64 at 8. */
#include "src/image/internal.h"

#include <limits.h>

#define MAGIC 0xBA55ED50u
#define CONTAINER_HEADER 16u
#define ENTRY_HEADER 64u
#define ENTRIES_MOST 65536u

/* Where the walk over all entries of all containers stands. */
struct walk {
    struct span bytes;
    size_t base;                /* of bytes in the file, for messages */
    size_t at;                  /* of what comes next */
    size_t container, end;      /* of the container being walked */
    size_t index, most;         /* of the next entry, in the image; that there may be */
    uint64_t work;              /* headers that may still be looked at in search of a container */
    struct span header, payload;    /* of the entry just found */
};
enum found { END, CONTAINER, ENTRY };

/* Begun when w->container has moved, even if it fails then: the file may be cut off. */
static enum image_error begin_container(struct walk *w, struct text *t)
{
    struct span rest = span_from(w->bytes, w->at);
    unsigned version = span_u16(rest, 4), header = span_u16(rest, 6);
    uint64_t size = span_u64(rest, 8);

    if (rest.size < CONTAINER_HEADER)
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "fatbin: truncated header (%zu of 16 bytes)", rest.size);
    if (version != 1)
        return gpudl__image_fail(t, IMAGE_NOT_SUPPORTED, "fatbin: unsupported version %u, 1 is known", version);
    if (header < CONTAINER_HEADER || header > rest.size)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: its header claims %u bytes, 16 are expected", header);
    w->container = w->at;
    w->end = w->bytes.size;
    w->at += header;
    if (size > rest.size - header)
        return gpudl__image_fail(t, IMAGE_TRUNCATED, "fatbin: claims %llu bytes, %zu present: the file is cut off",
            (unsigned long long)size, rest.size - header);
    w->end = w->at + (size_t)size;
    return IMAGE_OK;
}

static enum image_error next_entry(struct walk *w, struct text *t)
{
    struct span rest = { w->bytes.data + w->at, w->end - w->at };
    size_t offset = w->base + w->at;
    uint32_t header = span_u32(rest, 4);
    uint64_t stored = span_u64(rest, 8);

    if (rest.size < ENTRY_HEADER)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: entry %zu at 0x%zx: %zu bytes are left, its header takes 64",
        w->index,
            offset, rest.size);
    if (header < ENTRY_HEADER)
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: entry %zu at 0x%zx: header size %u is below 64", w->index, offset,
            header);
    if (header % 8 || !span_cut(rest, 0, header, &w->header))
        return gpudl__image_fail(t, IMAGE_DAMAGED,
            "fatbin: entry %zu at 0x%zx: header size %u is not a multiple of 8 within the fatbin", w->index, offset, header);
    if (!span_cut(rest, header, stored, &w->payload))
        return gpudl__image_fail(t, IMAGE_DAMAGED, "fatbin: entry %zu at 0x%zx: payload of %llu bytes does not fit (%zu left)",
            w->index, offset, (unsigned long long)stored, rest.size - header);
    if (w->index >= w->most)
        return gpudl__image_fail(t, IMAGE_LIMIT, "fatbin: more than %zu entries", w->most);
    w->at += header + (size_t)stored;
    w->index++;
    return IMAGE_OK;
}

static bool is_magic(struct span bytes, size_t at)
{
    return span_holds(bytes, at, 4) && span_u32(bytes, at) == MAGIC;
}

/* Takes the header of the next container or entry, over padding. At the end w->at is behind the last one. */
static enum image_error step(struct walk *w, enum found *found, struct text *t)
{
    size_t at = w->at;

    if (at < w->end) {
        *found = ENTRY;
        return next_entry(w, t);
    }
    while (span_is(w->bytes, at, "\0\0\0\0\0\0\0\0", 8))
        at += 8;
    *found = is_magic(w->bytes, at) ? CONTAINER : END;
    if (*found == END)
        return IMAGE_OK;
    w->at = at;
    return begin_container(w, t);
}

static enum image_error count(struct span bytes, struct walk *end, size_t *containers, struct text *t)
{
    struct walk w = { .bytes = bytes, .most = ENTRIES_MOST };
    enum image_error error;
    enum found found;

    *containers = 0;
    do {
        error = step(&w, &found, t);
        *containers += found == CONTAINER;
    } while (!error && found != END);
    *end = w;
    return error;
}

static struct image_container *add_container(struct image *im, const struct walk *w)
{
    size_t at = (size_t)(w->bytes.data - im->bytes.data) + w->container;

    if (w->end - w->container > INT_MAX)
        gpudl__image_note(im, "the fatbin at 0x%zx is larger than 2 GiB: drivers are reported to read such ones in part only",
        at);
    return gpudl__image_add_container(im, IMAGE_FATBIN, at, w->end - w->container);
}

static enum image_error read_entries(struct image *im, struct text *t)
{
    struct walk w = { .bytes = im->bytes, .most = ENTRIES_MOST };
    enum image_error error;
    enum found found;

    do {
        error = step(&w, &found, t);
        if (!error && found == CONTAINER && !add_container(im, &w))
            error = gpudl__image_no_memory(t);
        if (!error && found == ENTRY)
            error = gpudl__fatbin_entry_add(im, w.header, w.payload, t);
    } while (!error && found != END);
    return error;
}

/* A walk that stopped early: what is whole before the end is worth a word. */
static enum image_error stopped(struct walk *w, enum image_error error, struct text *t)
{
    struct text none = gpudl__text_init(NULL, 0);

    while (error == IMAGE_TRUNCATED && next_entry(w, &none) == IMAGE_OK)
        ;
    if (w->index)
        gpudl__text_add(t, "; %zu %s complete", w->index, w->index == 1 ? "entry is" : "entries are");
    return error;
}

enum image_error gpudl__fatbin_open(struct span bytes, const struct image_limits *limits, struct image **out, struct text *t)
{
    struct image *im;
    struct walk end;
    size_t containers;
    enum image_error error = count(bytes, &end, &containers, t);

    if (error)
        return stopped(&end, error, t);
    im = gpudl__image_create(IMAGE_FATBIN, bytes, limits, end.index, containers);
    if (!im)
        return gpudl__image_no_memory(t);
    error = read_entries(im, t);
    if (error) {
        gpudl__image_close(im);
        return error;
    }
    if (end.at < bytes.size)
        gpudl__image_note(im, "%zu bytes after the last fatbin ignored", bytes.size - end.at);
    *out = im;
    return IMAGE_OK;
}

/* A whole container whose entries' headers are in order. */
static bool is_sound(struct span bytes, uint64_t *work)
{
    struct text none = gpudl__text_init(NULL, 0);
    struct walk w = { .bytes = bytes, .most = SIZE_MAX };

    if (begin_container(&w, &none) != IMAGE_OK)
        return false;
    for (; w.at < w.end && *work; --*work)
        if (next_entry(&w, &none) != IMAGE_OK)
            return false;
    return w.at == w.end;
}

/* The next sound container on a step of 8 bytes; the end: none. */
static size_t find_container(struct walk *w, size_t at)
{
    for (at = (at + 7) & ~(size_t)7; at < w->bytes.size; at += 8)
        if (is_magic(w->bytes, at) && is_sound(span_from(w->bytes, at), &w->work))
            return at;
    return w->bytes.size;
}

/* After damage: where its own size leads to if a container follows there, else wherever the next one is found. */
static void resume(struct walk *w)
{
    size_t at = w->end;

    if (w->at >= w->end || !is_magic(w->bytes, at))
        at = find_container(w, w->at + 1);
    w->at = w->end = at;
}

static void told(struct image *im, const struct image_container *where, enum image_error error, struct text *t)
{
    char text[400];
    struct text all = gpudl__text_init(text, sizeof(text));

    if (where->member) {
        gpudl__text_add(&all, "member ");
        gpudl__text_quote(&all, where->member, strlen(where->member));
        gpudl__text_add(&all, ": ");
    }
    if (where->section && *where->section)
        gpudl__text_add(&all, "%s: ", where->section);
    gpudl__text_add(&all, "%s", t->size ? t->data : "damaged");
    gpudl__image_damaged(im, error, text);
}

/* What is behind the last fatbin, or between two of them. In a file without section headers (quiet) there is much of it. */
static bool skip_to_next(struct image *im, struct walk *w, bool quiet)
{
    size_t at = find_container(w, w->at);

    if (quiet)
        ;
    else if (at < w->bytes.size)
        gpudl__image_note(im, "%zu bytes at 0x%zx between two fatbins skipped", at - w->at, w->base + w->at);
    else if (w->at < w->bytes.size && w->container != SIZE_MAX)
        gpudl__image_note(im, "%zu bytes after the last fatbin ignored", w->bytes.size - w->at);
    w->at = w->end = at;
    return at < w->bytes.size;
}

static enum image_error add_found(struct image *im, struct walk *w, enum found found, const struct image_container *where,
    struct text *t)
{
    struct image_container *c;

    if (found == CONTAINER) {
        c = add_container(im, w);
        if (!c)
            return gpudl__image_no_memory(t);
        c->member = where->member;
        c->section = where->section;
        return IMAGE_OK;
    }
    return gpudl__fatbin_entry_add(im, w->header, w->payload, t);
}

enum image_error gpudl__fatbin_add(struct image *im, struct span part, const char *member, const char *section, struct text *t)
{
    const struct image_container where = { .member = member, .section = section };
    struct walk w = {
        .bytes = part, .base = (size_t)(part.data - im->bytes.data), .container = SIZE_MAX, .index = im->count,
        .most = im->limits.entries, .work = part.size / CONTAINER_HEADER + 1,
    };
    enum image_error error;
    enum found found;
    size_t before;

    for (;;) {
        before = w.container;
        error = step(&w, &found, t);
        if (error) {
            told(im, &where, error, t);
            if (found == CONTAINER && w.container != before)
                error = add_found(im, &w, found, &where, t);    /* cut off: its entries so far are worth a look */
            else
                resume(&w);
            if (error == IMAGE_NO_MEMORY)
                return error;
            if (im->count >= im->limits.entries)
                return IMAGE_OK;
            continue;
        }
        if (found == END) {
            if (!skip_to_next(im, &w, section && !*section))
                return IMAGE_OK;
            continue;
        }
        error = add_found(im, &w, found, &where, t);
        if (error)
            return error;
        if (found == ENTRY && section)
            gpudl__fatbin_entry_look_around(im, &im->entries[im->count - 1], section);
    }
}
