/* image.c - the memory of images: creation, growth, release; what can be asked without reading anything. */
#include "src/image/internal.h"

#include <stdarg.h>
#include <stdio.h>

#define ENTRY_BYTES_MOST (1ull << 30)
#define TOTAL_BYTES_MOST (64ull << 30)
#define ENTRIES_MOST (1u << 20)
#define NOTES_SIZE 1024
#define DAMAGE_SIZE 512

enum image_error gpudl__image_fail(struct text *t, enum image_error error, const char *format, ...)
{
    va_list args;

    gpudl__text_clear(t);
    va_start(args, format);
    gpudl__text_add_args(t, format, args);
    va_end(args);
    return error;
}

enum image_error gpudl__image_no_memory(struct text *t)
{
    return gpudl__image_fail(t, IMAGE_NO_MEMORY, "out of memory");
}

/* Notes are a courtesy: without memory there is none. */
void gpudl__image_note(struct image *im, const char *format, ...)
{
    size_t used;
    va_list args;

    if (!im->notes)
        im->notes = gpudl__alloc_zero(NOTES_SIZE);
    if (!im->notes)
        return;
    used = strlen(im->notes);
    if (used > NOTES_SIZE - 128)
        return;
    if (used)
        im->notes[used++] = '\n';
    va_start(args, format);
    vsnprintf(im->notes + used, NOTES_SIZE - used, format, args);
    va_end(args);
}

/* That there is damage is known even where no memory is left to say which. */
void gpudl__image_damaged(struct image *im, enum image_error error, const char *text)
{
    struct text t;

    if (!im->inspecting || im->damage_error)
        return;
    im->damage_error = error;
    im->damage = gpudl__alloc_zero(DAMAGE_SIZE);
    t = gpudl__text_init(im->damage, im->damage ? DAMAGE_SIZE : 0);
    gpudl__text_add(&t, "%s", text);
}

static struct image_limits limits_of(const struct image_limits *given)
{
    struct image_limits l = given ? *given : (struct image_limits){ 0 };

    if (!l.entry_bytes)
        l.entry_bytes = ENTRY_BYTES_MOST;
    if (!l.total_bytes)
        l.total_bytes = TOTAL_BYTES_MOST;
    if (!l.entries)
        l.entries = ENTRIES_MOST;
    return l;
}

struct image *gpudl__image_create(enum image_format format, struct span bytes, const struct image_limits *limits, size_t entries,
    size_t containers)
{
    size_t at_containers = sizeof(struct image) + entries * sizeof(struct entry);
    struct image *im = gpudl__alloc_zero(at_containers + containers * sizeof(struct image_container));

    if (!im)
        return NULL;
    im->format = format;
    im->bytes = bytes;
    im->limits = limits_of(limits);
    im->entries = im->first;
    im->room = entries;
    im->containers = (struct image_container *)((unsigned char *)im + at_containers);
    im->containers_room = containers;
    return im;
}

/* Room for one more in an array that is full; *grown is what it was moved to before. False: no memory. */
static bool grow(void **array, void **grown, size_t used, size_t *room, size_t item)
{
    size_t more = used ? 2 * used : 8;
    void *p = gpudl__alloc_zero(more * item);

    if (!p)
        return false;
    memcpy(p, *array, used * item);
    gpudl__free(*grown);
    *array = *grown = p;
    *room = more;
    return true;
}

struct entry *gpudl__image_add_entry(struct image *im)
{
    struct entry *e;

    if (im->count >= im->limits.entries)
        return NULL;
    if (im->count == im->room && !grow((void **)&im->entries, &im->grown_entries, im->count, &im->room, sizeof(*e)))
        return NULL;
    im->containers[im->ncontainers - 1].count++;
    e = &im->entries[im->count++];
    e->info.container = (uint32_t)(im->ncontainers - 1);
    return e;
}

struct image_container *gpudl__image_add_container(struct image *im, enum image_format format, uint64_t offset, uint64_t size)
{
    struct image_container *c;

    if (im->ncontainers == im->containers_room
        && !grow((void **)&im->containers, &im->grown_containers, im->ncontainers, &im->containers_room, sizeof(*c)))
        return NULL;
    c = &im->containers[im->ncontainers++];
    *c = (struct image_container){ .format = format, .offset = offset, .size = size, .first = im->count };
    return c;
}

void gpudl__image_close(struct image *im)
{
    if (!im)
        return;
    for (size_t i = 0; i < im->count; i++)
        gpudl__entry_forget(&im->entries[i]);
    gpudl__arena_free(&im->arena);
    gpudl__free(im->grown_entries);
    gpudl__free(im->grown_containers);
    gpudl__free(im->notes);
    gpudl__free(im->damage);
    gpudl__free(im);
}

static enum image_error open_single(enum image_format format, struct span bytes, const struct image_limits *limits,
    struct image **out, struct text *t)
{
    struct image *im = gpudl__image_create(format, bytes, limits, 1, 1);
    enum image_error error;

    if (!im)
        return gpudl__image_no_memory(t);
    error = gpudl__single_add(im, format, bytes, t);
    if (error)
        gpudl__image_close(im);
    else
        *out = im;
    return error;
}

enum image_error gpudl__image_open(struct span bytes, uint64_t limit, struct image **out, char *text, size_t text_size)
{
    const struct image_limits limits = { .entry_bytes = limit };
    struct text t = gpudl__text_init(text, text_size);
    enum image_format format = IMAGE_UNKNOWN;
    enum image_error error = gpudl__image_detect(bytes, &format, &t);

    if (error)
        return error;
    if (format == IMAGE_FATBIN)
        return gpudl__fatbin_open(bytes, &limits, out, &t);
    return open_single(format, bytes, &limits, out, &t);
}

static enum image_error add_everything(struct image *im, struct text *t)
{
    switch (im->format) {
    case IMAGE_FATBIN: return gpudl__fatbin_add(im, im->bytes, NULL, NULL, t);
    case IMAGE_HOST_ELF: return gpudl__host_elf_add(im, im->bytes, NULL, t);
    case IMAGE_ARCHIVE: return gpudl__archive_add(im, im->bytes, t);
    default: return gpudl__single_add(im, im->format, im->bytes, t);
    }
}

enum image_error gpudl__image_inspect(struct span bytes, const struct image_limits *limits, struct image **out, char *text,
    size_t text_size)
{
    char own[256];
    struct text t = gpudl__text_init(text_size ? text : own, text_size ? text_size : sizeof(own));
    enum image_format format = IMAGE_UNKNOWN;
    enum image_error error = gpudl__image_detect(bytes, &format, &t);
    struct image *im;

    if (error && format == IMAGE_UNKNOWN)
        return error;
    im = gpudl__image_create(format, bytes, limits, 0, 0);
    if (!im)
        return gpudl__image_no_memory(&t);
    im->inspecting = true;
    error = add_everything(im, &t);
    if (!error && im->damage_error && !im->ncontainers)
        error = gpudl__image_fail(&t, im->damage_error, "%s", gpudl__image_damage(im, NULL));
    if (error)
        gpudl__image_close(im);
    else
        *out = im;
    return error;
}

const char *gpudl__image_damage(const struct image *im, enum image_error *error)
{
    if (error)
        *error = im->damage_error;
    if (!im->damage_error)
        return "";
    return im->damage ? im->damage : "damaged, and out of memory";
}

enum image_format gpudl__image_format(const struct image *im)
{
    return im->format;
}

size_t gpudl__image_count(const struct image *im)
{
    return im->count;
}

const struct image_entry *gpudl__image_entry(const struct image *im, size_t i)
{
    return &im->entries[i].info;
}

size_t gpudl__image_container_count(const struct image *im)
{
    return im->ncontainers;
}

const struct image_container *gpudl__image_container(const struct image *im, size_t i)
{
    return &im->containers[i];
}

const char *gpudl__image_notes(const struct image *im)
{
    return im->notes ? im->notes : "";
}
