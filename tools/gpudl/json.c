/* json.c - see json.h. */
#include "tools/gpudl/json.h"

#include <gpudl/gpudl.h>
#include <stddef.h>

/* How many bytes the UTF-8 character at s has, which ends in NUL; 0: it is none. Overlong forms, surrogates and what lies beyond
 * Unicode are none. */
static size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte; of the second */
        size_t length;
    } forms[] = {
        { 0x01, 0x7f, 0, 0, 1 },
        { 0xc2, 0xdf, 0x80, 0xbf, 2 },
        { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
        { 0xe1, 0xec, 0x80, 0xbf, 3 },
        { 0xed, 0xed, 0x80, 0x9f, 3 },
        { 0xee, 0xef, 0x80, 0xbf, 3 },
        { 0xf0, 0xf0, 0x90, 0xbf, 4 },
        { 0xf1, 0xf3, 0x80, 0xbf, 4 },
        { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };

    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        if (s[0] < forms[i].first || s[0] > forms[i].last)
            continue;
        if (forms[i].length > 1 && (s[1] < forms[i].low || s[1] > forms[i].high))
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if (s[k] < 0x80 || s[k] > 0xbf)
                return 0;
        return forms[i].length;
    }
    return 0;
}

static void write_text(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    fputc('"', out);
    while (*s) {
        size_t length = utf8_length(s);

        if (!length)
            fputs("\\ufffd", out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(out, "\\u%04x", *s);
        else
            fwrite(s, 1, length, out);
        s += length ? length : 1;
    }
    fputc('"', out);
}

static void begin(struct json *j, const char *key)
{
    if (j->follows)
        fputc(',', j->out);
    j->follows = true;
    if (!key)
        return;
    write_text(j->out, key);
    fputc(':', j->out);
}

void json_open(struct json *j, const char *key, char bracket)
{
    begin(j, key);
    fputc(bracket, j->out);
    j->follows = false;
}

void json_close(struct json *j, char bracket)
{
    fputc(bracket, j->out);
    j->follows = true;
}

void json_string(struct json *j, const char *key, const char *value)
{
    begin(j, key);
    if (value)
        write_text(j->out, value);
    else
        fputs("null", j->out);
}

void json_number(struct json *j, const char *key, unsigned long long value)
{
    begin(j, key);
    fprintf(j->out, "%llu", value);
}

void json_count(struct json *j, const char *key, unsigned value)
{
    if (value == GPUDL_UNKNOWN)
        json_string(j, key, NULL);
    else
        json_number(j, key, value);
}

void json_truth(struct json *j, const char *key, bool value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
}
