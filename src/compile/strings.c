#include <stdarg.h>
#include <stdio.h>

#include "src/compile/internal.h"
#include "src/util/alloc.h"

static bool make_room(struct strings *s, size_t more)
{
    size_t room = s->room ? s->room : 256;
    char *data;

    if (s->failed || s->room - s->used >= more)
        return !s->failed;
    while (room - s->used < more)
        room *= 2;
    data = gpudl__alloc(room);
    if (!data) {
        s->failed = true;
        return false;
    }
    if (s->used)
        memcpy(data, s->data, s->used);
    gpudl__free(s->data);
    s->data = data;
    s->room = room;
    return true;
}

void gpudl__strings_append(struct strings *s, const void *bytes, size_t size)
{
    if (!size || !make_room(s, size))
        return;
    memcpy(s->data + s->used, bytes, size);
    s->used += size;
}

void gpudl__strings_add(struct strings *s, const char *text)
{
    gpudl__strings_append(s, text, strlen(text) + 1);
    s->count++;
}

void gpudl__strings_addf(struct strings *s, const char *format, ...)
{
    va_list args, again;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    if (n >= 0 && make_room(s, (size_t)n + 1)) {
        vsnprintf(s->data + s->used, (size_t)n + 1, format, again);
        s->used += (size_t)n + 1;
    }
    va_end(again);
    va_end(args);
    s->count++;
}

const char *gpudl__strings_at(const struct strings *s, size_t index)
{
    const char *at = s->data;

    if (index >= s->count || s->failed)
        return NULL;
    while (index--)
        at += strlen(at) + 1;
    return at;
}

const char **gpudl__strings_array(const struct strings *s)
{
    const char **array = s->failed ? NULL : gpudl__alloc_zero((s->count + 1) * sizeof(*array));
    const char *at = s->data;

    for (size_t i = 0; array && i < s->count; i++, at += strlen(at) + 1)
        array[i] = at;
    return array;
}

void gpudl__strings_free(struct strings *s)
{
    gpudl__free(s->data);
    *s = (struct strings){ .data = NULL };
}
