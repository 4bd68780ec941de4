#include "src/util/text.h"

#include <stdio.h>
#include <string.h>

#define QUOTE_MOST 120

struct text gpudl__text_init(char *data, size_t size)
{
    struct text t = { data, data ? size : 0, 0, false };

    gpudl__text_clear(&t);
    return t;
}

void gpudl__text_clear(struct text *t)
{
    t->used = 0;
    t->cut = false;
    if (t->size)
        t->data[0] = '\0';
}

/* The buffer is full to its NUL: show in its last characters that more was meant. */
static void mark_cut(struct text *t)
{
    size_t dots = t->size - 1 < 3 ? t->size - 1 : 3;

    t->used = t->size - 1;
    memset(t->data + t->used - dots, '.', dots);
    t->data[t->used] = '\0';
    t->cut = true;
}

void gpudl__text_add_args(struct text *t, const char *format, va_list args)
{
    int n;

    if (!t->size || t->cut)
        return;
    n = vsnprintf(t->data + t->used, t->size - t->used, format, args);
    if (n < 0)
        t->data[t->used] = '\0';
    else if ((size_t)n >= t->size - t->used)
        mark_cut(t);
    else
        t->used += (size_t)n;
}

void gpudl__text_add(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    gpudl__text_add_args(t, format, args);
    va_end(args);
}

void gpudl__text_quote(struct text *t, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    size_t n = size < QUOTE_MOST ? size : QUOTE_MOST;

    gpudl__text_add(t, "'");
    for (size_t i = 0; i < n; i++) {
        if (b[i] >= 0x20 && b[i] < 0x7f)
            gpudl__text_add(t, "%c", b[i]);
        else
            gpudl__text_add(t, "\\x%02x", b[i]);
    }
    gpudl__text_add(t, n < size ? "...'" : "'");
}
