/* json.h - writes JSON, a value after the other, and keeps the commas. Strings are from outside: what is no UTF-8 in them becomes
 * U+FFFD. A key of NULL is for what lies in an array, and for the outermost value. */
#ifndef GPUDL_TOOL_JSON_H
#define GPUDL_TOOL_JSON_H

#include <stdbool.h>
#include <stdio.h>

struct json {
    FILE *out;
    bool follows;           /* something stands before in the same object or array */
};

void json_open(struct json *, const char *key, char bracket);      /* '{' or '[' */
void json_close(struct json *, char bracket);                      /* '}' or ']' */
void json_string(struct json *, const char *key, const char *value);   /* NULL: null */
void json_number(struct json *, const char *key, unsigned long long value);
void json_count(struct json *, const char *key, unsigned value);       /* GPUDL_UNKNOWN: null */
void json_truth(struct json *, const char *key, bool value);

#endif
